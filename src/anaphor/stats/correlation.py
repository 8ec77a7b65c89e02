"""Correlation of two lists of scores: Pearson, Spearman, Kendall, each with an interval and a p-value.

    coefficient   interval                                         p-value, two-sided, of no relation
    pearson       Fisher's z, error 1 / sqrt(n - 3)                Student's t, n - 2 degrees of freedom
    spearman      Fisher's z, error sqrt((1 + r^2 / 2) / (n - 3))  all orders up to n = 8, then the same t
    kendall       Fisher's z, error sqrt(0.437 / (n - 4))          all orders up to n = 8, then a normal curve

The errors of the rank correlations are those of Bonett and Wright (2000) and of Fieller, Hartley and Pearson
(1957). All three intervals take the systems for a random sample of systems, which they seldom are: read them
as a warning about how little seven systems can show.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from anaphor.core import InputError, Interval, MismatchError, UnknownNameError
from anaphor.stats.clusters import Floats
from anaphor.stats.distributions import t_outside
from anaphor.stats.ranking import PairScores, differences, exact_p, rank_differences, signs, tie_sizes

#: Every coefficient, in the order in which tables show them.
COEFFICIENTS = ("pearson", "spearman", "kendall")
FEWEST = 3
#: 8! = 40,320 orders take a moment, 9! many.
EXACT_UP_TO = 8

_SCORES: dict[str, PairScores] = {"pearson": differences, "spearman": rank_differences, "kendall": signs}


@dataclass(frozen=True, slots=True)
class Correlation:
    """A coefficient between -1 and 1.

    `interval` is None where there are too few values for its error, and for 1 and -1, whose z is infinite.
    """

    coefficient: str
    value: float
    interval: Interval | None
    p: float
    n: int


def correlation(
    x: Sequence[float], y: Sequence[float], *, coefficient: str, level: float = 0.95
) -> Correlation:
    """One of `COEFFICIENTS`; Spearman's gives ties mid-ranks, Kendall's is tau-b."""
    if coefficient not in COEFFICIENTS:
        raise UnknownNameError.among(coefficient, COEFFICIENTS, kind="coefficient", where="coefficient")
    _require(x, y)
    a, b = np.asarray(x, np.float64), np.asarray(y, np.float64)
    value = _value(a, b, _SCORES[coefficient])
    return Correlation(
        coefficient,
        value,
        _interval(value, _error(coefficient, value, len(x)), level),
        _p(coefficient, value, a, b),
        len(x),
    )


def pearson(x: Sequence[float], y: Sequence[float], *, level: float = 0.95) -> Correlation:
    """The linear correlation."""
    return correlation(x, y, coefficient="pearson", level=level)


def spearman(x: Sequence[float], y: Sequence[float], *, level: float = 0.95) -> Correlation:
    """The linear correlation of the mid-ranks."""
    return correlation(x, y, coefficient="spearman", level=level)


def kendall(x: Sequence[float], y: Sequence[float], *, level: float = 0.95) -> Correlation:
    """Tau-b: agreeing less disagreeing pairs, over the pairs that ties leave on each side."""
    return correlation(x, y, coefficient="kendall", level=level)


def _require(x: Sequence[float], y: Sequence[float]) -> None:
    where = "the scores to correlate"
    if len(x) != len(y):
        raise MismatchError(
            f"{len(x)} scores against {len(y)}", where=where, fix="give both scores of every system"
        )
    if len(x) < FEWEST:
        raise InputError(
            f"{len(x)} systems have no correlation", where=where, fix=f"give at least {FEWEST} systems"
        )
    for values in (x, y):
        if not all(map(math.isfinite, values)):
            raise InputError("a score is not a number", where=where, fix="leave that system out")
        if len(set(values)) == 1:
            raise InputError(
                f"all scores are {values[0]:g}, and a constant correlates with nothing",
                where=where,
                fix="leave out the score that tells no system from another",
            )


def _value(x: Floats, y: Floats, scores: PairScores) -> float:
    a, b = scores(x), scores(y)
    # Scaled first: squares of very small or very large differences leave the range of floats.
    a, b = a / np.abs(a).max(), b / np.abs(b).max()
    return float(np.clip((a * b).sum() / math.sqrt((a * a).sum() * (b * b).sum()), -1, 1))


def _error(coefficient: str, value: float, n: int) -> float | None:
    """The standard error of Fisher's z; None for too few values."""
    lost = 4 if coefficient == "kendall" else 3
    if n <= lost:
        return None
    spread = {"pearson": 1.0, "spearman": 1 + value**2 / 2, "kendall": 0.437}[coefficient]
    return math.sqrt(spread / (n - lost))


def _interval(value: float, error: float | None, level: float) -> Interval | None:
    if error is None or abs(value) == 1:
        return None
    margin = NormalDist().inv_cdf((1 + level) / 2) * error
    return Interval(math.tanh(math.atanh(value) - margin), math.tanh(math.atanh(value) + margin), level)


def _p(coefficient: str, value: float, x: Floats, y: Floats) -> float:
    if coefficient != "pearson" and len(x) <= EXACT_UP_TO:
        return exact_p(x, y, _SCORES[coefficient])
    if coefficient == "kendall":
        return _normal_p(x, y)
    if abs(value) == 1:
        return 0.0
    return t_outside(abs(value) * math.sqrt((len(x) - 2) / (1 - value**2)), freedom=len(x) - 2)


def _normal_p(x: Floats, y: Floats) -> float:
    """The normal curve with the variance of the sum of signs under ties (Kendall 1970, section 4.2)."""
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
