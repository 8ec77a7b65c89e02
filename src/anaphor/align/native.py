"""The compiled engine: hands the arrays of the model to the C++ core in native/."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import accumulate
from typing import cast

import numpy as np

from anaphor.align.model import (
    REACH,
    Bitext,
    DecodedLinks,
    Floats,
    HmmModel,
    HmmOptions,
    Ints,
    LexiconRows,
    Longs,
    PassCounts,
    Tell,
    WordIndex,
)
from anaphor.engine import native


class NativeEngine:
    """See `model.AlignmentEngine`."""

    name = "native"

    def candidates(
        self, text: Bitext, options: HmmOptions, *, sources: int, targets: int, tell: Tell | None = None
    ) -> tuple[LexiconRows, Floats]:
        start, target, dice = native.candidate_pairs(
            _bitext(text), sources, targets, options.share, options.most, options.threads, tell
        )
        return LexiconRows(start, target), dice

    def types(self, text: Bitext) -> Bitext:
        source, source_start = native.word_types(text.source, text.source_start)
        target, target_start = native.word_types(text.target, text.target_start)
        return Bitext(source, source_start, target, target_start)

    def together(
        self, texts: Iterable[Bitext], *, first: int, last: int, targets: int, threads: int
    ) -> tuple[LexiconRows, Ints]:
        counter = native.CooccurrenceCounter(first, last, targets)
        for text in texts:
            counter.add(_bitext(text), threads)
        start, target, count = counter.rows()
        return LexiconRows(start, target), count

    def index(self, rows: LexiconRows, *, threads: int) -> WordIndex:
        return native.PairIndex(rows.start, rows.target, threads)

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
        counts = native.expected_counts(
            _bitext(text),
            cast("native.PairIndex", index),
            _model(model, options),
            hmm,
            options.agree,
            jump_stride,
            options.threads,
            tell,
        )
        sizes = [len(model.rows), 0 if options.agree else len(model.rows)]
        sizes += [len(model.source_null), len(model.target_null), 2 * REACH + 1]
        forward, reverse, *rest = np.split(counts, np.cumsum(sizes))
        return PassCounts(forward, forward if options.agree else reverse, *rest)

    def maximize(
        self, rows: LexiconRows, counts: PassCounts, prior: Floats, *, alpha: float, threads: int
    ) -> Floats:
        targets = len(counts.target_null)
        return native.maximize(
            rows.start, rows.target, targets, counts.forward, counts.reverse, prior, alpha, threads
        )

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
    ) -> DecodedLinks:
        return DecodedLinks(
            *native.decode_links(
                _bitext(text),
                cast("native.PairIndex", index),
                _model(model, options),
                options.hmm_passes > 0,
                first,
                last,
                int(options.reading),
                options.threshold,
                options.threads,
                tell,
            )
        )

    def likenesses(
        self, rows: LexiconRows, source_forms: list[str], target_forms: list[str], *, threads: int
    ) -> Floats:
        return native.similarities(
            rows.start, rows.target, *_packed(source_forms), *_packed(target_forms), threads
        )


def _bitext(text: Bitext) -> native.Bitext:
    return native.Bitext(text.source, text.source_start, text.target, text.target_start)


def _model(model: HmmModel, options: HmmOptions) -> native.AlignerModel:
    return native.AlignerModel(
        model.tables,
        model.source_unigram,
        model.target_unigram,
        model.source_null,
        model.target_null,
        model.forward_jumps,
        model.reverse_jumps,
        options.null,
        options.smoothing,
        options.diagonal,
    )


def _packed(forms: list[str]) -> tuple[bytes, Longs]:
    """All forms as one string of bytes, and where each begins."""
    encoded = [form.encode("utf-8", "surrogatepass") for form in forms]
    starts = np.fromiter(accumulate(map(len, encoded), initial=0), dtype=np.int64, count=len(forms) + 1)
    return b"".join(encoded), starts
