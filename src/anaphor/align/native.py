"""The compiled engine: hands the arrays of the model to the C++ core in native/."""

from __future__ import annotations

from itertools import accumulate

import numpy as np

from anaphor.align import _core
from anaphor.align.model import (
    Bitext,
    Floats,
    Hits,
    HmmModel,
    HmmOptions,
    Links,
    Longs,
    PassCounts,
    Rows,
    Work,
)


class NativeIndex:
    """A hash table of the word pairs."""

    def __init__(self, rows: Rows) -> None:
        self._index = _core.Index(rows.start, rows.target)

    def hits(self, text: Bitext, *, first: int, last: int, threads: int) -> Hits:
        return Hits(*self._index.hits(_bitext(text), first, last, threads))


class NativeEngine:
    """See `model.Engine`."""

    name = "native"

    def candidates(
        self, text: Bitext, *, sources: int, targets: int, share: float, threads: int
    ) -> tuple[Rows, Floats]:
        start, target, dice = _core.candidates(_bitext(text), sources, targets, share, threads)
        return Rows(start, target), dice

    def index(self, rows: Rows) -> NativeIndex:
        return NativeIndex(rows)

    def expect(
        self, text: Bitext, hits: Hits, model: HmmModel, options: HmmOptions, work: Work, counts: PassCounts
    ) -> None:
        _core.expect(
            _bitext(text),
            _hits(hits),
            _model(model, options),
            work.hmm,
            work.agree,
            work.jump_stride,
            work.first,
            work.last,
            work.threads,
            counts.entries,
            counts.source_null,
            counts.target_null,
            counts.forward_jumps,
            counts.reverse_jumps,
        )

    def maximise(
        self, rows: Rows, *, targets: int, counts: Longs, prior: Floats, alpha: float, threads: int
    ) -> Floats:
        tables = np.empty(2 * len(rows), dtype=np.float32)
        _core.maximise(rows.start, rows.target, targets, counts, prior, alpha, threads, tables)
        return tables

    def decode(self, text: Bitext, hits: Hits, model: HmmModel, options: HmmOptions, work: Work) -> Links:
        return Links(
            *_core.decode(
                _bitext(text),
                _hits(hits),
                _model(model, options),
                work.hmm,
                work.first,
                work.last,
                work.threads,
                int(options.reading),
                options.threshold,
            )
        )

    def likenesses(self, rows: Rows, source_forms: list[str], target_forms: list[str]) -> Floats:
        return _core.likenesses(rows.start, rows.target, *_packed(source_forms), *_packed(target_forms))


def _bitext(text: Bitext) -> _core.Bitext:
    return _core.Bitext(text.source, text.source_start, text.target, text.target_start)


def _hits(hits: Hits) -> _core.Hits:
    return _core.Hits(hits.start, hits.source, hits.target, hits.entry)


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
