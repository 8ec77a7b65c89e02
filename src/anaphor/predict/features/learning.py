"""Groups that learn from the training data themselves, and groups that like to see many scenes at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol, runtime_checkable

from anaphor.core import TaskSegment
from anaphor.predict.features.groups import Group
from anaphor.predict.features.scene import Scene
from anaphor.predict.model_folder import ModelFolder, Writer
from anaphor.task.classes import TaskClasses


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
