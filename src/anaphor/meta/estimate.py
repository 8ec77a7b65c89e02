"""From a plan and its judgements to the true accuracy of systems, categories, cases, and their differences.

Each figure has two estimates. The stratified estimate uses only judgements of its own part; the
prediction-powered one also uses judgements of all systems on items of the same case and category. Items that
could not be judged (bad) count as wrong, as in guillou-hardmeier-2018, Table 1; if several annotators judged
an item, the share that calls it correct counts.

The same judgements show how many more are needed to make every interval narrow enough. A stratum with the
part W of its system, N items and the standard deviation σ adds (W σ)² (1/n - 1/N) to the variance of the
estimate when n of its items are judged. Judgements are assigned one by one where they reduce the variance
most (Neyman's allocation), until t √variance is the half-width. `stats/stratified.py` has the formulas of the
estimates.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

from anaphor.core import Interval, OptionError, UnknownNameError
from anaphor.core.table import (
    Block,
    Cell,
    Column,
    JsonFields,
    Paragraph,
    Table,
    count,
    counted,
    number,
    percent,
    plain,
    text,
)
from anaphor.meta.judgements import read_judgements
from anaphor.meta.plan import (
    SamplingPlan,
    extend_plan,
    make_plan,
    read_plan,
    read_population,
    require_plan_of,
    require_result,
    result_digest,
)
from anaphor.meta.sample import JudgedSample, KindFilter, PredictedCell, take_sample
from anaphor.meta.scores import result_counts
from anaphor.report.result_file import read_result
from anaphor.report.stored import read_stored
from anaphor.stats.allocation import LEAST, AllocationStratum, allocate, allocate_for
from anaphor.stats.stratified import (
    Estimate,
    PredictionPoweredEstimate,
    SampleCell,
    difference_interval,
    prediction_powered,
    quantile,
    share_interval,
    shared_error,
    stratified,
)

#: How many judgements the share that earlier studies found is worth when the next ones are allocated. More
#: than for an interval, and not learned from the sample: otherwise strata whose first judgements agree by
#: chance are left alone, luck makes judging stop, and intervals cover 88 to 93 % instead of 95.
_PRIOR_WEIGHT = 10.0

#: The part of the wanted width that is aimed at, since the variance will not be just as forecast.
_MARGIN = 0.95


#: How much one more judgement lowers a variance, by the number of judgements so far.
Gain: TypeAlias = Callable[[int], float]


@dataclass(frozen=True, slots=True)
class Figure:
    """An estimate between 0 and 1 (a difference: between -1 and 1) and its interval."""

    value: float
    interval: Interval


@dataclass(frozen=True, slots=True)
class PartEstimate(JsonFields):
    """Known figures for one part of a result; None if too little of it was judged.

    `as_random` is the equivalent random sample size: how many judgements drawn at random from the part would
    have been as precise.
    """

    name: str
    size: int
    judged: int
    stratified: Figure | None
    powered: Figure | None
    as_random: float | None

    json_keys: ClassVar = {"size": "items"}


@dataclass(frozen=True, slots=True)
class SystemDifference:
    """A system minus the baseline: both over all their items, judged on the same pronouns where possible."""

    system: str
    baseline: str
    stratified: Figure
    powered: Figure


@dataclass(frozen=True, slots=True)
class Estimates:
    """All estimates from a plan and its judgements."""

    systems: tuple[PartEstimate, ...]
    categories: tuple[PartEstimate, ...]
    cases: tuple[PartEstimate, ...]
    differences: tuple[SystemDifference, ...]
    verdicts: tuple[PartEstimate, ...] = ()


@dataclass(frozen=True, slots=True)
class FurtherJudgements:
    """The judgements that one system still needs, by stratum; `more` is 0 if the interval is narrow
    enough."""

    system: str
    half_width: float
    more: Mapping[str, int]

    @property
    def total(self) -> int:
        return sum(self.more.values())


@dataclass(frozen=True, slots=True)
class Estimation:
    """The output of `anaphor estimate run`: the estimates, and the judgements still needed for `target`."""

    sample: JudgedSample
    estimates: Estimates
    further: tuple[FurtherJudgements, ...]
    target: float
    level: float

    def to_dict(self) -> dict[str, Any]:
        estimates = self.estimates
        return {
            "result": self.sample.plan.result,
            "level": self.level,
            "population": self.sample.plan.size,
            "planned": self.sample.plan.budget,
            "judged": self.sample.judged,
            "systems": plain(estimates.systems),
            "categories": plain(estimates.categories),
            "cases": plain(estimates.cases),
            **({"verdicts": plain(estimates.verdicts)} if estimates.verdicts else {}),
            "differences": plain(estimates.differences),
            "target": self.target,
            "more": [
                {
                    "system": system.system,
                    "half_width": system.half_width,
                    "judgements": system.total,
                    "strata": system.more,
                }
                for system in self.further
            ],
        }

    def tables(self) -> list[Block]:
        estimates = self.estimates
        judged, size = self.sample.judged, self.sample.plan.size
        share = 100 * judged / size
        methods = self._methods()
        blocks: list[Block] = [
            f"{judged} of {counted(size, 'item')} judged ({share:.0f} %, {100 - share:.0f} % saved)",
            _estimate_table("system", estimates.systems, methods),
        ]
        if estimates.differences:
            columns: list[Column] = [text(f"against {estimates.differences[0].baseline}")]
            columns += [percent(heading, signed=True) for heading in methods]
            rows = [
                (difference.system, *(_cell(getattr(difference, name)) for name in methods.values()))
                for difference in estimates.differences
            ]
            blocks.append(Table(columns, rows))
        blocks += [
            _estimate_table("category", estimates.categories, methods),
            _estimate_table("case", estimates.cases, methods),
        ]
        if estimates.verdicts and self.sample.plan.guess is not None:
            blocks.append(_estimate_table(self.sample.plan.guess.metric, estimates.verdicts, methods))
        powered = "; powered: uses data of all systems on the same case and category"
        notes = [
            f"[ ] {100 * self.level:g} % interval{powered if 'powered' in methods else ''}",
            "as random: the number of randomly drawn judgements with the same precision",
        ]
        blocks.append(Paragraph(notes, style="dim"))
        total = sum(system.total for system in self.further)
        points = f"±{100 * self.target:g} points"
        parts = ", ".join(f"{system.system} {system.total}" for system in self.further)
        if total:
            blocks.append(f"judge {total} more for {points} in every system: {parts}")
        else:
            blocks.append(f"enough: every system is known to {points}")
        return blocks

    def _methods(self) -> Mapping[str, str]:
        """The estimates to show, by heading: one if both are identical, as with homogeneous strata."""
        estimates = self.estimates
        parts: tuple[PartEstimate | SystemDifference, ...] = (
            *(*estimates.systems, *estimates.categories, *estimates.cases, *estimates.verdicts),
            *estimates.differences,
        )
        if all(
            first is None or second is None or _printed(first) == _printed(second)
            for first, second in ((part.stratified, part.powered) for part in parts)
        ):
            return {"estimate": "stratified"}
        return {"stratified": "stratified", "powered": "powered"}


def plan_judgements(
    result: str,
    *,
    items: str,
    categories: str | None = None,
    budget: int | None = None,
    target: float | None = None,
    previous: str | None = None,
    judgements: str | None = None,
    least: int = 30,
    seed: int = 12345,
    guess: str | None = None,
) -> SamplingPlan:
    """A plan for a result file; the arguments are the options of `anaphor estimate plan`.

    The guess of a previous plan is kept, as are its seed and its strata.
    """
    if seed < 0:
        raise OptionError(
            f"the random seed must not be negative, got {seed}",
            where="--seed",
            fix="use a whole number of at least 0",
        )
    if (budget is None) == (target is None):
        raise OptionError(
            "a plan needs either a budget or a target", where="--budget, --target", fix="use one of the two"
        )
    content = read_result(result).content
    if previous is not None:
        known = read_plan(previous).guess
        guess = None if known is None else known.metric
    units = read_population(items, categories=categories, guess=guess)
    require_result(units, result_counts(read_stored(result)), path=items)
    if budget is not None and not previous and not judgements:
        digest = result_digest(content)
        return make_plan(units, result=digest, budget=budget, seed=seed, least=least, guess=guess)
    if not (previous and judgements):
        raise OptionError(
            "extending a plan, or planning for a width, needs the judgements of an earlier plan",
            where="--previous and --judgements",
            fix="use both, or neither with a --budget",
        )
    sample = read_sample(result, plan=previous, judgements=judgements)
    # Between two plans, judging goes on from the sample that is there: no judgement is lost.
    if target is not None:
        return extend_plan(units, sample.plan, planned_for_target(sample, target=target, level=0.95))
    return extend_plan(units, sample.plan, planned_for_budget(sample, budget=budget or 0))


def run_estimation(
    result: str,
    *,
    plan: str,
    judgements: str,
    target: float = 0.05,
    baseline: str | None = None,
    level: float = 0.95,
) -> Estimation:
    """Estimates from files; the arguments are the options of `anaphor estimate run`."""
    sample = read_sample(result, plan=plan, judgements=judgements)
    estimates = estimate(sample, level=level, baseline=baseline)
    return Estimation(
        sample, estimates, further_judgements(sample, target=target, level=level), target, level
    )


def read_sample(result: str, *, plan: str, judgements: str) -> JudgedSample:
    """The judgements of a plan, which must be of this result."""
    known = read_plan(plan)
    require_plan_of(known, read_result(result).content, path=plan)
    return take_sample(known, read_judgements(judgements), path=judgements)


@dataclass(frozen=True, slots=True, eq=False)
class _BothEstimates:
    """Both estimates of one part, and their cells."""

    size: int
    cells: Sequence[SampleCell]
    plain: Estimate
    powered: PredictionPoweredEstimate

    @classmethod
    def of(cls, predicted: Sequence[PredictedCell]) -> _BothEstimates:
        cells = [cell.cell for cell in predicted]
        # The predictions of all items, corrected by the mean error on those that were judged.
        powered = prediction_powered(cells, [cell.predicted for cell in predicted])
        return cls(sum(cell.size for cell in cells), cells, stratified(cells), powered)


def estimate(sample: JudgedSample, *, level: float, baseline: str | None = None) -> Estimates:
    """All estimates; systems are compared with the first one unless a baseline is given."""
    if not 0 < level < 1:
        raise OptionError(
            f"confidence level must be between 0 and 1, got {level}",
            where="--level",
            fix="use a share such as 0.95",
        )
    plan = sample.plan
    systems = {
        system: _BothEstimates.of(
            sample.cells(stratum for stratum in plan.strata.values() if stratum.system == system)
        )
        for system in plan.systems
    }
    first = plan.systems[0] if baseline is None else baseline
    if first not in systems:
        raise UnknownNameError.among(first, systems, kind="system", where="--baseline")
    kinds = {kind for stratum in plan.strata.values() for kind in stratum.kinds}
    categories = sorted({kind.category for kind in kinds})
    outcomes = sorted({kind.outcome for kind in kinds}, key=lambda outcome: outcome.value)
    return Estimates(
        systems=tuple(_part_estimate(name, both, level) for name, both in systems.items()),
        categories=tuple(
            _over_systems(sample, name, lambda kind, name=name: kind.category == name, level)  # type: ignore[misc]
            for name in categories
        ),
        cases=tuple(
            _over_systems(
                sample,
                outcome.label,
                lambda kind, outcome=outcome: kind.outcome is outcome,  # type: ignore[misc]
                level,
            )
            for outcome in outcomes
        ),
        differences=tuple(
            _difference(name, first, both, systems[first], level)
            for name, both in systems.items()
            if name != first
        ),
        verdicts=tuple(
            _over_systems(sample, str(name), lambda kind, name=name: kind.verdict == name, level)  # type: ignore[misc]
            for name in (plan.guess.expected if plan.guess else ())
        ),
    )


def _over_systems(sample: JudgedSample, name: str, wanted: KindFilter, level: float) -> PartEstimate:
    """A part of all systems together, such as a category."""
    cells = sample.cells(sample.plan.strata.values(), wanted)
    if all(predicted.cell.is_enough for predicted in cells):
        return _part_estimate(name, _BothEstimates.of(cells), level)
    # Whatever was too small has been joined with the rest, so only one can be left that still is.
    (alone,) = (predicted.cell for predicted in cells)
    return PartEstimate(name, alone.size, alone.judged, stratified=None, powered=None, as_random=None)


def _part_estimate(name: str, both: _BothEstimates, level: float) -> PartEstimate:
    powered = both.powered.estimate
    spread = both.plain.smoothed * (1 - both.plain.smoothed)
    # n judgements at random have the variance p (1 - p) (1/n - 1/N); solved for n.
    return PartEstimate(
        name,
        size=both.size,
        judged=sum(cell.judged for cell in both.cells),
        stratified=Figure(both.plain.value, share_interval(both.plain, level=level)),
        powered=Figure(powered.value, share_interval(powered, level=level)),
        as_random=spread / (powered.variance + spread / both.size),
    )


def _difference(
    system: str, baseline: str, own: _BothEstimates, other: _BothEstimates, level: float
) -> SystemDifference:
    total = own.size, other.size
    figures = []
    for first, second, cells, more_cells in (
        (own.plain, other.plain, own.cells, other.cells),
        (own.powered.estimate, other.powered.estimate, own.powered.unexplained, other.powered.unexplained),
    ):
        # Both systems are judged on the same pronouns, so that errors of their estimates partly cancel out.
        shared = shared_error(cells, more_cells, total=total)
        limits = difference_interval(first, second, shared=shared, level=level)
        figures.append(Figure(first.value - second.value, limits))
    return SystemDifference(system, baseline, stratified=figures[0], powered=figures[1])


def further_judgements(sample: JudgedSample, *, target: float, level: float) -> tuple[FurtherJudgements, ...]:
    """For every system the fewest judgements after which its interval should reach `target` on each side.

    It is a forecast from the judgements so far: judge, estimate, and forecast again.
    """
    if not 0 < target < 1:
        raise OptionError(
            f"invalid half-width: {target}", where="--target", fix="use a share, such as 0.02 for 2 points"
        )
    learned = _allocation_strata(sample.plan, sample.values, planned=False)
    needs = []
    for system in sample.plan.systems:
        strata = [stratum for stratum in sample.plan.strata.values() if stratum.system == system]
        known = stratified([predicted.cell for predicted in sample.cells(strata)])
        limits = share_interval(known, level=level)
        half_width = (limits.high - limits.low) / 2
        shares = [learned[stratum.name] for stratum in strata]
        # The interval of today can be narrow by luck: the variance to expect has to be small enough as well.
        forecast = math.fsum(share.variance(share.judged) for share in shares)
        reach = quantile(known.freedom, level=level)
        more: dict[str, int] = {}
        if max(half_width, reach * math.sqrt(forecast)) > target:
            counts = allocate_for(shares, variance=(_MARGIN * target / reach) ** 2)
            for stratum, share, wanted in zip(strata, shares, counts, strict=True):
                if wanted != share.judged:
                    more[stratum.name] = wanted - share.judged
        needs.append(FurtherJudgements(system, half_width, more))
    return tuple(needs)


def planned_for_budget(sample: JudgedSample, *, budget: int) -> dict[str, int]:
    """The total number of items to judge in every stratum, using the earlier judgements."""
    shares = _allocation_strata(sample.plan, sample.values, planned=True)
    return dict(zip(shares, allocate(list(shares.values()), budget=budget), strict=True))


def planned_for_target(sample: JudgedSample, *, target: float, level: float) -> dict[str, int]:
    """The total number of items to judge in every stratum for all intervals to be narrow enough."""
    further = further_judgements(sample, target=target, level=level)
    more = {name: number for system in further for name, number in system.more.items()}
    return {
        name: max(stratum.planned, len(sample.units[name]) + more.get(name, 0))
        for name, stratum in sample.plan.strata.items()
    }


def judgement_gains(plan: SamplingPlan, values: Mapping[str, Sequence[float]]) -> dict[str, Gain]:
    """For every stratum, how much one more judgement lowers a variance; infinite while it has too few.

    `values` are the proportions correct of the items judged so far. A gain is a function of their number, so
    it can be computed for future judgements.
    """

    def gain(share: AllocationStratum) -> Gain:
        return lambda judged: math.inf if judged < min(LEAST, share.size) else share.gain(judged)

    return {name: gain(share) for name, share in _allocation_strata(plan, values, planned=False).items()}


def _allocation_strata(
    plan: SamplingPlan, judged_values: Mapping[str, Sequence[float]], *, planned: bool
) -> dict[str, AllocationStratum]:
    """Statistics of every stratum; with `planned`, its planned items count as judged."""
    strata = plan.strata.values()
    sizes = {name: sum(stratum.size for stratum in strata if stratum.system == name) for name in plan.systems}
    allocation = {}
    for stratum in strata:
        values = judged_values.get(stratum.name, ())
        prior = _PRIOR_WEIGHT * stratum.expected(plan.expected)
        # The posterior mean of a beta prior that is worth _PRIOR_WEIGHT judgements.
        right = (math.fsum(values) + prior) / (len(values) + _PRIOR_WEIGHT)
        judged = stratum.planned if planned else len(values)
        spread = math.sqrt(right * (1 - right))
        allocation[stratum.name] = AllocationStratum(
            stratum.size, stratum.size / sizes[stratum.system], spread, judged
        )
    return allocation


def _estimate_table(title: str, parts: Iterable[PartEstimate], methods: Mapping[str, str]) -> Table:
    """The parts with the estimates to show: fields of a part by heading."""
    columns = [text(title), count("items"), count("judged")]
    columns += [*map(percent, methods), number("as random", digits=0)]
    rows = [
        (
            *(part.name, part.size, part.judged),
            *(_cell(getattr(part, name)) for name in methods.values()),
            part.as_random,
        )
        for part in parts
    ]
    return Table(columns, rows)


def _printed(figure: Figure) -> tuple[float, ...]:
    """The figure with as many digits as a table shows."""
    return tuple(round(share, 3) for share in (figure.value, figure.interval.low, figure.interval.high))


def _cell(figure: Figure | None) -> Cell | None:
    return None if figure is None else Cell(figure.value, interval=figure.interval)
