"""A smoothed model straight from the columns on disk to a file that is mapped into memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from anaphor.predict.arpa_writing import log10
from anaphor.predict.columns import Array, Column, Longs, Shelf
from anaphor.predict.lm_file import Stored, write_lm
from anaphor.predict.ngram_smoothing import Level
from anaphor.predict.sentences import BEGIN


def write_levels(path: Path, levels: Sequence[Level], words: Sequence[bytes], shelf: Shelf) -> None:
    """Write the model in our own format, whole or not at all."""
    arrays = []
    for length, level in enumerate(levels, start=1):
        below = levels[length - 2] if length > 1 else None
        numbers = None if below is None else _numbers_of_kept(below, shelf, length - 1)
        arrays.append(_stored(level, numbers, len(words), shelf.block, first=below is None))
    write_lm(path, words, arrays)


def _numbers_of_kept(level: Level, shelf: Shelf, length: int) -> Column | None:
    """The number of each n-gram among those that are left after pruning; None where all are."""
    if level.size == len(level.table):
        return None
    numbers = shelf.column(f"{length}-gram.left", "i8")
    base = 0
    for kept in level.kept.blocks(shelf.block):
        numbers.append(np.cumsum(kept, dtype=np.int64) - 1 + base)
        base += int(kept.sum())
    return numbers


def _stored(level: Level, numbers: Column | None, words: int, block: int, *, first: bool) -> list[Stored]:
    """The arrays of one length; `first` are the single words."""
    stored = [
        Stored(level.size, "i8", _keys(level, numbers, words, block)),
        Stored(level.size, "f4", _logs(level, level.probability, block, first=first)),
    ]
    if len(level.backoff):
        stored.append(Stored(level.size, "f4", _logs(level, level.backoff, block, first=False)))
    return stored


def _keys(level: Level, numbers: Column | None, words: int, block: int) -> Iterator[Longs]:
    for start, kept in _kept(level, block):
        prefix = level.table.prefix.read(start, start + len(kept))[kept]
        left = prefix if numbers is None else numbers.take(prefix)
        yield left * words + level.table.word.read(start, start + len(kept))[kept]


def _logs(level: Level, column: Column, block: int, *, first: bool) -> Iterator[Array]:
    for start, kept in _kept(level, block):
        values = log10(column.read(start, start + len(kept)))
        if first and start <= BEGIN < start + len(values):
            values[BEGIN - start] = 0.0
        yield values[kept]


def _kept(level: Level, block: int) -> Iterator[tuple[int, Array]]:
    for start in range(0, len(level.table), block):
        yield start, level.kept.read(start, start + block).astype(np.bool_)
