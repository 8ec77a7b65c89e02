"""A finished model that aligns sentences."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sized
from dataclasses import replace
from pathlib import Path

import numpy as np

from anaphor.align.engine import best_engine, enough_memory
from anaphor.align.model import (
    Bitext,
    Bools,
    Engine,
    Floats,
    HmmModel,
    HmmOptions,
    Links,
    Reading,
)
from anaphor.align.modelfile import StoredModel, read_model, write_model
from anaphor.align.packs import Packs, load_packs, parts_of
from anaphor.align.programs import SentencePair
from anaphor.align.pronoun_rules import PronounRules
from anaphor.align.tokens import Places, between_tokens, word_places
from anaphor.align.train import DECODING, Meter, Progress
from anaphor.align.vocabulary import PAIRS_AT_ONCE, NumberedText, Vocabulary, batches, number_pairs
from anaphor.core import Alignment, LanguagePair, MismatchError


class TrainedAligner:
    """Aligns sentences with a finished model; what it aligns does not change the model."""

    def __init__(
        self,
        stored: StoredModel,
        engine: Engine,
        *,
        packs: Packs | None = None,
        vocabularies: tuple[Vocabulary, Vocabulary] | None = None,
    ) -> None:
        """`vocabularies`, if given, already number the words as the model does."""
        packs = load_packs(stored.pair) if packs is None else packs
        self._stored, self._engine, self._packs = stored, engine, packs
        if vocabularies is None:
            vocabularies = (
                Vocabulary(parts_of(packs.source), stored.source_forms),
                Vocabulary(parts_of(packs.target), stored.target_forms),
            )
        self._vocabularies = vocabularies
        self._rules = PronounRules.of(packs.pair, *vocabularies)
        self._index = engine.index(stored.model.rows, threads=stored.options.threads)

    @classmethod
    def load(
        cls,
        path: Path,
        *,
        pair: LanguagePair | None = None,
        engine: Engine | None = None,
        threads: int | None = None,
        packs: Packs | None = None,
    ) -> TrainedAligner:
        """A model from a file; one of another language pair than `pair` is a `MismatchError`.

        `threads` and `packs` are not part of a file: by default the usual number, and the built-in packs.
        """
        stored = read_model(path)
        if pair is not None and stored.pair != pair:
            raise MismatchError(
                f"the model is for {stored.pair}, not {pair}",
                where=str(path),
                fix="give the model of this pair",
            )
        if threads is not None:
            stored = replace(stored, options=replace(stored.options, threads=threads))
        return cls(stored, best_engine() if engine is None else engine, packs=packs)

    def save(self, path: Path) -> None:
        """Write the model to a file, all or nothing."""
        write_model(path, self._stored)

    @property
    def options(self) -> HmmOptions:
        return self._stored.options

    def read_as(self, reading: Reading) -> TrainedAligner:
        """The same model with another way of reading its links."""
        options = replace(self._stored.options, reading=reading)
        stored = replace(self._stored, options=options)
        return TrainedAligner(stored, self._engine, packs=self._packs)

    def align(
        self, pairs: Iterable[SentencePair], *, progress: Progress | None = None
    ) -> Iterator[Alignment]:
        """The alignment of every pair, in order; a pair with an empty side has no links.

        Pairs are read as they are needed. `progress` is told of the work where their number is known.
        """
        total = len(pairs) if isinstance(pairs, Sized) else 0
        meter = Meter(progress if total else None, total=DECODING)
        with enough_memory():
            for batch in batches(pairs):
                source, target = self._vocabularies
                numbered = number_pairs(batch, source=source, target=target)
                yield from self.align_numbered(numbered, last=len(batch), meter=meter, total=total)

    def align_numbered(
        self, numbered: NumberedText, *, last: int, meter: Meter, total: int
    ) -> Iterator[Alignment]:
        """The alignments of the first pairs, up to `last`, of a text numbered with this model's words.

        `total` is the number of pairs whose decoding the meter counts as DECODING.
        """
        options = self._stored.options
        model = _widened(self._stored.model, self._vocabularies)
        for first in range(0, last, PAIRS_AT_ONCE):
            end = min(first + PAIRS_AT_ONCE, last)
            tell = meter.phase("links", DECODING * (end - first) / max(total, 1))
            links = self._engine.decode(
                numbered.text, self._index, model, _loosest(options), first=first, last=end, tell=tell
            )
            tell(1.0)
            places = word_places(numbered, links, first=first)
            kept = self._kept(numbered.text, links, places)
            yield from between_tokens(numbered, links, places, kept, first=first)

    def _kept(self, text: Bitext, links: Links, places: Places) -> Bools:
        """Which links are sure enough; one direction alone has chosen already."""
        options = self._stored.options
        if options.reading is not Reading.JOINT:
            return np.ones(len(links.confidence), np.bool_)
        return np.asarray(links.confidence >= self._rules.least(text, links, places, options))


def _loosest(options: HmmOptions) -> HmmOptions:
    """Options that read every link which one of the thresholds may accept."""
    return replace(options, threshold=min(options.threshold, options.pronoun_threshold))


def _widened(model: HmmModel, vocabularies: tuple[Vocabulary, Vocabulary]) -> HmmModel:
    """The model with unigrams for words it never met: as rare as its rarest."""
    sources, targets = map(len, vocabularies)
    return replace(
        model,
        source_unigram=_lengthened(model.source_unigram, sources),
        source_null=_lengthened(model.source_null, sources),
        target_unigram=_lengthened(model.target_unigram, targets),
        target_null=_lengthened(model.target_null, targets),
    )


def _lengthened(values: Floats, size: int) -> Floats:
    least = values.min() if len(values) else np.float32(1)
    return np.concatenate([values, np.full(size - len(values), least, dtype=np.float32)])
