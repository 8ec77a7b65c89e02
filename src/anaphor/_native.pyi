"""The compiled extension (native/); import it through `anaphor.core.engine`, which says whether it exists."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

_Floats: TypeAlias = NDArray[np.float32]
_Ints: TypeAlias = NDArray[np.int32]
_Positions: TypeAlias = NDArray[np.int16] | _Ints
_Longs: TypeAlias = NDArray[np.int64]
_LinkEnds: TypeAlias = NDArray[np.int16] | NDArray[np.int32]
_Doubles: TypeAlias = NDArray[np.float64]
_Bytes: TypeAlias = NDArray[np.int8]
_Flags: TypeAlias = NDArray[np.uint8]
_Tell: TypeAlias = Callable[[float], None]

# Word alignment (align.cpp; anaphor/align/engine.py)

class Bitext:
    def __init__(self, source: _Ints, source_start: _Longs, target: _Ints, target_start: _Longs) -> None: ...

class AlignerModel:
    def __init__(
        self,
        tables: _Floats,
        source_unigram: _Floats,
        target_unigram: _Floats,
        source_null: _Floats,
        target_null: _Floats,
        forward_jumps: _Floats,
        reverse_jumps: _Floats,
        null: float,
        smoothing: float,
        diagonal: float,
    ) -> None: ...

class LexiconRows:
    def __init__(self, start: _Longs, target: _Ints) -> None: ...

class CooccurrenceCounter:
    def __init__(self, first: int, last: int, targets: int) -> None: ...
    def add(self, text: Bitext, threads: int) -> None: ...
    def rows(self) -> tuple[_Longs, _Ints, _Ints]: ...

def token_codes(sentences: Sequence[Sequence[str]], codes: dict[str, int]) -> tuple[_Ints, _Longs]: ...
def word_types(words: _Ints, start: _Longs) -> tuple[_Ints, _Longs]: ...
def candidate_pairs(
    text: Bitext, sources: int, targets: int, share: float, most: int, threads: int, tell: _Tell | None
) -> tuple[_Longs, _Ints, _Floats]: ...
def expected_counts(
    text: Bitext,
    rows: LexiconRows,
    model: AlignerModel,
    hmm: bool,
    agree: bool,
    jump_stride: int,
    threads: int,
    tell: _Tell | None,
) -> _Longs: ...
def maximize(
    start: _Longs,
    target: _Ints,
    targets: int,
    forward: _Longs,
    reverse: _Longs,
    prior: _Floats,
    alpha: float,
    threads: int,
) -> _Floats: ...
def family_sums(
    start: _Longs, target: _Ints, source_family: _Longs, target_family: _Longs, count: _Doubles
) -> _Doubles: ...
def decode_links(
    text: Bitext,
    rows: LexiconRows,
    model: AlignerModel,
    hmm: bool,
    first: int,
    last: int,
    reading: int,
    threshold: float,
    threads: int,
    tell: _Tell | None,
) -> tuple[_Longs, _Ints, _Ints, _Floats]: ...
def similarities(
    start: _Longs,
    target: _Ints,
    source_bytes: bytes,
    source_start: _Longs,
    target_bytes: bytes,
    target_start: _Longs,
    threads: int,
) -> _Floats: ...

# The network of the built-in analyser (analyser.cpp; anaphor/analyse)

class AnalyserNetwork:
    def __init__(
        self,
        heads: Sequence[int],
        near_bias: _Floats,
        squeeze: _Floats,
        squeeze_bias: _Floats,
        wide: _Floats,
        wide_bias: _Floats,
        from_near: _Floats,
        from_wide: _Floats,
        bias: _Floats,
        /,
    ) -> None: ...
    def find(self, products: Sequence[_Floats], types: _Longs) -> list[_Longs]: ...

# Feature names of classic predictors (feature_names.cpp; anaphor/recipes/classic/sparse.py)

_Feature: TypeAlias = str | tuple[str, float]
_Columns: TypeAlias = Sequence[Sequence[str]]
_Spans: TypeAlias = Sequence[tuple[str, int, int]]
_Grams: TypeAlias = tuple[_Columns, _Spans, Sequence[str] | None]
_Facts: TypeAlias = tuple[Sequence[str], Sequence[Sequence[str | None]]]

class FeatureTable:
    def __init__(self, names: Sequence[str]) -> None: ...
    def rows(
        self, said: Sequence[list[Sequence[_Feature]] | _Grams | _Facts], scenes: int
    ) -> tuple[_Longs, _Ints, _Floats]: ...

# Five-column lines (lines.cpp; anaphor/task)

_Tokens: TypeAlias = tuple[str, ...]
_Places: TypeAlias = tuple[int, ...]

def is_plain_line(line: str) -> bool: ...
def scan_lines(text: bytes, word: bytes) -> tuple[list[int], list[int]]: ...

class LineReader:
    def __init__(self, words: int) -> None: ...
    def __len__(self) -> int: ...
    def read(
        self, line: str
    ) -> tuple[_Tokens, _Tokens, _Tokens, _Tokens, _Places, _Places, _Places, _Places] | None: ...

# The network of anaphor-2 (network.cpp; anaphor/predict/anaphor2/native.py)

class NetworkBlock:
    def __init__(
        self,
        before_attention: _Floats,
        before_dense: _Floats,
        query: _Floats,
        key_value: _Floats,
        out: _Floats,
        up: _Floats,
        down: _Floats,
    ) -> None: ...

class Network:
    def __init__(
        self,
        heads: int,
        tables: Sequence[_Floats],
        blocks: Sequence[NetworkBlock],
        norm: _Floats,
        classes: _Floats,
        bias: _Floats,
    ) -> None: ...
    def scores(self, batch: Sequence[_Ints], rows: _Longs, places: _Longs, threads: int) -> _Floats: ...

# Search in sorted rows (search.cpp; anaphor/recipes/lm/model.py)

def search_sorted(row: _Longs, keys: _Longs, absent: int) -> _Longs: ...

# Draws of the bootstrap (resample.cpp; anaphor/stats/resampling.py)

class Draws:
    def __init__(self, high: int, low: int, step_high: int, step_low: int) -> None: ...
    def counts(self, rows: int, items: int, kinds: _Ints | None, columns: int) -> NDArray[np.float64]: ...

# Whole texts and alignments (scan.cpp; anaphor/languages/matcher.py, anaphor/corpus/alignments.py and
# plausibility.py)

def scan_runs(
    text: bytes, probes: Sequence[str]
) -> tuple[_Longs, _Longs, _Longs, _Longs, _Longs, _Longs]: ...
def is_utf8(text: bytes) -> bool: ...
def line_stops(text: bytes) -> _Longs: ...
def parse_links(
    text: bytes,
) -> tuple[_Positions, _Positions, NDArray[np.uint8] | None, _Longs, _Ints] | None: ...
def links_outside(
    sources: _LinkEnds, targets: _LinkEnds, offsets: _Longs, source_lengths: _Longs, target_lengths: _Longs
) -> _Flags: ...
def links_around(
    sources: _LinkEnds, targets: _LinkEnds, offsets: _Longs, segments: _Longs, positions: _Longs
) -> tuple[_Longs, _Ints]: ...
def first_alike(
    text: bytes,
    begins: _Longs,
    ends: _Longs,
    first: _Longs,
    positions: _Longs,
    forms: _Longs,
    bounds: _Longs,
    targets: _Ints,
) -> _Longs: ...
def lines_to_compare(first: bytes, second: bytes) -> _Longs: ...

# Cuts between the translations of source segments (segment.cpp; anaphor/segment/search.py)

def segment(
    source: tuple[_Longs, _Ints, _Ints, _Ints, _Floats, _Ints, _Ints, _Ints],
    text: tuple[_Ints, _Bytes, _Bytes, _Bytes, _Bytes, _Ints, _Ints, _Flags, _Floats, _Floats],
    lexicon: tuple[_Longs, _Ints, _Floats, int],
    tables: tuple[_Floats, _Floats, _Floats, _Floats, _Floats, _Floats, _Floats],
    costs: tuple[float, float, float, float, float, float],
    limits: tuple[int, int, int, int, int, int],
    ratio: float,
) -> tuple[_Longs, _Longs, _Flags, _Doubles, _Longs, _Doubles, _Doubles, _Doubles]: ...
