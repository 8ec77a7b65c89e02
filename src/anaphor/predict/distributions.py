"""Probabilities from scores, and class weights, as used by all learners."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from anaphor.core.array_types import Doubles


def softmax(scores: NDArray[Any]) -> NDArray[Any]:
    """Convert scores to probabilities along the last axis."""
    # The largest score is taken out first, so that no exponential overflows.
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=-1, keepdims=True))


def class_weights(labels: NDArray[Any], classes: int, balance: float) -> Doubles:
    """The weight of a row of each class: 1 without balance, inversely proportional to class frequency with a
    balance of 1.

    Weights average 1 over rows, so balance does not change the strength of regularization; a class that does
    not occur has weight 0.
    """
    counts = np.bincount(labels, minlength=classes).astype(np.float64)
    weights = np.zeros(classes)
    np.power(counts, -balance, out=weights, where=counts > 0)
    scaled: Doubles = weights * len(labels) / (weights * counts).sum()
    return scaled
