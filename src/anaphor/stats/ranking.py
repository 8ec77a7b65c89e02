"""Ranks with ties, and the score of every pair that a coefficient of correlation is made of.

Daniels (1944): Pearson's, Spearman's and Kendall's coefficients are one formula. Give every pair of systems a
score on each side, sum the products, and divide by the root of both sums of squares. The score is the
difference of the values, that of the ranks, or its sign.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import permutations
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from anaphor.stats.clusters import Floats
from anaphor.stats.sampling import TIE

PairScores: TypeAlias = Callable[[Floats], Floats]
"""From n values to a matrix `[n, n]` of scores, antisymmetric."""


def mid_ranks(values: Sequence[float] | Floats) -> Floats:
    """Ranks from 1 up; equal values share the mean of the ranks they take together."""
    array = np.asarray(values, np.float64)
    below = (array[None, :] < array[:, None]).sum(axis=1)
    equal = (array[None, :] == array[:, None]).sum(axis=1)
    ranks: Floats = below + (equal + 1) / 2
    return ranks


def tie_sizes(values: Sequence[float]) -> Floats:
    """How many values share each distinct value; 1 where it stands alone."""
    counts: NDArray[np.int64] = np.unique(np.asarray(values, np.float64), return_counts=True)[1]
    return counts.astype(np.float64)


def differences(values: Floats) -> Floats:
    """The second value of every pair minus its first."""
    matrix: Floats = values[None, :] - values[:, None]
    return matrix


def rank_differences(values: Floats) -> Floats:
    """The same with mid-ranks."""
    return differences(mid_ranks(values))


def signs(values: Floats) -> Floats:
    """1 for a pair in ascending order, -1 for one in descending order, 0 for a tie."""
    matrix: Floats = np.sign(differences(values))
    return matrix


def exact_p(x: Floats, y: Floats, scores: PairScores) -> float:
    """The share of all orders of y whose coefficient is at least as far from 0 as the one at hand."""
    a, b = scores(x), scores(y)
    orders = np.array(list(permutations(range(len(y)))))
    sums = np.zeros(len(orders))
    for i, j in zip(*np.triu_indices(len(y), k=1), strict=True):
        sums += a[i, j] * b[orders[:, i], orders[:, j]]
    # The first order is the one at hand; ties of sums must not depend on their last bits.
    return float((np.abs(sums) >= abs(sums[0]) * (1 - TIE) - TIE).mean())
