"""Sparse rows of features, products with weights, and the vocabulary that numbers features.

If native code is available, it looks up the names known to a model, so an unknown n-gram never becomes a
Python string. The Python code here gives the same result.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, count, repeat
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from anaphor.core.array_types import Doubles, Floats, Ints, Longs
from anaphor.core.engine import native
from anaphor.predict.model_folder import damaged
from anaphor.recipes.features.groups import FeatureBlock, feature_lists

_BLOCK = 1 << 8  # rows multiplied at once: their weights fit into the cache


@dataclass(frozen=True, slots=True, eq=False)
class SparseRows:
    """Row `r` has the columns `columns[starts[r]:starts[r + 1]]` and the values at the same places."""

    starts: Longs
    columns: Ints
    values: Floats

    def __len__(self) -> int:
        return len(self.starts) - 1

    def times(self, weights: Floats) -> Doubles:
        """The product with a matrix that has a row for every column of these rows."""
        product = np.zeros((len(self), weights.shape[1]))
        for start in range(0, len(self), _BLOCK):
            end = min(start + _BLOCK, len(self))
            low, high = self.starts[start], self.starts[end]
            products = weights[self.columns[low:high]].astype(np.float64)
            products *= self.values[low:high, None]
            # `reduceat` gives an empty row the product at its start, so empty rows are left out.
            filled = start + np.flatnonzero(np.diff(self.starts[start : end + 1]))
            if len(filled):
                product[filled] = np.add.reduceat(products, self.starts[filled] - low, axis=0)
        return product

    def take(self, rows: Longs) -> SparseRows:
        """Some of the rows, in the given order."""
        lengths = np.diff(self.starts)[rows]
        starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        places = np.arange(starts[-1]) + np.repeat(self.starts[rows] - starts[:-1], lengths)
        return SparseRows(starts, self.columns[places], self.values[places])

    def only(self, kept: NDArray[np.bool_]) -> SparseRows:
        """The same rows without some columns; the remaining columns are renumbered in order."""
        stays = kept[self.columns]
        numbers = np.cumsum(kept, dtype=np.int32) - 1
        sums = np.concatenate([[0], np.cumsum(stays)])
        return SparseRows(
            sums[self.starts], numbers[self.columns[stays]].astype(np.int32), self.values[stays]
        )

    def matrix(self, width: int) -> Any:
        """The rows as a SciPy matrix, for scikit-learn."""
        from scipy.sparse import csr_matrix  # comes with scikit-learn

        return csr_matrix((self.values, self.columns, self.starts), shape=(len(self), width))


def stacked(parts: Sequence[SparseRows]) -> SparseRows:
    """All rows, one part after the other."""
    offsets = np.cumsum([0, *(part.starts[-1] for part in parts)])
    starts = [part.starts[1:] + offset for part, offset in zip(parts, offsets[:-1], strict=True)]
    columns = [np.zeros(0, np.int32), *(part.columns for part in parts)]
    values = [np.zeros(0, np.float32), *(part.values for part in parts)]
    return SparseRows(
        np.concatenate([[0], *starts]).astype(np.int64), np.concatenate(columns), np.concatenate(values)
    )


FILE = "features.txt"
#: The number of a feature that was not learned.
_UNKNOWN = -1


class GrowingVocabulary(dict[str, int]):
    """Numbers of names; a new name takes the next one."""

    def __missing__(self, name: str) -> int:
        number = self[name] = len(self)
        return number

    def numbers(self, names: Sequence[str]) -> Ints:
        """The number of each name."""
        return np.fromiter(map(self.__getitem__, names), np.int32, len(names))

    def rows(self, blocks: Sequence[FeatureBlock], slots: int) -> SparseRows:
        """One row per slot, with all of its features."""
        starts, names, values = _flattened(blocks, slots)
        return SparseRows(starts, self.numbers(names), values)


class FeatureVocabulary(Mapping[str, int]):
    """The names that a model knows, numbered from 0; any other name is ignored."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        self._names = tuple(names)
        self._table = None if native is None else native.FeatureTable(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __getitem__(self, name: str) -> int:
        return self._numbers[name]

    @cached_property
    def _numbers(self) -> dict[str, int]:
        # Made on demand: it takes half the time of loading a model, and prediction with the native table
        # never needs it.
        return dict(zip(self._names, count()))

    def rows(self, blocks: Sequence[FeatureBlock], slots: int) -> SparseRows:
        """One row per slot, with those of its features that are known."""
        if self._table is not None:
            return SparseRows(*self._table.rows(blocks, slots))
        return self.rows_in_python(blocks, slots)

    def rows_in_python(self, blocks: Sequence[FeatureBlock], slots: int) -> SparseRows:
        """The same as `rows` without native code."""
        starts, names, values = _flattened(blocks, slots)
        columns = np.fromiter(map(self._numbers.get, names, repeat(_UNKNOWN)), np.int32, len(names))
        known = columns != _UNKNOWN
        return SparseRows(np.concatenate([[0], np.cumsum(known)])[starts], columns[known], values[known])


Vocabulary: TypeAlias = GrowingVocabulary | FeatureVocabulary


def _flattened(blocks: Sequence[FeatureBlock], slots: int) -> tuple[Any, list[str], Floats]:
    """The start of each slot's features, and the names and values of all features, slot by slot."""
    rows = [feature_lists(block, slots) for block in blocks]
    lengths = np.array([[*map(len, part)] for part in rows], np.int64).reshape(len(rows), slots)
    features: list[Any] = [*chain.from_iterable(chain.from_iterable(zip(*rows, strict=True)))]
    # Most features are names alone, with the value 1; the others are pairs.
    values = np.ones(len(features), np.float32)
    kinds = [*map(type, features)]
    if tuple in kinds:
        places = [place for place, kind in enumerate(kinds) if kind is tuple]
        values[places] = [features[place][1] for place in places]
        for place in places:
            features[place] = features[place][0]
    return np.concatenate([[0], lengths.sum(axis=0).cumsum()]), features, values


def write_vocabulary(path: Path, names: Iterable[str]) -> None:
    """One name per line, in number order."""
    path.write_bytes("\n".join(names).encode())


def read_vocabulary(path: Path) -> FeatureVocabulary:
    """The names of a file; the number of a name is its line, counted from 0."""
    try:
        text = path.read_bytes().decode()
    except UnicodeDecodeError:
        raise damaged(path, "the names of its features are not UTF-8") from None
    return FeatureVocabulary(text.split("\n") if text else ())
