"""The package's own word aligner: train on sentence pairs, align these or others, keep the model."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain

from anaphor.align.engine import best_engine, enough_memory
from anaphor.align.model import Engine, HmmOptions
from anaphor.align.modelfile import StoredModel
from anaphor.align.packs import Packs, load_packs
from anaphor.align.priors import PriorTable, renumbered
from anaphor.align.programs import SentencePair
from anaphor.align.pronoun_rules import PronounRules
from anaphor.align.train import DECODING, Meter, Progress, train, training_weight
from anaphor.align.trained import TrainedAligner
from anaphor.align.training_text import TrainingText, WholeText
from anaphor.align.vocabulary import Vocabulary, number_pairs
from anaphor.core import Alignment, InputError, LanguagePair, MismatchError

__all__ = ["HmmAligner", "SentencePair", "TrainedAligner"]


@dataclass(frozen=True, slots=True)
class HmmAligner:
    """Learns from sentence pairs, in both directions at once.

    `pair` names the languages; what is known of their pronouns comes from `packs`, by default the built-in
    ones. `prior` is what is known beforehand. The same pairs and
    options give the same links, to the last bit, on any number of threads.
    """

    options: HmmOptions = field(default_factory=HmmOptions)
    pair: LanguagePair | None = None
    prior: PriorTable | None = None
    engine: Engine = field(default_factory=best_engine)
    progress: Progress | None = None
    packs: Packs | None = None

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
        with enough_memory():
            vocabularies = source, target = self._packs().vocabularies()
            pairs = list(pairs)
            if not pairs:
                return
            number = len(pairs)
            numbered = number_pairs(chain(pairs, extra), source=source, target=target)
            decoding = DECODING * number / len(numbered)
            meter = Meter(self.progress, total=training_weight(self.options) + decoding)
            trained = self._train(WholeText(numbered.text, self.engine), vocabularies, meter)
            yield from trained.align_numbered(numbered, last=number, meter=meter, total=len(numbered))

    def train(self, pairs: Iterable[SentencePair]) -> TrainedAligner:
        """A model of these pairs, which are read once; no pairs at all is an `InputError`."""
        with enough_memory():
            vocabularies = source, target = self._packs().vocabularies()
            numbered = number_pairs(pairs, source=source, target=target)
            if len(numbered) == 0:
                raise InputError(
                    "there is nothing to train on",
                    where="training pairs",
                    fix="give at least one sentence pair",
                )
            return self.train_on(WholeText(numbered.text, self.engine), vocabularies)

    def train_on(self, text: TrainingText, vocabularies: tuple[Vocabulary, Vocabulary]) -> TrainedAligner:
        """A model of a text that these vocabularies have numbered."""
        meter = Meter(self.progress, total=training_weight(self.options))
        return self._train(text, vocabularies, meter)

    def _packs(self) -> Packs:
        return load_packs(self.pair) if self.packs is None else self.packs

    def _train(
        self, text: TrainingText, vocabularies: tuple[Vocabulary, Vocabulary], meter: Meter
    ) -> TrainedAligner:
        rules = PronounRules.of(self._packs().pair, *vocabularies)
        source_forms, target_forms = (vocabulary.forms for vocabulary in vocabularies)
        prior = None
        if self.prior is not None:
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
        return TrainedAligner(stored, self.engine, packs=self._packs(), vocabularies=vocabularies)
