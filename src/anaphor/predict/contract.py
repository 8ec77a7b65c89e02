"""The contract of models: the result of training a predictor (`base.BasePredictor`), and its card.

Predictors and models are separate types, so a "not fitted" state cannot occur. Segments are in text order,
with document ids if known: a model may use the surrounding sentences, but never across documents.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from anaphor.core import Prediction, TaskSegment


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCard:
    """The description of a saved model, checked before any long work.

    - `family` names the code that reads it, `version` the version of that code and its features.
    - `forms`: whether it was trained on word forms (2015) or on `lemma|TAG` (2016, 2017).
    - `trained_on`: hash and size (segments, slots) of training and development data.
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
    """A trained predictor."""

    @property
    def card(self) -> ModelCard: ...

    def predict(self, segments: Sequence[TaskSegment]) -> Iterator[tuple[Prediction, ...]]:
        """One prediction per slot for each segment, in slot order; labels are never read."""

    def save(self, folder: Path) -> None:
        """Write the model as plain files: JSON, arrays, or a learner's own format that runs no code."""


@runtime_checkable
class JointModel(Protocol):
    """A model trained on several sub-tasks."""

    @property
    def pairs(self) -> tuple[str, ...]:
        """The pairs it was trained for."""

    def for_task(self, pair: str, *, year: int, forms: bool | None = None) -> Model:
        """The same model for another sub-task and target format, which it must have been trained on.

        Without `forms` it keeps its target format if available for the pair, otherwise it uses the other one.
        """


@runtime_checkable
class ModelOfModels(Protocol):
    """A model that combines the predictions of others."""

    @property
    def members(self) -> tuple[Model, ...]: ...


@runtime_checkable
class ModelWithEnsemble(Protocol):
    """A model that can combine several networks or readings."""

    def ensemble(self) -> Model:
        """The ensemble: slower, more accurate."""
