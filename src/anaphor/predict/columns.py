"""Columns of numbers in files, for tables that may be larger than memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Longs = NDArray[np.int64]
Ints = NDArray[np.int32]
Floats = NDArray[np.floating[Any]]


@dataclass(frozen=True, slots=True)
class Column:
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
        """The values at some places. The operating system keeps in memory what it has room for."""
        if len(self) == 0:
            return np.zeros(len(places), dtype=self.dtype)
        mapped = np.memmap(self.path, dtype=self.dtype, mode="r")
        return np.asarray(mapped[places])

    def remove(self) -> None:
        """Free the space on disk."""
        self.path.unlink(missing_ok=True)


@dataclass(frozen=True, slots=True)
class Shelf:
    """A folder of columns, and how many values may be in memory at once."""

    folder: Path
    block: int

    def column(self, name: str, dtype: str) -> Column:
        """A new, empty column."""
        column = Column(self.folder / f"{name}.{dtype}", dtype)
        column.path.write_bytes(b"")
        return column
