"""Intervals and tests of significance, clustered by document, for any score that is a function of sums.

Nothing here knows a metric. Each system is an array of cluster totals, and a function scores totals.
"""

from anaphor.stats.bootstrap import bootstrap, paired_bootstrap
from anaphor.stats.clusters import (
    Floats,
    Value,
    cluster_ids,
    cluster_totals,
    effective_clusters,
    leave_one_out,
)
from anaphor.stats.comparison import compare
from anaphor.stats.interval import detectable_difference, interval, score_intervals
from anaphor.stats.permutation import paired_permutation, paired_permutations
from anaphor.stats.scoring import Scored, score_all
from anaphor.stats.significance import holm, mcnemar

__all__ = [
    "Floats",
    "Scored",
    "Value",
    "bootstrap",
    "cluster_ids",
    "cluster_totals",
    "compare",
    "detectable_difference",
    "effective_clusters",
    "holm",
    "interval",
    "leave_one_out",
    "mcnemar",
    "paired_bootstrap",
    "paired_permutation",
    "paired_permutations",
    "score_all",
    "score_intervals",
]
