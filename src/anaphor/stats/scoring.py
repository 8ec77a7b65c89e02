"""All systems on one metric: counts, scores, intervals, comparisons."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anaphor.core import Comparison, Counts, InputWarning, Interval, OptionError, Score, Settings, Signature
from anaphor.metrics import Metric, Trial
from anaphor.stats.clusters import Floats, cluster_totals
from anaphor.stats.comparison import compare
from anaphor.stats.interval import score_intervals


@dataclass(frozen=True, slots=True)
class Scored:
    """One metric's counts and scores by system, and its comparisons where the settings ask for them."""

    metric: Metric
    counts: Mapping[str, Counts]
    scores: Mapping[str, Score]
    comparisons: tuple[Comparison, ...]


def score_all(
    metric: Metric,
    trials: Sequence[Trial],
    *,
    ids: NDArray[np.int64],
    settings: Settings,
    sign: Callable[[Metric, str], Signature],
    right: Mapping[str, NDArray[np.bool_]] | None,
) -> Scored:
    """Count every trial, resample the clusters once for all, and score.

    `ids` are the clusters of the segments; `right` says of every pronoun whether a system has it right,
    or is None for metrics that do not judge single pronouns.
    """
    counts = {trial.system: metric.count(trial) for trial in trials}
    totals = [cluster_totals(rows, ids) for rows in _same_columns(list(counts.values()))]
    intervals = _intervals(metric, totals, settings)
    comparisons: tuple[Comparison, ...] = ()
    if settings.paired:
        comparisons = compare(
            metric.name,
            names=list(counts),
            totals=totals,
            value=metric.value,
            right=None if right is None else [right[name] for name in counts],
            samples=settings.samples,
            seed=settings.seed,
            level=settings.level,
        )
    scores = {}
    for (name, counted), around in zip(counts.items(), intervals, strict=True):
        sums = counted.totals()
        value = float(metric.value(sums))
        scores[name] = Score(metric.name, name, value, sign(metric, name), metric.details(sums), around)
    return Scored(metric, counts, scores, comparisons)


def _intervals(metric: Metric, totals: list[Floats], settings: Settings) -> Sequence[Interval | None]:
    """An interval for every system, or None with a note where there is too little to resample."""
    if not settings.samples:
        return [None] * len(totals)
    try:
        return score_intervals(
            totals, metric.value, samples=settings.samples, seed=settings.seed, level=settings.level
        )
    except OptionError as error:
        warnings.warn(f"no interval for {metric.name}: {error.what}", InputWarning, stacklevel=2)
        return [None] * len(totals)


def _same_columns(counts: Sequence[Counts]) -> list[Floats]:
    """Rows over the union of all columns: a metric that counts words has other columns per system."""
    if all(c.names == counts[0].names for c in counts):
        return [c.rows for c in counts]
    names = sorted(set().union(*(c.names for c in counts)))
    column = {name: i for i, name in enumerate(names)}
    widened = []
    for c in counts:
        rows = np.zeros((len(c.rows), len(names)))
        rows[:, [column[name] for name in c.names]] = c.rows
        widened.append(rows)
    return widened
