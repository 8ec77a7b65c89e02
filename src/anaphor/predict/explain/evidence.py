"""Why a model chose a class: the features that spoke for it, and against the next one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from anaphor.core import OptionError, TaskSegment
from anaphor.predict.contract import Model


@dataclass(frozen=True, slots=True)
class Evidence:
    """A feature and how much it speaks for the chosen class; below 0 it speaks for the other."""

    feature: str
    amount: float


@dataclass(frozen=True, slots=True)
class Explanation:
    """The chosen class, the next one, and the evidence between them, the weightiest first."""

    label: str
    against: str
    evidence: tuple[Evidence, ...]


@runtime_checkable
class Explaining(Protocol):
    """A model that can say why."""

    def explain(self, segments: Sequence[TaskSegment], *, segment: int, slot: int) -> Explanation: ...


def explanation(label: str, against: str, evidence: Iterable[Evidence]) -> Explanation:
    """The evidence in order, what weighs nothing left out."""
    weighty = (one for one in evidence if one.amount)
    return Explanation(
        label, against, tuple(sorted(weighty, key=lambda one: (-abs(one.amount), one.feature)))
    )


def explain(model: Model, segments: Sequence[TaskSegment], *, segment: int, slot: int) -> Explanation:
    """Why the model predicts what it does for one slot; both numbers count from 0."""
    if not isinstance(model, Explaining):
        raise OptionError(
            f"the family {model.card.family} cannot say why it chooses",
            where=model.card.recipe,
            fix="explain it by words (--by words), or a model of the classic families by features",
        )
    if not 0 <= segment < len(segments) or not 0 <= slot < len(segments[segment].slots):
        raise OptionError(
            f"there is no slot {slot} in segment {segment}",
            where="the data",
            fix=f"choose one of {len(segments)} segments, and one of its slots, both counted from 0",
        )
    return model.explain(segments, segment=segment, slot=slot)
