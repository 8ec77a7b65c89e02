"""Groups of features by name. A recipe lists the groups it wants, each with its options."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, runtime_checkable

from anaphor.core import OptionError, Registry
from anaphor.predict.features.around import Grams
from anaphor.predict.features.facts import Facts
from anaphor.predict.features.needs import Needs
from anaphor.predict.features.scene import Scene
from anaphor.predict.settings import OptionRow, option_rows, settings_of

#: Goes up whenever a feature changes its name or meaning; models of other versions are refused.
VERSION = 1

Feature: TypeAlias = str | tuple[str, float]
"""The name of something that is the case, or a name with a number."""


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
        "alignment": "anaphor.predict.features.alignment:AlignmentGroup",
        "antecedents": "anaphor.predict.features.antecedents:Antecedents",
        "closest-noun": "anaphor.predict.features.closest_noun:ClosestNoun",
        "function-of-it": "anaphor.predict.features.function_of_it:FunctionOfIt",
        "head": "anaphor.predict.features.head:Head",
        "lm": "anaphor.predict.features.lm:LmGroup",
        "position": "anaphor.predict.features.position:Position",
        "source-pronoun": "anaphor.predict.features.source_pronoun:SourcePronoun",
        "source-window": "anaphor.predict.features.windows:SourceWindow",
        "target-tags": "anaphor.predict.features.target_tags:TargetTags",
        "target-window": "anaphor.predict.features.windows:TargetWindow",
    },
    option="features",
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
