"""Which cells of a sentence pair can be linked, in NumPy: what Index::find of native/lexicon.hpp gives."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anaphor.align.model import LONGEST, Bools, Ints, Longs, Rows

_AT_ONCE = 1_000_000


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """Places of two words, by source, then target, and their entry in the rows where `known` says so."""

    source: Longs
    target: Longs
    entry: Longs
    known: Bools


class ReferenceIndex:
    """Finds word pairs by binary search."""

    def __init__(self, rows: Rows) -> None:
        self._sources = len(rows.start) - 1
        self._targets = int(rows.target.max(initial=-1)) + 1
        self._keys = rows.sources().astype(np.int64) * self._targets + rows.target

    def cells(self, source: Ints, target: Ints) -> Cells:
        """Cells whose words are in the rows, and those of two words that are there with no word here."""
        stretch = max(1, _AT_ONCE // max(len(target), 1))
        parts = [
            self._beside(source, target, first, min(first + stretch, len(source)))
            for first in range(0, len(source), stretch)
        ]
        i, j, entry = (np.concatenate([part[k] for part in parts]) for k in range(3))
        lonely_i = np.setdiff1d(np.arange(len(source)), i)
        lonely_j = np.setdiff1d(np.arange(len(target)), j)
        more_i, more_j = np.repeat(lonely_i, len(lonely_j)), np.tile(lonely_j, len(lonely_i))
        near = _near(more_i, more_j, rows=len(source), columns=len(target))
        more_i, more_j = more_i[near], more_j[near]
        i, j = np.concatenate([i, more_i]), np.concatenate([j, more_j])
        known = np.arange(len(i)) < len(entry)
        entry = np.concatenate([entry, np.zeros(len(more_i), np.int64)])
        order = np.lexsort((j, i))
        return Cells(i[order], j[order], entry[order], known[order])

    def _beside(self, source: Ints, target: Ints, first: int, last: int) -> tuple[Longs, Longs, Longs]:
        """Cells of the source places from `first` to `last` that are in the rows."""
        s, t = source[first:last].astype(np.int64)[:, None], target.astype(np.int64)[None, :]
        keys = s * self._targets + t
        place = np.searchsorted(self._keys, keys)
        i, j = np.arange(first, last)[:, None], np.arange(len(target))[None, :]
        found = (s < self._sources) & (t < self._targets) & (place < len(self._keys))
        found &= _near(i, j, rows=len(source), columns=len(target))
        found[found] = self._keys[place[found]] == keys[found]
        i, j = np.nonzero(found)
        return first + i, j, place[found]


def _near(i: Longs, j: Longs, *, rows: int, columns: int) -> Bools:
    """Whether cells are within LONGEST of the diagonal, as all are in sentences up to that length."""
    return np.asarray((columns <= LONGEST) | (np.abs(j - i * columns // rows) <= LONGEST))
