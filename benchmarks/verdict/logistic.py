"""A logistic model with a penalty, small enough to be read, for the calibration of acceptability."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def fitted(features: Floats, marked: NDArray[np.bool_], penalty: float = 3.0) -> Floats:
    """Coefficients of a logistic model, the intercept last and without penalty, by Newton's method."""
    matrix = np.column_stack([features, np.ones(len(features))])
    weights = np.zeros(matrix.shape[1])
    shrink = np.diag([penalty] * features.shape[1] + [0.0])
    for _ in range(50):
        chance = 1 / (1 + np.exp(-matrix @ weights))
        gradient = matrix.T @ (chance - marked) + shrink @ weights
        weights -= np.linalg.solve((matrix * (chance * (1 - chance))[:, None]).T @ matrix + shrink, gradient)
    return weights
