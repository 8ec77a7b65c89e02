"""What models say of development data, and the weights that follow from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anaphor.core import Prediction, TaskSegment
from anaphor.predict.contract import Model
from anaphor.predict.ensemble.mixing import Doubles, Mixture, best_mixture
from anaphor.predict.options import check_names, check_range, option

METRICS = ("macro-recall", "accuracy")
MEANS = ("linear", "log")


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How weights are found and used."""

    metric: str = option("macro-recall", "what the weights are tuned for: macro-recall or accuracy")
    means: str = option("linear", "linear: mean of probabilities; log: of their logarithms")
    steps: int = option(10, "weights are multiples of 1 / steps")

    def __post_init__(self) -> None:
        where = "options"
        check_names((self.metric,), METRICS, name="metric", where=where)
        check_names((self.means,), MEANS, name="mean", where=where)
        check_range(self.steps, least=1, most=100, name="steps", where=where)


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """The probabilities of all models [models, slots, classes], and numbers of classes.

    `chosen` [models, slots] are the answers, which need not be the likeliest classes; `gold` are right.
    """

    tables: Doubles
    chosen: NDArray[np.int64]
    gold: NDArray[np.int64]


def answers_of(models: Sequence[Model], segments: Sequence[TaskSegment]) -> Answers:
    """What models with the same classes say of the slots that have a label."""
    classes = models[0].card.classes
    gold = np.array([classes.index(label) for label in labels_of(segments)], dtype=np.int64)
    found = [_answers(model, segments) for model in models]
    tables = np.array([[one.probabilities for one in rows] for rows in found])
    chosen = np.array([[classes.index(one.label) for one in rows] for rows in found], dtype=np.int64)
    return Answers(tables, chosen, gold)


def labels_of(segments: Sequence[TaskSegment]) -> list[str]:
    """The right answers, as far as they are known."""
    return [slot.label for segment in segments for slot in segment.slots if slot.label is not None]


def tuned(answers: Answers, options: Options) -> Mixture:
    """The weights with the best score."""
    return best_mixture(
        answers.tables, answers.gold, metric=options.metric, means=options.means, steps=options.steps
    )


def _answers(model: Model, segments: Sequence[TaskSegment]) -> list[Prediction]:
    """What a model says of the slots that have a label."""
    return [
        one
        for segment, found in zip(segments, model.predict(segments), strict=True)
        for slot, one in zip(segment.slots, found, strict=True)
        if slot.label is not None
    ]
