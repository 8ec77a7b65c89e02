"""Posterior link probabilities of sentence pairs in NumPy, and the links read off them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

import numpy as np

from anaphor.align.cells import Cells, ReferenceIndex
from anaphor.align.lattice import Direction, Doubles, Words, best_way, fits, hidden_markov, position_model
from anaphor.align.model import REACH, Bitext, Floats, HmmModel, HmmOptions, Ints, Longs, Reading, WordIndex


@dataclass(frozen=True, slots=True, eq=False)
class PairPosteriors:
    """Both directions of a pair: posteriors of cells and of null words; the best way where it is read."""

    cells: Cells
    forward: Doubles
    reverse: Doubles
    target_null: Doubles
    source_null: Doubles
    forward_jumps: Doubles
    reverse_jumps: Doubles
    way: Longs | None = None


def posteriors(
    text: Bitext, index: WordIndex, model: HmmModel, options: HmmOptions, *, hmm: bool, first: int, last: int
) -> Iterator[tuple[int, PairPosteriors]]:
    """The posteriors of every pair that has words on both sides."""
    for p in range(first, last):
        source, target = text.pair(p)
        if len(source) == 0 or len(target) == 0:
            continue
        cells = cast(ReferenceIndex, index).cells(source, target)
        of_model = _lattice_pair if hmm and fits(len(source), len(target)) else _position_pair
        yield p, of_model(text, p, cells, model, options)


def _emissions(words: Ints, cells: Cells, unigram: Floats, table: Floats, smoothing: float) -> Doubles:
    """(1 - smoothing) p + smoothing unigram of every cell; p is 0 where the table does not have it."""
    known = np.where(cells.known, table[cells.entry] if len(table) else 0.0, 0.0)
    return np.asarray((1 - smoothing) * known + smoothing * unigram[words].astype(np.float64))


def _lattice_pair(text: Bitext, p: int, cells: Cells, model: HmmModel, options: HmmOptions) -> PairPosteriors:
    (source, target), i, j = text.pair(p), cells.source, cells.target
    forward, reverse = np.zeros((len(target), len(source))), np.zeros((len(source), len(target)))
    smoothing = options.smoothing
    forward[j, i] = _emissions(target[j], cells, model.target_unigram, model.tables[::2], smoothing)
    reverse[i, j] = _emissions(source[i], cells, model.source_unigram, model.tables[1::2], smoothing)
    ahead = Direction(forward, model.target_null[target].astype(np.float64), options.null)
    back = Direction(reverse, model.source_null[source].astype(np.float64), options.null)
    f, r = hidden_markov(ahead, model.forward_jumps), hidden_markov(back, model.reverse_jumps)
    way = None
    if options.reading is Reading.FORWARD:
        way = best_way(ahead, model.forward_jumps, f)
    elif options.reading is Reading.REVERSE:
        way = best_way(back, model.reverse_jumps, r)
    target_null, source_null = (np.maximum(1 - found.posterior.sum(axis=1), 0) for found in (f, r))
    forward, reverse = f.posterior[j, i], r.posterior[i, j]
    return PairPosteriors(cells, forward, reverse, target_null, source_null, f.jumps, r.jumps, way)


def _position_pair(
    text: Bitext, p: int, cells: Cells, model: HmmModel, options: HmmOptions
) -> PairPosteriors:
    (source, target), i, j = text.pair(p), cells.source, cells.target
    unigrams = model.target_unigram, model.source_unigram
    forward = _emissions(target[j], cells, unigrams[0], model.tables[::2], options.smoothing)
    reverse = _emissions(source[i], cells, unigrams[1], model.tables[1::2], options.smoothing)
    ahead = Words(unigrams[0][target], model.target_null[target], options)
    back = Words(unigrams[1][source], model.source_null[source], options)
    f, target_null = position_model(ahead, forward, j, i, states=len(source))
    r, source_null = position_model(back, reverse, i, j, states=len(target))
    nothing = np.zeros(2 * REACH + 1)
    return PairPosteriors(cells, f, r, target_null, source_null, nothing, nothing)


def read_links(both: PairPosteriors, options: HmmOptions) -> Doubles:
    """Rows of source, target, confidence, in the order of the compiled engine."""
    i, j = both.cells.source, both.cells.target
    if options.reading is Reading.JOINT:
        product = both.forward * both.reverse
        chosen = np.flatnonzero(product >= options.threshold)
        return np.stack([i[chosen], j[chosen], product[chosen]], axis=1)
    ahead = options.reading is Reading.FORWARD
    word, place = (j, i) if ahead else (i, j)
    belief, null = (both.forward, both.target_null) if ahead else (both.reverse, both.source_null)
    if both.way is not None:
        chosen = np.flatnonzero(both.way[word] == place)
    else:
        # The first of each word's best cells, if it beats null.
        order = np.lexsort((np.arange(len(word)), -belief, word))
        chosen = order[np.unique(word[order], return_index=True)[1]]
        chosen = chosen[belief[chosen] > null[word[chosen]]]
    chosen = chosen[np.argsort(word[chosen], kind="stable")]
    return np.stack([i[chosen], j[chosen], belief[chosen]], axis=1)
