"""Columns of numbers on disk, for tables larger than memory: appending, sorting, merging of sorted runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anaphor.core.array_types import Longs
from anaphor.files.arrays import Array

AnyFloats = NDArray[np.floating[Any]]


@dataclass(frozen=True, slots=True)
class DiskColumn:
    """Numbers of one type in a file that only grows at its end."""

    path: Path
    dtype: str

    def __len__(self) -> int:
        return self.path.stat().st_size // np.dtype(self.dtype).itemsize if self.path.exists() else 0

    def append(self, values: Array) -> None:
        """Add values at the end."""
        with self.path.open("ab") as file:
            file.write(values.astype(self.dtype, copy=False).tobytes())

    def read(self, start: int = 0, end: int | None = None) -> Array:
        """The values from `start` up to `end`, which is not part of it."""
        count = max((len(self) if end is None else min(end, len(self))) - start, 0)
        if count == 0:
            return np.zeros(0, dtype=self.dtype)
        offset = start * np.dtype(self.dtype).itemsize
        return np.fromfile(self.path, dtype=self.dtype, count=count, offset=offset)

    def blocks(self, size: int) -> Iterator[Array]:
        """All values, at most `size` at a time."""
        for start in range(0, len(self), size):
            yield self.read(start, start + size)

    def take(self, places: Longs) -> Array:
        """The values at some positions; the operating system caches as much of the file as fits."""
        if len(self) == 0:
            return np.zeros(len(places), dtype=self.dtype)
        mapped = np.memmap(self.path, dtype=self.dtype, mode="r")
        return np.asarray(mapped[places])

    def remove(self) -> None:
        """Free the space on disk."""
        self.path.unlink(missing_ok=True)


@dataclass(frozen=True, slots=True)
class ColumnStore:
    """A folder of columns, and how many values may be in memory at once."""

    folder: Path
    block: int

    def column(self, name: str, dtype: str) -> DiskColumn:
        """A new, empty column."""
        column = DiskColumn(self.folder / f"{name}.{dtype}", dtype)
        column.path.write_bytes(b"")
        return column

    def columns(self, table: str, **dtypes: str) -> dict[str, DiskColumn]:
        """New, empty columns of a table."""
        return {name: self.column(f"{table}.{name}", dtype) for name, dtype in dtypes.items()}


@dataclass(frozen=True, slots=True, eq=False)
class Groups:
    """The distinct values of an array in ascending order.

    `first` has a place where each occurs, `number` for every place of the array the number of its value.
    """

    values: Longs
    first: Longs
    number: Longs

    def totals(self, weights: Longs) -> Longs:
        """The sum of the weights of each distinct value."""
        sums: Longs = np.bincount(self.number, weights, len(self.values)).astype(np.int64)
        return sums


def grouped(values: Longs) -> Groups:
    """The groups of an array of numbers from 0 up."""
    if len(values) == 0:
        return Groups(values, values, values)
    # NumPy sorts plain numbers four times faster than it sorts places. So the place goes into the low bits of
    # its value wherever both fit.
    bits = len(values).bit_length()
    if int(values.max()).bit_length() + bits > 63:
        order: Longs = np.argsort(values, kind="stable")
        ordered = values[order]
    else:
        packed = values << bits
        packed |= np.arange(len(values))
        packed.sort()
        order, ordered = packed & ((1 << bits) - 1), packed >> bits
    new = np.empty(len(values), dtype=np.bool_)
    new[0] = True
    np.not_equal(ordered[1:], ordered[:-1], out=new[1:])
    number = np.empty(len(values), dtype=np.int64)
    number[order] = np.cumsum(new) - 1
    return Groups(ordered[new], order[new], number)


@dataclass(frozen=True, slots=True)
class Run:
    """Distinct keys in ascending order, with count and suffix; `merged` takes their numbers in the union."""

    key: DiskColumn
    count: DiskColumn
    suffix: DiskColumn
    merged: DiskColumn

    def remove(self) -> None:
        """Free the disk space, except that of the numbers."""
        for column in (self.key, self.count, self.suffix):
            column.remove()


def merge(runs: Sequence[Run], *, block: int) -> Iterator[tuple[Longs, Longs, Longs]]:
    """Keys, total counts and suffixes of all runs, in ascending order of keys, at most `block` at a time.

    Every run also receives the numbers that its keys have in the union.
    """
    read = [0] * len(runs)
    share = max(block // len(runs), 1)
    base = 0
    while any(start < len(run.key) for run, start in zip(runs, read, strict=True)):
        ends = _next_ends(runs, read, share)
        stretches = list(zip(runs, read, ends, strict=True))
        keys = [run.key.read(start, end) for run, start, end in stretches]
        groups = grouped(np.concatenate(keys))
        counts = np.concatenate([run.count.read(start, end) for run, start, end in stretches])
        suffixes = np.concatenate([run.suffix.read(start, end) for run, start, end in stretches])
        numbers = np.split(groups.number + base, np.cumsum([len(part) for part in keys])[:-1])
        for run, part in zip(runs, numbers, strict=True):
            run.merged.append(part)
        yield groups.values, groups.totals(counts), suffixes[groups.first]
        base += len(groups.values)
        read = ends


def _next_ends(runs: Sequence[Run], read: Sequence[int], share: int) -> list[int]:
    """How far each run can be read so that no later key is smaller than an earlier one."""
    heads = [run.key.read(start, start + share) for run, start in zip(runs, read, strict=True)]
    ends = [start + len(head) for start, head in zip(read, heads, strict=True)]
    last = [int(head[-1]) for run, head, end in zip(runs, heads, ends, strict=True) if end < len(run.key)]
    if not last:
        return ends
    return [
        start + int(np.searchsorted(head, min(last), side="right"))
        for start, head in zip(read, heads, strict=True)
    ]
