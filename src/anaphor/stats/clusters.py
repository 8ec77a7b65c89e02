"""Clusters: the units that are drawn, swapped and left out together.

Pronouns of one document share topic, speakers and the system's habits, so they are not independent; whole
documents are. Where no documents are known, each segment is its own cluster.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from anaphor.core import MismatchError, OptionError

Floats: TypeAlias = NDArray[np.float64]
Value: TypeAlias = Callable[[Floats], Floats]
"""Scores totals over the last axis, `[..., columns] -> [...]`, with NaN where the score is undefined."""


def cluster_ids(documents: Sequence[str] | None, *, segments: int) -> NDArray[np.int64]:
    """The cluster of each segment, counted from 0 in the order of first appearance.

    Segments with the same document name share a cluster, also when others stand between them.
    """
    if documents is None:
        return np.arange(segments, dtype=np.int64)
    if len(documents) != segments:
        raise MismatchError(
            f"{len(documents)} document names for {segments} segments",
            where="--documents",
            fix="give one document name for every segment",
        )
    numbers: dict[str, int] = {}
    return np.array([numbers.setdefault(name, len(numbers)) for name in documents], dtype=np.int64)


def cluster_totals(rows: Floats, ids: NDArray[np.int64]) -> Floats:
    """Sums of the rows of each cluster, `[clusters, columns]`, from one row per segment."""
    if len(rows) != len(ids):
        raise MismatchError(
            f"{len(rows)} rows of counts for {len(ids)} segments",
            where="the counts of a metric",
            fix="count and cluster the same segments",
        )
    clusters = int(ids.max()) + 1 if len(ids) else 0
    totals = np.zeros((clusters, rows.shape[1]))
    for column in range(rows.shape[1]):
        totals[:, column] = np.bincount(ids, weights=rows[:, column], minlength=clusters)
    return totals


def require_clusters(totals: Floats) -> int:
    """The number of clusters, which must be at least two: one cluster shows no variation."""
    if len(totals) < 2:
        raise OptionError(
            f"intervals and tests need at least two clusters of segments, here: {len(totals)}",
            where="--documents",
            fix="give more documents, or leave --documents out to resample segments",
        )
    return len(totals)


def leave_one_out(totals: Floats, value: Value) -> Floats:
    """The score without each cluster in turn, `[clusters]`.

    A score that becomes undefined without one cluster rests on that cluster alone; no statistics can be
    made from it, so this is an error and not NaN.
    """
    require_clusters(totals)
    scores = value(totals.sum(axis=0) - totals)
    if np.isnan(scores).any():
        raise OptionError(
            "the score rests on a single cluster of segments and is undefined without it",
            where="--documents",
            fix="give more documents with pronouns, or leave --documents out to resample segments",
        )
    return scores


def effective_clusters(left_out: Floats) -> float:
    """How many equally important clusters would say as much as these; at least 3, or 2 of 2.

    A variance estimated from k independent normal influences u has about 3 (sum u^2)^2 / (sum u^4)
    equal ones in it (Satterthwaite's rule, with the kurtosis read off the data). One long document
    among short ones makes this much smaller than k, and the plain k - 1 degrees of freedom too many.
    """
    squares = (left_out - left_out.mean()) ** 2
    if not squares.any():
        return float(len(left_out))
    shares = squares / squares.sum()
    return float(min(len(left_out), 3 / (shares**2).sum()))
