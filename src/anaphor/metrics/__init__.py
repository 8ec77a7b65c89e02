"""Metrics: per-segment counts, then a score from their sums."""

from anaphor.core import Registry
from anaphor.metrics.contract import Metric, MetricInput, MetricOptions
from anaphor.metrics.setup import ScoringSetup, Signer

METRICS: Registry[type[Metric]] = Registry(
    "metric",
    {
        "apt": "anaphor.metrics.apt:Apt",
        "autoprf": "anaphor.metrics.autoprf:AutoPrf",
        "bleu": "anaphor.metrics.sacre:Bleu",
        "chrf": "anaphor.metrics.sacre:Chrf",
        "meteor": "anaphor.metrics.meteor:Meteor",
        "meteor-pronouns": "anaphor.metrics.meteor:MeteorPronouns",
    },
)

__all__ = ["METRICS", "Metric", "MetricInput", "MetricOptions", "ScoringSetup", "Signer"]
