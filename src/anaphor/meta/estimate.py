"""From a plan and its judgements to the true accuracy: of systems, of categories, of cases, of differences.

Each figure is given twice. The stratified estimate uses the judgements of its own part alone; the powered
one also what the judgements of all systems say of items of the same case and category. What could not be
judged (bad) is not right, as in guillou-hardmeier-2018, Table 1; where several people judged an item, the
share that calls it right counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from anaphor.core import Interval, OptionError, Outcome, UnknownNameError
from anaphor.meta.parts import Part
from anaphor.meta.plan import Kind, Plan
from anaphor.meta.sample import Sample, Wanted
from anaphor.stats.stratified import (
    Estimate,
    PredictionPoweredEstimate,
    SampleCell,
    SharedError,
    difference_interval,
    prediction_powered,
    share_interval,
    shared_error,
    stratified,
)


@dataclass(frozen=True, slots=True)
class Figure:
    """An estimate between 0 and 1 (a difference: between -1 and 1) and its interval."""

    value: float
    interval: Interval


@dataclass(frozen=True, slots=True)
class Finding:
    """What is known of one part of a result; the figures are None where too little of it was judged.

    `as_random` is how many judgements drawn at random from the part would have been as precise.
    """

    name: str
    size: int
    judged: int
    stratified: Figure | None
    powered: Figure | None
    as_random: float | None


@dataclass(frozen=True, slots=True)
class Difference:
    """A system minus the baseline: both over all their items, judged on the same pronouns where possible."""

    system: str
    baseline: str
    stratified: Figure
    powered: Figure


@dataclass(frozen=True, slots=True)
class Findings:
    """Everything that a plan and its judgements say."""

    systems: tuple[Finding, ...]
    categories: tuple[Finding, ...]
    cases: tuple[Finding, ...]
    differences: tuple[Difference, ...]


@dataclass(frozen=True, slots=True, eq=False)
class _Both:
    """The two estimates of one part, and the cells they were made of."""

    size: int
    cells: Sequence[SampleCell]
    plain: Estimate
    helped: PredictionPoweredEstimate


def estimate(sample: Sample, *, level: float, baseline: str | None = None) -> Findings:
    """All findings; systems are compared with the first one where no baseline is named."""
    if not 0 < level < 1:
        raise OptionError(
            f"confidence level must be between 0 and 1, got {level}",
            where="--level",
            fix="give a share such as 0.95",
        )
    plan = sample.plan
    systems = {system: _system(sample, system) for system in plan.systems}
    first = plan.systems[0] if baseline is None else baseline
    if first not in systems:
        raise UnknownNameError.among(first, systems, kind="system", where="--baseline")
    categories = sorted({kind.category for kind in _kinds(plan)})
    outcomes = sorted({kind.outcome for kind in _kinds(plan)}, key=lambda outcome: outcome.value)
    return Findings(
        systems=tuple(_finding(name, both, level) for name, both in systems.items()),
        categories=tuple(_part(sample, name, _of_category(name), level) for name in categories),
        cases=tuple(_part(sample, outcome.name.lower(), _of_case(outcome), level) for outcome in outcomes),
        differences=tuple(
            _difference(name, first, both, systems[first], level)
            for name, both in systems.items()
            if name != first
        ),
    )


def _kinds(plan: Plan) -> Iterable[Kind]:
    return (kind for stratum in plan.strata.values() for kind in stratum.kinds)


def _of_category(name: str) -> Wanted:
    return lambda kind: kind.category == name


def _of_case(outcome: Outcome) -> Wanted:
    return lambda kind: kind.outcome is outcome


def _system(sample: Sample, system: str) -> _Both:
    strata = [stratum for stratum in sample.plan.strata.values() if stratum.system == system]
    return _both(sample.parts(strata))


def _both(parts: Sequence[Part]) -> _Both:
    cells = [part.cell for part in parts]
    helped = prediction_powered(cells, [part.predicted for part in parts])
    return _Both(sum(cell.size for cell in cells), cells, stratified(cells), helped)


def _part(sample: Sample, name: str, wanted: Wanted, level: float) -> Finding:
    """A part of all systems together, such as a category."""
    parts = sample.parts(sample.plan.strata.values(), wanted)
    if all(part.cell.is_enough for part in parts):
        return _finding(name, _both(parts), level)
    # Whatever was too small has been joined with the rest, so only one can be left that still is.
    (alone,) = (part.cell for part in parts)
    return Finding(name, alone.size, alone.judged, stratified=None, powered=None, as_random=None)


def _finding(name: str, both: _Both, level: float) -> Finding:
    variance = both.helped.estimate.variance
    spread = both.plain.smoothed * (1 - both.plain.smoothed)
    return Finding(
        name,
        size=both.size,
        judged=sum(cell.judged for cell in both.cells),
        stratified=Figure(both.plain.value, share_interval(both.plain, level=level)),
        powered=Figure(both.helped.estimate.value, share_interval(both.helped.estimate, level=level)),
        as_random=spread / (variance + spread / both.size),
    )


def _difference(system: str, baseline: str, one: _Both, other: _Both, level: float) -> Difference:
    total = one.size, other.size
    plain = shared_error(one.cells, other.cells, total=total)
    helped = shared_error(one.helped.unexplained, other.helped.unexplained, total=total)
    return Difference(
        system,
        baseline,
        stratified=_minus(one.plain, other.plain, shared=plain, level=level),
        powered=_minus(one.helped.estimate, other.helped.estimate, shared=helped, level=level),
    )


def _minus(one: Estimate, other: Estimate, *, shared: SharedError, level: float) -> Figure:
    return Figure(one.value - other.value, difference_interval(one, other, shared=shared, level=level))
