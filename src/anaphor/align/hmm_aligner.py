"""The package's own word aligner: train on sentence pairs, align these or others, save the model."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sized
from dataclasses import dataclass, field, replace
from itertools import chain, pairwise
from pathlib import Path

import numpy as np

from anaphor.align.engine import best_engine, enough_memory
from anaphor.align.model import DecodedLinks, HmmModel, HmmOptions, LinkPlaces
from anaphor.align.modelfile import StoredModel, read_model, write_model
from anaphor.align.priors import PriorTable, renumbered
from anaphor.align.programs import SentencePair
from anaphor.align.pronoun_rules import PronounRules
from anaphor.align.reference import AlignmentEngine
from anaphor.align.symmetrize import DecodingMode
from anaphor.align.train import DECODING, InMemoryText, PhaseProgress, TrainingText, train, training_weight
from anaphor.align.vocabulary import (
    NumberedBitext,
    Packs,
    WordVocabulary,
    batches,
    load_packs,
    number_pairs,
    parts_of,
)
from anaphor.core import Alignment, InputError, LanguagePair, MismatchError
from anaphor.core.array_types import Bools, Floats, Longs
from anaphor.core.progress import ShareProgress


@dataclass(frozen=True, slots=True)
class HmmAligner:
    """Trains on sentence pairs, in both directions at once.

    `pair` names the languages; what is known about their pronouns comes from `packs`, by default the
    built-in ones. `prior` is what is known beforehand. The same pairs and options give the same links, to
    the last bit, with any number of threads.
    """

    options: HmmOptions = field(default_factory=HmmOptions)
    pair: LanguagePair | None = None
    prior: PriorTable | None = None
    engine: AlignmentEngine = field(default_factory=best_engine)
    progress: ShareProgress | None = None
    packs: Packs | None = None

    def __post_init__(self) -> None:
        if self.prior is not None and self.pair is not None and self.prior.pair != self.pair:
            raise MismatchError(
                f"the prior is for {self.prior.pair}, the text is {self.pair}",
                where="aligner prior",
                fix="use the prior for this pair, or prior.reversed() for the opposite direction",
            )

    def align(
        self, pairs: Iterable[SentencePair], *, extra: Iterable[SentencePair] = ()
    ) -> Iterator[Alignment]:
        """The alignment of every pair, in order, after training on all of them and on `extra`."""
        pairs = list(pairs)
        if pairs:
            meter = PhaseProgress(self.progress, total=training_weight(self.options) + DECODING)
            trained, numbered = self._train_pairs(chain(pairs, extra), meter)
            yield from trained.decode(numbered.batches(len(pairs)), meter, total=len(pairs))

    def train(self, pairs: Iterable[SentencePair]) -> TrainedAligner:
        """A model of these pairs, which are read once; no pairs at all is an `InputError`."""
        return self._train_pairs(pairs, PhaseProgress(self.progress, total=training_weight(self.options)))[0]

    def _train_pairs(
        self, pairs: Iterable[SentencePair], meter: PhaseProgress
    ) -> tuple[TrainedAligner, NumberedBitext]:
        with enough_memory():
            vocabularies = self._packs().vocabularies()
            numbered = number_pairs(pairs, source=vocabularies[0], target=vocabularies[1])
            if len(numbered) == 0:
                raise InputError(
                    "there is nothing to train on",
                    where="training pairs",
                    fix="use at least one sentence pair",
                )
            return self._train(InMemoryText(numbered.text, self.engine), vocabularies, meter), numbered

    def train_on(
        self, text: TrainingText, vocabularies: tuple[WordVocabulary, WordVocabulary]
    ) -> TrainedAligner:
        """A model of a text that was numbered with these vocabularies."""
        return self._train(
            text, vocabularies, PhaseProgress(self.progress, total=training_weight(self.options))
        )

    def _packs(self) -> Packs:
        return load_packs(self.pair) if self.packs is None else self.packs

    def _train(
        self, text: TrainingText, vocabularies: tuple[WordVocabulary, WordVocabulary], meter: PhaseProgress
    ) -> TrainedAligner:
        packs = self._packs()
        rules = PronounRules.of(packs.pair, *vocabularies)
        source_forms, target_forms = (vocabulary.forms for vocabulary in vocabularies)
        prior = renumbered(self.prior, source_forms=source_forms, target_forms=target_forms)
        model = train(
            text,
            self.options,
            self.engine,
            meter,
            source_forms=source_forms,
            target_forms=target_forms,
            prior=prior,
            allowed=rules.allowed,
        )
        stored = StoredModel(model, self.options, self.pair, tuple(source_forms), tuple(target_forms))
        return TrainedAligner(stored, self.engine, packs=packs, vocabularies=vocabularies)


class TrainedAligner:
    """Aligns sentences with a trained model, which the sentences do not change."""

    def __init__(
        self,
        stored: StoredModel,
        engine: AlignmentEngine,
        *,
        packs: Packs | None = None,
        vocabularies: tuple[WordVocabulary, WordVocabulary] | None = None,
    ) -> None:
        """`vocabularies`, if given, already number the words as the model does."""
        packs = load_packs(stored.pair) if packs is None else packs
        self._stored, self._engine, self._packs = stored, engine, packs
        if vocabularies is None:
            vocabularies = (
                WordVocabulary(parts_of(packs.source), stored.source_forms),
                WordVocabulary(parts_of(packs.target), stored.target_forms),
            )
        self._vocabularies = vocabularies
        self._rules = PronounRules.of(packs.pair, *vocabularies)
        self._indexed = engine.indexed(stored.model, stored.options)

    @classmethod
    def load(
        cls,
        path: Path,
        *,
        pair: LanguagePair | None = None,
        engine: AlignmentEngine | None = None,
        threads: int | None = None,
        packs: Packs | None = None,
    ) -> TrainedAligner:
        """A model from a file; one for a language pair other than `pair` is a `MismatchError`.

        A file has neither `threads` nor `packs`: by default the usual number, and the built-in packs.
        """
        stored = read_model(path)
        if pair is not None and stored.pair != pair:
            raise MismatchError(
                f"the model is for {stored.pair}, not {pair}",
                where=str(path),
                fix="pass the model for this pair",
            )
        if threads is not None:
            stored = replace(stored, options=replace(stored.options, threads=threads))
        return cls(stored, best_engine() if engine is None else engine, packs=packs)

    def save(self, path: Path) -> None:
        """Write the model to a file, atomically."""
        write_model(path, self._stored)

    @property
    def options(self) -> HmmOptions:
        return self._stored.options

    def decoded_as(self, mode: DecodingMode) -> TrainedAligner:
        """The same model with another decoding of its links."""
        if self.options.reading is mode:
            return self
        stored = replace(self._stored, options=replace(self.options, reading=mode))
        return TrainedAligner(stored, self._engine, packs=self._packs)

    def align(
        self, pairs: Iterable[SentencePair], *, progress: ShareProgress | None = None
    ) -> Iterator[Alignment]:
        """The alignment of every pair, in order; a pair with an empty side has no links.

        Pairs are read as they are needed. `progress` is called if their number is known.
        """
        total = len(pairs) if isinstance(pairs, Sized) else 0
        source, target = self._vocabularies
        numbered = (number_pairs(batch, source=source, target=target) for batch in batches(pairs))
        return self.decode(numbered, PhaseProgress(progress if total else None, total=DECODING), total=total)

    def decode(
        self, parts: Iterable[NumberedBitext], meter: PhaseProgress, *, total: int
    ) -> Iterator[Alignment]:
        """Like `align`, for pairs numbered by the model's vocabularies; `total` pairs count as DECODING."""
        options, (source, target) = self.options, self._vocabularies
        # Decode every link that one of the thresholds may accept; the pronoun rules choose among them.
        loosest = replace(options, threshold=min(options.threshold, options.pronoun_threshold))
        with enough_memory():
            for numbered in parts:
                share_done = meter.phase("links", DECODING * len(numbered) / max(total, 1))
                # The vocabularies grow with every batch.
                model = widened(self._stored.model, len(source), len(target))
                indexed = replace(self._indexed, model=model, options=loosest)
                links = self._engine.decode(numbered.text, indexed, share_done=share_done)
                share_done(1.0)
                places = LinkPlaces.of(numbered.text, links)
                if options.reading is DecodingMode.JOINT:
                    least = self._rules.least(numbered.text, links, places, options)
                    keep = np.asarray(links.confidence >= least)
                else:
                    keep = np.ones(len(links.confidence), np.bool_)  # one direction alone has chosen already
                yield from between_tokens(numbered, links, places, keep)


