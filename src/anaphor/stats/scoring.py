"""All systems on one metric: counts, scores, intervals, comparisons."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from anaphor.core import Comparison, Counts, InputWarning, Interval, OptionError, Score, Settings, Signature
from anaphor.metrics import Metric, MetricInput
from anaphor.metrics.breakdown import add, count_by_pronoun, same_columns
from anaphor.stats.comparison import compare
from anaphor.stats.interval import score_intervals
from anaphor.stats.resampling import Floats, bootstrap_each, cluster_totals


@dataclass(frozen=True, slots=True)
class MetricCounts:
    """One metric's counts by system, their totals in the clusters, and the sums of each source form.

    `parts` has one row of sums for every form, and is empty for metrics that judge no pronouns.
    """

    metric: Metric
    counts: Mapping[str, Counts]
    totals: Sequence[Floats]
    parts: Mapping[str, Mapping[str, Counts]]

    @classmethod
    def of(cls, metric: Metric, trials: Sequence[MetricInput], *, ids: NDArray[np.int64]) -> MetricCounts:
        """Count every trial; `ids` are the clusters of the segments."""
        counts, parts = {}, {}
        for trial in trials:
            # Counts of the parts add up to those of the whole: a metric that judges pronouns counts once.
            whole: Counts | None = None
            forms = {}
            for form, part in count_by_pronoun(metric, trial):
                forms[form] = Counts(part.names, part.totals()[None])
                whole = part if whole is None else add(whole, part)
            counts[trial.system] = metric.count(trial) if whole is None else whole
            parts[trial.system] = forms
        totals = [cluster_totals(c.rows, ids) for c in same_columns(list(counts.values()))]
        return cls(metric, counts, totals, parts)


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
    counted: Sequence[MetricCounts],
    *,
    settings: Settings,
    sign: Callable[[Metric, str], Signature],
    right: Mapping[str, Sequence[NDArray[np.bool_]]] = MappingProxyType({}),
) -> list[MetricScores]:
    """Resample the clusters once for all metrics, and score.

    `right` says of every pronoun whether each system has it right, by the name of the metric; metrics that do
    not judge single pronouns are not in it.
    """
    resamples: Sequence[Floats | None] = [None] * len(counted)
    refused: OptionError | None = None
    if settings.samples:
        try:
            resamples = bootstrap_each(
                [(one.totals, one.metric.value) for one in counted],
                samples=settings.samples,
                seed=settings.seed,
            )
        except OptionError as error:
            refused = error
    return [
        _score(one, drawn, refused, settings=settings, sign=sign, right=right.get(one.metric.name))
        for one, drawn in zip(counted, resamples, strict=True)
    ]


def _score(
    counted: MetricCounts,
    resamples: Floats | None,
    refused: OptionError | None,
    *,
    settings: Settings,
    sign: Callable[[Metric, str], Signature],
    right: Sequence[NDArray[np.bool_]] | None,
) -> MetricScores:
    metric, counts, totals = counted.metric, counted.counts, counted.totals
    intervals: Sequence[Interval | None] = [None] * len(totals)
    comparisons: tuple[Comparison, ...] = ()
    try:
        if refused is not None:
            raise refused
        if resamples is not None:
            intervals = score_intervals(totals, metric.value, resamples=resamples, level=settings.level)
            if settings.paired:
                comparisons = compare(
                    metric.name,
                    names=list(counts),
                    totals=totals,
                    value=metric.value,
                    resamples=resamples,
                    right=right,
                    seed=settings.seed,
                    level=settings.level,
                )
    except OptionError as error:
        # Too little to resample is no reason to keep the scores back, unless a test was asked for.
        if settings.paired:
            raise
        warnings.warn(f"no interval for {metric.name}: {error.what}", InputWarning, stacklevel=3)
    scores = {}
    for (name, one), around in zip(counts.items(), intervals, strict=True):
        sums = one.totals()
        value = float(metric.value(sums))
        scores[name] = Score(metric.name, name, value, sign(metric, name), metric.details(sums), around)
    by_pronoun = {
        system: {form: float(metric.value(c.totals())) for form, c in parts.items()}
        for system, parts in counted.parts.items()
    }
    return MetricScores(metric, counts, by_pronoun, scores, comparisons)
