"""What every predictor is: something that learns from segments and gives a model, and the model.

Two types, so that "not fitted" cannot happen. Segments come in the order of their text, with the ids of their
documents where these are known: a predictor may look at the sentences around, never across documents.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from anaphor.core import Prediction, TaskSegment
from anaphor.task.classes import TaskClasses

#: Told how much of the work is done, from 0 to 1, and what is being done.
Progress = Callable[[float, str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCard:
    """What a saved model says of itself, checked before any long work.

    - `family` names the code that reads it, `version` the version of that code and of its features.
    - `forms`: whether the target it learned from has word forms (2015) or `lemma|TAG` (2016, 2017).
    - `trained_on`: hash and number of the segments and slots of training and development.
    """

    recipe: str
    family: str
    version: int
    pair: str
    year: int
    forms: bool
    classes: tuple[str, ...]
    options: dict[str, Any] = field(default_factory=dict)
    trained_on: dict[str, Any] = field(default_factory=dict)


class Model(Protocol):
    """A predictor after training."""

    @property
    def card(self) -> ModelCard: ...

    def predict(self, segments: Sequence[TaskSegment]) -> Iterator[tuple[Prediction, ...]]:
        """For every segment one prediction a slot, in the order of the slots; labels are never looked at."""

    def save(self, folder: Path) -> None:
        """Write the model as plain files: JSON, and arrays or a learner's own format that runs no code."""


@runtime_checkable
class JointModel(Protocol):
    """A model that learned several sub-tasks and can be asked for each."""

    def for_task(self, pair: str, *, year: int, forms: bool | None = None) -> Model:
        """The same model for another sub-task, and one style of targets; what it did not learn is an error.

        Without `forms` in the style that it has, or else in the one that it learned for the pair.
        """


@runtime_checkable
class CarefulModel(Protocol):
    """A model that is right more often where it may take longer."""

    def with_care(self) -> Model:
        """The same model, slower and better."""


class Predictor(Protocol):
    """A recipe ready to learn."""

    def fit(
        self,
        segments: Sequence[TaskSegment],
        *,
        classes: TaskClasses,
        dev: Sequence[TaskSegment] = (),
        seed: int = 1,
        progress: Progress | None = None,
    ) -> Model:
        """Learn from segments with labels; `dev` is for choosing settings and for stopping early."""
