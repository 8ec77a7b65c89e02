"""Probabilities from scores, and the weights of classes: what every learner needs."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from anaphor.core.array_types import Doubles


def softmax(scores: NDArray[Any]) -> NDArray[Any]:
    """Scores as probabilities, along the last axis."""
    # The largest score is taken out first, so that no exponential overflows.
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=-1, keepdims=True))


def class_weights(labels: NDArray[Any], classes: int, balance: float) -> Doubles:
    """The weight of a row of each class: 1 without balance, inverse to class frequency with a balance of 1.

    Rows weigh 1 on average, so that balance does not change the strength of regularization; a class that does
    not occur has the weight 0.
    """
    counts = np.bincount(labels, minlength=classes).astype(np.float64)
    weights = np.zeros(classes)
    np.power(counts, -balance, out=weights, where=counts > 0)
    scaled: Doubles = weights * len(labels) / (weights * counts).sum()
    return scaled
