"""A plan with the annotators' judgements: the cells used for estimates.

The prediction for an item comes from the judgements of all systems, excluding its own. It depends on its case
and category: the proportion correct of both is shrunk towards that of the case, which is shrunk towards the
results of earlier studies, so rare kinds get sensible predictions too.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TypeAlias

import numpy as np

from anaphor.core import InputWarning, MismatchError
from anaphor.meta.judgements import JudgedPronoun, Judgement
from anaphor.meta.plan import Case, PlannedStratum, SamplingPlan, UnitKind
from anaphor.stats.allocation import LEAST
from anaphor.stats.stratified import PULL, CellPrediction, SampleCell, group_shares, left_out_shares

#: How many judgements the share of its case is worth to a category of it.
_CASE_PULL = 4.0

KindFilter: TypeAlias = Callable[[UnitKind], bool]


@dataclass(frozen=True, slots=True, eq=False)
class PredictedCell:
    """A cell with its predictions."""

    cell: SampleCell
    predicted: CellPrediction


@dataclass(frozen=True, slots=True)
class PredictedShares:
    """The proportion correct of every case and kind; for a judged item, that of the other pronouns."""

    cases: Mapping[Case, float]
    kinds: Mapping[UnitKind, float]
    items: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class JudgedUnit:
    """A judged unit: its pronoun as a number, its kind, and the share of judgements that call it correct.

    `predicted` comes from the other pronouns of its kind.
    """

    key: int
    kind: UnitKind
    value: float
    predicted: float


@dataclass(frozen=True, slots=True)
class JudgedSample:
    """The judged units of every stratum, with predictions for all units."""

    plan: SamplingPlan
    units: Mapping[str, tuple[JudgedUnit, ...]]
    shares: PredictedShares

    @property
    def judged(self) -> int:
        return sum(map(len, self.units.values()))

    @property
    def values(self) -> dict[str, list[float]]:
        """The proportion correct of every judged unit, by stratum."""
        return {name: [unit.value for unit in units] for name, units in self.units.items()}

    def cells(
        self, strata: Iterable[PlannedStratum], wanted: KindFilter = lambda _: True
    ) -> list[PredictedCell]:
        """The wanted units of some strata as cells; cells with too few judgements are merged."""
        cells = []
        for stratum in strata:
            counts = {kind: number for kind, number in stratum.kinds.items() if wanted(kind)}
            units = [unit for unit in self.units[stratum.name] if wanted(unit.kind)]
            # Of all units, judged or not: the weight of the cell in the estimate.
            size = sum(counts.values())
            if not size:
                continue
            cases, kinds = self.shares.cases, self.shares.kinds
            cell = SampleCell(
                size=size,
                values=np.array([unit.value for unit in units], np.float64),
                keys=np.array([unit.key for unit in units], np.int64),
                expected=sum(cases[kind.case] * number for kind, number in counts.items()) / size,
            )
            # The mean prediction over all units, judged or not.
            mean = sum(kinds[kind] * number for kind, number in counts.items()) / size
            predicted = np.array([unit.predicted for unit in units], np.float64)
            cells.append(PredictedCell(cell, CellPrediction(predicted, mean)))
        return join_small_cells(cells)


def take_sample(plan: SamplingPlan, judged: Sequence[JudgedPronoun], *, path: str) -> JudgedSample:
    """The judgements of the items of a plan; `path` names the file in messages.

    A judgement of an item that was not drawn is an error: somebody chose it, and it would bias the estimate.
    A note lists items without judgements.
    """
    planned = {(unit.system, unit.id) for units in plan.items.values() for unit in units}
    given: dict[tuple[str, str], list[bool]] = {}
    for pronoun in judged:
        if (pronoun.system, pronoun.id) not in planned:
            what = f"{pronoun.id} of {pronoun.system} is judged, but not in the plan"
            raise MismatchError(what, where=path, fix="omit it, or use the plan that it was judged for")
        given.setdefault((pronoun.system, pronoun.id), []).append(pronoun.judgement is Judgement.CORRECT)
    answered = {
        name: [unit for unit in units if (unit.system, unit.id) in given]
        for name, units in plan.items.items()
    }
    for name, units in answered.items():
        required = min(LEAST, plan.strata[name].size)
        if len(units) < required:
            what = f"the stratum {name} has {len(units)} judgements and needs {required}"
            fix = "judge the items of the plan in their order, then try again"
            raise MismatchError(what, where=path, fix=fix)
    everything = [unit for units in answered.values() for unit in units]
    missing = plan.budget - len(everything)
    if missing:
        message = f"{missing} of {plan.budget} planned items have no judgement yet"
        warnings.warn(message, InputWarning, stacklevel=2)
    answers = (given[unit.system, unit.id] for unit in everything)
    values = [sum(answer) / len(answer) for answer in answers]
    pronouns = {key: number for number, key in enumerate(sorted({unit.id for unit in everything}))}
    # Judgements of one pronoun in several systems are not independent: an item is predicted without all of
    # them.
    keys = [pronouns[unit.id] for unit in everything]
    kinds = [unit.kind for unit in everything]
    known = dict.fromkeys(kind for stratum in plan.strata.values() for kind in stratum.kinds)
    shares = predict_shares(kinds, values, keys, known=list(known), expected=plan.expected)
    judged_units = map(JudgedUnit, keys, kinds, values, shares.items)
    by_stratum = {name: tuple(islice(judged_units, len(part))) for name, part in answered.items()}
    return JudgedSample(plan, by_stratum, shares)


def predict_shares(
    kinds: Sequence[UnitKind],
    values: Sequence[float],
    pronouns: Sequence[int],
    *,
    known: Sequence[UnitKind],
    expected: Mapping[Case, float],
) -> PredictedShares:
    """Shares from judged items, each with its kind, value and pronoun; `known` are all existing kinds.

    `expected` is the proportion correct of every case before anything is judged.
    """
    right, keys = np.array(values, np.float64), np.array(pronouns, np.int64)
    numbers = {case: number for number, case in enumerate(expected)}
    of_items = np.array([numbers[kind.case] for kind in kinds], np.int64)
    cases = group_shares(of_items, right, towards=np.array(list(expected.values())), pull=PULL)
    # Kinds with the same case and category have the same prediction.
    pairs = {pair: number for number, pair in enumerate(dict.fromkeys((k.case, k.category) for k in known))}
    groups = np.array([pairs[kind.case, kind.category] for kind in kinds], np.int64)
    towards = cases[[numbers[case] for case, _ in pairs]]
    shares = group_shares(groups, right, towards=towards, pull=_CASE_PULL)
    # A prediction that knew its own judgement would look better than it is.
    items = left_out_shares(groups, right, keys, towards=towards, pull=_CASE_PULL)
    return PredictedShares(
        dict(zip(expected, cases.tolist(), strict=True)),
        {kind: float(shares[pairs[kind.case, kind.category]]) for kind in known},
        tuple(items.tolist()),
    )


def join_small_cells(predicted: Sequence[PredictedCell]) -> list[PredictedCell]:
    """The cells; one with too few judgements to estimate its variance is joined with the most similar one.

    That is the one with the nearest expected proportion correct, or the first of several. A cell that still
    has too few judgements is the only one.
    """
    cells = list(predicted)
    while len(cells) > 1 and (small := next((cell for cell in cells if not cell.cell.is_enough), None)):
        # A variance needs at least two judgements; joining keeps the total right, but loses some precision.
        cells.remove(small)
        distances = [abs(cell.cell.expected - small.cell.expected) for cell in cells]
        most_similar = distances.index(min(distances))
        cells[most_similar] = _join(cells[most_similar], small)
    return cells


def _join(own: PredictedCell, other: PredictedCell) -> PredictedCell:
    size = own.cell.size + other.cell.size
    share = own.cell.size / size

    def mixed(first: float, second: float) -> float:
        return share * first + (1 - share) * second

    return PredictedCell(
        SampleCell(
            size,
            np.concatenate([own.cell.values, other.cell.values]),
            np.concatenate([own.cell.keys, other.cell.keys]),
            mixed(own.cell.expected, other.cell.expected),
        ),
        CellPrediction(
            np.concatenate([own.predicted.judged, other.predicted.judged]),
            mixed(own.predicted.mean, other.predicted.mean),
        ),
    )
