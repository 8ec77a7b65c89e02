"""Confidence intervals and significance tests, clustered by document, for any score that is a function of
sums.

This package knows no particular metric. Each system is an array of cluster totals, and a function turns
totals into scores; `evaluate_counts` computes scores, intervals and comparisons from the counts of any
measure. Statistics for meta-evaluation are imported from their own modules, since scoring does not need them:
`correlation` (with Williams' test) and `agreement` (of annotators).
"""

from anaphor.stats.comparison import compare, gained_and_lost, holm, mcnemar
from anaphor.stats.evaluation import (
    SIGNIFICANCE,
    Accuracy,
    Evaluation,
    Measure,
    PairedItems,
    accuracy_counts,
    accuracy_measure,
    accuracy_value,
    comparison_table,
    evaluate_counts,
    paired_items_table,
    same_columns,
)
from anaphor.stats.interval import (
    Resampled,
    detectable_difference,
    effective_size,
    interval,
    resampled_scores,
    wilson,
)
from anaphor.stats.pairwise import pairwise_permutations
from anaphor.stats.resampling import (
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
    ratio,
)

__all__ = [
    "SIGNIFICANCE",
    "Accuracy",
    "Evaluation",
    "Measure",
    "PairedItems",
    "Resampled",
    "Value",
    "accuracy_counts",
    "accuracy_measure",
    "accuracy_value",
    "bootstrap",
    "bootstrap_each",
    "cluster_ids",
    "cluster_totals",
    "compare",
    "comparison_table",
    "detectable_difference",
    "effective_clusters",
    "effective_size",
    "evaluate_counts",
    "gained_and_lost",
    "holm",
    "interval",
    "leave_one_out",
    "mcnemar",
    "paired_bootstrap",
    "paired_items_table",
    "paired_permutation",
    "paired_permutations",
    "pairwise_permutations",
    "ratio",
    "resampled_scores",
    "same_columns",
    "wilson",
]
