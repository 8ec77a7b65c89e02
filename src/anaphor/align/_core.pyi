import numpy as np
from numpy.typing import NDArray

from anaphor.align.model import Floats, Ints, Longs

class Bitext:
    def __init__(self, source: Ints, source_start: Longs, target: Ints, target_start: Longs) -> None: ...

class Hits:
    def __init__(
        self, start: Longs, source: NDArray[np.uint16], target: NDArray[np.uint16], entry: Ints
    ) -> None: ...

class Model:
    def __init__(
        self,
        tables: Floats,
        source_unigram: Floats,
        target_unigram: Floats,
        source_null: Floats,
        target_null: Floats,
        forward_jumps: Floats,
        reverse_jumps: Floats,
        null: float,
        smoothing: float,
        diagonal: float,
    ) -> None: ...

class Index:
    def __init__(self, start: Longs, target: Ints) -> None: ...
    def hits(
        self, text: Bitext, first: int, last: int, threads: int
    ) -> tuple[Longs, NDArray[np.uint16], NDArray[np.uint16], Ints]: ...

def candidates(
    text: Bitext, sources: int, targets: int, share: float, threads: int
) -> tuple[Longs, Ints, Floats]: ...
def expect(
    text: Bitext,
    hits: Hits,
    model: Model,
    hmm: bool,
    agree: bool,
    jump_stride: int,
    first: int,
    last: int,
    threads: int,
    entries: Longs,
    source_null: Longs,
    target_null: Longs,
    forward_jumps: Longs,
    reverse_jumps: Longs,
) -> None: ...
def maximise(
    start: Longs,
    target: Ints,
    targets: int,
    counts: Longs,
    prior: Floats,
    alpha: float,
    threads: int,
    tables: Floats,
) -> None: ...
def decode(
    text: Bitext,
    hits: Hits,
    model: Model,
    hmm: bool,
    first: int,
    last: int,
    threads: int,
    reading: int,
    threshold: float,
) -> tuple[Longs, Ints, Ints, Floats]: ...
def likenesses(
    start: Longs,
    target: Ints,
    source_bytes: bytes,
    source_start: Longs,
    target_bytes: bytes,
    target_start: Longs,
) -> Floats: ...
