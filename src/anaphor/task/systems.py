"""Predictions of several systems scored against one gold file, with intervals and paired tests."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anaphor import __version__
from anaphor.core import (
    InputError,
    MismatchError,
    OptionError,
    Settings,
    Signature,
    TaskSegment,
    Where,
    digest,
)
from anaphor.core.table import Block, Cell, Paragraph, Table, count, percent, text
from anaphor.stats import Evaluation, Measure, cluster_ids, comparison_table, evaluate_counts
from anaphor.task.classes import TaskClasses
from anaphor.task.files import read_predictions, read_task
from anaphor.task.scoring import METRICS, TaskScore, confusion_counts, metric_value, score_labels

Labels = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class GoldLabels:
    """The classes of every segment of a gold file, and the segments' documents if given."""

    path: str
    labels: Labels
    documents: tuple[str, ...] | None

    @property
    def slots(self) -> int:
        return sum(map(len, self.labels))


@dataclass(frozen=True, slots=True)
class Systems:
    """The predictions of every system by its name, and the gold labels they are scored against."""

    classes: TaskClasses
    gold: GoldLabels
    predicted: Mapping[str, Labels]
    average: str

    def scores(self) -> dict[str, TaskScore]:
        """The score of every system."""
        return {
            name: score_labels(self.gold.labels, labels, classes=self.classes, average=self.average)
            for name, labels in self.predicted.items()
        }


