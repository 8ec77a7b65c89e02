"""Features of a hidden pronoun for classifiers, in groups that recipes name."""

from anaphor.recipes.features.context import SlotContext
from anaphor.recipes.features.groups import GROUPS, Feature, FeatureGroup, build_groups, group_table

__all__ = ["GROUPS", "Feature", "FeatureGroup", "SlotContext", "build_groups", "group_table"]
