"""Correlation of two lists of scores: Pearson, Spearman, Kendall, each with an interval and a p-value.

    coefficient   interval                                         p-value, two-sided, of no relation
    pearson       Fisher's z, error 1 / sqrt(n - 3)                Student's t, n - 2 degrees of freedom
    spearman      Fisher's z, error sqrt((1 + r^2 / 2) / (n - 3))  all orders up to n = 8, then the same t
    kendall       Fisher's z, error sqrt(0.437 / (n - 4))          all orders up to n = 8, then a normal curve

The errors of the rank correlations are those of Bonett and Wright (2000) and of Fieller, Hartley and Pearson
(1957). All three intervals treat the systems as a random sample, which they seldom are: read them as a
warning about how little seven systems can show.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import permutations
from statistics import NormalDist
from typing import TypeAlias

import numpy as np

from anaphor.core import InputError, Interval, MismatchError, OptionError, UnknownNameError
from anaphor.core.array_types import Doubles, Longs
from anaphor.stats.distributions import t_outside
from anaphor.stats.resampling import TIE

#: Every coefficient, in the order in which tables show them.
COEFFICIENTS = ("pearson", "spearman", "kendall")
FEWEST = 3
#: 8! = 40,320 orders take a moment, 9! many.
EXACT_UP_TO = 8

# Daniels (1944): Pearson's, Spearman's and Kendall's coefficients are one formula. Give every pair of systems
# a score on each side, sum the products, and divide by the root of both sums of squares. The score is the
# difference of the values, that of the ranks, or its sign.

PairScores: TypeAlias = Callable[[Doubles], Doubles]
"""From n values to a matrix `[n, n]` of scores, antisymmetric."""


def mid_ranks(values: Sequence[float] | Doubles) -> Doubles:
    """Ranks from 1; equal values share the mean of their ranks."""
    array = np.asarray(values, np.float64)
    below = (array[None, :] < array[:, None]).sum(axis=1)
    equal = (array[None, :] == array[:, None]).sum(axis=1)
    ranks: Doubles = below + (equal + 1) / 2
    return ranks


def tie_sizes(values: Sequence[float]) -> Doubles:
    """The size of each group of equal values; 1 for a unique value."""
    counts: Longs = np.unique(np.asarray(values, np.float64), return_counts=True)[1]
    return counts.astype(np.float64)


def differences(values: Doubles) -> Doubles:
    """The second value of every pair minus its first."""
    matrix: Doubles = values[None, :] - values[:, None]
    return matrix


def rank_differences(values: Doubles) -> Doubles:
    """The same for mid-ranks."""
    return differences(mid_ranks(values))


def signs(values: Doubles) -> Doubles:
    """1 for a pair in ascending order, -1 for one in descending order, 0 for a tie."""
    matrix: Doubles = np.sign(differences(values))
    return matrix


_SCORES: dict[str, PairScores] = {"pearson": differences, "spearman": rank_differences, "kendall": signs}


def exact_p(x: Doubles, y: Doubles, scores: PairScores) -> float:
    """The share of all orders of y whose coefficient is at least as far from 0 as the observed one."""
    a, b = scores(x), scores(y)
    orders = np.array(list(permutations(range(len(y)))))
    sums = np.zeros(len(orders))
    for i, j in zip(*np.triu_indices(len(y), k=1), strict=True):
        sums += a[i, j] * b[orders[:, i], orders[:, j]]
    # The first order is the one at hand; ties of sums must not depend on their last bits.
    return float((np.abs(sums) >= abs(sums[0]) * (1 - TIE) - TIE).mean())


@dataclass(frozen=True, slots=True)
class Correlation:
    """A coefficient between -1 and 1.

    `interval` is None if there are too few values to estimate the error, and for 1 and -1, whose z is
    infinite.
    """

    coefficient: str
    value: float
    interval: Interval | None
    p: float
    n: int


def correlation(
    x: Sequence[float], y: Sequence[float], *, coefficient: str, level: float = 0.95
) -> Correlation:
    """Compute one of `COEFFICIENTS`; Spearman's uses mid-ranks for ties, Kendall's is tau-b."""
    if coefficient not in COEFFICIENTS:
        raise UnknownNameError.among(coefficient, COEFFICIENTS, kind="coefficient", where="coefficient")
    _require_scores(x, y)
    n, first, second = len(x), np.asarray(x, np.float64), np.asarray(y, np.float64)
    a, b = _SCORES[coefficient](first), _SCORES[coefficient](second)
    # Scaled first: squares of very small or very large differences leave the range of floats.
    a, b = a / np.abs(a).max(), b / np.abs(b).max()
    value = float(np.clip((a * b).sum() / math.sqrt((a * a).sum() * (b * b).sum()), -1, 1))
    interval, lost = None, 4 if coefficient == "kendall" else 3
    if n > lost and abs(value) != 1:
        spread = {"pearson": 1.0, "spearman": 1 + value**2 / 2, "kendall": 0.437}[coefficient]
        margin = NormalDist().inv_cdf((1 + level) / 2) * math.sqrt(spread / (n - lost))
        z = math.atanh(value)
        interval = Interval(math.tanh(z - margin), math.tanh(z + margin), level)
    return Correlation(coefficient, value, interval, _p(coefficient, value, first, second), n)


def pearson(x: Sequence[float], y: Sequence[float], *, level: float = 0.95) -> Correlation:
    """Pearson's linear correlation."""
    return correlation(x, y, coefficient="pearson", level=level)


