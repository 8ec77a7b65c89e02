"""The names of features, and rows of their numbers.

Where `native/names.hpp` was compiled, it looks up the names that a model knows: an n-gram that it does not
know need not even become a str. What is here in Python says the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain, count, repeat
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from anaphor.predict.classic.rows import Floats, Ints, Rows
from anaphor.predict.features.groups import Said, named
from anaphor.predict.model_folder import damaged

try:
    from anaphor.predict.classic._names import Table
except ImportError:
    Table = None  # type: ignore[assignment, misc]

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


class Names(dict[str, int]):
    """The names that a model knows, numbered from 0; any other name counts for nothing."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        super().__init__(zip(names, count()))
        self._table = None if Table is None else Table([*self])

    def rows(self, said: Sequence[Said], scenes: int) -> Rows:
        return self._looked_up(said, scenes) if self._table is None else Rows(*self._table.rows(said, scenes))

    def _looked_up(self, said: Sequence[Said], scenes: int) -> Rows:
        starts, names, values = _in_one_row(said, scenes)
        columns = np.fromiter(map(self.get, names, repeat(_UNKNOWN)), np.int32, len(names))
        known = columns != _UNKNOWN
        return Rows(np.concatenate([[0], np.cumsum(known)])[starts], columns[known], values[known])


def _in_one_row(said: Sequence[Said], scenes: int) -> tuple[Any, list[str], Floats]:
    """Where each scene starts, and names and values of the features: all of the first scene, and so on."""
    rows = [named(part, scenes) for part in said]
    lengths = np.array([[*map(len, part)] for part in rows], np.int64).reshape(len(rows), scenes)
    names, values = _apart([*chain.from_iterable(chain.from_iterable(zip(*rows, strict=True)))])
    return np.concatenate([[0], lengths.sum(axis=0).cumsum()]), names, values


def _apart(found: list[Any]) -> tuple[list[str], Floats]:
    """Names and values of features; almost always there are names alone, all with the value 1."""
    if tuple not in set(map(type, found)):
        return found, np.ones(len(found), np.float32)
    pairs = [one if isinstance(one, tuple) else (one, 1.0) for one in found]
    return [name for name, _ in pairs], np.array([value for _, value in pairs], np.float32)


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
