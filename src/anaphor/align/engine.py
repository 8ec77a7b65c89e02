"""The engines of the aligner: the compiled one if available, otherwise NumPy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import accumulate

import numpy as np

from anaphor.align.model import (
    Bitext,
    CountLayout,
    DecodedLinks,
    HmmModel,
    HmmOptions,
    IndexedModel,
    LexiconRows,
    PassCounts,
)
from anaphor.align.reference import AlignmentEngine
from anaphor.core import UnknownNameError, UserError
from anaphor.core.array_types import Doubles, Floats, Ints, Longs
from anaphor.core.engine import has_native, native
from anaphor.core.progress import ShareDone

ENGINES = ("native", "reference")


def best_engine() -> AlignmentEngine:
    """The fastest available engine; its `name` identifies it."""
    return load_engine("native" if has_native() else "reference")


def load_engine(name: str) -> AlignmentEngine:
    """An engine by name, one of `ENGINES`."""
    if name not in ENGINES:
        raise UnknownNameError.among(name, ENGINES, kind="engine", where="engine")
    if name == "native":
        if not has_native():
            raise UserError(
                "the compiled aligner is not part of this installation",
                where="engine native",
                fix="install anaphor on a machine with a C++17 compiler, or use the engine reference",
            )
        return NativeEngine()
    return AlignmentEngine()


@contextmanager
def enough_memory() -> Iterator[None]:
    """Turn running out of memory into an error that a user understands."""
    try:
        yield
    except MemoryError:
        raise UserError(
            "not enough memory for this text",
            where="word alignment",
            fix="train on fewer sentence pairs, use --threads 1, or take a machine with more memory",
        ) from None


class NativeEngine(AlignmentEngine):
    """Passes the arrays of texts and models to the C++ code in native/."""

    name = "native"

    def candidates(
        self,
        text: Bitext,
        options: HmmOptions,
        *,
        sources: int,
        targets: int,
        share_done: ShareDone | None = None,
    ) -> tuple[LexiconRows, Floats]:
        # Only pairs of words that occur together often enough get a cell: a table of all pairs would be
        # sources * targets large, and nearly all of it empty.
        start, target, dice = native.candidate_pairs(
            _bitext(text), sources, targets, options.share, options.most, options.threads, share_done
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

    def indexed(self, model: HmmModel, options: HmmOptions) -> IndexedModel:
        return IndexedModel(model, options, native.LexiconRows(model.rows.start, model.rows.target))

    def expect(
        self,
        text: Bitext,
        indexed: IndexedModel,
        *,
        hmm: bool,
        jump_stride: int,
        share_done: ShareDone | None = None,
    ) -> PassCounts:
        options = indexed.options
        row = native.expected_counts(
            *_arguments(text, indexed), hmm, options.agree, jump_stride, options.threads, share_done
        )
        return CountLayout.of(indexed.model, options).counts(row)

    def maximize(
        self, rows: LexiconRows, counts: PassCounts, prior: Floats, *, alpha: float, threads: int
    ) -> Floats:
        targets = len(counts.target_null)
        return native.maximize(
            rows.start, rows.target, targets, counts.forward, counts.reverse, prior, alpha, threads
        )

    def family_sums(self, rows: LexiconRows, source: Longs, target: Longs, count: Doubles) -> Doubles:
        return native.family_sums(rows.start, rows.target, source, target, count)

    def decode(
        self, text: Bitext, indexed: IndexedModel, *, share_done: ShareDone | None = None
    ) -> DecodedLinks:
        options = indexed.options
        arrays = native.decode_links(
            *_arguments(text, indexed),
            options.hmm_passes > 0,
            0,
            len(text),
            # 0 and the length of the text: the C++ code can also decode a part of it.
            int(options.reading),
            options.threshold,
            options.threads,
            share_done,
        )
        return DecodedLinks(*arrays)

    def likenesses(
        self, rows: LexiconRows, source_forms: list[str], target_forms: list[str], *, threads: int
    ) -> Floats:
        return native.similarities(
            rows.start, rows.target, *_packed(source_forms), *_packed(target_forms), threads
        )


def _bitext(text: Bitext) -> native.Bitext:
    return native.Bitext(text.source, text.source_start, text.target, text.target_start)


def _arguments(
    text: Bitext, indexed: IndexedModel
) -> tuple[native.Bitext, native.LexiconRows, native.AlignerModel]:
    """A text and a model in the form that the C++ code takes."""
    options, vectors = indexed.options, [getattr(indexed.model, name) for name in HmmModel.vectors()]
    numbers = [*vectors, options.null, options.smoothing, options.diagonal]
    return _bitext(text), indexed.index, native.AlignerModel(*numbers)


def _packed(forms: list[str]) -> tuple[bytes, Longs]:
    """All forms as one byte string, and the offset of each."""
    # Lone surrogates pass: a word that no text may hold must not stop a whole alignment.
    encoded = [form.encode("utf-8", "surrogatepass") for form in forms]
    starts = np.fromiter(accumulate(map(len, encoded), initial=0), dtype=np.int64, count=len(forms) + 1)
    return b"".join(encoded), starts
