"""Confidence intervals and the smallest detectable difference, from bootstrap resamples."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from anaphor.core import Interval, OptionError
from anaphor.core.array_types import Doubles
from anaphor.stats.distributions import t_quantile
from anaphor.stats.resampling import (
    Value,
    cluster_ids,
    cluster_totals,
    defined,
    effective_clusters,
    leave_one_out,
    paired_bootstrap,
)

SCORES = (0.0, 1.0)
DIFFERENCES = (-1.0, 1.0)


def interval(
    samples: Doubles, *, estimate: float, clusters: float, level: float, bounds: tuple[float, float] = SCORES
) -> Interval:
    """The confidence interval of `estimate`, from resampled values and effective clusters.

    The bootstrap standard error is multiplied by a quantile of Student's t and applied to the estimate on the
    logit scale between the bounds. The plain percentile interval was tried first: with 25 documents of
    unequal length it covers 90 to 93 % instead of 95. It has three weaknesses, each with its remedy here: k
    resampled clusters vary too little by a factor (k - 1) / k; the error itself is estimated from few
    clusters (Student's t, with degrees of freedom that account for long documents); and a score near a bound
    is skewed (the logit scale, which also keeps the interval inside the bounds without clipping).

    With θ the estimate between the bounds a and b, s its standard error and k clusters,

        logit θ ± t(k - 1) · s · (b - a) / [(θ - a)(b - θ)],        logit θ = log[(θ - a) / (b - θ)],

    carried back to the scale of the score. The factor of s is the slope of the logit (delta method).
    An estimate that lies on a bound has no spread to resample: its interval is the point itself.
    """
    _require_share(level, option="--level")
    low, high = bounds
    # The logit of a bound is infinite.
    if not low < estimate < high:
        return Interval(estimate, estimate, level)
    margin = t_quantile((1 + level) / 2, freedom=clusters - 1) * standard_error(samples, clusters=clusters)
    slope = (high - low) / ((estimate - low) * (high - estimate))
    centre = math.log((estimate - low) / (high - estimate))
    return Interval(
        low + (high - low) * _logistic(centre - slope * margin),
        low + (high - low) * _logistic(centre + slope * margin),
        level,
    )


@dataclass(frozen=True, slots=True, eq=False)
class Resampled:
    """A number with its resampled distribution: its value without each cluster, and in each resample.

    This covers scores, differences of scores and areas under curves; all their intervals and p-values are
    computed here.
    """

    estimate: float
    left_out: Doubles
    drawn: Doubles

    @property
    def clusters(self) -> float:
        """The effective number of clusters."""
        return effective_clusters(self.left_out)

    def minus(self, other: Resampled) -> Resampled:
        """The difference of two numbers resampled together."""
        return Resampled(
            self.estimate - other.estimate, self.left_out - other.left_out, self.drawn - other.drawn
        )

    def interval(self, *, level: float, bounds: tuple[float, float] = SCORES) -> Interval:
        """The confidence interval of the number, within the bounds."""
        return interval(
            self.drawn, estimate=self.estimate, clusters=self.clusters, level=level, bounds=bounds
        )

    def t_interval(self, *, level: float) -> Interval:
        """Student's interval for an unbounded number, symmetric around it."""
        clusters = self.clusters
        error = standard_error(self.drawn, clusters=clusters)
        margin = t_quantile((1 + level) / 2, freedom=clusters - 1) * error
        return Interval(self.estimate - margin, self.estimate + margin, level)

    def p_bootstrap(self) -> float:
        """The p-value of the number against 0."""
        return paired_bootstrap(self.drawn, difference=self.estimate, clusters=self.clusters)

    def detectable(self) -> float:
        """The smallest true difference that a test on this much data would probably detect."""
        return detectable_difference(self.drawn, clusters=self.clusters)


def resampled_scores(
    totals: Sequence[Doubles], value: Value, *, resamples: Doubles
) -> tuple[Resampled | None, ...]:
    """The score of each system with its column of the shared bootstrap; None if it is undefined."""
    scores: list[Resampled | None] = []
    for system, drawn in zip(totals, resamples.T, strict=True):
        estimate = float(value(system.sum(axis=0)))
        if math.isnan(estimate):
            scores.append(None)
        else:
            scores.append(Resampled(estimate, leave_one_out(system, value), drawn))
    return tuple(scores)


def detectable_difference(
    samples_of_difference: Doubles, *, clusters: float, alpha: float = 0.05, power: float = 0.8
) -> float:
    """The smallest true difference that a two-sided test at level `alpha` detects with probability `power`.

    d = s · [t(1 - alpha / 2) + t(power)]: the standard error of the difference times the sum of the two
    quantiles it must exceed. It depends on the amount of text and the variation between systems, not on which
    one is better.
    """
    _require_share(alpha, option="alpha")
    _require_share(power, option="power")
    freedom = clusters - 1
    quantiles = t_quantile(1 - alpha / 2, freedom=freedom) + t_quantile(power, freedom=freedom)
    return quantiles * standard_error(samples_of_difference, clusters=clusters)


def standard_error(samples: Doubles, *, clusters: float) -> float:
    """The standard deviation of the defined resamples, without the bootstrap's factor sqrt((k - 1) / k)."""
    return float(np.std(defined(samples))) * math.sqrt(clusters / (clusters - 1))


def effective_size(right: Doubles, documents: Sequence[str]) -> float:
    """The number of independent items that would be as informative as these, at most their actual number.

    Items of one document are correlated: the jackknife variance over documents is compared with that of
    independent items (the design effect). A single document shows no variance between documents, so its items
    count in full. With p the share and θ₋ᵢ the share without document i of k,

        n_eff = p (1 - p) / v,        v = (k - 1) / k · Σ (θ₋ᵢ - mean θ₋)²        (Kish 1965)
    """
    share = float(right.mean())
    ids = cluster_ids(documents, segments=len(documents))
    clusters = int(ids.max()) + 1
    if clusters < 2 or share in (0.0, 1.0):
        return float(len(right))
    totals = cluster_totals(np.column_stack([right, np.ones_like(right)]), ids)
    left_out = leave_one_out(totals, lambda sums: sums[..., 0] / sums[..., 1])
    variance = (clusters - 1) / clusters * float(((left_out - left_out.mean()) ** 2).sum())
    # Items of a document may also repel each other; then they count as independent, not as more.
    return min(len(right), share * (1 - share) / variance) if variance else float(len(right))


def wilson(share: float, *, size: float, level: float) -> Interval:
    """Wilson's score interval (1927), which is also valid for few items and for none or all correct.

    [p + z²/2n ± z √(p (1 - p)/n + z²/4n²)] / (1 + z²/n): the shares that a test at this level accepts.
    """
    z = t_quantile((1 + level) / 2, freedom=1e9)  # the normal distribution
    centre = share + z * z / (2 * size)
    spread = z * math.sqrt(share * (1 - share) / size + z * z / (4 * size * size))
    scale = 1 + z * z / size
    return Interval(max(0.0, (centre - spread) / scale), min(1.0, (centre + spread) / scale), level)


def _logistic(x: float) -> float:
    # tanh does not overflow where exp would.
    return 0.5 + 0.5 * math.tanh(x / 2)


def _require_share(share: float, *, option: str) -> None:
    if not 0 < share < 1:
        raise OptionError(f"{share} is not between 0 and 1", where=option, fix="use a share such as 0.95")