@dataclass(frozen=True, slots=True)
class TaskResult:
    """The scores of all systems by all metrics.

    `parts` are the tables shown per system, of `matrix` and `class`; `notes` are the warnings of the run.
    """

    systems: Systems
    scores: Mapping[str, TaskScore]
    metrics: tuple[Evaluation, ...]
    level: float
    parts: tuple[str, ...] = ("matrix", "class")
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Everything, scores from 0 to 1."""
        classes, gold = self.systems.classes, self.systems.gold
        return {
            "pair": str(classes.pair),
            "year": classes.year,
            "average": self.systems.average,
            "gold": gold.path,
            "segments": len(gold.labels),
            "placeholders": gold.slots,
            "documents": None if gold.documents is None else len(set(gold.documents)),
            "classes": list(classes.classes),
            "signatures": {metric.metric: metric.signature.as_dict() for metric in self.metrics},
            "systems": [
                {
                    "name": name,
                    "right": score.correct,
                    **{metric: score.value(metric) for metric in METRICS},
                    "intervals": {metric.metric: metric.scores[name].interval for metric in self.metrics},
                    "matrix": score.matrix,
                    "by_class": {entry.label: entry.to_dict() for entry in score.by_class()},
                }
                for name, score in self.scores.items()
            ],
            "comparisons": [comparison for metric in self.metrics for comparison in metric.comparisons],
            "notes": list(self.notes),
        }

    def tables(self) -> list[Block]:
        """Scores of all systems in percent, the parts of each, comparisons and signatures."""
        classes, gold = self.systems.classes, self.systems.gold
        heading = f"{classes.pair} {classes.year}, {len(gold.labels)} segments, {gold.slots} placeholders"
        if gold.documents is not None:
            heading += f", {len(set(gold.documents))} documents"
        averaged = "classes present in gold" if self.systems.average == "present" else "all classes"
        makers = {"class": _class_table, "matrix": _matrix_table}
        rows = []
        for name, score in self.scores.items():
            cells = (
                Cell(score.value(metric.metric), interval=metric.scores[name].interval)
                for metric in self.metrics
            )
            rows.append((name, *cells))
        resampled = any(score.interval for metric in self.metrics for score in metric.scores.values())
        note = [f"[ ] {100 * self.level:g} % interval"] if resampled else []
        columns = (text("system"), *(percent(metric.metric, 2) for metric in self.metrics))
        blocks: list[Block] = [f"{heading}, averages over {averaged}", Table(columns, rows, notes=note)]
        blocks += [makers[part](name, score) for name, score in self.scores.items() for part in self.parts]
        if compared := [comparison for metric in self.metrics for comparison in metric.comparisons]:
            blocks.append(comparison_table(compared, digits=2))
        blocks.append(Paragraph([str(metric.signature) for metric in self.metrics], style="dim"))
        return blocks


def _matrix_table(name: str, score: TaskScore) -> Table:
    rows = [(label, *row, sum(row)) for label, row in zip(score.classes, score.matrix, strict=True)]
    rows.append(("sum", *(entry.predicted for entry in score.by_class()), score.slots))
    return Table((text(f"{name}: gold down"), *map(count, score.classes), count("sum")), rows)


def _class_table(name: str, score: TaskScore) -> Table:
    rows: list[tuple[object, ...]] = [
        (entry.label, entry.gold, entry.predicted, entry.correct, entry.precision, entry.recall, entry.f1)
        for entry in score.by_class()
    ]
    accuracy = score.value("accuracy")  # micro-averaged, precision, recall and F1 are the same
    rows.append(("micro", score.slots, score.slots, score.correct, accuracy, accuracy, accuracy))
    macro = [score.value(metric) for metric in ("macro-precision", "macro-recall", "macro-f1")]
    rows.append(("macro", "", "", "", *macro))
    counts, shares = ("gold", "predicted", "right"), ("precision", "recall", "F1")
    columns = (text(f"{name}: class"), *map(count, counts), *(percent(share, 2) for share in shares))
    return Table(columns, rows)


def read_systems(
    gold: str | Path,
    predictions: Iterable[tuple[str, str]],
    *,
    classes: TaskClasses,
    average: str = "present",
    documents: str | Path | None = None,
) -> Systems:
    """A gold file, and predictions given as pairs of system name and path."""
    labels = read_gold(gold, classes=classes, documents=documents)
    predicted: dict[str, Labels] = {}
    for name, path in predictions:
        if name in predicted:
            raise OptionError(
                f"two prediction files are called {name}",
                where=path,
                fix="write NAME=PATH for one of them",
            )
        predicted[name] = read_predicted(path, labels, classes=classes)
    return Systems(classes, labels, predicted, average)


def read_gold(path: str | Path, *, classes: TaskClasses, documents: str | Path | None = None) -> GoldLabels:
    """The labels of a five-column file; see `gold_labels`."""
    return gold_labels(str(path), read_task(path, classes=classes, documents=documents))


def gold_labels(path: str, segments: Iterable[TaskSegment]) -> GoldLabels:
    """The labels of segments; missing labels, or no placeholder at all, are an error."""
    labels, ids = [], []
    for number, segment in enumerate(segments, start=1):
        given = tuple(slot.label for slot in segment.slots if slot.label is not None)
        if len(given) != len(segment.slots):
            raise InputError(
                "a placeholder has no label",
                where=Where(path, number, 1),
                fix="score against a file with labels in its first column; test files have none",
            )
        labels.append(given)
        ids.append(segment.document)
    # Some segments with a document and some without: then documents cannot be resampled, and segments are.
    documents = tuple(document for document in ids if document is not None)
    gold = GoldLabels(path, tuple(labels), documents if len(documents) == len(ids) else None)
    if not gold.slots:
        raise InputError(
            "the file has no placeholder, so there is nothing to score",
            where=path,
            fix="pass a file in which pronouns are hidden",
        )
    return gold


def read_predicted(path: str | Path, gold: GoldLabels, *, classes: TaskClasses) -> Labels:
    """The predicted classes of the same segments; any difference in lines or labels is an error."""
    predicted = []
    for number, labels in enumerate(read_predictions(path, classes=classes), start=1):
        where = Where(str(path), number, 1)
        if number > len(gold.labels):
            raise MismatchError(
                f"predictions continue after the {len(gold.labels)} segments of {gold.path}",
                where=where,
                fix="remove the surplus lines, or score against the file that was predicted",
            )
        if len(labels) != len(gold.labels[number - 1]):
            raise MismatchError(
                f"{len(labels)} predicted labels for {len(gold.labels[number - 1])} placeholders",
                where=where,
                fix="predict one label for every placeholder; a segment without any is an empty line",
            )
        predicted.append(labels)
    if len(predicted) < len(gold.labels):
        raise MismatchError(
            f"{len(predicted)} lines of predictions for {len(gold.labels)} segments",
            where=Where(str(path), len(predicted) + 1),
            fix="write one line per segment, an empty one where the segment has no placeholder",
        )
    return tuple(predicted)


def score_systems(systems: Systems, metrics: Sequence[str], settings: Settings) -> TaskResult:
    """Score every system by every metric, with resampling and comparisons according to the settings."""
    gold, classes = systems.gold, systems.classes
    counts = {
        name: confusion_counts(gold.labels, labels, classes=classes)
        for name, labels in systems.predicted.items()
    }
    right = {name: _right(gold.labels, labels) for name, labels in systems.predicted.items()}
    evaluations = evaluate_counts(
        [
            Measure(
                metric,
                metric_value(metric, average=systems.average),
                counts,
                partial(_shared, _signature(metric, systems, settings)),
                right=right,
            )
            for metric in metrics
        ],
        ids=cluster_ids(gold.documents, segments=len(gold.labels)),
        samples=settings.samples,
        seed=settings.seed,
        level=settings.level,
        paired=settings.paired,
    )
    return TaskResult(systems, systems.scores(), evaluations, settings.level)


def _right(gold: Labels, predicted: Labels) -> NDArray[np.bool_]:
    """Whether each placeholder is right, for McNemar's test."""
    lines = zip(gold, predicted, strict=True)
    slots = (slot for labels, guesses in lines for slot in zip(labels, guesses, strict=True))
    return np.array([label == guess for label, guess in slots], np.bool_)


def _shared(signature: Signature, _: str) -> Signature:
    """The signature of a metric, which is the same for every system."""
    return signature


def _signature(metric: str, systems: Systems, settings: Settings) -> Signature:
    fields = {
        "pair": str(systems.classes.pair),
        "year": str(systems.classes.year),
        "classes": ",".join(systems.classes.classes),
        # Accuracy counts slots, so it does not depend on how classes are averaged.
        "average": "-" if metric == "accuracy" else systems.average,
        "gold": digest(" ".join(labels).encode() for labels in systems.gold.labels),
    }
    if settings.samples:
        fields |= {
            "cluster": "segments" if systems.gold.documents is None else "documents",
            "samples": str(settings.samples),
            "level": f"{settings.level:g}",
            "seed": str(settings.seed),
        }
    return Signature(metric, tuple(fields.items()), __version__)
