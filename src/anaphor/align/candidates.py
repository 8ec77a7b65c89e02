"""Candidate word pairs, searched in parts, so no process needs the whole text.

A part is a range of source words. Its `contenders` are counted over all pieces of the text, and those that
cannot become candidates whatever the other parts contain are dropped; `chosen` then selects among the
contenders of all parts. The result is identical, to the last bit, to one search over the whole text
(native/candidates.hpp has the rule).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from anaphor.align.model import Bitext, HmmOptions, LexiconRows
from anaphor.core.array_types import Bools, Floats, Ints, Longs

if TYPE_CHECKING:
    from anaphor.align.reference import AlignmentEngine

#: About so many word pairs are counted at once, some 40 bytes each.
CELLS = 1 << 23
_POINTS = 64
"""Points at which the expected number of co-occurring words is computed; in between it is interpolated."""


@dataclass(frozen=True, slots=True, eq=False)
class Contenders:
    """Word pairs sorted by source, then target word, with their Dice coefficients."""

    source: Ints
    target: Ints
    dice: Floats


def word_ranges(
    of_source: Longs, of_target: Longs, *, pairs: int, cells: int = CELLS
) -> list[tuple[int, int]]:
    """Ranges of source words, end excluded, whose pairs can be counted in one pass.

    `of_source` and `of_target` are the numbers of sentences of every word, of `pairs` sentences per side.
    """
    # How many target words each source word would co-occur with if words were independent of each other.
    # Texts stay on a topic for a while, so that in truth there are fewer.
    points = np.unique(np.geomspace(1, max(int(of_source.max(initial=0)), 1), _POINTS).round())
    times, words = np.unique(of_target, return_counts=True)
    # Long sentence pairs were cut, so that a word can be in more sentences than there are pairs.
    missed = np.power(np.maximum(1 - times / max(pairs, 1), 0), points[:, None])
    expected = np.interp(of_source, [0, *points], [0, *(words * (1 - missed)).sum(axis=1)])
    beside = np.cumsum(expected)
    ends = np.searchsorted(beside, np.arange(cells, beside.max(initial=0), cells), "right")
    edges = np.unique(np.concatenate([[0], ends, [len(of_source)]])).tolist()
    return list(pairwise(edges))


def contenders(
    engine: AlignmentEngine,
    pieces: Iterable[Bitext],
    span: tuple[int, int],
    options: HmmOptions,
    *,
    of_source: Longs,
    of_target: Longs,
) -> Contenders:
    """The pairs of the source words in `span` that may be candidates; pieces are `AlignmentEngine.types`.

    A pair that is far from both the best of its source word and the best of its target word in this span
    cannot be near a better one in another span.
    """
    first, last = span
    rows, count = engine.together(
        pieces, first=first, last=last, targets=len(of_target), threads=options.threads
    )
    source = rows.sources() + np.int32(first)
    both = of_source[source].astype(np.float32) + of_target[rows.target].astype(np.float32)
    dice = np.float32(2) * count.astype(np.float32) / both
    kept = _near_best(
        source, rows.target, dice, options.share, sources=len(of_source), targets=len(of_target)
    )
    return Contenders(source[kept], rows.target[kept], dice[kept])


def chosen(
    contenders: Contenders, options: HmmOptions, *, sources: int, targets: int
) -> tuple[LexiconRows, Floats]:
    """The candidates among all contenders as rows, with their Dice coefficients."""
    source, target, dice = contenders.source, contenders.target, contenders.dice
    best_of_target = _best(target, dice, targets)
    kept = _near_best(source, target, dice, options.share, sources=sources, targets=targets)
    source, target, dice = source[kept], target[kept], dice[kept]
    # For every source word the coefficient of its `most`-th best pair, 0 if it has no more than that.
    order = np.lexsort((-dice, source))
    first = np.searchsorted(source[order], np.arange(sources))
    last = np.searchsorted(source[order], np.arange(sources), "right")
    many = last - first > options.most
    least = np.zeros(sources, np.float32)
    least[many] = dice[order][first[many] + options.most - 1]
    kept = (dice >= least[source]) | (2 * dice >= best_of_target[target])
    start = np.searchsorted(source[kept], np.arange(sources + 1)).astype(np.int64)
    return LexiconRows(start, target[kept].astype(np.int32)), dice[kept]


def _near_best(
    source: Ints, target: Ints, dice: Floats, share: float, *, sources: int, targets: int
) -> Bools:
    """Mark the pairs that have at least this share of the best coefficient of either word."""
    lesser = np.minimum(_best(source, dice, sources)[source], _best(target, dice, targets)[target])
    return np.asarray(dice >= np.float32(share) * lesser)


def _best(word: Ints, dice: Floats, words: int) -> Floats:
    best = np.zeros(words, np.float32)
    np.maximum.at(best, word, dice)
    return best
