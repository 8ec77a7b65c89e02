"""The package's own word aligner: train on sentence pairs, align these or others, keep the model."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from anaphor.align.engine import best_engine
from anaphor.align.model import (
    FARTHEST,
    Bitext,
    Bools,
    Engine,
    Floats,
    HmmModel,
    HmmOptions,
    Reading,
    Work,
)
from anaphor.align.modelfile import StoredModel, read_model, write_model
from anaphor.align.priors import PriorTable, renumbered
from anaphor.align.programs import SentencePair
from anaphor.align.tokens import Places, between_tokens, word_places
from anaphor.align.train import PAIRS_PER_CALL, Progress, train
from anaphor.align.vocabulary import Parts, Vocabulary, number_pairs, split_clitics, whole_words
from anaphor.core import Alignment, InputError, InputWarning, LanguagePair, MismatchError
from anaphor.languages import known_languages, load_language


@dataclass(frozen=True, slots=True)
class HmmAligner:
    """Learns from sentence pairs, in both directions at once.

    `pair` names the languages; pronouns fused to verbs are found for languages that have a pack. `prior`
    is what is known beforehand. The same pairs and options give the same links, to the last bit, on any
    number of threads.
    """

    options: HmmOptions = field(default_factory=HmmOptions)
    pair: LanguagePair | None = None
    prior: PriorTable | None = None
    engine: Engine = field(default_factory=best_engine)
    progress: Progress | None = None

    def __post_init__(self) -> None:
        if self.prior is not None and self.pair is not None and self.prior.pair != self.pair:
            raise MismatchError(
                f"the prior is for {self.prior.pair}, the text is {self.pair}",
                where="aligner prior",
                fix="take the prior of this pair, or prior.reversed() for the opposite direction",
            )

    def align(
        self, pairs: Iterable[SentencePair], *, extra: Iterable[SentencePair] = ()
    ) -> Iterator[Alignment]:
        """The alignment of every pair, in order, after training on all of them and on `extra`."""
        pairs = list(pairs)
        if not pairs:
            return
        yield from self.train([*pairs, *extra]).align(pairs)

    def train(self, pairs: Iterable[SentencePair]) -> TrainedAligner:
        """A model of these pairs; no pairs at all is an `InputError`."""
        source, target = (Vocabulary(parts) for parts in parts_of(self.pair))
        text = number_pairs(pairs, source=source, target=target)
        if len(text) == 0:
            raise InputError(
                "there is nothing to train on", where="training pairs", fix="give at least one sentence pair"
            )
        source_forms, target_forms = source.forms, target.forms
        prior = None
        if self.prior is not None:
            prior = renumbered(self.prior, source_forms=source_forms, target_forms=target_forms)
        model = train(
            text,
            self.options,
            self.engine,
            source_forms=source_forms,
            target_forms=target_forms,
            prior=prior,
            progress=self.progress,
        )
        stored = StoredModel(model, self.options, self.pair, tuple(source_forms), tuple(target_forms))
        return TrainedAligner(stored, self.engine, (source, target))


class TrainedAligner:
    """Aligns sentences with a finished model; what it aligns does not change the model."""

    def __init__(
        self, stored: StoredModel, engine: Engine, vocabularies: tuple[Vocabulary, Vocabulary] | None = None
    ) -> None:
        """`vocabularies`, if given, already number the words as the model does."""
        self._stored, self._engine = stored, engine
        self._source, self._target = _vocabularies(stored) if vocabularies is None else vocabularies
        self._source_pronouns, self._target_pronouns = _pronouns(self._source, self._target, stored.pair)
        self._index = engine.index(stored.model.rows)

    @classmethod
    def load(
        cls, path: Path, *, pair: LanguagePair | None = None, engine: Engine | None = None
    ) -> TrainedAligner:
        """A model from a file; one of another language pair than `pair` is a `MismatchError`."""
        stored = read_model(path)
        if pair is not None and stored.pair != pair:
            raise MismatchError(
                f"the model is for {stored.pair}, not {pair}",
                where=str(path),
                fix="give the model of this pair",
            )
        return cls(stored, best_engine() if engine is None else engine)

    def save(self, path: Path) -> None:
        """Write the model to a file, all or nothing."""
        write_model(path, self._stored)

    @property
    def options(self) -> HmmOptions:
        return self._stored.options

    def read_as(self, reading: Reading) -> TrainedAligner:
        """The same model with another way of reading its links."""
        options = replace(self._stored.options, reading=reading)
        return TrainedAligner(replace(self._stored, options=options), self._engine)

    def align(self, pairs: Iterable[SentencePair]) -> Iterator[Alignment]:
        """The alignment of every pair, in order; a pair with an empty side has no links."""
        remaining = iter(pairs)
        while batch := list(islice(remaining, PAIRS_PER_CALL)):
            yield from self._align_batch(batch)

    def _align_batch(self, pairs: list[SentencePair]) -> Iterator[Alignment]:
        text = number_pairs(pairs, source=self._source, target=self._target)
        options = self._stored.options
        work = Work(0, len(text), hmm=options.hmm_passes > 0, threads=options.threads)
        hits = self._index.hits(text, first=0, last=len(text), threads=options.threads)
        model = _widened(self._stored.model, sources=len(self._source), targets=len(self._target))
        links = self._engine.decode(text, hits, model, _loosest(options), work)
        for pair in pairs:
            _warn_if_cut(pair)
        sides = [source for source, _ in pairs], [target for _, target in pairs]
        places = word_places(text, links)
        kept = links.confidence >= self._least(text, places)
        yield from between_tokens(sides, text, links, places, kept, source=self._source, target=self._target)

    def _least(self, text: Bitext, places: Places) -> NDArray[np.float64]:
        """The confidence that each link must have.

        Pronouns are rarely translated word for word, so that their posteriors are spread: a link of two
        pronouns needs less than others. A link of a pronoun to another word needs more, for where a
        pronoun has no counterpart, its links go astray.
        """
        options = self._stored.options
        if options.reading is not Reading.JOINT:
            return np.zeros(len(places.source))
        from_pronoun = _flags(self._source_pronouns, len(self._source))[text.source[places.source]]
        to_pronoun = _flags(self._target_pronouns, len(self._target))[text.target[places.target]]
        limits = np.array([options.threshold, options.stray_threshold, options.pronoun_threshold])
        return limits[from_pronoun.astype(np.int64) + to_pronoun]


def _flags(numbers: set[int], size: int) -> Bools:
    flags = np.zeros(size, np.bool_)
    flags[list(numbers)] = True
    return flags


def parts_of(pair: LanguagePair | None) -> tuple[Parts, Parts]:
    """How tokens of either side are cut into words."""
    if pair is None:
        return whole_words, whole_words
    packs = known_languages()
    source, target = (
        split_clitics(load_language(code)) if code in packs else whole_words
        for code in (pair.source, pair.target)
    )
    return source, target


def _vocabularies(stored: StoredModel) -> tuple[Vocabulary, Vocabulary]:
    source_parts, target_parts = parts_of(stored.pair)
    return Vocabulary(source_parts, stored.source_forms), Vocabulary(target_parts, stored.target_forms)


def _pronouns(source: Vocabulary, target: Vocabulary, pair: LanguagePair | None) -> tuple[set[int], set[int]]:
    """The numbers of pronouns on either side; none unless both languages have a pack."""
    packs = known_languages()
    if pair is None or pair.source not in packs or pair.target not in packs:
        return set(), set()
    first, second = (
        {number for form in load_language(code).inventory() for number in vocabulary.number([form])}
        for code, vocabulary in ((pair.source, source), (pair.target, target))
    )
    return first, second


def _loosest(options: HmmOptions) -> HmmOptions:
    """Options that read every link which one of the thresholds may accept."""
    return replace(options, threshold=min(options.threshold, options.pronoun_threshold))


def _widened(model: HmmModel, *, sources: int, targets: int) -> HmmModel:
    """The model with unigrams for words it never met: as rare as its rarest."""
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


def _warn_if_cut(pair: SentencePair) -> None:
    if max(len(pair[0]), len(pair[1])) > FARTHEST:
        warnings.warn(
            f"words after the first {FARTHEST} of a sentence are not linked", InputWarning, stacklevel=2
        )
