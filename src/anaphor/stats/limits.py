"""Limits of an estimated share and of the difference of two: what to believe of a stratified sample."""

from __future__ import annotations

import math

from anaphor.core import Interval, OptionError
from anaphor.stats.coordinated import Shared
from anaphor.stats.distributions import t_quantile
from anaphor.stats.stratified import Estimate

_MANY = 1e6
"""Degrees of freedom from which Student's t is the normal distribution."""


def share_interval(estimate: Estimate, *, level: float) -> Interval:
    """Wilson's interval with the effective size in place of the number of judgements, and Student's t.

    It stays inside 0 to 1, is not symmetric near them, and is a point where everything was judged.
    """
    size = estimate.effective_size
    if math.isinf(size):
        return Interval(estimate.value, estimate.value, level)
    pull = quantile(estimate.freedom, level=level) ** 2 / size
    share = min(1.0, max(0.0, estimate.value))
    centre = (share + pull / 2) / (1 + pull)
    reach = math.sqrt(pull * share * (1 - share) + pull**2 / 4) / (1 + pull)
    return Interval(max(0.0, centre - reach), min(1.0, centre + reach), level)


def difference_interval(first: Estimate, second: Estimate, *, shared: Shared, level: float) -> Interval:
    """The interval of the first share minus the second, out of the limits of both.

    Newcombe's tenth method (1998) for paired shares: the distances of the limits from the estimates are
    squared and added, less what the correlation of the two estimates explains.
    """
    one, other = share_interval(first, level=level), share_interval(second, level=level)
    spread = math.sqrt(first.variance * second.variance)
    correlation = _believed(shared, spread) if spread else 0.0
    difference = first.value - second.value
    below = _joined(first.value - one.low, other.high - second.value, correlation)
    above = _joined(one.high - first.value, second.value - other.low, correlation)
    return Interval(max(-1.0, difference - below), min(1.0, difference + above), level)


def _believed(shared: Shared, spread: float) -> float:
    """The correlation of two estimates, drawn towards 0 by as much as chance could have made of it.

    A correlation of k pairs without any has the variance 1 / k (this is the estimator of James and Stein,
    1961, never turned round). Taken as it was found it made intervals too narrow as often as too wide, and
    the narrow ones missed. One that would nearly cancel the error is not believed at all.
    """
    correlation = max(-0.9, min(0.9, shared.covariance / spread))
    if not correlation or not shared.pronouns:
        return 0.0
    return correlation * max(0.0, 1 - 1 / (shared.pronouns * correlation**2))


def quantile(freedom: float, *, level: float) -> float:
    """How many standard errors an interval of this level reaches to each side."""
    if not 0 < level < 1:
        raise OptionError(f"no confidence level: {level}", where="--level", fix="give one such as 0.95")
    return t_quantile((1 + level) / 2, freedom=min(max(freedom, 1.0), _MANY))


def _joined(first: float, second: float, correlation: float) -> float:
    first, second = max(0.0, first), max(0.0, second)
    return math.sqrt(first**2 - 2 * correlation * first * second + second**2)
