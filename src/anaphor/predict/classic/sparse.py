"""Sparse rows of numbers: what a classifier sees of many scenes, and its products with weights."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, count, repeat
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from anaphor.engine import native
from anaphor.predict.features.groups import Said, named
from anaphor.predict.model_folder import damaged

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


FILE = "features.txt"
#: The number of a feature that was not learned.
_UNKNOWN = -1


class Numbering(Protocol):
    """Numbers features."""

    def rows(self, said: Sequence[Said], scenes: int) -> Rows:
        """A row for each scene, of those among its features that have a number."""


class Growing(dict[str, int]):
    """Numbers of names; a new name takes the next one."""

    def __missing__(self, name: str) -> int:
        number = self[name] = len(self)
        return number

    def numbered(self, names: Sequence[str]) -> Ints:
        """The number of each name."""
        return np.fromiter(map(self.__getitem__, names), np.int32, len(names))

    def rows(self, said: Sequence[Said], scenes: int) -> Rows:
        starts, names, values = _in_one_row(said, scenes)
        return Rows(starts, self.numbered(names), values)


class Names(Mapping[str, int]):
    """The names that a model knows, numbered from 0; any other name counts for nothing."""

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
        """Half the time of reading a model, and needed by nobody who has the table and no questions."""
        return dict(zip(self._names, count()))

    def rows(self, said: Sequence[Said], scenes: int) -> Rows:
        return self._looked_up(said, scenes) if self._table is None else Rows(*self._table.rows(said, scenes))

    def _looked_up(self, said: Sequence[Said], scenes: int) -> Rows:
        starts, names, values = _in_one_row(said, scenes)
        columns = np.fromiter(map(self._numbers.get, names, repeat(_UNKNOWN)), np.int32, len(names))
        known = columns != _UNKNOWN
        return Rows(np.concatenate([[0], np.cumsum(known)])[starts], columns[known], values[known])


def _in_one_row(said: Sequence[Said], scenes: int) -> tuple[Any, list[str], Floats]:
    """Where each scene starts, and names and values of the features: all of the first scene, and so on."""
    rows = [named(part, scenes) for part in said]
    lengths = np.array([[*map(len, part)] for part in rows], np.int64).reshape(len(rows), scenes)
    names, values = _apart([*chain.from_iterable(chain.from_iterable(zip(*rows, strict=True)))])
    return np.concatenate([[0], lengths.sum(axis=0).cumsum()]), names, values


def _apart(found: list[Any]) -> tuple[list[str], Floats]:
    """Names and values of features; most are names alone, with the value 1."""
    values = np.ones(len(found), np.float32)
    kinds = [*map(type, found)]
    if tuple in kinds:
        places = [place for place, kind in enumerate(kinds) if kind is tuple]
        values[places] = [found[place][1] for place in places]
        for place in places:
            found[place] = found[place][0]
    return found, values


def write_names(path: Path, names: Iterable[str]) -> None:
    """One name a line, by number."""
    path.write_bytes("\n".join(names).encode())


def read_names(path: Path) -> Names:
    """The number of every name."""
    try:
        text = path.read_bytes().decode()
    except UnicodeDecodeError:
        raise damaged(path, "the names of its features are no text") from None
    return Names(text.split("\n") if text else ())
