"""What every learner of the feature families is and gives."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import numpy as np

from anaphor.predict.classic.rows import Doubles, Ints, Rows
from anaphor.predict.model_folder import Writer


class Scorer(Protocol):
    """A trained classifier over rows of numbers."""

    def scores(self, rows: Rows) -> Doubles:
        """For every row the logarithm of a weight for each class; a row of weights need not add up to 1."""

    def files(self) -> Mapping[str, Writer]:
        """What must be saved."""

    def amounts(self, rows: Rows, *, chosen: int, other: int) -> Doubles:
        """For every entry of the only row, how much it speaks for one class against another."""


class Learner(Protocol):
    """Learns to tell classes apart. Its fields are its options."""

    @property
    def least(self) -> int:
        """How many rows must have a feature."""

    @property
    def calibrated(self) -> bool:
        """Whether the scores are probabilities as they are; else they are scaled on text held out."""

    @property
    def choose(self) -> str:
        """One of `choosing.CHOICES`."""

    def learn(self, rows: Rows, labels: Ints, *, width: int, classes: int, seed: int) -> Scorer:
        """The classifier; every class has a row."""


def softmax(scores: Doubles) -> Doubles:
    """Probabilities that add up to 1 in each row."""
    powers: Doubles = np.exp(scores - scores.max(axis=1, keepdims=True))
    shares: Doubles = powers / powers.sum(axis=1, keepdims=True)
    return shares


def class_weights(labels: Ints, classes: int, balance: float) -> Doubles:
    """The weight of a row of each class: 1 without balance, inverse to frequency with a balance of 1.

    On average rows weigh 1, so that balance does not change the strength of regularisation.
    """
    counts = np.bincount(labels, minlength=classes)
    weights = np.where(counts, np.maximum(counts, 1), 1.0) ** -balance
    found: Doubles = weights * counts.sum() / (weights * counts).sum()
    return found
