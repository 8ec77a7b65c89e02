"""The compiled engine: hands the arrays of the model to the C++ core in native/."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import accumulate
from typing import cast

import numpy as np

from anaphor.align import _core
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


class NativeEngine:
    """See `model.Engine`."""

    name = "native"

    def candidates(
        self, text: Bitext, options: HmmOptions, *, sources: int, targets: int, tell: Tell | None = None
    ) -> tuple[LexiconRows, Floats]:
        start, target, dice = _core.candidates(
            _bitext(text), sources, targets, options.share, options.most, options.threads, tell
        )
        return LexiconRows(start, target), dice

    def types(self, text: Bitext) -> Bitext:
        source, source_start = _core.types(text.source, text.source_start)
        target, target_start = _core.types(text.target, text.target_start)
        return Bitext(source, source_start, target, target_start)

    def together(
        self, texts: Iterable[Bitext], *, first: int, last: int, targets: int, threads: int
    ) -> tuple[LexiconRows, Ints]:
        together = _core.Together(first, last, targets)
        for text in texts:
            together.add(_bitext(text), threads)
        start, target, count = together.rows()
        return LexiconRows(start, target), count

    def index(self, rows: LexiconRows, *, threads: int) -> WordIndex:
        return _core.Index(rows.start, rows.target, threads)

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
        counts = _core.expect(
            _bitext(text),
            cast(_core.Index, index),
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

    def maximise(
        self, rows: LexiconRows, counts: PassCounts, prior: Floats, *, alpha: float, threads: int
    ) -> Floats:
        targets = len(counts.target_null)
        return _core.maximise(
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
            *_core.decode(
                _bitext(text),
                cast(_core.Index, index),
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
        return _core.likenesses(
            rows.start, rows.target, *_packed(source_forms), *_packed(target_forms), threads
        )


def _bitext(text: Bitext) -> _core.Bitext:
    return _core.Bitext(text.source, text.source_start, text.target, text.target_start)


def _model(model: HmmModel, options: HmmOptions) -> _core.Model:
    return _core.Model(
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
