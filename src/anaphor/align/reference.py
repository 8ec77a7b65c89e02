"""The aligner's engine in NumPy: the oracle of the tests, and the fallback where nothing was compiled.

Tens of times slower than the compiled engine, with the same links.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import pairwise, product

import numpy as np

from anaphor.align.candidates import Contenders, chosen
from anaphor.align.cells import ReferenceIndex
from anaphor.align.lattice import Doubles
from anaphor.align.model import (
    COUNT_UNIT,
    REACH,
    Bitext,
    Floats,
    HmmModel,
    HmmOptions,
    Ints,
    Links,
    Longs,
    PassCounts,
    Rows,
    Tell,
    WordIndex,
)
from anaphor.align.posteriors import posteriors, read_links


class ReferenceEngine:
    """See `model.Engine`."""

    name = "reference"

    def candidates(
        self, text: Bitext, options: HmmOptions, *, sources: int, targets: int, tell: Tell | None = None
    ) -> tuple[Rows, Floats]:
        together: dict[int, int] = {}
        of_source, of_target = np.zeros(sources, dtype=np.int64), np.zeros(targets, dtype=np.int64)
        for p in range(len(text)):
            s, t = (np.unique(words).astype(np.int64) for words in text.pair(p))
            of_source[s] += 1
            of_target[t] += 1
            for key in (s[:, None] * targets + t[None, :]).ravel().tolist():
                together[key] = together.get(key, 0) + 1
            _report(tell, p + 1, len(text))
        keys = np.array(sorted(together), dtype=np.int64)
        count = np.array([together[key] for key in keys.tolist()], dtype=np.float32)
        source, target = (keys // max(targets, 1)).astype(np.int32), (keys % max(targets, 1)).astype(np.int32)
        dice = np.asarray(2 * count / (of_source[source] + of_target[target]), dtype=np.float32)
        return chosen(Contenders(source, target, dice), options, sources=sources, targets=targets)

    def types(self, text: Bitext) -> Bitext:
        return Bitext(*_types(text.source, text.source_start), *_types(text.target, text.target_start))

    def together(
        self,
        texts: Iterable[Bitext],
        *,
        first: int,
        last: int,
        targets: int,  # noqa: ARG002
        threads: int,  # noqa: ARG002
    ) -> tuple[Rows, Ints]:
        counts: Counter[tuple[int, int]] = Counter()
        for text in texts:
            for source, target in map(text.pair, range(len(text))):
                mine = source[(source >= first) & (source < last)].tolist()
                counts.update(product(mine, target.tolist()))
        pairs = np.array(sorted(counts), np.int32).reshape(-1, 2)
        start = np.searchsorted(pairs[:, 0], np.arange(first, last + 1)).astype(np.int64)
        return Rows(start, pairs[:, 1].copy()), np.array([counts[key] for key in sorted(counts)], np.int32)

    def index(self, rows: Rows, *, threads: int) -> WordIndex:  # noqa: ARG002
        return ReferenceIndex(rows)

    def expect(
        self,
        text: Bitext,
        index: WordIndex,
        model: HmmModel,
        options: HmmOptions,
        *,
        hmm: bool,
        jump_stride: int,
        tell: Tell | None = None,
    ) -> PassCounts:
        counts = _no_counts(model, agree=options.agree)
        for p, both in posteriors(text, index, model, options, hmm=hmm, first=0, last=len(text)):
            source, target = text.pair(p)
            known, f, r = both.cells.known, both.forward, both.reverse
            entry = both.cells.entry[known]
            np.add.at(counts.forward, entry, _counts((f * r if options.agree else f)[known]))
            if not options.agree:
                np.add.at(counts.reverse, entry, _counts(r[known]))
            np.add.at(counts.source_null, source, _counts(both.source_null))
            np.add.at(counts.target_null, target, _counts(both.target_null))
            if p % jump_stride == 0:
                counts.forward_jumps[:] += _counts(both.forward_jumps)
                counts.reverse_jumps[:] += _counts(both.reverse_jumps)
            _report(tell, p + 1, len(text))
        return counts

    def maximise(
        self,
        rows: Rows,
        counts: PassCounts,
        prior: Floats,
        *,
        alpha: float,
        threads: int,  # noqa: ARG002
    ) -> Floats:
        tables = np.empty(2 * len(rows), dtype=np.float32)
        sides = (
            (counts.forward, rows.sources(), counts.source_null),
            (counts.reverse, rows.target, counts.target_null),
        )
        for side, (count, word, words) in enumerate(sides):
            mass: Doubles = np.asarray(count / COUNT_UNIT + prior, dtype=np.float64)
            total = np.bincount(word, weights=mass, minlength=len(words))
            tables[side::2] = (
                exp_digamma(np.asarray(mass + alpha, np.float64))
                / exp_digamma(np.asarray(total + alpha, np.float64))[word]
            )
        return tables

    def decode(
        self,
        text: Bitext,
        index: WordIndex,
        model: HmmModel,
        options: HmmOptions,
        *,
        first: int,
        last: int,
        tell: Tell | None = None,
    ) -> Links:
        each = [np.empty((0, 3))] * (last - first)
        hmm = options.hmm_passes > 0
        for p, both in posteriors(text, index, model, options, hmm=hmm, first=first, last=last):
            each[p - first] = read_links(both, options)
            _report(tell, p + 1 - first, last - first)
        start = np.cumsum([0, *map(len, each)], dtype=np.int64)
        links = np.concatenate([np.empty((0, 3)), *each])
        return Links(
            start, links[:, 0].astype(np.int32), links[:, 1].astype(np.int32), links[:, 2].astype(np.float32)
        )

    def likenesses(
        self,
        rows: Rows,
        source_forms: list[str],
        target_forms: list[str],
        *,
        threads: int,  # noqa: ARG002
    ) -> Floats:
        sources = [form.encode("utf-8", "surrogatepass") for form in source_forms]
        targets = [form.encode("utf-8", "surrogatepass") for form in target_forms]
        pairs = zip(rows.sources().tolist(), rows.target.tolist(), strict=True)
        return np.array([likeness(sources[s], targets[t]) for s, t in pairs], dtype=np.float32)


def _report(tell: Tell | None, done: int, total: int) -> None:
    if tell is not None:
        tell(done / total)


def _types(words: Ints, start: Longs) -> tuple[Ints, Longs]:
    sentences = [np.unique(words[first:last]) for first, last in pairwise(start.tolist())]
    ends = np.cumsum([0, *map(len, sentences)], dtype=np.int64)
    return np.concatenate([np.empty(0, np.int32), *sentences]), ends


def _no_counts(model: HmmModel, *, agree: bool) -> PassCounts:
    sizes = (len(model.rows), len(model.rows), len(model.source_null), len(model.target_null))
    zeros = [np.zeros(size, np.int64) for size in (*sizes, 2 * REACH + 1, 2 * REACH + 1)]
    return PassCounts(zeros[0], zeros[0 if agree else 1], *zeros[2:])


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
