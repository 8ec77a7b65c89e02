"""Predictions of several systems scored against one gold file, with intervals and paired tests."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anaphor import __version__
from anaphor.core import (
    Comparison,
    InputError,
    InputWarning,
    Interval,
    MismatchError,
    OptionError,
    Settings,
    Signature,
    Where,
    digest,
)
from anaphor.core.table import Block, Cell, Paragraph, Table, count, p_value, percent, text
from anaphor.stats import bootstrap, cluster_ids, cluster_totals, compare, score_intervals
from anaphor.task.classes import TaskClasses
from anaphor.task.files import read_predictions, read_task
from anaphor.task.scoring import METRICS, TaskScore, confusion_counts, metric_value, score_labels

Labels = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class GoldLabels:
    """The classes of every segment of a gold file, and the segments' documents where these are given."""

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
class MetricResult:
    """One metric: the interval of every system, None where there is none, comparisons and signature."""

    metric: str
    intervals: Mapping[str, Interval | None]
    comparisons: tuple[Comparison, ...]
    signature: Signature


@dataclass(frozen=True, slots=True)
class TaskResult:
    """The scores of all systems by all metrics.

    `parts` are the tables shown per system, of `matrix` and `class`; `notes` are the warnings of the run.
    """

    systems: Systems
    scores: Mapping[str, TaskScore]
    metrics: tuple[MetricResult, ...]
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
                    "intervals": {metric.metric: metric.intervals[name] for metric in self.metrics},
                    "matrix": score.matrix,
                    "by_class": {entry.label: entry.to_dict() for entry in score.by_class()},
                }
                for name, score in self.scores.items()
            ],
            "comparisons": [found for metric in self.metrics for found in metric.comparisons],
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
            intervals = ((metric.metric, metric.intervals[name]) for metric in self.metrics)
            cells = (Cell(score.value(metric), interval=interval) for metric, interval in intervals)
            rows.append((name, *cells))
        resampled = any(found for metric in self.metrics for found in metric.intervals.values())
        note = [f"[ ] {100 * self.level:g} % interval"] if resampled else []
        columns = (text("system"), *(percent(metric.metric, 2) for metric in self.metrics))
        blocks: list[Block] = [f"{heading}, averages over {averaged}", Table(columns, rows, notes=note)]
        blocks += [makers[part](name, score) for name, score in self.scores.items() for part in self.parts]
        if compared := [found for metric in self.metrics for found in metric.comparisons]:
            blocks.append(_comparison_table(compared))
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


def _comparison_table(compared: Sequence[Comparison]) -> Table:
    rows = [
        (
            found.system,
            found.metric,
            Cell(found.difference, interval=found.interval),
            found.p_permutation,
            found.p_bootstrap,
            found.p_mcnemar,
            found.p_adjusted,
        )
        for found in compared
    ]
    tests = ("p perm.", "p boot.", "p McNemar", "p Holm")
    difference = percent("difference", 2, signed=True)
    heading = text(f"against {compared[0].baseline}")
    return Table((heading, text("metric"), difference, *map(p_value, tests)), rows)


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
                f"two files of predictions are called {name}",
                where=path,
                fix="write NAME=PATH for one of them",
            )
        predicted[name] = read_predicted(path, labels, classes=classes)
    return Systems(classes, labels, predicted, average)


def read_gold(path: str | Path, *, classes: TaskClasses, documents: str | Path | None = None) -> GoldLabels:
    """The labels of a five-column file; one without labels, or without a placeholder, cannot be scored."""
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
    found = []
    for number, labels in enumerate(read_predictions(path, classes=classes), start=1):
        where = Where(str(path), number, 1)
        if number > len(gold.labels):
            raise MismatchError(
                f"predictions go on after the {len(gold.labels)} segments of {gold.path}",
                where=where,
                fix="remove the surplus lines, or score against the file that was predicted",
            )
        if len(labels) != len(gold.labels[number - 1]):
            raise MismatchError(
                f"{len(labels)} predicted labels for {len(gold.labels[number - 1])} placeholders",
                where=where,
                fix="predict one label for every placeholder; a segment without any is an empty line",
            )
        found.append(labels)
    if len(found) < len(gold.labels):
        raise MismatchError(
            f"{len(found)} lines of predictions for {len(gold.labels)} segments",
            where=Where(str(path), len(found) + 1),
            fix="write one line per segment, an empty one where the segment has no placeholder",
        )
    return tuple(found)


def score_systems(systems: Systems, metrics: Sequence[str], settings: Settings) -> TaskResult:
    """Score every system by every metric; the settings say how to resample and whether to compare."""
    ids = cluster_ids(systems.gold.documents, segments=len(systems.gold.labels))
    totals = {
        name: cluster_totals(confusion_counts(systems.gold.labels, labels, classes=systems.classes), ids)
        for name, labels in systems.predicted.items()
    }
    return TaskResult(
        systems=systems,
        scores=systems.scores(),
        metrics=tuple(_metric_result(metric, systems, totals, settings) for metric in metrics),
        level=settings.level,
    )


def _metric_result(
    metric: str, systems: Systems, totals: Mapping[str, NDArray[np.float64]], settings: Settings
) -> MetricResult:
    names, value = list(totals), metric_value(metric, average=systems.average)
    intervals: Sequence[Interval | None] = [None] * len(names)
    comparisons: tuple[Comparison, ...] = ()
    try:
        if settings.samples:
            resamples = bootstrap(list(totals.values()), value, samples=settings.samples, seed=settings.seed)
            intervals = score_intervals(
                list(totals.values()), value, resamples=resamples, level=settings.level
            )
        if settings.paired:
            # Whether each system has each placeholder right, for McNemar's test.
            right = []
            for name in names:
                lines = zip(systems.gold.labels, systems.predicted[name], strict=True)
                slots = (slot for gold, guess in lines for slot in zip(gold, guess, strict=True))
                right.append(np.array([label == guess for label, guess in slots], np.bool_))
            comparisons = compare(
                metric,
                names=names,
                totals=list(totals.values()),
                value=value,
                resamples=resamples,
                right=right,
                seed=settings.seed,
                level=settings.level,
            )
    except OptionError as error:
        # Too little text to resample is no reason to withhold the scores, unless a test was requested.
        if settings.paired:
            raise
        warnings.warn(f"no interval for {metric}: {error.what}", InputWarning, stacklevel=2)
    fields = {
        "pair": str(systems.classes.pair),
        "year": str(systems.classes.year),
        "classes": ",".join(systems.classes.classes),
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
    signature = Signature(metric, tuple(fields.items()), __version__)
    return MetricResult(metric, dict(zip(names, intervals, strict=True)), comparisons, signature)
