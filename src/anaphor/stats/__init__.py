"""Intervals and tests of significance, clustered by document, for any score that is a function of sums.

Nothing here knows a metric. Each system is an array of cluster totals, and a function scores totals. What
judges a metric by people is imported from its own module, for scoring needs none of it: `correlation` (with
Williams' test) and `agreement` (of annotators).
"""

from anaphor.stats.comparison import compare, holm, mcnemar
from anaphor.stats.interval import detectable_difference, effective_size, interval, score_intervals, wilson
from anaphor.stats.resampling import (
    Floats,
    Value,
    bootstrap,
    bootstrap_each,
    cluster_ids,
    cluster_totals,
    effective_clusters,
    leave_one_out,
    paired_bootstrap,
    paired_permutation,
    paired_permutations,
)
from anaphor.stats.scoring import MetricCounts, MetricScores, score_all

__all__ = [
    "Floats",
    "MetricCounts",
    "MetricScores",
    "Value",
    "bootstrap",
    "bootstrap_each",
    "cluster_ids",
    "cluster_totals",
    "compare",
    "detectable_difference",
    "effective_clusters",
    "effective_size",
    "holm",
    "interval",
    "leave_one_out",
    "mcnemar",
    "paired_bootstrap",
    "paired_permutation",
    "paired_permutations",
    "score_all",
    "score_intervals",
    "wilson",
]
