"""The scorer: confusion matrices of gold and predicted classes, and averages of their scores.

The official score of 2015 was macro-averaged F1, that of 2016 and 2017 macro-averaged recall (wmt16-findings,
section 6). The papers average over the classes that occur in the gold file (their footnote 8), the released
scorer over all classes of the pair, an absent one counting as 0; `average` chooses.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from anaphor.core import Counts, MismatchError
from anaphor.core.array_types import Doubles
from anaphor.core.table import JsonFields
from anaphor.stats import ratio
from anaphor.task.classes import TaskClasses

METRICS = ("macro-recall", "macro-f1", "macro-precision", "accuracy")


def official_metric(year: int) -> str:
    """The metric by which systems were ranked in a year."""
    return "macro-f1" if year == 2015 else "macro-recall"


@dataclass(frozen=True, slots=True)
class ClassScore(JsonFields):
    """One class: its frequency in the gold file, in the predictions, and among correct predictions. Ratios
    without a base are 0.
    """

    label: str
    gold: int
    predicted: int
    correct: int

    json_keys: ClassVar = {"label": None, "correct": "right"}
    json_extra = ("precision", "recall", "f1")

    @property
    def precision(self) -> float:
        return self.correct / self.predicted if self.predicted else 0.0

    @property
    def recall(self) -> float:
        return self.correct / self.gold if self.gold else 0.0

    @property
    def f1(self) -> float:
        total = self.predicted + self.gold
        return 2 * self.correct / total if total else 0.0


@dataclass(frozen=True, slots=True)
class TaskScore:
    """A confusion matrix, rows gold, columns predicted, both in the order of `classes`, and its scores."""

    classes: tuple[str, ...]
    matrix: tuple[tuple[int, ...], ...]
    average: str

    @property
    def slots(self) -> int:
        return sum(map(sum, self.matrix))

    @property
    def correct(self) -> int:
        return sum(row[i] for i, row in enumerate(self.matrix))

    def by_class(self) -> tuple[ClassScore, ...]:
        columns = [sum(column) for column in zip(*self.matrix, strict=True)]
        return tuple(
            ClassScore(label, correct=self.matrix[i][i], predicted=columns[i], gold=sum(self.matrix[i]))
            for i, label in enumerate(self.classes)
        )

    def value(self, metric: str) -> float:
        """One of `METRICS`, from 0 to 1; NaN if nothing was scored."""
        return float(metric_value(metric, average=self.average)(np.array(self.matrix, np.float64).ravel()))


def score_labels(
    gold: Sequence[Sequence[str]],
    predicted: Sequence[Sequence[str]],
    *,
    classes: TaskClasses,
    average: str = "present",
) -> TaskScore:
    """Score predicted labels segment by segment; labels are classes, as returned by the readers."""
    size = len(classes.classes)
    totals = confusion_counts(gold, predicted, classes=classes).totals()
    matrix = totals.astype(np.int64).reshape(size, size).tolist()
    return TaskScore(classes.classes, tuple(map(tuple, matrix)), average)


def confusion_counts(
    gold: Sequence[Sequence[str]], predicted: Sequence[Sequence[str]], *, classes: TaskClasses
) -> Counts:
    """One row per segment: how often each pair of gold and predicted class occurs in it, gold major.

    Every score depends on sums of such rows, so documents and resamples can be scored.
    """
    if len(gold) != len(predicted):
        raise MismatchError(
            f"{len(predicted)} predicted segments for {len(gold)}",
            where="the predictions",
            fix="predict every segment exactly once",
        )
    number = {label: i for i, label in enumerate(classes.classes)}
    rows = np.zeros((len(gold), len(number) ** 2))
    for row, (wanted, given) in enumerate(zip(gold, predicted, strict=True)):
        for right, label in zip(wanted, given, strict=True):
            rows[row, number[right] * len(number) + number[label]] += 1
    return Counts(tuple(f"{right} as {label}" for right in number for label in number), rows)


def metric_value(metric: str, *, average: str) -> Callable[[Doubles], Doubles]:
    """The function from sums of confusion counts, over the last axis, to scores; NaN if undefined."""

    def value(totals: Doubles) -> Doubles:
        size = round(totals.shape[-1] ** 0.5)
        matrix = totals.reshape(*totals.shape[:-1], size, size)
        correct = np.diagonal(matrix, axis1=-2, axis2=-1)
        gold, predicted = matrix.sum(axis=-1), matrix.sum(axis=-2)
        if metric == "accuracy":
            return ratio(correct.sum(axis=-1), gold.sum(axis=-1))
        # F1 is the share of right ones among the mean of gold and predicted: one formula for all three.
        base = {"macro-recall": gold, "macro-precision": predicted, "macro-f1": (gold + predicted) / 2}
        scores = ratio(correct, base[metric], undefined=0.0)
        present = gold > 0
        # With all classes, an absent one counts as 0, but a set without any class has no score at all.
        counted = (
            present if average == "present" else np.broadcast_to(present.any(-1, keepdims=True), gold.shape)
        )
        return ratio((scores * counted).sum(axis=-1), counted.sum(axis=-1))

    return value
