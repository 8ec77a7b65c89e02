"""Scores of several files of predictions against one gold file, with intervals and paired tests."""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from anaphor import __version__
from anaphor.cli.options import named
from anaphor.core import (
    Comparison,
    InputWarning,
    Interval,
    LanguagePair,
    OptionError,
    Settings,
    Signature,
    digest,
)
from anaphor.stats import bootstrap, cluster_ids, cluster_totals, compare, score_intervals
from anaphor.task.classes import TaskClasses, task_classes
from anaphor.task.scoring import TaskScore, confusion_counts, metric_value, score_totals
from anaphor.task.systems import GoldLabels, Labels, read_gold, read_predicted


@dataclass(frozen=True, slots=True)
class Systems:
    """The predictions of every system by its name, and what they are scored against."""

    classes: TaskClasses
    gold: GoldLabels
    predicted: Mapping[str, Labels]
    average: str


@dataclass(frozen=True, slots=True)
class MetricResult:
    """One metric: the interval of every system, where one was drawn, comparisons and signature."""

    metric: str
    intervals: Mapping[str, Interval | None]
    comparisons: tuple[Comparison, ...]
    signature: Signature


@dataclass(frozen=True, slots=True)
class TaskResult:
    """All that a table needs: one score a system, one result a metric."""

    systems: Systems
    scores: Mapping[str, TaskScore]
    metrics: tuple[MetricResult, ...]
    level: float


def read_systems(options: argparse.Namespace, *, documents: str | None = None) -> Systems:
    """Read everything that the arguments of `add_systems` name, and a file of documents."""
    folder = Path(options.packs) if options.packs else None
    classes = task_classes(LanguagePair.parse(options.pair), year=options.year, folder=folder)
    gold = read_gold(options.gold, classes=classes, documents=documents)
    predicted: dict[str, Labels] = {}
    for name, path in map(named, options.predictions):
        if name in predicted:
            raise OptionError(
                f"two files of predictions are called {name}",
                where=path,
                fix="write NAME=PATH for one of them",
            )
        predicted[name] = read_predicted(path, gold, classes=classes)
    return Systems(classes, gold, predicted, options.average)


def score_systems(systems: Systems, metrics: Sequence[str], settings: Settings) -> TaskResult:
    """Score every system by every metric; the settings say how to resample and whether to compare."""
    counts = {
        name: confusion_counts(systems.gold.labels, labels, classes=systems.classes)
        for name, labels in systems.predicted.items()
    }
    ids = cluster_ids(systems.gold.documents, segments=len(systems.gold.labels))
    totals = {name: cluster_totals(rows, ids) for name, rows in counts.items()}
    return TaskResult(
        systems=systems,
        scores={
            name: score_totals(sums.sum(axis=0), classes=systems.classes, average=systems.average)
            for name, sums in totals.items()
        },
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
            drawn = bootstrap(list(totals.values()), value, samples=settings.samples, seed=settings.seed)
            intervals = score_intervals(list(totals.values()), value, resamples=drawn, level=settings.level)
        if settings.paired:
            comparisons = compare(
                metric,
                names=names,
                totals=list(totals.values()),
                value=value,
                resamples=drawn,
                right=[_right(systems, name) for name in names],
                seed=settings.seed,
                level=settings.level,
            )
    except OptionError as error:
        # Too little to resample is no reason to keep the scores back, unless a test was asked for.
        if settings.paired:
            raise
        warnings.warn(f"no interval for {metric}: {error.what}", InputWarning, stacklevel=2)
    signature = _signature(metric, systems, settings)
    return MetricResult(metric, dict(zip(names, intervals, strict=True)), comparisons, signature)


def _right(systems: Systems, name: str) -> NDArray[np.bool_]:
    """Whether the system has each placeholder right."""
    lines = zip(systems.gold.labels, systems.predicted[name], strict=True)
    return np.array([g == p for gold, guess in lines for g, p in zip(gold, guess, strict=True)], np.bool_)


def _signature(metric: str, systems: Systems, settings: Settings) -> Signature:
    fields = {
        "pair": str(systems.classes.pair),
        "year": str(systems.classes.year),
        "classes": ",".join(systems.classes.classes),
        "average": "-" if metric == "accuracy" else systems.average,
        "gold": digest(" ".join(labels).encode() for labels in systems.gold.labels),
    }
    if settings.samples:
        fields |= {"cluster": "segments" if systems.gold.documents is None else "documents"}
        fields |= {
            "samples": str(settings.samples),
            "level": f"{settings.level:g}",
            "seed": str(settings.seed),
        }
    return Signature(metric, tuple(fields.items()), __version__)
