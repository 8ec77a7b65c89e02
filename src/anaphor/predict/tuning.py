"""The penalty for filling nothing, chosen on development data (section 4 of both findings papers)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from anaphor.core import InputError, TaskSegment
from anaphor.predict.fill import Filler, class_of_filler
from anaphor.task.classes import TaskClasses
from anaphor.task.scoring import TaskScore, score_labels

#: 0 to -4 by 0.5, as the organisers tried them.
GRID = tuple(-step / 2 for step in range(9))


@dataclass(frozen=True, slots=True)
class Trial:
    """One penalty and the score of the predictions it leads to."""

    penalty: float
    score: TaskScore


def predict(filler: Filler, segments: Sequence[TaskSegment], classes: TaskClasses) -> list[tuple[str, ...]]:
    """The predicted classes of every segment."""
    return [
        tuple(class_of_filler(word, classes) for word in filler.fill(segment).words) for segment in segments
    ]


def try_penalties(
    filler: Filler,
    segments: Sequence[TaskSegment],
    classes: TaskClasses,
    *,
    grid: Sequence[float] = GRID,
    average: str = "present",
    progress: Callable[[str], None] = lambda _: None,
) -> list[Trial]:
    """One trial for every penalty of the grid; segments without labels or placeholders do not count."""
    labelled = [segment for segment in segments if _labels(segment)]
    if not labelled:
        raise InputError(
            "no placeholder has a label",
            where="--dev",
            fix="give development data with the classes in column 1",
        )
    gold = [_labels(segment) for segment in labelled]
    trials = []
    for penalty in grid:
        progress(f"penalty {penalty:g}")
        predicted = predict(replace(filler, penalty=penalty), labelled, classes)
        trials.append(Trial(penalty, score_labels(gold, predicted, classes=classes, average=average)))
    return trials


def best_trial(trials: Sequence[Trial], *, metric: str = "macro-recall") -> Trial:
    """The trial with the highest score, of equal ones the penalty nearest to 0."""
    return max(trials, key=lambda trial: (trial.score.value(metric), trial.penalty))


def _labels(segment: TaskSegment) -> tuple[str, ...]:
    return tuple(slot.label for slot in segment.slots if slot.label is not None)
