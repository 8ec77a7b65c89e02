"""Permutation tests of all pairs of systems."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from anaphor.core.array_types import Doubles
from anaphor.stats.comparison import holm
from anaphor.stats.resampling import EXACT_CLUSTERS, TIE, Value, require_defined, stack, swaps

#: Swaps that all pairs try before those that cannot become significant are left out.
_SWAPS_AT_ONCE = 256


def pairwise_permutations(
    systems: Sequence[Doubles], value: Value, *, samples: int, seed: int
) -> dict[tuple[int, int], float]:
    """The p-values of all pairs of systems by their numbers, after Holm's correction.

    They are those of `paired_permutation` and `holm`, which would take as many swaps for every pair. Here a
    pair is left out as soon as its corrected p-value must be 1: if n pairs have p-values of at least p, Holm
    multiplies the smallest of these by n or more, and all of them are 1 if n p > 1.
    """
    stacked = stack(systems)
    clusters, count, columns = stacked.shape
    totals = stacked.sum(axis=0)
    scores = value(totals)
    observed = np.abs(scores - scores[:, None])
    exact = clusters <= EXACT_CLUSTERS
    # A full enumeration holds the observed difference already.
    added, drawn = (0, 2**clusters) if exact else (1, samples)
    pairs = np.triu_indices(count, 1)
    extreme, known, tried = np.zeros((3, count, count), np.int64)
    undecided = np.triu(np.ones((count, count), np.bool_), 1)
    for block in swaps(clusters, samples=samples, seed=seed, rows=_SWAPS_AT_ONCE):
        # Columns first while the swaps are counted: the numbers of a column then lie together, and are fast.
        swapped = np.moveaxis(
            (block @ stacked.reshape(clusters, -1)).reshape(-1, count, columns), 2, 0
        ).copy()
        for system in np.flatnonzero(undecided.any(axis=1)):
            others = np.flatnonzero(undecided[system])
            # What a swapped cluster takes from one system it gives to the other.
            moved = swapped[:, :, system, None] - swapped[:, :, others]
            gained, left = totals[others].T[:, None] + moved, totals[system][:, None, None] - moved
            gaps = np.abs(value(np.moveaxis(gained, 0, -1)) - value(np.moveaxis(left, 0, -1)))
            extreme[system, others] += (gaps >= observed[system, others] - TIE).sum(axis=0, dtype=np.int16)
            known[system, others] += len(gaps) - np.isnan(gaps).sum(axis=0, dtype=np.int16)
            tried[system, others] += len(gaps)
        # More swaps only add to what is extreme, and `drawn` is the most that a p-value is divided by.
        ordered = -np.sort(-extreme[pairs]) + added
        enough = ordered * np.arange(1, len(ordered) + 1) > drawn + added
        if enough.any():
            undecided &= extreme + added < ordered[enough].min()
    for defined, of in zip(known[pairs].tolist(), tried[pairs].tolist(), strict=True):
        require_defined(defined, of=of)
    p_values = np.where(undecided, (extreme + added) / np.maximum(known + added, 1), 1.0)
    corrected = holm(p_values[pairs].tolist())
    return dict(zip(zip(*(side.tolist() for side in pairs), strict=True), corrected, strict=True))
