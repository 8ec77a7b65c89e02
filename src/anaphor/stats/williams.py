"""Williams' test: do two metrics correlate equally well with people?

Both correlations share the human scores, so they depend on each other through the correlation of the two
metrics. The test is that of Williams (1959), which Steiger (1980) recommends and Graham and Baldwin (2014)
brought to machine translation.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from anaphor.core import InputError, OptionError
from anaphor.stats.distributions import t_outside

_FEWEST = 4


@dataclass(frozen=True, slots=True)
class WilliamsTest:
    """Student's t of the difference of two correlations, its degrees of freedom, and its two-sided p."""

    t: float
    freedom: int
    p: float


def williams(first: float, second: float, *, between: float, n: int) -> WilliamsTest:
    """The test of two correlations with the same variable, over n systems.

    `between` is the correlation of the two metrics with each other. A positive t speaks for the first. Two
    metrics that are the same but for scale cannot differ: their t is 0 and their p is 1.
    """
    _require((first, second, between), n)
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


def _require(correlations: tuple[float, ...], n: int) -> None:
    if n < _FEWEST:
        raise InputError(
            f"Williams' test has no degrees of freedom with {n} systems",
            where="the systems",
            fix=f"give at least {_FEWEST} systems",
        )
    for value in correlations:
        if not -1 <= value <= 1:
            raise OptionError(
                f"not a correlation: {value}", where="Williams' test", fix="give values from -1 to 1"
            )
