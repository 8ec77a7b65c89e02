"""The paired bootstrap: draw clusters with replacement, score every system on the same draw."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import NormalDist

import numpy as np

from anaphor.stats.clusters import Floats, Value
from anaphor.stats.distributions import t_outside
from anaphor.stats.sampling import TIE, blocks, defined, generator, stack


def bootstrap(totals: Sequence[Floats], value: Value, *, samples: int, seed: int) -> Floats:
    """Scores of resampled corpora, `[samples, systems]`, with NaN where a score is undefined.

    Each row is one draw of as many clusters as there are, the same for every system. A draw is a row
    of counts, so the totals of a whole block are one matrix product.
    """
    stacked = stack(totals)
    clusters, systems, columns = stacked.shape
    cuts = blocks(samples, clusters=clusters)
    rng = generator(seed)
    scores = np.empty((samples, systems))
    for block in cuts:
        drawn = _draw(rng, block.stop - block.start, clusters=clusters) @ stacked.reshape(clusters, -1)
        scores[block] = value(drawn.reshape(-1, systems, columns))
    return scores


def _draw(rng: np.random.Generator, rows: int, *, clusters: int) -> Floats:
    """How often each cluster is in each resample, `[rows, clusters]`; every row sums to `clusters`."""
    picks = rng.integers(clusters, size=(rows, clusters))
    picks += np.arange(rows)[:, None] * clusters
    counts = np.bincount(picks.ravel(), minlength=rows * clusters)
    return counts.reshape(rows, clusters).astype(np.float64)


def paired_bootstrap(samples_a: Floats, samples_b: Floats, *, difference: float, clusters: float) -> float:
    """Two-sided p-value of the observed difference between two systems.

    The resampled differences, moved to mean 0, stand for the null hypothesis; p is the share of them
    at least as large as the observed one on either side, with one added above and below, so that it is
    never 0. sacrebleu takes absolute values before it centres, which counts one side only where the
    difference is clear; this p is then about twice as large and keeps its level.

    The bootstrap's normal-like tails are too light for few clusters: p is read as a normal deviate z,
    and z sqrt((k - 1) / k) is looked up in Student's t for k = `clusters` (see `effective_clusters`).
    From a few hundred clusters on this changes nothing that can be seen.
    """
    null = defined(samples_a - samples_b)
    extreme = int((np.abs(null - null.mean()) >= abs(difference) - TIE).sum())
    p = (extreme + 1) / (len(null) + 1)
    deviate = -NormalDist().inv_cdf(p / 2)
    return t_outside(deviate * ((clusters - 1) / clusters) ** 0.5, freedom=clusters - 1)
