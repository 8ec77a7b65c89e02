"""The paired permutation test: swap whole clusters between two systems."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from anaphor.stats.clusters import Floats, Value
from anaphor.stats.sampling import TIE, blocks, defined, generator, stack

EXACT_CLUSTERS = 12
"""Up to this many clusters all swaps are tried: 2 ** 12 = 4096 of them."""


def paired_permutation(a: Floats, b: Floats, value: Value, *, samples: int, seed: int) -> float:
    """Two-sided p-value of the difference between two systems' scores, from `[clusters, columns]` each.

    Under the null hypothesis nobody can tell which of two translations of a document came from which
    system, so any set of documents may be swapped. p is the share of swaps whose difference is at
    least as large as the observed one: exact for few clusters, otherwise from random swaps with one
    added above and below.
    """
    return paired_permutations(a, [b], value, samples=samples, seed=seed)[0]


def paired_permutations(
    baseline: Floats, systems: Sequence[Floats], value: Value, *, samples: int, seed: int
) -> tuple[float, ...]:
    """The p-value of each system against the baseline, as `paired_permutation` gives it one by one."""
    stacked = stack([baseline, *systems])
    others = stacked[:, 1:]
    swaps = _swaps(len(stacked), samples=samples, seed=seed)
    gaps = _gaps(baseline, others, value, swaps)
    observed = np.abs(value(others.sum(axis=0)) - value(baseline.sum(axis=0)))
    added = 0 if len(stacked) <= EXACT_CLUSTERS else 1
    return tuple(
        _p_value(defined(gap), difference=float(difference), added=added)
        for gap, difference in zip(gaps.T, observed, strict=True)
    )


def _p_value(gaps: Floats, *, difference: float, added: int) -> float:
    """The share of gaps that reach the difference. A full enumeration holds the observed one already."""
    extreme = int((gaps >= difference - TIE).sum())
    return (extreme + added) / (len(gaps) + added)


def _gaps(baseline: Floats, others: Floats, value: Value, swaps: Iterator[Floats]) -> Floats:
    """Absolute differences of scores after each swap, `[swaps, systems]`."""
    clusters, systems, columns = others.shape
    # What a swapped cluster takes from the baseline it gives to the other system.
    exchange = (baseline[:, None] - others).reshape(clusters, -1)
    base_total, other_totals = baseline.sum(axis=0), others.sum(axis=0)
    blocks_of_gaps = []
    for block in swaps:
        moved = (block @ exchange).reshape(-1, systems, columns)
        blocks_of_gaps.append(np.abs(value(other_totals + moved) - value(base_total - moved)))
    return np.concatenate(blocks_of_gaps)


def _swaps(clusters: int, *, samples: int, seed: int) -> Iterator[Floats]:
    """Blocks of rows with 1 for a swapped cluster and 0 for one left alone, `[rows, clusters]`."""
    if clusters <= EXACT_CLUSTERS:
        subsets = np.arange(2**clusters)[:, None]
        yield (subsets >> np.arange(clusters) & 1).astype(np.float64)
        return
    rng = generator(seed)
    # Whole 64-bit words per row: the stream is then the same however the rows are cut into blocks.
    row_bytes = 8 * -(-clusters // 64)
    for block in blocks(samples, clusters=clusters):
        rows = block.stop - block.start
        words = np.frombuffer(rng.bytes(rows * row_bytes), dtype=np.uint8).reshape(rows, row_bytes)
        yield np.unpackbits(words, axis=1, count=clusters).astype(np.float64)
