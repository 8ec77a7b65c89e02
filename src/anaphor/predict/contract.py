"""The contract of models: what a predictor (`base.BasePredictor`) returns after training, and its card.

Predictors and models are two types, so that "not fitted" cannot happen. Segments come in the order of the
text, with document ids where these are known: a model may use the surrounding sentences, but never across
documents.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from anaphor.core import Prediction, TaskSegment


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCard:
    """What a saved model says about itself, checked before any long work.

    - `family` names the code that reads it, `version` the version of that code and of its features.
    - `forms`: whether it was trained on word forms (2015) or on `lemma|TAG` (2016, 2017).
    - `trained_on`: hash and numbers of segments and slots of training and development data.
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
        """For each segment one prediction per slot, in the order of the slots; labels are never read."""

    def save(self, folder: Path) -> None:
        """Write the model as plain files: JSON, arrays, or a learner's own format that runs no code."""


@runtime_checkable
class JointModel(Protocol):
    """A model that was trained on several sub-tasks."""

    @property
    def pairs(self) -> tuple[str, ...]:
        """The pairs that it was trained for."""

    def for_task(self, pair: str, *, year: int, forms: bool | None = None) -> Model:
        """The same model for another sub-task and target format; one that it was not trained on is an error.

        Without `forms` it keeps its target format if it has it for the pair, or else takes the other one.
        """


@runtime_checkable
class ModelWithPrior(Protocol):
    """A model that knows how often each source pronoun was each class in training."""

    def prior(self, pronoun: str) -> NDArray[np.float64] | None:
        """The share of every class, in the order of the card; None for a pronoun that was not seen.

        Probabilities divided by it are what a text without any preference would give: test sets that ask for
        every class equally often are to be read so.
        """


@runtime_checkable
class ModelOfModels(Protocol):
    """A model that mixes the predictions of others."""

    @property
    def members(self) -> tuple[Model, ...]: ...


@runtime_checkable
class ModelWithEnsemble(Protocol):
    """A model that can combine several networks or readings."""

    def ensemble(self) -> Model:
        """The ensemble: slower, more accurate."""
