"""The card of a model in training."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from anaphor.core import TaskSegment
from anaphor.predict.contract import ModelCard
from anaphor.predict.training_data import described, has_forms
from anaphor.task.classes import TaskClasses


class Recipe(Protocol):
    """A predictor that knows which recipe it is and what that says."""

    @property
    def recipe(self) -> str: ...

    @property
    def settings(self) -> Mapping[str, Any]: ...


def card_of(
    predictor: Recipe,
    segments: Sequence[TaskSegment],
    dev: Sequence[TaskSegment],
    classes: TaskClasses,
    *,
    family: str,
    version: int,
) -> ModelCard:
    """What a model says of itself: where it comes from, and what it can be asked."""
    return ModelCard(
        recipe=predictor.recipe,
        family=family,
        version=version,
        pair=str(classes.pair),
        year=classes.year,
        forms=has_forms(segments),
        classes=classes.classes,
        options=dict(predictor.settings),
        trained_on={"train": described(segments), "dev": described(dev)},
    )
