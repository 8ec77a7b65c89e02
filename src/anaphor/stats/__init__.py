"""Intervals and tests of significance, clustered by document, for any score that is a function of sums.

Nothing here knows a metric. Each system is an array of cluster totals, and a function scores totals. Beside
them stands what judges a metric by people: correlation, Williams' test, agreement of annotators.
"""

from anaphor.stats.agreement import (
    AgreementCoefficient,
    cohen_kappa,
    fleiss_kappa,
    gwet_ac1,
    krippendorff_alpha,
    observed_agreement,
)
from anaphor.stats.comparison import compare, holm, mcnemar
from anaphor.stats.correlation import (
    COEFFICIENTS,
    Correlation,
    WilliamsTest,
    correlation,
    kendall,
    pearson,
    spearman,
    williams,
)
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
    "COEFFICIENTS",
    "AgreementCoefficient",
    "Correlation",
    "Floats",
    "MetricCounts",
    "MetricScores",
    "Value",
    "WilliamsTest",
    "bootstrap",
    "bootstrap_each",
    "cluster_ids",
    "cluster_totals",
    "cohen_kappa",
    "compare",
    "correlation",
    "detectable_difference",
    "effective_clusters",
    "effective_size",
    "fleiss_kappa",
    "gwet_ac1",
    "holm",
    "interval",
    "kendall",
    "krippendorff_alpha",
    "leave_one_out",
    "mcnemar",
    "observed_agreement",
    "paired_bootstrap",
    "paired_permutation",
    "paired_permutations",
    "pearson",
    "score_all",
    "score_intervals",
    "spearman",
    "williams",
    "wilson",
]
