"""A language model in one file that is mapped into memory instead of being parsed.

The arrays are `vocabulary` (words by number, one per line) and for each length `N.key`, `N.probability` and,
except for the longest, `N.backoff`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from anaphor.corpus.arrays import ArrayFile, StreamedArray, check_arrays, read_object, write_arrays
from anaphor.predict.lm.columns import Array, ColumnStore, DiskColumn, Longs
from anaphor.predict.lm.model import BEGIN_MARK, END_MARK, UNKNOWN_MARK, NgramModel, Ngrams
from anaphor.predict.lm.smoothing import SmoothedLevel

SUFFIX = ".lm"
KIND = "language model"
VERSION = 1
_FIELDS: dict[str, np.dtype[Any]] = {
    "key": np.dtype(np.int64),
    "probability": np.dtype(np.float32),
    "backoff": np.dtype(np.float32),
}


def write_lm(path: Path, model: NgramModel) -> None:
    """Write a model that is in memory, whole or not at all."""
    levels = [
        [getattr(level, name).astype(dtype, copy=False) for name, dtype in _FIELDS.items()]
        for level in model.levels
    ]
    _write(path, [word.encode() for word in model.words], levels)


def _write(path: Path, words: Sequence[bytes], levels: Sequence[Sequence[Array | StreamedArray]]) -> None:
    arrays: dict[str, Array | StreamedArray] = {
        f"{length}.{name}": array
        for length, level in enumerate(levels, start=1)
        for name, array in zip(_FIELDS, level, strict=True)
        if array.shape[0]  # the longest n-grams have no backoff weights
    }
    arrays["vocabulary"] = np.frombuffer(b"\n".join(words), np.uint8)
    write_arrays(path, arrays, metadata={"kind": KIND, "version": str(VERSION)})


def read_lm(path: Path) -> NgramModel:
    """The model of a file; anything but a whole file of this kind is an `InputError`."""
    return read_object(path, kind=KIND, version=VERSION, make=_model, mapped=True)


def _model(content: ArrayFile) -> NgramModel:
    arrays = content.arrays
    order = sum(name.endswith(".key") for name in arrays)
    schema = {
        f"{length}.{name}": f"{dtype}[n{length}]{' ascending' if name == 'key' else ''}"
        for length in range(1, order + 1)
        for name, dtype in _FIELDS.items()
        if name != "backoff" or length < order
    }
    sizes = check_arrays(arrays, {**schema, "vocabulary": "strings[n1]"})
    words = {word: number for number, word in enumerate(arrays["vocabulary"].tobytes().decode().split("\n"))}
    marks = {BEGIN_MARK, END_MARK, UNKNOWN_MARK}
    if not order or min(sizes.values()) <= 0 or len(words) != sizes["n1"] or not marks <= set(words):
        raise ValueError("the vocabulary and the n-grams differ")
    none = np.zeros(0, np.float32)  # the longest n-grams have no backoff weights
    levels = (
        Ngrams(*(arrays.get(f"{length}.{name}", none) for name in _FIELDS)) for length in range(1, order + 1)
    )
    return NgramModel(words, tuple(levels))


def write_levels(
    path: Path, levels: Sequence[SmoothedLevel], words: Sequence[bytes], store: ColumnStore
) -> None:
    """Write a model that is on disk, whole or not at all."""
    arrays = []
    numbers: DiskColumn | None = None  # of prefixes among those left after pruning; None where all are
    for level in levels:
        parts = (
            _keys(level, numbers, len(words), store.block),
            _kept_values(level, level.log_probabilities, store.block),
            _kept_values(level, level.log_backoffs, store.block),
        )
        sizes = (level.size, level.size, level.size if len(level.backoff) else 0)
        arrays.append([*map(StreamedArray, _FIELDS.values(), sizes, parts)])
        numbers = None
        if level.length < len(levels) and level.size < len(level.table):
            numbers = store.column(f"{level.length}-gram.left", "i8")
            base = 0
            for kept in level.kept.blocks(store.block):
                numbers.append(np.cumsum(kept, dtype=np.int64) - 1 + base)
                base += int(kept.sum())
    _write(path, words, arrays)


def _keys(level: SmoothedLevel, numbers: DiskColumn | None, words: int, block: int) -> Iterator[Longs]:
    for start, kept in level.blocks(block):
        prefix = level.table.prefix.read(start, start + len(kept))[kept]
        left = prefix if numbers is None else numbers.take(prefix)
        yield left * words + level.table.word.read(start, start + len(kept))[kept]


def _kept_values(level: SmoothedLevel, read: Callable[[int, int], Array], block: int) -> Iterator[Array]:
    return (read(start, start + len(kept))[kept] for start, kept in level.blocks(block))
