"""Sparse rows of numbers: what a classifier sees of many scenes, and its products with weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]

_BLOCK = 1 << 8  # rows multiplied at once: what is gathered for them stays in the cache


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Row r has the columns `columns[starts[r]:starts[r + 1]]` and the values at the same places."""

    starts: Longs
    columns: Ints
    values: Floats

    def __len__(self) -> int:
        return len(self.starts) - 1

    def times(self, weights: Floats) -> Doubles:
        """The product with a matrix that has a row for every column of these rows."""
        found = np.zeros((len(self), weights.shape[1]))
        for start in range(0, len(self), _BLOCK):
            end = min(start + _BLOCK, len(self))
            found[start:end] = self._times(weights, start, end)
        return found

    def _times(self, weights: Floats, start: int, end: int) -> Doubles:
        low, high = self.starts[start], self.starts[end]
        products = weights[self.columns[low:high]].astype(np.float64)
        products *= self.values[low:high, None]
        sums = np.zeros((end - start, weights.shape[1]))
        filled = np.flatnonzero(np.diff(self.starts[start : end + 1]))
        if len(filled):
            sums[filled] = np.add.reduceat(products, self.starts[start + filled] - low, axis=0)
        return sums

    def take(self, rows: Longs) -> Rows:
        """Some of the rows, in the order asked for."""
        lengths = np.diff(self.starts)[rows]
        starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        places = np.arange(starts[-1]) + np.repeat(self.starts[rows] - starts[:-1], lengths)
        return Rows(starts, self.columns[places], self.values[places])

    def only(self, kept: NDArray[np.bool_]) -> Rows:
        """The same rows without some columns; those that stay are numbered anew in their order."""
        stays = kept[self.columns]
        numbers = np.cumsum(kept, dtype=np.int32) - 1
        sums = np.concatenate([[0], np.cumsum(stays)])
        return Rows(sums[self.starts], numbers[self.columns[stays]].astype(np.int32), self.values[stays])

    def matrix(self, width: int) -> Any:
        """The rows as SciPy has them, for learners that want it so."""
        from scipy.sparse import csr_matrix  # comes with scikit-learn

        return csr_matrix((self.values, self.columns, self.starts), shape=(len(self), width))


def stacked(parts: Sequence[Rows]) -> Rows:
    """Rows one after the other."""
    offsets = np.cumsum([0, *(part.starts[-1] for part in parts)])
    starts = [part.starts[1:] + offset for part, offset in zip(parts, offsets[:-1], strict=True)]
    columns = [np.zeros(0, np.int32), *(part.columns for part in parts)]
    values = [np.zeros(0, np.float32), *(part.values for part in parts)]
    return Rows(
        np.concatenate([[0], *starts]).astype(np.int64), np.concatenate(columns), np.concatenate(values)
    )
