"""Metrics: per-segment counts, then a score from their sums.

Names are imported on first use, so the command line can list metric options without NumPy.
"""

from __future__ import annotations

from anaphor.core.lazy import lazy_names
from anaphor.core.registry import Registry

TYPE_CHECKING = False  # what type checkers take for true; `typing` itself is slow to import
if TYPE_CHECKING:
    from anaphor.metrics.contract import Metric, MetricContext, MetricInput, load_metric, third_party_options

METRICS: Registry[type[Metric]] = Registry(
    "metric",
    {
        "accept": "anaphor.metrics.accept:Accept",
        "apt": "anaphor.metrics.apt:Apt",
        "autoprf": "anaphor.metrics.autoprf:AutoPrf",
        "bleu": "anaphor.metrics.sacre:Bleu",
        "chrf": "anaphor.metrics.sacre:Chrf",
        "comet": "anaphor.metrics.comet:Comet",
        "judge": "anaphor.metrics.judge:JudgeMetric",
        "meteor": "anaphor.metrics.meteor:Meteor",
        "meteor-pronouns": "anaphor.metrics.meteor:MeteorPronouns",
    },
)

__all__ = ["METRICS", "Metric", "MetricContext", "MetricInput", "load_metric", "third_party_options"]

__getattr__ = lazy_names(
    __name__, {"anaphor.metrics.contract": "Metric MetricContext MetricInput load_metric third_party_options"}
)
