"""What the bootstrap and the permutations share: a generator, blocks of rows, stacked systems."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from anaphor.core import MismatchError, OptionError
from anaphor.stats.clusters import Floats, require_clusters

BLOCK_CELLS = 1 << 20
"""Cells [resamples, clusters] drawn at a time: large enough for fast matrix products, 8 MB as float64."""

TIE = 1e-12
"""Differences of scores closer than this are equal: sums in another order differ in their last bits."""


def generator(seed: int) -> np.random.Generator:
    """The PCG64 generator of a seed; named here, so that a new default of numpy changes no result."""
    if seed < 0:
        raise OptionError(f"a seed of {seed}", where="--seed", fix="give 0 or a positive whole number")
    return np.random.Generator(np.random.PCG64(seed))


def blocks(samples: int, *, clusters: int) -> list[slice]:
    """Consecutive ranges of resamples that together make `samples`."""
    if samples < 1:
        raise OptionError(f"{samples} resamples", where="--samples", fix="ask for at least 1, better 1000")
    rows = max(1, BLOCK_CELLS // clusters)
    return [slice(start, min(start + rows, samples)) for start in range(0, samples, rows)]


def stack(totals: Sequence[Floats]) -> Floats:
    """Several systems' totals side by side, `[clusters, systems, columns]`: one product serves them all."""
    if len({system.shape for system in totals}) != 1:
        raise MismatchError(
            "the systems do not have the same clusters and columns",
            where="the totals of the systems",
            fix="score every system on the same segments with the same metric",
        )
    require_clusters(totals[0])
    return np.stack(totals, axis=1)


def defined(resampled: Floats) -> Floats:
    """The resampled values without NaN; at least half of them must have a value."""
    kept = resampled[~np.isnan(resampled)]
    if 2 * len(kept) < len(resampled):
        raise OptionError(
            f"the score is undefined in {len(resampled) - len(kept)} of {len(resampled)} resamples",
            where="the resampled scores",
            fix="score more text: too few segments have a pronoun that counts",
        )
    return kept
