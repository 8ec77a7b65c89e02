"""Interpolated modified Kneser-Ney probabilities from counted n-grams.

The probability of a word after a context is its discounted share of the context's count, and what was
taken off is spread by the distribution of the context without its first word:

    p(w | c) = max(a(cw) - D(a(cw)), 0) / sum of a(cv) over v  +  b(c) p(w | c')

The adjusted count a is the true count for the longest n-grams and for those that begin a sentence, and for
the others the number of different words before them. b(c) is the mass that the discounts free, and in an ARPA
file the backoff weight of c. Below single words is the uniform distribution over all words except the begin
mark, so an unknown word has a probability.

Chen and Goodman (1999), "An empirical study of smoothing techniques for language modeling", section 3; lmplz,
whose numbers these are, is described by Heafield et al. (2013), "Scalable modified Kneser-Ney language model
estimation". A context's n-grams are adjacent in a table, so each sum is one `bincount`.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anaphor.core import InputError, InputWarning
from anaphor.core.array_types import Longs
from anaphor.core.table import counted
from anaphor.files.arrays import Array
from anaphor.recipes.lm.columns import ColumnStore, DiskColumn
from anaphor.recipes.lm.counts import BEGIN, NgramTable


@dataclass(frozen=True, slots=True)
class SmoothedLevel:
    """The n-grams of one length with their probabilities and backoff weights.

    An n-gram that is not `kept` has been pruned: it was counted, and is not part of the model. The longest
    n-grams have no backoff weights: their column is empty.
    """

    length: int
    table: NgramTable
    probability: DiskColumn
    backoff: DiskColumn
    kept: DiskColumn
    discounts: Discounts
    size: int

    def blocks(self, size: int) -> Iterator[tuple[int, NDArray[np.bool_]]]:
        """The start of each run of n-grams, and which of them are kept."""
        for start in range(0, len(self.table), size):
            yield start, self.kept.read(start, start + size).astype(np.bool_)

    def log_probabilities(self, start: int, end: int) -> Array:
        """The log10 probabilities of a stretch of n-grams."""
        values = _log10(self.probability.read(start, end))
        if self.length == 1 and start <= BEGIN < end:
            values[BEGIN - start] = 0.0  # never predicted: lmplz writes a certain event
        return values

    def log_backoffs(self, start: int, end: int) -> Array:
        """The log10 backoff weights of a stretch of n-grams."""
        return _log10(self.backoff.read(start, end))


def _log10(values: Array) -> Array:
    """Logarithms in double precision, without negative zeros."""
    return np.log10(values, dtype=np.float64) + 0.0


def smooth(
    tables: Sequence[NgramTable], store: ColumnStore, *, prune: Sequence[int] = (), fallback: bool = False
) -> list[SmoothedLevel]:
    """One level for every table. `prune` has for each length the highest count that is left out."""
    thresholds = [*prune, *([prune[-1] if prune else 0] * (len(tables) - len(prune)))]
    lower = store.column("0-gram.probability", "f4")
    lower.append(np.array([1 / (len(tables[0]) - 1)]))
    # The backoff weight of the empty context is part of the probabilities of words; its column is not used.
    backoff = store.column("0-gram.backoff", "f4")
    levels: list[SmoothedLevel] = []
    for length, table in enumerate(tables, start=1):
        above = tables[length] if length < len(tables) else None
        adjusted = _adjusted_counts(table, above, store, length)
        numbers = np.zeros(COUNTED, dtype=np.int64)
        for counts in adjusted.blocks(store.block):
            numbers += counts_of_counts(counts)
        discounts = discounts_of(numbers, length=length, fallback=fallback)
        probability = store.column(f"{length}-gram.probability", "f4")
        kept = store.column(f"{length}-gram.kept", "u1")
        size = 0
        for start, end in _whole_contexts(table.prefix, store.block):
            prefix, counts = table.prefix.read(start, end), adjusted.read(start, end)
            keep = table.count.read(start, end) > thresholds[length - 1]
            if thresholds[length - 1] == 0:
                keep[:] = True  # the unknown word has no count
            context = np.concatenate(([0], np.cumsum(prefix[1:] != prefix[:-1])))
            totals = np.bincount(context, counts)
            # What is taken off goes to the shorter context: the discount, or all of a pruned n-gram's count.
            left = np.where(keep, discounts.of(counts), counts)
            free = np.bincount(context, left) / totals
            shorter = lower.take(table.suffix.read(start, end))
            probability.append((counts - left) / totals[context] + free[context] * shorter)
            kept.append(keep)
            # Weights up to the last of the contexts; one that nothing follows has the weight 1.
            contexts = prefix[np.flatnonzero(np.diff(prefix, prepend=-1))]
            done = len(backoff)
            weights: Array = np.ones(int(contexts[-1]) + 1 - done)
            weights[contexts - done] = free
            backoff.append(weights)
            size += int(keep.sum())
        # Contexts behind the last one that anything follows.
        backoff.append(np.ones(len(lower) - len(backoff)))
        lower, backoff = probability, store.column(f"{length}-gram.backoff", "f4")
        levels.append(SmoothedLevel(length, table, probability, backoff, kept, discounts, size))
        adjusted.remove()
    return levels


def _adjusted_counts(
    table: NgramTable, above: NgramTable | None, store: ColumnStore, length: int
) -> DiskColumn:
    """A column of counts by n-gram; `above` is the table of the n-grams that are one word longer."""
    adjusted = store.column(f"{length}-gram.adjusted", "i8")
    for start in range(0, len(table), store.block):
        counts = table.count.read(start, start + store.block)
        number = np.arange(start, start + len(counts))
        if above is not None:
            # In how many longer n-grams is each of these the suffix?
            extensions = np.zeros(len(counts), dtype=np.int64)
            for suffix in above.suffix.blocks(store.block):
                inside = suffix[(suffix >= start) & (suffix < start + len(counts))]
                extensions += np.bincount(inside - start, minlength=len(counts))
            counts = np.where(number < table.openings, counts, extensions)
        if length == 1:
            counts[number == BEGIN] = 0  # the mark of beginning is given, never predicted
        adjusted.append(counts)
    return adjusted


def _whole_contexts(prefix: DiskColumn, block: int) -> Iterator[tuple[int, int]]:
    """Stretches of about `block` n-grams that hold every n-gram of their contexts."""
    start = 0
    while start < len(prefix):
        size = block
        while True:
            part = prefix.read(start, start + size)
            if start + len(part) == len(prefix):
                end = start + len(part)
                break
            end = start + int(np.searchsorted(part, part[-1]))
            if end > start:
                break
            size *= 2
        yield start, end
        start = end


#: What lmplz subtracts where a text is too small or too regular to say.
FALLBACK = (0.5, 1.0, 1.5)
COUNTED = 5  # counts of counts 0 to 4


@dataclass(frozen=True, slots=True)
class Discounts:
    """The discounts of counts of one, of two, and of three or more."""

    one: float
    two: float
    more: float

    def of(self, counts: Array) -> NDArray[np.float64]:
        """The discount of each count; 0 for a count of 0."""
        values: NDArray[np.float64] = np.array([0.0, self.one, self.two, self.more])[np.minimum(counts, 3)]
        return values


def counts_of_counts(counts: Longs) -> Longs:
    """The number of n-grams with the counts 0, 1, 2, 3, 4."""
    numbers: Longs = np.bincount(np.minimum(counts, COUNTED), minlength=COUNTED + 1)[:COUNTED].astype(
        np.int64
    )
    return numbers


def discounts_of(numbers: Longs, *, length: int, fallback: bool) -> Discounts:
    """The discounts of n-grams of one length, from the numbers n_k of n-grams with the adjusted count k.

    D(k) = k - (k + 1) Y n_(k+1) / n_k  for k = 1, 2, 3 and more, with Y = n_1 / (n_1 + 2 n_2)
    (Chen and Goodman 1999, equation 26). A text without n-grams of count 1, 2 or 3, or one that gives
    impossible discounts, is an error; with `fallback` it is a warning, and lmplz's fixed ones are used.
    """
    unseen = [count for count in (1, 2, 3) if not numbers[count]]
    if unseen:
        problem = f"none occurs {counted(unseen[0], 'time')} by adjusted count"
    else:
        share = numbers[1] / (numbers[1] + 2 * numbers[2])
        amounts = [float(k - (k + 1) * share * numbers[k + 1] / numbers[k]) for k in (1, 2, 3)]
        impossible = [k for k, amount in enumerate(amounts, start=1) if not 0 <= amount <= k]
        if not impossible:
            return Discounts(*amounts)
        k = impossible[0]
        problem = f"the discount for adjusted count {k} would be {amounts[k - 1]:.3f}"
    if not fallback:
        raise InputError(
            f"the discounts of {length}-grams cannot be estimated: {problem}",
            where="--text",
            fix="use more text, or remove repeated lines; --discount-fallback "
            "takes fixed discounts for such lengths",
        )
    warnings.warn(
        f"{problem}; the discounts of {length}-grams are {FALLBACK[0]}, {FALLBACK[1]} and {FALLBACK[2]}",
        InputWarning,
        stacklevel=2,
    )
    return Discounts(*FALLBACK)
