"""The aligner's engine in NumPy: the oracle of the tests, and the fallback without a compiled engine.

Written for readability; tens of times slower than the compiled engine, with identical links. The words of one
sentence are generated one after the other, each from one of `states` positions of the other sentence or from
the null word: a hidden Markov model (Vogel, Ney and Tillmann 1996; null words after Och and Ney 2003).

    p(i | k) = (1 - p0) jump(i - k) / Z(k)        place i after the last real place k
    e(w, i)  = (1 - λ) p(w | word at i) + λ u(w)  emission, smoothed by the unigram

One pass of expectation maximization over the text, with the posteriors f and r of a link in the two
directions:

    E   n(s, t) = Σ f r                           `expect`; Liang, Taskar and Klein 2006
    M   p(t | s) = exp ψ(n(s, t) + c(s, t) + α) / exp ψ(Σ_t' [n(s, t') + c(s, t')] + α)       `maximize`

The product makes both directions agree on their links; `agree=False` counts f and r separately. c are the
pseudo-counts of prior, spelling and families, and exp ψ (digamma) in place of the counts themselves is
variational Bayes with a Dirichlet prior (Riley and Gildea 2012): it takes about half a count from every pair,
so rare words do not become the translation of everything. The first passes use `position_model`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise, product

import numpy as np

from anaphor.align.candidates import Contenders, chosen
from anaphor.align.model import (
    COUNT_UNIT,
    LONGEST,
    REACH,
    Bitext,
    CountLayout,
    DecodedLinks,
    HmmModel,
    HmmOptions,
    IndexedModel,
    LexiconRows,
    PassCounts,
)
from anaphor.align.symmetrize import DecodingMode
from anaphor.core.array_types import Bools, Doubles, Floats, Ints, Longs
from anaphor.core.progress import ShareDone

#: Places with a smaller share of the mass after a word are dropped; kBeam in native/hmm.hpp.
BEAM = 1e-3
_AT_ONCE = 1_000_000


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """Positions of two words, sorted by source, then target, with their entries in the rows where `known`."""

    source: Longs
    target: Longs
    entry: Longs
    known: Bools


class ReferenceIndex:
    """Finds word pairs by binary search, like BlockCells of native/cells.hpp."""

    def __init__(self, rows: LexiconRows) -> None:
        self._sources = len(rows.start) - 1
        self._targets = int(rows.target.max(initial=-1)) + 1
        self._keys = rows.sources().astype(np.int64) * self._targets + rows.target

    def cells(self, source: Ints, target: Ints) -> Cells:
        """Cells that can be linked: those in the rows, and those of two words without any cell in them."""
        stretch = max(1, _AT_ONCE // max(len(target), 1))  # source words at a time, to bound memory
        parts = [
            self._known_cells(source, target, first, min(first + stretch, len(source)))
            for first in range(0, len(source), stretch)
        ]
        i, j, entry = (np.concatenate([part[k] for part in parts]) for k in range(3))
        # Words without any known counterpart, such as new names, may still be each other's.
        lonely_i = np.setdiff1d(np.arange(len(source)), i)
        lonely_j = np.setdiff1d(np.arange(len(target)), j)
        more_i, more_j = np.repeat(lonely_i, len(lonely_j)), np.tile(lonely_j, len(lonely_i))
        near = _near(more_i, more_j, rows=len(source), columns=len(target))
        more_i, more_j = more_i[near], more_j[near]
        i, j = np.concatenate([i, more_i]), np.concatenate([j, more_j])
        known = np.arange(len(i)) < len(entry)
        entry = np.concatenate([entry, np.zeros(len(more_i), np.int64)])
        order = np.lexsort((j, i))
        return Cells(i[order], j[order], entry[order], known[order])

    def _known_cells(self, source: Ints, target: Ints, first: int, last: int) -> tuple[Longs, Longs, Longs]:
        """Cells of the source places from `first` to `last` that are in the rows."""
        s, t = source[first:last].astype(np.int64)[:, None], target.astype(np.int64)[None, :]
        keys = s * self._targets + t
        place = np.searchsorted(self._keys, keys)
        i, j = np.arange(first, last)[:, None], np.arange(len(target))[None, :]
        known = (s < self._sources) & (t < self._targets) & (place < len(self._keys))
        known &= _near(i, j, rows=len(source), columns=len(target))
        known[known] = self._keys[place[known]] == keys[known]
        i, j = np.nonzero(known)
        return first + i, j, place[known]


def _near(i: Longs, j: Longs, *, rows: int, columns: int) -> Bools:
    """Whether cells are within LONGEST of the diagonal, as all are in sentences up to that length."""
    return np.asarray((columns <= LONGEST) | (np.abs(j - i * columns // rows) <= LONGEST))


@dataclass(frozen=True, slots=True, eq=False)
class Direction:
    """One direction of a pair: `emission[word, place]`, 0 if there is no cell, and that of the null word."""

    emission: Doubles
    null_emission: Doubles
    null: float


@dataclass(frozen=True, slots=True, eq=False)
class Posteriors:
    """The posterior of every link, the expected count of every jump, and the states on the path.

    `kept[word + 1]` says which last real places kept mass after a word; the last column represents the place
    before the first, which alone is in `kept[0]`.
    """

    posterior: Doubles
    jumps: Doubles
    kept: Bools


def hidden_markov(direction: Direction, jumps: Floats) -> Posteriors:
    """Forward and backward through the words.

    With m(k) the mass of "the last real place is k" before word w, n its null emission and c the total,

        real(i) = e(w, i) Σ_k m(k) p(i | k)        m'(i) = [real(i) + p0 n m(i)] / c
        b(k)    = [Σ_i p(i | k) e(w, i) b'(i) + p0 n b'(k)] / c

    and real(i) b'(i) / c is the posterior probability that w comes from place i.
    """
    emission, null = direction.emission, direction.null * direction.null_emission
    words, states = emission.shape
    move = _moves(jumps.astype(np.float64), states, direction.null)
    real, mass = np.zeros((words, states)), np.zeros((words + 1, states + 1))
    mass[0, -1] = 1  # before the first word, the last real place is the one before the sentence
    scale = np.empty(words)  # mass is normalized after each word, or it would underflow
    for word in range(words):
        real[word] = emission[word] * (mass[word] @ move)
        mass[word + 1] = null[word] * mass[word]
        mass[word + 1, :-1] += real[word]
        mass[word + 1][mass[word + 1] <= BEAM * mass[word + 1].sum()] = 0
        scale[word] = mass[word + 1].sum()
        mass[word + 1] /= scale[word]
    kept = mass > 0
    real = np.where(kept[1:, :-1], real / scale[:, None], 0)
    distances = (REACH + _distances(states)).ravel()
    counts, behind = np.zeros(2 * REACH + 1), np.where(kept[-1], 1.0, 0.0)
    posterior = np.empty((words, states))
    for word in reversed(range(words)):
        posterior[word] = real[word] * behind[:-1]
        onward = emission[word] * behind[:-1] / scale[word]
        expected = mass[word][:, None] * move * onward[None, :]  # of the jump from k to i at this word
        counts += np.bincount(distances, weights=expected.ravel(), minlength=2 * REACH + 1)
        behind = np.where(kept[word], move @ onward + null[word] / scale[word] * behind, 0.0)
    return Posteriors(posterior, counts, kept)


def _moves(jumps: Doubles, states: int, null: float) -> Doubles:
    """p(i | k) as [k, i]; the last row is for the jump from before the first place."""
    move = jumps[REACH + _distances(states)]
    return np.asarray((1 - null) * move / move.sum(axis=1, keepdims=True))


def _distances(states: int) -> Longs:
    """i - k as [k, i], the last row for k = -1."""
    return np.asarray(np.arange(states)[None, :] - np.append(np.arange(states), -1)[:, None], np.int64)


def best_path(direction: Direction, jumps: Floats, posteriors: Posteriors) -> Longs:
    """Position of each word on the most probable path through the retained states (Viterbi); -1 is null."""
    words, states = direction.emission.shape
    move = _moves(jumps.astype(np.float64), states, direction.null)
    null = direction.null * direction.null_emission
    value = np.where(posteriors.kept[0], 1.0, 0.0)
    came_from, is_real = np.empty((words, states + 1), np.int64), np.zeros((words, states + 1), np.bool_)
    # Of equal paths the one furthest left wins, and the place before the first is left of all others.
    order = np.append(-1, np.arange(states))
    for word in range(words):
        steps = (value[:, None] * move)[order] * direction.emission[word][None, :]
        real = np.append(steps.max(axis=0), 0.0)
        stay = null[word] * value
        is_real[word] = real >= stay
        came_from[word] = np.where(
            is_real[word], np.append(order[steps.argmax(axis=0)], 0), np.arange(states + 1)
        )
        value = np.where(posteriors.kept[word + 1], np.maximum(real, stay), 0.0)
        value /= value.max()
    path, state = np.full(words, -1), int(order[value[order].argmax()])
    for word in reversed(range(words)):
        if is_real[word, state]:
            path[word] = state
        state = int(came_from[word, state])
    return path


def position_model(
    unigram: Floats,
    null_emission: Floats,
    emission: Doubles,
    word: Longs,
    place: Longs,
    *,
    states: int,
    options: HmmOptions,
) -> tuple[Doubles, Doubles]:
    """Posteriors of cells and of each word's null link if only the distance from the diagonal matters.

    Place i of word j has the probability δ(j, i) = exp(-d |h_j - h_i|) / Z_j, where h are relative positions
    in the sentences (Dyer, Chahuneau and Smith 2013). Then

        p(j from i) = (1 - p0) δ(j, i) e(j, i) / [(1 - p0) Σ_i' δ(j, i') e(j, i') + p0 n_j]

    `unigram` and `null_emission` are those of the words that are generated. Each cell has an `emission`, the
    `word` that is generated and the `place`, one of `states`, that generates it; any other place emits a
    word by smoothing alone.
    """
    size = len(unigram)
    floor = options.smoothing * unigram.astype(np.float64)
    null = options.null * null_emission.astype(np.float64)
    middles, places = (np.arange(size) + 0.5) / size, (np.arange(states) + 0.5) / states
    sums = np.array([np.exp(-options.diagonal * np.abs(places - at)).sum() for at in middles])
    near = np.exp(-options.diagonal * np.abs(middles[word] - places[place])) / sums[word]
    # Σ δ e over all places is floor + Σ δ (e - floor) over the cells alone, for δ sums to 1.
    above_floor = np.bincount(word, weights=near * (emission - floor[word]), minlength=size)
    total = (1 - options.null) * (above_floor + floor) + null
    return (1 - options.null) * near * emission / total[word], null / total


@dataclass(frozen=True, slots=True, eq=False)
class PairPosteriors:
    """Both directions of a pair: posteriors of cells and of null words, and the best path if decoded."""

    cells: Cells
    forward: Doubles
    reverse: Doubles
    target_null: Doubles
    source_null: Doubles
    forward_jumps: Doubles
    reverse_jumps: Doubles
    path: Longs | None = None


def posteriors(text: Bitext, indexed: IndexedModel, *, hmm: bool) -> Iterator[tuple[int, PairPosteriors]]:
    """The posteriors of every pair with words on both sides."""
    index: ReferenceIndex = indexed.index
    for p in range(len(text)):
        source, target = text.pair(p)
        if len(source) == 0 or len(target) == 0:
            continue
        cells = index.cells(source, target)
        # The hidden Markov model takes the square of the length, in time and in memory.
        fits = max(len(source), len(target)) <= LONGEST
        of_pair = _hmm_pair if hmm and fits else _position_pair
        yield p, of_pair(source, target, cells, indexed.model, indexed.options)


def _emissions(words: Ints, cells: Cells, unigram: Floats, table: Floats, smoothing: float) -> Doubles:
    """(1 - smoothing) p + smoothing unigram of every cell; p is 0 where the table does not have it."""
    known = np.zeros(len(cells.entry))
    known[cells.known] = table[cells.entry[cells.known]]
    return np.asarray((1 - smoothing) * known + smoothing * unigram[words].astype(np.float64))


def _hmm_pair(
    source: Ints, target: Ints, cells: Cells, model: HmmModel, options: HmmOptions
) -> PairPosteriors:
    i, j, smoothing = cells.source, cells.target, options.smoothing
    forward, reverse = np.zeros((len(target), len(source))), np.zeros((len(source), len(target)))
    forward[j, i] = _emissions(target[j], cells, model.target_unigram, model.tables[::2], smoothing)
    reverse[i, j] = _emissions(source[i], cells, model.source_unigram, model.tables[1::2], smoothing)
    ahead = Direction(forward, model.target_null[target].astype(np.float64), options.null)
    back = Direction(reverse, model.source_null[source].astype(np.float64), options.null)
    f, r = hidden_markov(ahead, model.forward_jumps), hidden_markov(back, model.reverse_jumps)
    path = None
    if options.reading is DecodingMode.FORWARD:
        path = best_path(ahead, model.forward_jumps, f)
    elif options.reading is DecodingMode.REVERSE:
        path = best_path(back, model.reverse_jumps, r)
    # What no place explains belongs to the null word; rounding must not make it negative.
    target_null, source_null = (np.maximum(1 - direction.posterior.sum(axis=1), 0) for direction in (f, r))
    forward, reverse = f.posterior[j, i], r.posterior[i, j]
    return PairPosteriors(cells, forward, reverse, target_null, source_null, f.jumps, r.jumps, path)


def _position_pair(
    source: Ints, target: Ints, cells: Cells, model: HmmModel, options: HmmOptions
) -> PairPosteriors:
    i, j = cells.source, cells.target
    unigrams = model.target_unigram, model.source_unigram
    forward = _emissions(target[j], cells, unigrams[0], model.tables[::2], options.smoothing)
    reverse = _emissions(source[i], cells, unigrams[1], model.tables[1::2], options.smoothing)
    f, target_null = position_model(
        unigrams[0][target], model.target_null[target], forward, j, i, states=len(source), options=options
    )
    r, source_null = position_model(
        unigrams[1][source], model.source_null[source], reverse, i, j, states=len(target), options=options
    )
    # Words are independent of each other in this model: it has no jumps.
    nothing = np.zeros(2 * REACH + 1)
    return PairPosteriors(cells, f, r, target_null, source_null, nothing, nothing)


def _links(both: PairPosteriors, options: HmmOptions) -> Doubles:
    """Rows of source, target, confidence, in the order of the compiled engine."""
    i, j = both.cells.source, both.cells.target
    if options.reading is DecodingMode.JOINT:
        joint = both.forward * both.reverse
        linked = np.flatnonzero(joint >= options.threshold)
        return np.stack([i[linked], j[linked], joint[linked]], axis=1)
    ahead = options.reading is DecodingMode.FORWARD
    word, place = (j, i) if ahead else (i, j)
    posterior, null = (both.forward, both.target_null) if ahead else (both.reverse, both.source_null)
    if both.path is not None:
        linked = np.flatnonzero(both.path[word] == place)
    else:
        # The first of each word's best cells, if it beats null.
        order = np.lexsort((np.arange(len(word)), -posterior, word))
        linked = order[np.unique(word[order], return_index=True)[1]]
        linked = linked[posterior[linked] > null[word[linked]]]
    linked = linked[np.argsort(word[linked], kind="stable")]
    return np.stack([i[linked], j[linked], posterior[linked]], axis=1)


class AlignmentEngine:
    """The expensive computations. `engine.NativeEngine` overrides each of them, with the same results."""

    name = "reference"

    def candidates(
        self,
        text: Bitext,
        options: HmmOptions,
        *,
        sources: int,
        targets: int,
        share_done: ShareDone | None = None,
    ) -> tuple[LexiconRows, Floats]:
        """Rows of candidate word pairs, with their Dice coefficients."""
        together: Counter[int] = Counter()
        of_source, of_target = np.zeros(sources, dtype=np.int64), np.zeros(targets, dtype=np.int64)
        for p in range(len(text)):
            s, t = (np.unique(words).astype(np.int64) for words in text.pair(p))
            of_source[s] += 1
            of_target[t] += 1
            together.update((s[:, None] * targets + t[None, :]).ravel().tolist())
            _report(share_done, p + 1, len(text))
        # One number per pair of words, whose order is that of source, then target.
        keys = np.array(sorted(together), dtype=np.int64)
        count = np.array([together[key] for key in keys.tolist()], dtype=np.float32)
        source, target = (keys // max(targets, 1)).astype(np.int32), (keys % max(targets, 1)).astype(np.int32)
        dice = np.asarray(2 * count / (of_source[source] + of_target[target]), dtype=np.float32)
        return chosen(Contenders(source, target, dice), options, sources=sources, targets=targets)

    def types(self, text: Bitext) -> Bitext:
        """The distinct words of every sentence, ascending."""
        return Bitext(*_types(text.source, text.source_start), *_types(text.target, text.target_start))

    def together(
        self,
        texts: Iterable[Bitext],
        *,
        first: int,
        last: int,
        targets: int,  # noqa: ARG002
        threads: int,  # noqa: ARG002
    ) -> tuple[LexiconRows, Ints]:
        """Rows of the target words that co-occur with source words `first` to `last`, with the number of
        pairs.

        No sentence contains a word twice; the texts are iterated over once.
        """
        counts: Counter[tuple[int, int]] = Counter()
        for text in texts:
            for source, target in map(text.pair, range(len(text))):
                mine = source[(source >= first) & (source < last)].tolist()
                counts.update(product(mine, target.tolist()))
        pairs = np.array(sorted(counts), np.int32).reshape(-1, 2)
        start = np.searchsorted(pairs[:, 0], np.arange(first, last + 1)).astype(np.int64)
        numbers = np.array([counts[key] for key in sorted(counts)], np.int32)
        return LexiconRows(start, pairs[:, 1].copy()), numbers

    def indexed(self, model: HmmModel, options: HmmOptions) -> IndexedModel:
        """The model, ready for `expect` and `decode`."""
        return IndexedModel(model, options, ReferenceIndex(model.rows))

    def expect(
        self,
        text: Bitext,
        indexed: IndexedModel,
        *,
        hmm: bool,
        jump_stride: int,
        share_done: ShareDone | None = None,
    ) -> PassCounts:
        """Expected counts of the whole text; every `jump_stride`-th pair counts jumps."""
        layout = CountLayout.of(indexed.model, indexed.options)
        counts, agree = layout.counts(np.zeros(sum(layout.sizes), np.int64)), layout.agree
        for p, both in posteriors(text, indexed, hmm=hmm):
            source, target = text.pair(p)
            known, f, r = both.cells.known, both.forward, both.reverse
            entry = both.cells.entry[known]
            np.add.at(counts.forward, entry, _counts((f * r if agree else f)[known]))
            if not agree:
                np.add.at(counts.reverse, entry, _counts(r[known]))
            np.add.at(counts.source_null, source, _counts(both.source_null))
            np.add.at(counts.target_null, target, _counts(both.target_null))
            # The tables of jumps are small, and a part of the text is enough for them.
            if p % jump_stride == 0:
                counts.forward_jumps[:] += _counts(both.forward_jumps)
                counts.reverse_jumps[:] += _counts(both.reverse_jumps)
            _report(share_done, p + 1, len(text))
        return counts

    def maximize(
        self,
        rows: LexiconRows,
        counts: PassCounts,
        prior: Floats,
        *,
        alpha: float,
        threads: int,  # noqa: ARG002
    ) -> Floats:
        """Both directions' probabilities from counts and pseudo-counts."""
        tables = np.empty(2 * len(rows), dtype=np.float32)
        sides = (
            (counts.forward, rows.sources(), counts.source_null),
            (counts.reverse, rows.target, counts.target_null),
        )
        for side, (count, word, words) in enumerate(sides):
            mass: Doubles = np.asarray(count / COUNT_UNIT + prior, dtype=np.float64)
            # α once, not once for each entry of a row, so that pruning a row leaves the rest as it is.
            total = np.bincount(word, weights=mass, minlength=len(words))
            tables[side::2] = exp_digamma(mass + alpha) / exp_digamma(np.asarray(total + alpha))[word]
        return tables

    def family_sums(self, rows: LexiconRows, source: Longs, target: Longs, count: Doubles) -> Doubles:
        """For every entry, the sum of the counts of all entries between the families of its two words.

        `source` and `target` give the family of every word, as a number from 0.
        """
        keys = source[rows.sources()] * (target.max(initial=0) + 1) + target[rows.target]
        place = np.unique(keys, return_inverse=True)[1]
        sums: Doubles = np.bincount(place, weights=count).astype(np.float64)
        return sums[place]

    def decode(
        self, text: Bitext, indexed: IndexedModel, *, share_done: ShareDone | None = None
    ) -> DecodedLinks:
        """The links of all pairs."""
        each = [np.empty((0, 3))] * len(text)
        for p, both in posteriors(text, indexed, hmm=indexed.options.hmm_passes > 0):
            each[p] = _links(both, indexed.options)
            _report(share_done, p + 1, len(text))
        start = np.cumsum([0, *map(len, each)], dtype=np.int64)
        links = np.concatenate([np.empty((0, 3)), *each])
        return DecodedLinks(
            start, links[:, 0].astype(np.int32), links[:, 1].astype(np.int32), links[:, 2].astype(np.float32)
        )

    def likenesses(
        self,
        rows: LexiconRows,
        source_forms: list[str],
        target_forms: list[str],
        *,
        threads: int,  # noqa: ARG002
    ) -> Floats:
        """The similarity of the two forms of every entry, from 0 to 1."""
        sources = [form.encode("utf-8", "surrogatepass") for form in source_forms]
        targets = [form.encode("utf-8", "surrogatepass") for form in target_forms]
        pairs = zip(rows.sources().tolist(), rows.target.tolist(), strict=True)
        return np.array([likeness(sources[s], targets[t]) for s, t in pairs], dtype=np.float32)


def _report(share_done: ShareDone | None, done: int, total: int) -> None:
    if share_done is not None:
        share_done(done / total)


def _types(words: Ints, start: Longs) -> tuple[Ints, Longs]:
    sentences = [np.unique(words[first:last]) for first, last in pairwise(start.tolist())]
    ends = np.cumsum([0, *map(len, sentences)], dtype=np.int64)
    return np.concatenate([np.empty(0, np.int32), *sentences]), ends


def _counts(values: Doubles) -> Longs:
    return (np.maximum(values, 0) * COUNT_UNIT).astype(np.int64)


def exp_digamma(x: Doubles) -> Doubles:
    """exp(digamma(x)) by recurrence to x >= 6 and the asymptotic series.

    ψ(x) = ψ(x + 1) - 1/x, and ψ(x) ≈ ln x - 1/(2x) - 1/(12x²) + 1/(120x⁴) - 1/(252x⁶) (Abramowitz and Stegun
    1964, 6.3.18); using SciPy would add a dependency for one function.
    """
    x = np.array(x, dtype=np.float64)
    shift = np.zeros_like(x)
    while np.any(small := x < 6):
        shift[small] += 1 / x[small]
        x[small] += 1
    inverse = 1 / (x * x)
    series = inverse * (1 / 12 - inverse * (1 / 120 - inverse / 252))
    result: Doubles = np.exp(np.log(x) - 0.5 / x - series - shift)
    return result


def likeness(a: bytes, b: bytes) -> float:
    """The similarity of two forms as cognates: 1 if they are identical.

    Otherwise the common prefix as a share of the longer form, if the prefix has at least four bytes and half
    the longer form.
    """
    longer = max(len(a), len(b))
    shared = next((k for k, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
    if shared == longer:
        return 1.0
    return shared / longer if shared >= 4 and 2 * shared >= longer else 0.0
