"""The aligner's engine in NumPy: the oracle of the tests, and the fallback where nothing was compiled.

Tens of times slower than the compiled engine, with the same links.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from anaphor.align.lattice import Direction, Doubles, fits, hidden_markov, nearness, position_model
from anaphor.align.model import (
    COUNT_UNIT,
    FARTHEST,
    Bitext,
    Floats,
    Hits,
    HmmModel,
    HmmOptions,
    Links,
    Longs,
    PassCounts,
    Reading,
    Rows,
    Work,
)


class ReferenceIndex:
    """Finds word pairs by binary search."""

    def __init__(self, rows: Rows) -> None:
        self._sources = len(rows.start) - 1
        self._targets = int(rows.target.max(initial=-1)) + 1
        self._keys = rows.sources().astype(np.int64) * self._targets + rows.target

    def hits(self, text: Bitext, *, first: int, last: int, threads: int) -> Hits:  # noqa: ARG002
        found = [self._of_pair(*text.pair(p)) for p in range(first, last)]
        start = np.cumsum([0, *(len(entry) for _, _, entry in found)], dtype=np.int64)
        source, target, entry = (np.concatenate([pair[k] for pair in found]) for k in range(3))
        return Hits(start, source.astype(np.uint16), target.astype(np.uint16), entry.astype(np.int32))

    def _of_pair(self, source: NDArray[np.int32], target: NDArray[np.int32]) -> tuple[Longs, Longs, Longs]:
        s, t = source[:FARTHEST].astype(np.int64)[None, :], target[:FARTHEST].astype(np.int64)[:, None]
        keys = s * self._targets + t
        place = np.searchsorted(self._keys, keys)
        known = (s < self._sources) & (t < self._targets) & (place < len(self._keys))
        known[known] = self._keys[place[known]] == keys[known]
        j, i = np.nonzero(known)
        return i, j, place[known]


class ReferenceEngine:
    """See `model.Engine`."""

    name = "reference"

    def candidates(
        self,
        text: Bitext,
        *,
        sources: int,
        targets: int,
        share: float,
        threads: int,  # noqa: ARG002
    ) -> tuple[Rows, Floats]:
        together: dict[int, int] = {}
        of_source, of_target = np.zeros(sources, dtype=np.int64), np.zeros(targets, dtype=np.int64)
        for p in range(len(text)):
            s, t = (np.unique(words).astype(np.int64) for words in text.pair(p))
            of_source[s] += 1
            of_target[t] += 1
            for key in (s[:, None] * targets + t[None, :]).ravel().tolist():
                together[key] = together.get(key, 0) + 1
        keys = np.array(sorted(together), dtype=np.int64)
        count = np.array([together[key] for key in keys.tolist()], dtype=np.float32)
        source, target = keys // max(targets, 1), keys % max(targets, 1)
        dice = np.asarray(2 * count / (of_source[source] + of_target[target]), dtype=np.float32)
        best_of_source, best_of_target = np.zeros(sources, np.float32), np.zeros(targets, np.float32)
        np.maximum.at(best_of_source, source, dice)
        np.maximum.at(best_of_target, target, dice)
        kept = dice >= np.float32(share) * np.minimum(best_of_source[source], best_of_target[target])
        start = np.searchsorted(source[kept], np.arange(sources + 1)).astype(np.int64)
        return Rows(start, target[kept].astype(np.int32)), dice[kept]

    def index(self, rows: Rows) -> ReferenceIndex:
        return ReferenceIndex(rows)

    def expect(
        self, text: Bitext, hits: Hits, model: HmmModel, options: HmmOptions, work: Work, counts: PassCounts
    ) -> None:
        for p, both in _posteriors(text, hits, model, options, work):
            source, target = text.pair(p)
            first, last = hits.start[p - work.first], hits.start[p - work.first + 1]
            i, j, entry = hits.source[first:last], hits.target[first:last], hits.entry[first:last]
            f, r = both.forward[j, i], both.reverse[i, j]
            np.add.at(counts.entries, 2 * entry, _counts(f * r if work.agree else f))
            np.add.at(counts.entries, 2 * entry + 1, _counts(f * r if work.agree else r))
            np.add.at(counts.target_null, target, _counts(1 - both.forward.sum(axis=1)))
            np.add.at(counts.source_null, source, _counts(1 - both.reverse.sum(axis=1)))
            if p % work.jump_stride == 0:
                counts.forward_jumps[:] += _counts(both.forward_jumps)
                counts.reverse_jumps[:] += _counts(both.reverse_jumps)

    def maximise(
        self,
        rows: Rows,
        *,
        targets: int,
        counts: Longs,
        prior: Floats,
        alpha: float,
        threads: int,  # noqa: ARG002
    ) -> Floats:
        tables = np.empty(2 * len(rows), dtype=np.float32)
        for side, word, size in ((0, rows.sources(), len(rows.start) - 1), (1, rows.target, targets)):
            mass: Doubles = np.asarray(counts[side::2] / COUNT_UNIT + prior, dtype=np.float64)
            total = np.bincount(word, weights=mass, minlength=size)
            tables[side::2] = (
                exp_digamma(np.asarray(mass + alpha, np.float64))
                / exp_digamma(np.asarray(total + alpha, np.float64))[word]
            )
        return tables

    def decode(self, text: Bitext, hits: Hits, model: HmmModel, options: HmmOptions, work: Work) -> Links:
        found = {p: _links(both, options) for p, both in _posteriors(text, hits, model, options, work)}
        nothing = np.empty((0, 3))
        each = [found.get(p, nothing) for p in range(work.first, work.last)]
        start = np.cumsum([0, *(len(links) for links in each)], dtype=np.int64)
        links = np.concatenate([nothing, *each])
        return Links(
            start, links[:, 0].astype(np.int32), links[:, 1].astype(np.int32), links[:, 2].astype(np.float32)
        )

    def likenesses(self, rows: Rows, source_forms: list[str], target_forms: list[str]) -> Floats:
        sources = [form.encode("utf-8", "surrogatepass") for form in source_forms]
        targets = [form.encode("utf-8", "surrogatepass") for form in target_forms]
        pairs = zip(rows.sources().tolist(), rows.target.tolist(), strict=True)
        return np.array([likeness(sources[s], targets[t]) for s, t in pairs], dtype=np.float32)


class _Posteriors:
    """Both directions of one pair: forward[j, i], reverse[i, j], and the jumps each expects."""

    def __init__(
        self, forward: Direction, reverse: Direction, model: HmmModel, *, hmm: bool, diagonal: float
    ) -> None:
        rows, columns = reverse.emission.shape
        if hmm and fits(rows, columns):
            self.forward, self.forward_jumps = hidden_markov(forward, model.forward_jumps)
            self.reverse, self.reverse_jumps = hidden_markov(reverse, model.reverse_jumps)
            return
        near = nearness(rows, columns, diagonal)
        self.forward, self.reverse = position_model(forward, near.T), position_model(reverse, near)
        self.forward_jumps = self.reverse_jumps = np.zeros(len(model.forward_jumps))


def _posteriors(
    text: Bitext, hits: Hits, model: HmmModel, options: HmmOptions, work: Work
) -> Iterator[tuple[int, _Posteriors]]:
    """The posteriors of every pair that has words on both sides."""
    for p in range(work.first, work.last):
        source, target = text.pair(p)
        if len(source) == 0 or len(target) == 0:
            continue
        forward = np.repeat(
            options.smoothing * model.target_unigram[target, None].astype(float), len(source), 1
        )
        reverse = np.repeat(
            options.smoothing * model.source_unigram[source, None].astype(float), len(target), 1
        )
        first, last = hits.start[p - work.first], hits.start[p - work.first + 1]
        i, j, entry = hits.source[first:last], hits.target[first:last], hits.entry[first:last]
        forward[j, i] += (1 - options.smoothing) * model.tables[2 * entry]
        reverse[i, j] += (1 - options.smoothing) * model.tables[2 * entry + 1]
        yield (
            p,
            _Posteriors(
                Direction(forward, model.target_null[target].astype(float), options.null),
                Direction(reverse, model.source_null[source].astype(float), options.null),
                model,
                hmm=work.hmm,
                diagonal=options.diagonal,
            ),
        )


def _links(both: _Posteriors, options: HmmOptions) -> Doubles:
    """Rows of source, target, confidence, in the order of the compiled engine."""
    if options.reading is Reading.JOINT:
        product = both.forward * both.reverse.T
        j, i = np.nonzero(product >= options.threshold)
        return np.stack([i, j, product[j, i]], axis=1)
    ahead = options.reading is Reading.FORWARD
    posterior = both.forward if ahead else both.reverse
    best, step = posterior.argmax(axis=1), np.arange(len(posterior))
    belief = posterior[step, best]
    real = belief > 1 - posterior.sum(axis=1)
    columns = [best, step] if ahead else [step, best]
    links: Doubles = np.stack([*columns, belief], axis=1)[real]
    return links


def exp_digamma(x: Doubles) -> Doubles:
    """exp(digamma(x)) by recurrence to x >= 6 and the asymptotic series."""
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
    """1 for the same form; a shared beginning of four bytes and half the longer form as its share of it."""
    longer = max(len(a), len(b))
    shared = next((k for k, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
    if shared == longer:
        return 1.0
    return shared / longer if shared >= 4 and 2 * shared >= longer else 0.0


def _counts(values: Doubles) -> Longs:
    return (np.maximum(values, 0) * COUNT_UNIT).astype(np.int64)