def widened(model: HmmModel, sources: int, targets: int) -> HmmModel:
    """The model with unigrams for words it has never seen: as rare as its rarest word."""

    def lengthened(values: Floats, size: int) -> Floats:
        least = values.min() if len(values) else np.float32(1)
        return np.concatenate([values, np.full(size - len(values), least, dtype=np.float32)])

    return replace(
        model,
        source_unigram=lengthened(model.source_unigram, sources),
        source_null=lengthened(model.source_null, sources),
        target_unigram=lengthened(model.target_unigram, targets),
        target_null=lengthened(model.target_null, targets),
    )


def between_tokens(
    numbered: NumberedBitext, links: DecodedLinks, places: LinkPlaces, keep: Bools
) -> Iterator[Alignment]:
    """The links to keep of every pair, between its tokens instead of its words.

    A token may hold several words (`sentirla` is `sentir` and `la`), but the engines know words only. Of
    several links between the same two tokens the most confident one remains.
    """
    text = numbered.text
    pairs, confidence = places.pair[keep], links.confidence[keep]
    source = _tokens(places.source[keep], text.source_start[pairs], numbered.source_inside)
    target = _tokens(places.target[keep], text.target_start[pairs], numbered.target_inside)
    # Links are in order between words. Between the tokens that hold them, two can be one, or change places.
    ahead = np.diff(pairs) > 0
    ahead |= (np.diff(source) > 0) | ((np.diff(source) == 0) & (np.diff(target) > 0))
    if not ahead.all():
        split = np.zeros(len(links.start), np.bool_)
        split[pairs[1:][~ahead]] = True
        inside = np.flatnonzero(split[pairs])
        order, new = np.arange(len(pairs)), np.ones(len(pairs), np.bool_)
        # The most confident comes first among links of the same tokens, and only the first one stays.
        order[inside] = inside[
            np.lexsort((-confidence[inside], target[inside], source[inside], pairs[inside]))
        ]
        pairs, source, target, confidence = pairs[order], source[order], target[order], confidence[order]
        new[1:] = (np.diff(pairs) | np.diff(source) | np.diff(target)) != 0
        pairs, source, target, confidence = pairs[new], source[new], target[new], confidence[new]
    bounds = np.searchsorted(pairs, np.arange(len(links.start))).tolist()
    sources, targets, confidences = (tuple(values.tolist()) for values in (source, target, confidence))
    alignments = [
        Alignment(sources[start:end], targets[start:end], None, confidences[start:end])
        for start, end in pairwise(bounds)
    ]
    yield from alignments


def _tokens(places: Longs, starts: Longs, inside: Longs) -> Longs:
    """The token of each word: its position in the sentence, less the words up to it that continue a token."""
    words = places - starts
    if len(inside) == 0:
        return words
    within = np.searchsorted(inside, places, "right") - np.searchsorted(inside, starts)
    return np.asarray(words - within, np.int64)
