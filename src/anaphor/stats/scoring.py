"""All systems on one metric: counts, scores, intervals, comparisons."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anaphor.core import Comparison, Counts, InputWarning, Interval, OptionError, Score, Settings, Signature
from anaphor.metrics import Metric, MetricInput
from anaphor.metrics.breakdown import add, count_by_pronoun, same_columns
from anaphor.stats.comparison import compare
from anaphor.stats.interval import score_intervals
from anaphor.stats.resampling import bootstrap, cluster_totals


@dataclass(frozen=True, slots=True)
class MetricScores:
    """One metric's counts and scores by system, and its comparisons where the settings ask for them.

    `by_pronoun` has the scores over the pronouns of each source form, empty for other metrics.
    """

    metric: Metric
    counts: Mapping[str, Counts]
    by_pronoun: Mapping[str, Mapping[str, float]]
    scores: Mapping[str, Score]
    comparisons: tuple[Comparison, ...]


def score_all(
    metric: Metric,
    trials: Sequence[MetricInput],
    *,
    ids: NDArray[np.int64],
    settings: Settings,
    sign: Callable[[Metric, str], Signature],
    right: Mapping[str, NDArray[np.bool_]] | None,
) -> MetricScores:
    """Count every trial, resample the clusters once for all, and score.

    `ids` are the clusters of the segments; `right` says of every pronoun whether a system has it right,
    or is None for metrics that do not judge single pronouns.
    """
    parts = {trial.system: count_by_pronoun(metric, trial) for trial in trials}
    # Counts of the parts add up to those of the whole, so a metric that judges pronouns counts only once.
    counts = {t.system: add(list(parts[t.system].values()) or [metric.count(t)]) for t in trials}
    totals = [cluster_totals(c.rows, ids) for c in same_columns(list(counts.values()))]
    intervals: Sequence[Interval | None] = [None] * len(totals)
    comparisons: tuple[Comparison, ...] = ()
    try:
        if settings.samples:
            resamples = bootstrap(totals, metric.value, samples=settings.samples, seed=settings.seed)
            intervals = score_intervals(totals, metric.value, resamples=resamples, level=settings.level)
        if settings.paired:
            comparisons = compare(
                metric.name,
                names=list(counts),
                totals=totals,
                value=metric.value,
                resamples=resamples,
                right=None if right is None else [right[name] for name in counts],
                seed=settings.seed,
                level=settings.level,
            )
    except OptionError as error:
        # Too little to resample is no reason to keep the scores back, unless a test was asked for.
        if settings.paired:
            raise
        warnings.warn(f"no interval for {metric.name}: {error.what}", InputWarning, stacklevel=2)
    scores = {}
    for (name, counted), around in zip(counts.items(), intervals, strict=True):
        sums = counted.totals()
        value = float(metric.value(sums))
        scores[name] = Score(metric.name, name, value, sign(metric, name), metric.details(sums), around)
    by_pronoun = {
        system: {form: float(metric.value(c.totals())) for form, c in counted.items()}
        for system, counted in parts.items()
    }
    return MetricScores(metric, counts, by_pronoun, scores, comparisons)
