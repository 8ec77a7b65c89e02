"""The card of a model in training."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from anaphor.core import TaskSegment
from anaphor.predict.contract import ModelCard
from anaphor.predict.training_data import described, has_forms
from anaphor.task.classes import TaskClasses


def card_of(
    segments: Sequence[TaskSegment],
    dev: Sequence[TaskSegment],
    *,
    recipe: str,
    family: str,
    version: int,
    classes: TaskClasses,
    settings: Mapping[str, Any],
) -> ModelCard:
    """What a model says of itself: where it comes from, and what it can be asked."""
    return ModelCard(
        recipe=recipe,
        family=family,
        version=version,
        pair=str(classes.pair),
        year=classes.year,
        forms=has_forms(segments),
        classes=classes.classes,
        options=dict(settings),
        trained_on={"train": described(segments), "dev": described(dev)},
    )
