"""Groups of features by name. A recipe lists the groups it wants, each with its options."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TypeAlias, runtime_checkable

from anaphor.core import OptionError, Registry, TaskSegment
from anaphor.predict.features.context import OUTSIDE, Needs, Scene, Tokens
from anaphor.predict.model_folder import ModelFolder, Writer
from anaphor.predict.options import OptionRow, option_rows, settings_of
from anaphor.task.classes import TaskClasses

#: Goes up whenever a feature changes its name or meaning; models of other versions are refused.
VERSION = 1

Feature: TypeAlias = str | tuple[str, float]
"""The name of something that is the case, or a name with a number."""


Column: TypeAlias = Sequence[str]


class Span(NamedTuple):
    """The columns of an n-gram, and what its features begin with."""

    name: str
    start: int
    end: int


class Grams(NamedTuple):
    """The n-grams of some columns: of every scene a feature for each span.

    Where there are `beginnings`, one for each scene, all features of that scene begin with it.
    """

    columns: Sequence[Column]
    spans: Sequence[Span]
    beginnings: Column | None = None

    def named(self, scenes: int) -> list[Sequence[str]]:
        """For each of so many scenes the names of its features."""
        rows = by_scene(
            [_names(span.name, self.columns[span.start : span.end]) for span in self.spans], scenes
        )
        return rows if self.beginnings is None else begun(self.beginnings, rows)


def columns_around(
    sides: Iterable[tuple[Tokens, int]], layer: str, *, before: int, after: int
) -> list[tuple[str, ...]]:
    """A column of a layer for each place around the one given with the tokens."""
    rows = [padded(tokens, layer, at, before, after) for tokens, at in sides]
    return list(zip(*rows, strict=True)) or [()] * (before + 1 + after)


def padded(tokens: Tokens, layer: str, at: int, before: int, after: int) -> tuple[str, ...]:
    """So much of a layer on either side of a place, and the place; `OUTSIDE` where there is nothing."""
    start, end = at - before, at + after + 1
    found = tokens.cut(layer, max(start, 0), end)
    if len(found) == end - start:
        return found
    found = (OUTSIDE,) * -start + found
    return found + (OUTSIDE,) * (end - start - len(found))


def _names(name: str, columns: Sequence[Column]) -> list[str]:
    if len(columns) == 1:
        return [name + item for item in columns[0]]
    return [name + gram for gram in map("_".join, zip(*columns, strict=True))]


def by_scene(columns: Sequence[Column], scenes: int) -> list[Sequence[str]]:
    """What all columns say of each of the scenes."""
    return [*zip(*columns, strict=True)] or [()] * scenes


def begun(beginnings: Column, rows: Sequence[Sequence[str]]) -> list[Sequence[str]]:
    """The names of each row, all with its beginning."""
    pairs = zip(beginnings, rows, strict=True)
    return [[beginning + name for name in row] for beginning, row in pairs]


class Facts(NamedTuple):
    """A column for each name; None where a scene lacks that feature."""

    names: Sequence[str]
    columns: Sequence[Sequence[str | None]]

    def named(self, scenes: int) -> list[Sequence[str]]:
        """For each of so many scenes the names of its features."""
        rows = [*zip(*self.columns, strict=True)] or [()] * scenes
        return [
            [name + item for name, item in zip(self.names, row, strict=True) if item is not None]
            for row in rows
        ]


class Group(Protocol):
    """Says of a scene what is the case; its fields are its options."""

    @property
    def needs(self) -> Needs:
        """What must have been analysed."""

    def features(self, scene: Scene) -> Sequence[Feature]:
        """The features of a scene, all under the prefix of the group."""


Said: TypeAlias = Grams | Facts | list[Sequence[Feature]]
"""What is said of some scenes: n-grams or facts that nobody has named yet, or the features of each."""


@runtime_checkable
class ManyAtOnce(Protocol):
    """A group that is faster when it is asked about many scenes at once."""

    def say(self, scenes: Sequence[Scene]) -> list[Said]:
        """All that `features` says of each scene, in the same order, in one part or several."""


def said_of(group: Group, scenes: Sequence[Scene]) -> list[Said]:
    """All that a group says of the scenes."""
    return group.say(scenes) if isinstance(group, ManyAtOnce) else [[*map(group.features, scenes)]]


def said_of_one(group: ManyAtOnce, scene: Scene) -> list[Feature]:
    """The features of one scene, from a group that would rather be asked about many."""
    return [feature for part in group.say([scene]) for feature in named(part, 1)[0]]


def named(said: Said, scenes: int) -> Sequence[Sequence[Feature]]:
    """The features of each of so many scenes."""
    return said if isinstance(said, list) else said.named(scenes)


GROUPS: Registry[type[Group]] = Registry(
    "feature group",
    {
        "alignment": "anaphor.predict.features.pronoun:AlignmentGroup",
        "antecedents": "anaphor.predict.features.antecedents:Antecedents",
        "closest-noun": "anaphor.predict.features.antecedents:ClosestNoun",
        "function-of-it": "anaphor.predict.features.syntax:FunctionOfIt",
        "head": "anaphor.predict.features.syntax:Head",
        "lm": "anaphor.predict.features.lm:LmGroup",
        "position": "anaphor.predict.features.pronoun:Position",
        "source-pronoun": "anaphor.predict.features.pronoun:SourcePronoun",
        "source-window": "anaphor.predict.features.windows:SourceWindow",
        "target-tags": "anaphor.predict.features.windows:TargetTags",
        "target-window": "anaphor.predict.features.windows:TargetWindow",
    },
    option="features",
    group="anaphor.feature_groups",
)


def build_groups(given: Mapping[str, Mapping[str, Any]]) -> dict[str, Group]:
    """The groups that a recipe names, with its options; none at all is an error."""
    if not isinstance(given, Mapping) or not given:
        raise OptionError(
            "a recipe without features", where="features", fix=f"name some of {', '.join(GROUPS)}"
        )
    return {
        name: settings_of(GROUPS.get(name), options, where=f"features.{name}")
        for name, options in given.items()
    }


@dataclass(frozen=True, slots=True)
class GroupRow:
    """A group as documentation shows it."""

    name: str
    about: str
    options: tuple[OptionRow, ...]


def group_table() -> tuple[GroupRow, ...]:
    """Every group with its docstring and options."""
    found = ((name, GROUPS.get(name)) for name in GROUPS)
    return tuple(GroupRow(name, inspect.getdoc(kind) or "", option_rows(kind)) for name, kind in found)


@runtime_checkable
class Ahead(Protocol):
    """A group that does its work for many scenes at once before it is asked for each."""

    def look_ahead(self, scenes: Sequence[Scene]) -> None: ...


@runtime_checkable
class LearningGroup(Protocol):
    """A group that must learn before it can say anything."""

    def learn(self, segments: Sequence[TaskSegment], *, classes: TaskClasses, forms: bool) -> LearnedGroup:
        """The group as it looks at its own training data: never through what it learned from it."""

    def load(self, folder: ModelFolder) -> Group:
        """The group as it was saved."""


@runtime_checkable
class LearnedGroup(Group, Protocol):
    """A group after learning."""

    def unseen(self) -> LearnedGroup:
        """The group as it looks at other text."""

    def files(self) -> Mapping[str, Writer]:
        """What must be saved of it."""


def ahead(groups: Iterable[Group], scenes: Sequence[Scene]) -> None:
    """Let those groups look ahead that want to."""
    for group in groups:
        if isinstance(group, Ahead):
            group.look_ahead(scenes)


def learned(
    groups: Mapping[str, Group], segments: Sequence[TaskSegment], *, classes: TaskClasses, forms: bool
) -> dict[str, Group]:
    """The groups for the training data, those that learn having learned."""
    return {
        name: group.learn(segments, classes=classes, forms=forms)
        if isinstance(group, LearningGroup)
        else group
        for name, group in groups.items()
    }


def unseen(groups: Mapping[str, Group]) -> dict[str, Group]:
    """The groups for other text than the training data."""
    return {
        name: group.unseen() if isinstance(group, LearnedGroup) else group for name, group in groups.items()
    }


def loaded(groups: Mapping[str, Group], folder: ModelFolder) -> dict[str, Group]:
    """The groups of a saved model."""
    return {
        name: group.load(folder) if isinstance(group, LearningGroup) else group
        for name, group in groups.items()
    }


def saved_files(groups: Mapping[str, Group]) -> dict[str, Writer]:
    """What the groups of a model must have saved."""
    found: dict[str, Writer] = {}
    for group in groups.values():
        if isinstance(group, LearnedGroup):
            found.update(group.files())
    return found
