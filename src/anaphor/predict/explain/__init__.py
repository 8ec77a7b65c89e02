"""Why a model chose a class: by the features it weighs, or by hiding words (`occlusion`)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from anaphor.core import OptionError, TaskSegment
from anaphor.predict.contract import Model


@dataclass(frozen=True, slots=True)
class WordEvidence:
    """A feature and its weight in favour of the chosen class; negative if it favours the runner-up."""

    feature: str
    amount: float


@dataclass(frozen=True, slots=True)
class Explanation:
    """The chosen class, the runner-up, and the evidence between them, largest absolute amount first."""

    label: str
    against: str
    evidence: tuple[WordEvidence, ...]


@runtime_checkable
class ExplainableModel(Protocol):
    """A model that can attribute its choice to features."""

    def explain(self, segments: Sequence[TaskSegment], *, segment: int, slot: int) -> Explanation: ...


def explanation(label: str, against: str, evidence: Iterable[WordEvidence]) -> Explanation:
    """The evidence sorted by absolute amount, then by name; zero amounts are dropped."""
    nonzero = (item for item in evidence if item.amount)
    return Explanation(
        label, against, tuple(sorted(nonzero, key=lambda item: (-abs(item.amount), item.feature)))
    )


def explain(model: Model, segments: Sequence[TaskSegment], *, segment: int, slot: int) -> Explanation:
    """Why the model predicts what it does for one slot, by features; both indices start at 0."""
    if not isinstance(model, ExplainableModel):
        raise OptionError(
            f"models of the family {model.card.family} have no features to explain",
            where=model.card.recipe,
            fix="explain it by words (--by words), or a model of the classic families by features",
        )
    check_slot(segments, segment=segment, slot=slot)
    return model.explain(segments, segment=segment, slot=slot)


def check_slot(segments: Sequence[TaskSegment], *, segment: int, slot: int) -> None:
    """Raise an error unless the segment exists and has the slot."""
    if not 0 <= segment < len(segments) or not 0 <= slot < len(segments[segment].slots):
        raise OptionError(
            f"segment {segment} or its slot {slot} does not exist",
            where="the data",
            fix=f"choose one of {len(segments)} segments, and one of its slots, both counted from 0",
        )
