"""Samples that share their random numbers: how far two estimates err together.

One random number decides for a pronoun in all systems (permanent random numbers, Ohlsson 1995), so that
systems are judged on the same pronouns. Their difference is known better for it, their sum worse.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from anaphor.stats.cells import Cell, Keys
from anaphor.stats.clusters import Floats


@dataclass(frozen=True, slots=True)
class Shared:
    """The covariance of two estimates, and the number of pronouns that are judged for both."""

    covariance: float
    pronouns: int


def shared_error(first: Sequence[Cell], second: Sequence[Cell], *, total: tuple[int, int]) -> Shared:
    """How two estimates over `total` items each err together, from the pronouns that are judged for both.

    An item is judged where the random number of its pronoun is under the share of its cell, so both items
    of a pronoun are judged with the smaller probability of the two. This is the estimator of Horvitz and
    Thompson for such (Poisson) samples, with residuals in place of values since the sizes of the samples
    are fixed.
    """
    pairs = _shared([*first, *second])
    between = (pairs.first < len(first)) & (pairs.second >= len(first))
    one, other = (np.concatenate([cell.keys for cell in cells]) for cells in (first, second))
    covariance = float(pairs.covariances[between].sum()) / (total[0] * total[1])
    return Shared(covariance, len(np.intersect1d(one, other)))


def shared_variance(cells: Sequence[Cell]) -> float:
    """What items of the same pronoun add to the variance of the sum over the cells."""
    return 2 * float(_shared(cells).covariances.sum())


@dataclass(frozen=True, slots=True, eq=False)
class _Pairs:
    """Every two cells that share pronouns, by their numbers, and the covariance of their sums."""

    first: Keys
    second: Keys
    covariances: Floats


def _shared(cells: Sequence[Cell]) -> _Pairs:
    owners = np.repeat(np.arange(len(cells)), [cell.judged for cell in cells])
    residuals = np.concatenate([cell.values - cell.values.mean() for cell in cells])
    left, right = _same_pronoun(np.concatenate([cell.keys for cell in cells]))
    codes, places, counts = np.unique(
        owners[left] * len(cells) + owners[right], return_inverse=True, return_counts=True
    )
    products = np.bincount(places, weights=residuals[left] * residuals[right], minlength=len(codes))
    first, second = codes // len(cells), codes % len(cells)
    factors = _correction(cells, first, second, counts) * _inflation(cells, first, second)
    return _Pairs(first, second, products * factors)


def _correction(cells: Sequence[Cell], first: Keys, second: Keys, counts: Keys) -> Floats:
    """Gives back what subtracting two means has taken out of products; of single items nothing is left."""
    judged = np.array([cell.judged for cell in cells], np.float64)
    one, other = judged[first], judged[second]
    kept = 1 - 1 / one - 1 / other + counts / (one * other)
    factors: Floats = np.divide(1, kept, out=np.zeros_like(kept), where=kept > 1e-9)
    return factors


def _inflation(cells: Sequence[Cell], first: Keys, second: Keys) -> Floats:
    """From products over the sample to a covariance over all items."""
    shares = np.array([cell.probability for cell in cells])
    low, high = np.minimum(shares[first], shares[second]), np.maximum(shares[first], shares[second])
    factors: Floats = (1 - high) / (low * high)
    return factors


def _same_pronoun(keys: Keys) -> tuple[Keys, Keys]:
    """The places of all pairs of equal keys, the earlier place first."""
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    left, right = [order[:0]], [order[:0]]
    for shift in range(1, len(keys)):
        same = ordered[shift:] == ordered[:-shift]
        if not same.any():
            break
        left.append(order[:-shift][same])
        right.append(order[shift:][same])
    return np.concatenate(left), np.concatenate(right)
