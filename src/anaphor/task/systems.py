"""A gold file and files of predictions brought together, line by line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from anaphor.core import InputError, MismatchError, Where
from anaphor.task.classes import TaskClasses
from anaphor.task.files import read_predictions, read_task

Labels = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class GoldLabels:
    """The right classes of every segment of a file, and the segments' documents where these are given."""

    path: str
    labels: Labels
    documents: tuple[str, ...] | None

    @property
    def slots(self) -> int:
        return sum(map(len, self.labels))


def read_gold(path: str | Path, *, classes: TaskClasses, documents: str | Path | None = None) -> GoldLabels:
    """The labels of a five-column file; one without them, or without any placeholder, cannot be scored."""
    labels, ids = [], []
    for number, segment in enumerate(read_task(path, classes=classes, documents=documents), start=1):
        given = tuple(slot.label for slot in segment.slots if slot.label is not None)
        if len(given) != len(segment.slots):
            raise InputError(
                "the labels of this segment are withheld",
                where=Where(str(path), number, 1),
                fix="score against a file with labels in its first column; test files have none",
            )
        labels.append(given)
        ids.append(segment.document)
    gold = GoldLabels(str(path), tuple(labels), tuple(i for i in ids if i is not None) if documents else None)
    if not gold.slots:
        raise InputError(
            "the file has no placeholder, so there is nothing to score",
            where=str(path),
            fix="give a file in which pronouns are hidden",
        )
    return gold


def read_predicted(path: str | Path, gold: GoldLabels, *, classes: TaskClasses) -> Labels:
    """The predicted classes of the same segments; any difference in lines or labels is an error."""
    found = tuple(_checked(path, read_predictions(path, classes=classes), gold))
    if len(found) < len(gold.labels):
        raise MismatchError(
            f"{len(found)} lines of predictions for {len(gold.labels)} segments",
            where=Where(str(path), len(found) + 1),
            fix="write a line for every segment, an empty one where the segment has no placeholder",
        )
    return found


def _checked(
    path: str | Path, predictions: Iterator[tuple[str, ...]], gold: GoldLabels
) -> Iterator[tuple[str, ...]]:
    for number, labels in enumerate(predictions, start=1):
        if number > len(gold.labels):
            raise MismatchError(
                f"predictions go on after the {len(gold.labels)} segments of {gold.path}",
                where=Where(str(path), number, 1),
                fix="remove the surplus lines, or score against the file that was predicted",
            )
        _require_same(labels, gold.labels[number - 1], Where(str(path), number, 1))
        yield labels


def _require_same(predicted: Sequence[str], gold: Sequence[str], where: Where) -> None:
    if len(predicted) != len(gold):
        raise MismatchError(
            f"{len(predicted)} predicted labels for {len(gold)} placeholders",
            where=where,
            fix="predict one label for every placeholder; a segment without any is an empty line",
        )
