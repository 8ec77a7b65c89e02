"""Resampling of clusters: the bootstrap, the paired permutation test, the jackknife.

Pronouns of one document share topic, speakers and the habits of the system, so only whole documents are
independent. Without known documents, each segment is its own cluster.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from anaphor.core import MismatchError, OptionError
from anaphor.core.array_types import Doubles, Ints, Longs
from anaphor.core.engine import native
from anaphor.core.options import check_seed
from anaphor.stats.distributions import t_outside

Value: TypeAlias = Callable[[Doubles], Doubles]
"""Scores totals over the last axis, `[..., columns] -> [...]`, with NaN where the score is undefined."""


def ratio(part: ArrayLike, whole: ArrayLike, *, undefined: float = math.nan) -> Doubles:
    """part / whole, or `undefined` if whole is 0."""
    part, whole = np.broadcast_arrays(np.asarray(part, np.float64), np.asarray(whole, np.float64))
    quotient = np.full(part.shape, undefined)
    np.divide(part, whole, out=quotient, where=whole != 0)
    return quotient


def cluster_ids(documents: Sequence[str] | None, *, segments: int) -> Longs:
    """The cluster of each segment, counted from 0 in the order of first appearance.

    Segments with the same document name share a cluster, even if they are not adjacent.
    """
    if documents is None:
        return np.arange(segments, dtype=np.int64)
    if len(documents) != segments:
        what = f"{len(documents)} document names for {segments} segments"
        raise MismatchError(what, where="--documents", fix="pass one document name for every segment")
    numbers: dict[str, int] = {}
    return np.array([numbers.setdefault(name, len(numbers)) for name in documents], dtype=np.int64)


def cluster_totals(rows: Doubles, ids: Longs) -> Doubles:
    """Sums of the rows of each cluster, `[clusters, columns]`, from one row per segment."""
    if len(rows) != len(ids):
        what = f"{len(rows)} rows of counts for {len(ids)} segments"
        raise MismatchError(what, where="the counts of a metric", fix="count and cluster the same segments")
    clusters = int(ids.max()) + 1 if len(ids) else 0
    # Every segment is a cluster of its own.
    if clusters == len(ids) and (ids == np.arange(clusters)).all():
        return rows
    totals = np.zeros((clusters, rows.shape[1]))
    for column in range(rows.shape[1]):
        totals[:, column] = np.bincount(ids, weights=rows[:, column], minlength=clusters)
    return totals


def require_clusters(totals: Doubles) -> int:
    """The number of clusters, at least two: one cluster shows no variation."""
    if len(totals) < 2:
        what = f"intervals and tests need at least two clusters of segments, here: {len(totals)}"
        fix = "use more documents, or leave --documents out to resample segments"
        raise OptionError(what, where="--documents", fix=fix)
    return len(totals)


def leave_one_out(totals: Doubles, value: Value) -> Doubles:
    """The score without each cluster in turn, `[clusters]`.

    A score that becomes undefined without one cluster rests on that cluster alone, which allows no
    statistics; this is an error, not NaN.
    """
    require_clusters(totals)
    scores = value(totals.sum(axis=0) - totals)
    if np.isnan(scores).any():
        what = "the score rests on a single cluster of segments and is undefined without it"
        fix = "use more documents with pronouns, or leave --documents out to resample segments"
        raise OptionError(what, where="--documents", fix=fix)
    return scores


def effective_clusters(left_out: Doubles) -> float:
    """The number of equally important clusters that would be as informative; at least 3, or 2 of 2.

    A variance estimated from k independent normal influences u is worth about 3 (sum u^2)^2 / (sum u^4) equal
    ones (Satterthwaite's rule, with the kurtosis estimated from the data). One long document among short ones
    makes this much smaller than k, and k - 1 degrees of freedom would be too many.
    """
    squares = (left_out - left_out.mean()) ** 2
    if not squares.any():
        return float(len(left_out))
    shares = squares / squares.sum()
    return float(min(len(left_out), 3 / (shares**2).sum()))


BLOCK_CELLS = 1 << 20
"""Cells [resamples, clusters] drawn at a time: large enough for fast matrix products, 8 MB as float64."""

TIE = 1e-12
"""Differences of scores closer than this are equal: sums in another order differ in their last bits."""


def generator(seed: int) -> np.random.Generator:
    """A PCG64 generator with a seed; named explicitly, since a new default in NumPy would change results."""
    check_seed(seed)
    return np.random.Generator(np.random.PCG64(seed))


def blocks(samples: int, *, clusters: int, most: int | None = None) -> list[slice]:
    """Consecutive ranges of resamples that add up to `samples`, none with more than `most`."""
    if samples < 1:
        raise OptionError(f"{samples} resamples", where="--samples", fix="use at least 1, preferably 1000")
    rows = min(max(1, BLOCK_CELLS // clusters), most or samples)
    return [slice(start, min(start + rows, samples)) for start in range(0, samples, rows)]


def stack(totals: Sequence[Doubles]) -> Doubles:
    """Stack several systems' totals, `[clusters, systems, columns]`, so that one product serves all."""
    if len({system.shape for system in totals}) != 1:
        what = "the systems do not have the same clusters and columns"
        fix = "score every system on the same segments with the same metric"
        raise MismatchError(what, where="the totals of the systems", fix=fix)
    require_clusters(totals[0])
    return np.stack(totals, axis=1)


def defined(resampled: Doubles) -> Doubles:
    """The resampled values without NaN; at least half must be defined."""
    kept = resampled[~np.isnan(resampled)]
    require_defined(len(kept), of=len(resampled))
    return kept


def require_defined(count: int, *, of: int) -> None:
    """Refuse resamples fewer than half of which have a score."""
    if 2 * count < of:
        what = f"the score is undefined in {of - count} of {of} resamples"
        fix = "score more text: too few segments have a pronoun that counts"
        raise OptionError(what, where="the resampled scores", fix=fix)


def bootstrap(totals: Sequence[Doubles], value: Value, *, samples: int, seed: int) -> Doubles:
    """Scores of clusters drawn with replacement, `[samples, systems]`; NaN if a score is undefined.

    Each row draws as many clusters as there are, the same for every system. A draw is a row of counts, so the
    totals of a whole block are a single matrix product.
    """
    return bootstrap_each([(totals, value)], samples=samples, seed=seed)[0]


def bootstrap_each(
    scores: Sequence[tuple[Sequence[Doubles], Value]], *, samples: int, seed: int
) -> list[Doubles]:
    """Like `bootstrap`, for several scores of the same clusters, which are drawn only once."""
    stacked = [stack(totals) for totals, _ in scores]
    clusters = len(stacked[0])
    cuts = blocks(samples, clusters=clusters)
    rows = [counts.reshape(clusters, -1) for counts in stacked]
    kinds = None
    # Counting equal clusters together changes the order of additions, which exact sums do not notice.
    if all(map(_sums_are_exact, rows)) and (distinct := _kinds(rows)) is not None:
        kinds, kept = distinct
        rows = [counts[kept] for counts in rows]
    drawer = Drawer(seed, clusters=clusters, kinds=kinds, columns=len(rows[0]))
    resamples = [np.empty((samples, counts.shape[1])) for counts in stacked]
    for block in cuts:
        drawn = drawer.draw(block.stop - block.start)
        for to, counts, shaped, (_, value) in zip(resamples, rows, stacked, scores, strict=True):
            to[block] = value((drawn @ counts).reshape(-1, *shaped.shape[1:]))
    return resamples


def _sums_are_exact(rows: Doubles) -> bool:
    """Whether sums of these rows are independent of their order: whole numbers below 2 ** 53."""
    return bool(np.abs(rows).max(initial=0) < 2**53 / len(rows) and (rows == np.rint(rows)).all())


def _kinds(rows: Sequence[Doubles]) -> tuple[Ints, Longs] | None:
    """The kind of every cluster and one cluster of each kind; None if most clusters are distinct.

    Clusters with equal rows can be drawn as one: most segments have at most one pronoun and identical counts.
    """
    # A hash tells rows apart much faster than comparing them all; whether it did is checked below.
    factor = 1
    hashes = np.zeros(len(rows[0]), np.int64)
    for counts in rows:
        for column in counts.T:
            factor = factor * 0x9E3779B97F4A7C15 % (1 << 62)
            hashes += column.astype(np.int64) * factor
    _, kept, kinds = np.unique(hashes, return_index=True, return_inverse=True)
    if 2 * len(kept) > len(hashes) or not all(
        np.array_equal(counts[kept].take(kinds, axis=0), counts) for counts in rows
    ):
        return None
    return kinds.astype(np.int32), kept


class Drawer:
    """Draws clusters with replacement and counts how often each occurs in each resample.

    With `kinds`, clusters of the same kind are counted together, in one of `columns` columns. The clusters
    are those of `generator(seed).integers(clusters)`, with or without the compiled extension.
    """

    def __init__(
        self, seed: int, *, clusters: int, kinds: Ints | None = None, columns: int | None = None
    ) -> None:
        self._rng = generator(seed)
        self._clusters = clusters
        self._kinds = kinds
        self._columns = columns or clusters
        self._draws = None
        if native is not None and clusters > 1:  # there is nothing to draw from one
            # The compiled generator goes on from NumPy's: two numbers of 128 bits, passed in halves.
            start = self._rng.bit_generator.state["state"]
            self._draws = native.Draws(*divmod(start["state"], 1 << 64), *divmod(start["inc"], 1 << 64))

    def draw(self, rows: int) -> Doubles:
        """The counts of the next resamples, `[rows, columns]`; every row sums to the number of clusters."""
        if self._draws is not None:
            counts: Doubles = self._draws.counts(rows, self._clusters, self._kinds, self._columns)
            return counts.reshape(rows, self._columns)
        picks = self._rng.integers(self._clusters, size=(rows, self._clusters))
        if self._kinds is not None:
            picks = self._kinds[picks].astype(np.int64)
        # A range of numbers for each row, so that one count serves all rows.
        picks += np.arange(rows)[:, None] * self._columns
        draws = np.bincount(picks.ravel(), minlength=rows * self._columns)
        return draws.reshape(rows, self._columns).astype(np.float64)


def paired_bootstrap(shifts: Doubles, *, difference: float, clusters: float) -> float:
    """Two-sided p-value of the observed difference between two systems, from resampled values.

    The resampled differences, shifted to mean 0, represent the null hypothesis; p is the share of them at
    least as large as the observed one on either side, with one added to numerator and denominator, so it is
    never 0. sacrebleu takes absolute values before centring, which counts only one side if the difference is
    clear; p here is about twice as large and keeps its level.

    The bootstrap's normal tails are too light for few clusters: p is converted to a normal deviate z, and z
    sqrt((k - 1) / k) is looked up in Student's t for k = `clusters` (see `effective_clusters`). With a few
    hundred clusters or more this makes no visible difference.
    """
    from statistics import NormalDist  # slow to import, and most runs compare nothing

    null = defined(shifts)
    extreme = int((np.abs(null - null.mean()) >= abs(difference) - TIE).sum())
    p = (extreme + 1) / (len(null) + 1)
    deviate = -NormalDist().inv_cdf(p / 2)
    return t_outside(deviate * ((clusters - 1) / clusters) ** 0.5, freedom=clusters - 1)


EXACT_CLUSTERS = 12
"""Up to this many clusters all swaps are tried: 2 ** 12 = 4096 of them."""


def paired_permutation(a: Doubles, b: Doubles, value: Value, *, samples: int, seed: int) -> float:
    """Two-sided p-value of the difference between two systems' scores, from `[clusters, columns]` each.

    Under the null hypothesis the two translations of a document are exchangeable, so any set of documents may
    be swapped. p is the share of swaps whose difference is at least as large as the observed one: exact for
    few clusters, otherwise from random swaps with one added to numerator and denominator.
    """
    return paired_permutations(a, [b], value, samples=samples, seed=seed)[0]


def paired_permutations(
    baseline: Doubles, systems: Sequence[Doubles], value: Value, *, samples: int, seed: int
) -> tuple[float, ...]:
    """The p-value of each system against the baseline, equal to that of `paired_permutation`."""
    stacked = stack([baseline, *systems])
    others = stacked[:, 1:]
    clusters, count, columns = others.shape
    # What a swapped cluster takes from the baseline it gives to the other system.
    exchange = (baseline[:, None] - others).reshape(clusters, -1)
    base_total, other_totals = baseline.sum(axis=0), others.sum(axis=0)
    blocks_of_gaps = []
    for block in swaps(clusters, samples=samples, seed=seed):
        moved = (block @ exchange).reshape(-1, count, columns)
        blocks_of_gaps.append(np.abs(value(other_totals + moved) - value(base_total - moved)))
    observed = np.abs(value(other_totals) - value(base_total))
    # A full enumeration holds the observed difference already.
    added = 0 if clusters <= EXACT_CLUSTERS else 1
    p_values = []
    for gap, difference in zip(np.concatenate(blocks_of_gaps).T, observed, strict=True):
        known = defined(gap)
        extreme = int((known >= float(difference) - TIE).sum())
        p_values.append((extreme + added) / (len(known) + added))
    return tuple(p_values)


def swaps(clusters: int, *, samples: int, seed: int, rows: int | None = None) -> Iterator[Doubles]:
    """Blocks of rows with 1 for a swapped cluster and 0 otherwise, `[rows, clusters]`.

    `rows` limits the length of random blocks; the swaps are the same for any limit.
    """
    if clusters <= EXACT_CLUSTERS:
        subsets = np.arange(2**clusters)[:, None]
        yield (subsets >> np.arange(clusters) & 1).astype(np.float64)
        return
    rng = generator(seed)
    # Whole 64-bit words per row: the stream is then the same however the rows are cut into blocks.
    row_bytes = 8 * -(-clusters // 64)
    for block in blocks(samples, clusters=clusters, most=rows):
        drawn = block.stop - block.start
        words = np.frombuffer(rng.bytes(drawn * row_bytes), dtype=np.uint8).reshape(drawn, row_bytes)
        yield np.unpackbits(words, axis=1, count=clusters).astype(np.float64)
