"""Logistic regression with a penalty for each weight, small enough to be read."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def maximized(
    matrix: Floats, wrong: Floats, penalty: Floats, offset: Floats | float = 0.0, counts: Floats | float = 1.0
) -> Floats:
    """The weights w that maximize Σ log p(wrong_i) − Σ penalty_j w_j² / 2, by Newton's method.

    p is the logistic function of `matrix @ w + offset`; `counts` say how often each row counts.
    """
    weights = np.zeros(matrix.shape[1])
    for _ in range(30):
        chance = 1 / (1 + np.exp(-(matrix @ weights + offset)))
        gradient = matrix.T @ (counts * (chance - wrong)) + penalty * weights
        curvature = (matrix * (counts * chance * (1 - chance))[:, None]).T @ matrix + np.diag(penalty)
        step = np.linalg.solve(curvature, gradient)
        weights -= step
        if np.abs(step).max() < 1e-6:
            break
    return weights
