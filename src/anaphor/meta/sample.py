"""A plan with the answers of people: the cells that estimates are made of."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TypeAlias

import numpy as np

from anaphor.core import InputWarning, MismatchError
from anaphor.meta.guesses import Guesses, guess
from anaphor.meta.judgements import Answer, Judged
from anaphor.meta.parts import Part, joined
from anaphor.meta.plan import Kind, Plan, PlannedStratum
from anaphor.meta.population import Unit
from anaphor.stats.allocation import LEAST
from anaphor.stats.stratified import CellPrediction, SampleCell

Wanted: TypeAlias = Callable[[Kind], bool]


def every(_: Kind) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Point:
    """A judged item: its pronoun as a number, its kind, the share of answers that call it right.

    `guess` is what the other pronouns of its kind say of it.
    """

    key: int
    kind: Kind
    value: float
    guess: float


@dataclass(frozen=True, slots=True)
class Sample:
    """The judged items of every stratum, and what they say of all items of the same kind."""

    plan: Plan
    points: Mapping[str, tuple[Point, ...]]
    guesses: Guesses

    @property
    def judged(self) -> int:
        return sum(map(len, self.points.values()))

    def parts(self, strata: Iterable[PlannedStratum], wanted: Wanted = every) -> list[Part]:
        """The wanted items of some strata as cells; those with too few judgements are joined."""
        found = [self._part(stratum, wanted) for stratum in strata]
        return joined([part for part in found if part.cell.size])

    def _part(self, stratum: PlannedStratum, wanted: Wanted) -> Part:
        counts = {kind: count for kind, count in stratum.kinds.items() if wanted(kind)}
        points = [point for point in self.points[stratum.name] if wanted(point.kind)]
        size = sum(counts.values())
        cell = SampleCell(
            size=size,
            values=np.array([point.value for point in points], np.float64),
            keys=np.array([point.key for point in points], np.int64),
            expected=sum(self.guesses.cases[kind.outcome] * n for kind, n in counts.items()) / max(size, 1),
        )
        mean = sum(self.guesses.kinds[kind] * n for kind, n in counts.items()) / max(size, 1)
        return Part(cell, CellPrediction(np.array([point.guess for point in points], np.float64), mean))


def take_sample(plan: Plan, judged: Sequence[Judged], *, path: str) -> Sample:
    """The answers to the items of a plan; `path` names their file in messages.

    A judgement of an item that was not drawn is an error: somebody chose it, and it would tip the estimate.
    Items that nobody judged yet are named in a note.
    """
    answers = _answers(plan, judged, path)
    answered = {
        name: [unit for unit in units if (unit.system, unit.id) in answers]
        for name, units in plan.items.items()
    }
    _require_enough(plan, answered, path)
    missing = plan.budget - sum(map(len, answered.values()))
    if missing:
        warnings.warn(
            f"{missing} of {plan.budget} planned items have no judgement yet", InputWarning, stacklevel=2
        )
    return _sample(plan, answered, answers)


def _answers(plan: Plan, judged: Sequence[Judged], path: str) -> dict[tuple[str, str], float]:
    known = {(unit.system, unit.id) for units in plan.items.values() for unit in units}
    given: dict[tuple[str, str], list[bool]] = {}
    for one in judged:
        if (one.system, one.id) not in known:
            raise MismatchError(
                f"{one.id} of {one.system} is judged, but not in the plan",
                where=path,
                fix="leave it out, or give the plan that it was judged for",
            )
        given.setdefault((one.system, one.id), []).append(one.answer is Answer.CORRECT)
    return {key: sum(answers) / len(answers) for key, answers in given.items()}


def _require_enough(plan: Plan, answered: Mapping[str, Sequence[Unit]], path: str) -> None:
    for name, units in answered.items():
        needed = min(LEAST, plan.strata[name].size)
        if len(units) < needed:
            raise MismatchError(
                f"the stratum {name} has {len(units)} judgements and needs {needed}",
                where=path,
                fix="judge the items of the plan in their order, then try again",
            )


def _sample(
    plan: Plan, answered: Mapping[str, Sequence[Unit]], answers: Mapping[tuple[str, str], float]
) -> Sample:
    units = [unit for part in answered.values() for unit in part]
    values = [answers[unit.system, unit.id] for unit in units]
    pronouns = {key: number for number, key in enumerate(sorted({unit.id for unit in units}))}
    keys = [pronouns[unit.id] for unit in units]
    kinds = [Kind(unit.outcome, unit.category) for unit in units]
    known = dict.fromkeys(kind for stratum in plan.strata.values() for kind in stratum.kinds)
    guesses = guess(kinds, values, keys, known=list(known))
    points = map(Point, keys, kinds, values, guesses.items)
    return Sample(plan, {name: tuple(islice(points, len(part))) for name, part in answered.items()}, guesses)
