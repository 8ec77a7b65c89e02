"""When to stop judging: how many more judgements make every interval as narrow as wanted."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from anaphor.core import OptionError
from anaphor.meta.plan import EXPECTED, PlannedStratum
from anaphor.meta.sample import Sample
from anaphor.stats.allocation import AllocationStratum, allocate, allocate_for
from anaphor.stats.stratified import quantile, share_interval, stratified

_STEADY = 10.0
"""How many judgements the share that earlier studies found is worth when the next ones are placed.

More than for an interval, and not learned from the sample: otherwise strata whose first answers agree by
chance are left alone, luck makes judging stop, and intervals cover 88 to 93 % instead of 95.
"""

_MARGIN = 0.95
"""The part of the wanted width that is aimed at, since the variance will not be just as forecast."""


@dataclass(frozen=True, slots=True)
class Needed:
    """What one system still needs: `more` judgements, by stratum; none where it is narrow enough."""

    system: str
    half_width: float
    more: Mapping[str, int]

    @property
    def total(self) -> int:
        return sum(self.more.values())


def needed(sample: Sample, *, target: float, level: float) -> tuple[Needed, ...]:
    """For every system the fewest judgements after which its interval should reach `target` to each side.

    It plans with what was seen so far, so it is a forecast: judge, estimate, and ask again.
    """
    if not 0 < target < 1:
        raise OptionError(
            f"a half-width of {target}", where="--target", fix="give a share such as 0.02 for 2 points"
        )
    shares = _shares(sample, drawn=False)
    return tuple(_needed(sample, shares, system, target, level) for system in sample.plan.systems)


def planned_for_budget(sample: Sample, *, budget: int) -> dict[str, int]:
    """How many items of every stratum to judge in all, when the earlier judgements say where it pays."""
    shares = _shares(sample, drawn=True)
    return dict(zip(shares, allocate(list(shares.values()), budget=budget), strict=True))


def planned_for_target(sample: Sample, *, target: float, level: float) -> dict[str, int]:
    """How many items of every stratum to judge in all, for every interval to be as narrow as wanted."""
    more = {
        name: count for one in needed(sample, target=target, level=level) for name, count in one.more.items()
    }
    judged = {name: len(points) for name, points in sample.points.items()}
    return {
        name: max(stratum.planned, judged[name] + more.get(name, 0))
        for name, stratum in sample.plan.strata.items()
    }


def _shares(sample: Sample, *, drawn: bool) -> dict[str, AllocationStratum]:
    """What was learned of every stratum; `drawn` counts its planned items as judged, as they soon will be."""
    strata = sample.plan.strata.values()
    sizes = {name: sum(one.size for one in strata if one.system == name) for name in sample.plan.systems}
    return {one.name: _share(sample, one, total=sizes[one.system], drawn=drawn) for one in strata}


def _share(sample: Sample, stratum: PlannedStratum, *, total: int, drawn: bool) -> AllocationStratum:
    values = [point.value for point in sample.points[stratum.name]]
    right = (math.fsum(values) + _STEADY * stratum.expected(EXPECTED)) / (len(values) + _STEADY)
    judged = stratum.planned if drawn else len(values)
    return AllocationStratum(stratum.size, stratum.size / total, math.sqrt(right * (1 - right)), judged)


def _needed(
    sample: Sample, learned: Mapping[str, AllocationStratum], system: str, target: float, level: float
) -> Needed:
    strata = [stratum for stratum in sample.plan.strata.values() if stratum.system == system]
    found = stratified([part.cell for part in sample.parts(strata)])
    interval = share_interval(found, level=level)
    half_width = (interval.high - interval.low) / 2
    shares = [learned[stratum.name] for stratum in strata]
    forecast = math.fsum(share.variance(share.judged) for share in shares)
    reach = quantile(found.freedom, level=level)
    if max(half_width, reach * math.sqrt(forecast)) <= target:
        return Needed(system, half_width, {})
    counts = allocate_for(shares, variance=(_MARGIN * target / reach) ** 2)
    more = {
        stratum.name: count - share.judged
        for stratum, share, count in zip(strata, shares, counts, strict=True)
    }
    return Needed(system, half_width, {name: count for name, count in more.items() if count})
