"""Division for scores: nothing to score is NaN, never a warning and never a zero."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def ratio(part: NDArray[np.float64], whole: NDArray[np.float64]) -> NDArray[np.float64]:
    """part / whole, NaN where whole is 0."""
    part, whole = np.broadcast_arrays(np.asarray(part, np.float64), np.asarray(whole, np.float64))
    quotient = np.full(part.shape, np.nan)
    np.divide(part, whole, out=quotient, where=whole != 0)
    return quotient


def zero_where_undefined(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """NaN becomes 0: for parts of a score that count as nothing when they cannot be computed."""
    return np.nan_to_num(values, nan=0.0)
