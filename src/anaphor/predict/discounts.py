"""The discounts of modified Kneser-Ney smoothing (Chen and Goodman 1998, equation 26)."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anaphor.core import InputError, InputWarning
from anaphor.predict.columns import Array, Longs

#: What lmplz subtracts where a text is too small or too regular to say.
FALLBACK = (0.5, 1.0, 1.5)
COUNTED = 5  # counts of counts 0 to 4


@dataclass(frozen=True, slots=True)
class Discounts:
    """What is subtracted from a count of one, of two, and of three or more."""

    one: float
    two: float
    more: float

    def of(self, counts: Array) -> NDArray[np.float64]:
        """The discount of each count; nothing is subtracted from 0."""
        values: NDArray[np.float64] = np.array([0.0, self.one, self.two, self.more])[np.minimum(counts, 3)]
        return values


def counts_of_counts(counts: Longs) -> Longs:
    """How many n-grams have the count 0, 1, 2, 3, 4."""
    found: Longs = np.bincount(np.minimum(counts, COUNTED), minlength=COUNTED + 1)[:COUNTED].astype(np.int64)
    return found


def discounts_of(found: Longs, *, length: int, fallback: bool) -> Discounts:
    """The discounts of n-grams of one length.

    A text without n-grams of count 1, 2 or 3, or one that gives impossible discounts, is an error, or with
    `fallback` a warning, and the discounts are then those of lmplz.
    """
    problem = _problem(found)
    if problem is None:
        return Discounts(*_estimates(found))
    if not fallback:
        raise InputError(
            f"the discounts of {length}-grams cannot be estimated: {problem}",
            where="--text",
            fix="give more text, or the same without repeated lines; --discount-fallback "
            "takes fixed discounts for such lengths",
        )
    warnings.warn(
        f"{problem}; the discounts of {length}-grams are {FALLBACK[0]}, {FALLBACK[1]} and {FALLBACK[2]}",
        InputWarning,
        stacklevel=2,
    )
    return Discounts(*FALLBACK)


def _problem(found: Longs) -> str | None:
    for count in (1, 2, 3):
        if not found[count]:
            return f"none occurs {count} time{'s' if count > 1 else ''} by adjusted count"
    for count, amount in enumerate(_estimates(found), start=1):
        if not 0 <= amount <= count:
            return f"the discount for adjusted count {count} would be {amount:.3f}"
    return None


def _estimates(found: Longs) -> tuple[float, float, float]:
    share = found[1] / (found[1] + 2 * found[2])
    one, two, more = (float(k - (k + 1) * share * found[k + 1] / found[k]) for k in (1, 2, 3))
    return one, two, more
