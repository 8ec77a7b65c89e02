"""The nouns of results: counts, score, interval, comparison."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from anaphor.core.signature import Signature

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class Counts:
    """Sufficient statistics of one metric on one candidate: a row per segment, a column per name.

    A score is a function of the column sums alone, so any sum of rows can be scored: a document, a
    bootstrap resample, the corpus.
    """

    names: tuple[str, ...]
    rows: NDArray[np.float64]

    def totals(self) -> NDArray[np.float64]:
        totals: NDArray[np.float64] = self.rows.sum(axis=0)
        return totals


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval of a score."""

    low: float
    high: float
    level: float


@dataclass(frozen=True, slots=True)
class Score:
    """One number between 0 and 1 with all that is needed to trust it. NaN means undefined."""

    metric: str
    system: str
    value: float
    signature: Signature
    details: Mapping[str, float]
    interval: Interval | None = None


@dataclass(frozen=True, slots=True)
class Comparison:
    """One system against the baseline on one metric.

    `p_mcnemar` is None for metrics that do not judge single pronouns. `p_adjusted` is the permutation
    p after Holm's correction over all systems compared on this metric. `detectable` is the smallest
    true difference that a test at level 0.05 on this much data finds with probability 0.8.
    """

    metric: str
    baseline: str
    system: str
    difference: float
    interval: Interval
    p_bootstrap: float
    p_permutation: float
    p_mcnemar: float | None
    p_adjusted: float
    detectable: float
