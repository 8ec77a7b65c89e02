"""Feature groups: what they are, the registry of their names, and the blocks of features that they return.

A recipe lists the groups that it uses, each with its options. A group gives the features of one slot, or, for
speed, those of many slots as blocks: an n-gram block has columns of words and the templates that join them,
so code that knows the n-grams of a model need not build the others.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from anaphor.core import OptionError, Registry, TaskSegment
from anaphor.predict.model_folder import ModelFolder, Writer
from anaphor.predict.options import OptionInfo, Options, option_table, parse_options
from anaphor.recipes.features.context import Requirements, SlotContext
from anaphor.recipes.features.tokens import OUTSIDE, AnnotatedTokens
from anaphor.task.classes import TaskClasses

#: Goes up whenever a feature changes its name or meaning; models of other versions are refused.
VERSION = 1

#: The name of a binary feature, or a name with its value.
Feature: TypeAlias = str | tuple[str, float]
#: A string for each slot of a batch.
StringColumn: TypeAlias = Sequence[str]


class NgramTemplate(NamedTuple):
    """The columns of an n-gram, and the prefix of its feature names."""

    name: str
    start: int
    end: int


class NgramBlock(NamedTuple):
    """N-grams over some columns: each slot has one feature per template.

    If there are `prefixes`, one per slot, all features of a slot start with its prefix.
    """

    columns: Sequence[StringColumn]
    templates: Sequence[NgramTemplate]
    prefixes: StringColumn | None = None

    def feature_lists(self, slots: int) -> list[Sequence[str]]:
        """The names of the features of each slot."""
        named = []
        for name, start, end in self.templates:
            # Joining whole columns takes a third of the time of joining slot by slot.
            ngrams = self.columns[start]
            if end > start + 1:
                ngrams = [*map("_".join, zip(*self.columns[start:end], strict=True))]
            named.append([name + ngram for ngram in ngrams])
        rows: list[Sequence[str]] = [*zip(*named, strict=True)] or [()] * slots
        return rows if self.prefixes is None else prefixed(self.prefixes, rows)


class AttributeBlock(NamedTuple):
    """Attributes with a name and a value each: one column per name, None where a slot lacks the feature."""

    names: Sequence[str]
    columns: Sequence[Sequence[str | None]]

    def feature_lists(self, slots: int) -> list[Sequence[str]]:
        """The names of the features of each slot."""
        rows = [*zip(*self.columns, strict=True)] or [()] * slots
        return [
            [name + item for name, item in zip(self.names, row, strict=True) if item is not None]
            for row in rows
        ]


#: Features of some slots: n-grams or attributes whose names have not been built, or lists of features.
FeatureBlock: TypeAlias = NgramBlock | AttributeBlock | list[Sequence[Feature]]


def feature_lists(block: FeatureBlock, slots: int) -> Sequence[Sequence[Feature]]:
    """The features of each slot."""
    return block if isinstance(block, list) else block.feature_lists(slots)


def prefixed(prefixes: StringColumn, rows: Iterable[Sequence[str]]) -> list[Sequence[str]]:
    """The names of each row, all with its prefix."""
    return [[prefix + name for name in row] for prefix, row in zip(prefixes, rows, strict=True)]


def columns_around(
    sides: Iterable[tuple[AnnotatedTokens, int]], layer: str, *, before: int, after: int
) -> list[tuple[str, ...]]:
    """A column of a layer for each position around the given ones."""
    rows = [padded(tokens, layer, at, before, after) for tokens, at in sides]
    return list(zip(*rows, strict=True)) or [()] * (before + 1 + after)


def padded(tokens: AnnotatedTokens, layer: str, at: int, before: int, after: int) -> tuple[str, ...]:
    """A window of a layer around a position, with `OUTSIDE` beyond the ends of the sentence."""
    start, end = at - before, at + after + 1
    window = tokens.cut(layer, max(start, 0), end)
    if len(window) == end - start:
        return window
    window = (OUTSIDE,) * -start + window
    return window + (OUTSIDE,) * (end - start - len(window))


@dataclass(frozen=True, slots=True, eq=False)
class FeatureGroup(Options):
    """Extracts some features of a slot, all under the prefix of the group; its fields are its options.

    A group defines `features`, or `extract_batch` if batches are faster. A group that learns something also
    defines `learn` and `load`, which return a group that defines `unseen` and `files`. Groups with equal
    options must be equal, so models that share one evaluate it once.
    """

    @property
    def requirements(self) -> Requirements:
        """What the slot context must provide."""
        return Requirements()

    def features(self, context: SlotContext) -> Sequence[Feature]:
        """The features of a slot."""
        return [feature for block in self.extract_batch([context]) for feature in feature_lists(block, 1)[0]]

    def extract_batch(self, contexts: Sequence[SlotContext]) -> list[FeatureBlock]:
        """The same features for each slot, in the same order, in one or more blocks."""
        return [[*map(self.features, contexts)]]

    def precompute(self, contexts: Sequence[SlotContext]) -> None:
        """Work for a batch of contexts, before the features of each are extracted."""

    def learn(self, segments: Sequence[TaskSegment], *, classes: TaskClasses, forms: bool) -> FeatureGroup:  # noqa: ARG002
        """The group for its own training data, with cross-fitting so that no segment influences its own
        features.
        """
        return self

    def load(self, folder: ModelFolder) -> FeatureGroup:  # noqa: ARG002
        """The group as it was saved."""
        return self

    def unseen(self) -> FeatureGroup:
        """The group for text that it was not trained on."""
        return self

    def files(self) -> Mapping[str, Writer]:
        """The files with its trained state."""
        return {}


GROUPS: Registry[type[FeatureGroup]] = Registry(
    "feature group",
    {
        "alignment": "anaphor.recipes.features.pronoun:AlignmentGroup",
        "antecedents": "anaphor.recipes.features.antecedents:Antecedents",
        "closest-noun": "anaphor.recipes.features.antecedents:ClosestNoun",
        "function-of-it": "anaphor.recipes.features.syntax:FunctionOfIt",
        "head": "anaphor.recipes.features.syntax:Head",
        "lm": "anaphor.recipes.features.lm:LmGroup",
        "position": "anaphor.recipes.features.pronoun:Position",
        "source-pronoun": "anaphor.recipes.features.pronoun:SourcePronoun",
        "source-window": "anaphor.recipes.features.windows:SourceWindow",
        "target-tags": "anaphor.recipes.features.windows:TargetTags",
        "target-window": "anaphor.recipes.features.windows:TargetWindow",
    },
    option="features",
    group="anaphor.feature_groups",
)


def build_groups(given: Mapping[str, Mapping[str, Any]]) -> dict[str, FeatureGroup]:
    """The groups that a recipe names, with its options; none at all is an error."""
    if not isinstance(given, Mapping) or not given:
        raise OptionError(
            "the recipe has no features", where="features", fix=f"choose from {', '.join(GROUPS)}"
        )
    return {
        name: parse_options(GROUPS.get(name), options, where=f"features.{name}")
        for name, options in given.items()
    }


@dataclass(frozen=True, slots=True)
class FeatureGroupInfo:
    """A group as the documentation shows it."""

    name: str
    about: str
    options: tuple[OptionInfo, ...]


def group_table() -> tuple[FeatureGroupInfo, ...]:
    """Every group with its docstring and options."""
    kinds = ((name, GROUPS.get(name)) for name in GROUPS)
    return tuple(
        FeatureGroupInfo(name, inspect.getdoc(kind) or "", option_table(kind)) for name, kind in kinds
    )
