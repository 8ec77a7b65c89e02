"""What classifiers are told of a hidden pronoun: one small module for each group of features."""

from anaphor.predict.features.context import Scene
from anaphor.predict.features.groups import GROUPS, Feature, Group, build_groups, group_table

__all__ = ["GROUPS", "Feature", "Group", "Scene", "build_groups", "group_table"]
