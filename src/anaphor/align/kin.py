"""What a word learns from its kin: the other forms that begin like it.

Most word forms of an inflecting language are rare, and what is expected of one alone says little. But if
*decide* goes with `décide`, *decided* probably goes with `décidé`. So a word pair gets a pseudo-count for
what is expected of its kin. With c(s,t) the expected counts, S and T the families of words that share the
first letters of s and t, and C the sums of c over families,

    kin(s,t) = weight * 2 (C(S,T) - c(s,t)) / (C(S) + C(T) + 1).

The pair's own count is left out, so that nothing confirms itself, and a word without kin gets nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anaphor.align.model import Floats, Longs, Rows

LETTERS = 4
"""So many first letters make a family; a shorter word is kin to none."""


@dataclass(frozen=True, slots=True, eq=False)
class Kin:
    """The family of every word, as a number."""

    source: Longs
    target: Longs

    @classmethod
    def of(cls, *, source_forms: Sequence[str], target_forms: Sequence[str]) -> Kin:
        """The families of these vocabularies."""
        return cls(_families(source_forms), _families(target_forms))

    def pseudo_counts(self, rows: Rows, count: NDArray[np.float64], *, weight: float) -> Floats:
        """The pseudo-count of every entry, from the expected counts of all."""
        source, target = self.source[rows.sources()], self.target[rows.target]
        keys = source * (self.target.max(initial=0) + 1) + target
        place = np.unique(keys, return_inverse=True)[1]
        of_kin = np.bincount(place, weights=count)[place] - count
        of_either = np.bincount(source, weights=count)[source] + np.bincount(target, weights=count)[target]
        return np.asarray(weight * 2 * np.maximum(of_kin, 0) / (of_either + 1), dtype=np.float32)


def _families(forms: Sequence[str]) -> Longs:
    numbers: dict[str, int] = {}
    return np.array([numbers.setdefault(form[:LETTERS], len(numbers)) for form in forms], np.int64)