def spearman(x: Sequence[float], y: Sequence[float], *, level: float = 0.95) -> Correlation:
    """The linear correlation of mid-ranks."""
    return correlation(x, y, coefficient="spearman", level=level)


def kendall(x: Sequence[float], y: Sequence[float], *, level: float = 0.95) -> Correlation:
    """Tau-b: concordant minus discordant pairs, divided by the pairs untied on each side."""
    return correlation(x, y, coefficient="kendall", level=level)


def _require_scores(x: Sequence[float], y: Sequence[float]) -> None:
    where = "the scores to correlate"
    if len(x) != len(y):
        raise MismatchError(
            f"there are {len(x)} scores on one side and {len(y)} on the other",
            where=where,
            fix="provide both scores for every system",
        )
    if len(x) < FEWEST:
        raise InputError(
            f"{len(x)} systems have no correlation", where=where, fix=f"use at least {FEWEST} systems"
        )
    for values in (x, y):
        if not all(map(math.isfinite, values)):
            raise InputError("a score is not a number", where=where, fix="omit that system")
        if len(set(values)) == 1:
            what = f"all scores are {values[0]:g}, and a constant has no correlation"
            raise InputError(what, where=where, fix="omit this score, which is the same for all systems")


def _p(coefficient: str, value: float, x: Doubles, y: Doubles) -> float:
    if coefficient != "pearson" and len(x) <= EXACT_UP_TO:
        return exact_p(x, y, _SCORES[coefficient])
    if coefficient == "kendall":
        return normal_p(x, y)
    if abs(value) == 1:
        return 0.0
    return t_outside(abs(value) * math.sqrt((len(x) - 2) / (1 - value**2)), freedom=len(x) - 2)


def normal_p(x: Doubles, y: Doubles) -> float:
    """P-value from the normal approximation, with the variance of the sum of signs under ties (Kendall 1970,
    section 4.2).
    """
    n, ties = len(x), [tie_sizes(side.tolist()) for side in (x, y)]
    total = float((signs(x) * signs(y)).sum()) / 2
    first = n * (n - 1) * (2 * n + 5) - sum(float((t * (t - 1) * (2 * t + 5)).sum()) for t in ties)
    pairs = [float((t * (t - 1)).sum()) for t in ties]
    triples = [float((t * (t - 1) * (t - 2)).sum()) for t in ties]
    variance = (
        first / 18
        + triples[0] * triples[1] / (9 * n * (n - 1) * (n - 2))
        + pairs[0] * pairs[1] / (2 * n * (n - 1))
    )
    return 2 * NormalDist().cdf(-abs(total) / math.sqrt(variance))


# Williams' test: do two metrics correlate equally well with human scores?
# Both correlations share the human scores, so they depend on each other through the correlation of the two
# metrics. The test is that of Williams (1959), which Steiger (1980) recommends and Graham and Baldwin (2014)
# brought to machine translation.

_FEWEST_FOR_WILLIAMS = 4


@dataclass(frozen=True, slots=True)
class WilliamsTest:
    """Student's t of the difference of two correlations, its degrees of freedom, and its two-sided p."""

    t: float
    freedom: int
    p: float


def williams(first: float, second: float, *, between: float, n: int) -> WilliamsTest:
    """Test the difference between two correlations with the same variable, over n systems.

    `between` is the correlation of the two metrics with each other. A positive t favours the first. Metrics
    that differ only in scale cannot differ here: t is 0 and p is 1.
    """
    if n < _FEWEST_FOR_WILLIAMS:
        what = f"Williams' test has no degrees of freedom with {n} systems"
        raise InputError(what, where="the systems", fix=f"use at least {_FEWEST_FOR_WILLIAMS} systems")
    for value in (first, second, between):
        if not -1 <= value <= 1:
            raise OptionError(
                f"not a correlation: {value}", where="Williams' test", fix="pass values from -1 to 1"
            )
    difference = first - second
    # The determinant of the three correlations; rounding can push the one of collinear scores below 0.
    determinant = max(0.0, 1 - first**2 - second**2 - between**2 + 2 * first * second * between)
    mean = (first + second) / 2
    spread = 2 * determinant * (n - 1) / (n - 3) + mean**2 * (1 - between) ** 3
    if math.isclose(first, second, rel_tol=0, abs_tol=1e-12) or between == 1:
        return WilliamsTest(0.0, n - 3, 1.0)
    if spread == 0:
        return WilliamsTest(math.copysign(math.inf, difference), n - 3, 0.0)
    t = difference * math.sqrt((n - 1) * (1 + between) / spread)
    return WilliamsTest(t, n - 3, t_outside(abs(t), freedom=n - 3))
