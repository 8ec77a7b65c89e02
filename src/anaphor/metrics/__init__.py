"""Metrics: per-segment counts, then a score from their sums."""

from anaphor.core import Registry
from anaphor.metrics.contract import Metric, MetricOptions, Trial
from anaphor.metrics.equipment import Equipment
from anaphor.metrics.signing import Signer

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

__all__ = ["METRICS", "Equipment", "Metric", "MetricOptions", "Signer", "Trial"]
