"""The pronoun language model of IDIAP: which pronoun follows nouns and pronouns of given gender and number.

A line of its training text is a hidden pronoun after the genders and numbers of the nouns and pronouns before
it (`fs mp elles`); the n-gram estimator of the baseline does the rest. The source only restricts the
candidates: the classes that a source pronoun had in at least one slot of a hundred. Cases beyond such a
model, French *on* and untranslated pronouns, are left to rules.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np

from anaphor.core import LanguagePair, Prediction, TaskSegment
from anaphor.core.text import NOUNS, VERBS
from anaphor.predict.base import BaseFamily, BaseModel, BasePredictor, TrainingData
from anaphor.predict.model_folder import ModelFolder, damaged, json_writer, parsing, read_json, save_model
from anaphor.predict.options import Options, option
from anaphor.recipes.features.antecedents import gender_of, number_of
from anaphor.recipes.features.context import ContextBuilder, Requirements, SlotContext
from anaphor.recipes.features.syntax import head_of
from anaphor.recipes.features.target_text import model_writer, trained_model
from anaphor.recipes.features.tokens import HIDDEN
from anaphor.recipes.lm.model import NgramModel, read_lm
from anaphor.task.classes import OTHER

_MODEL, _CANDIDATES = "pronouns.lm", "candidates.json"
_BATCH = 2000
_RARE = 0.01  # share of the slots of a source pronoun
_ANY = ""  # stands for source pronouns that training never had
#: Gender and number of the pronouns that show them.
_PRONOUNS: Mapping[str, Mapping[str, str]] = {
    "fr": {"il": "ms", "elle": "fs", "ils": "mp", "elles": "fp", "lui": "ms", "eux": "mp"},
    "de": {"er": "ms", "sie": "fs", "es": "ns"},
    "en": {"he": "ms", "she": "fs", "it": "ns", "they": "?p"},
}
#: Verbs with a generic subject: *they say*, *they call it*.
_GENERIC = frozenset({"say", "call", "tell", "name", "speak", "think", "believe", "expect", "teach", "ask"})
_ON = "on"
#: The classes that are predicted by rules.
RULED = (OTHER, _ON)
#: Tags that can stand between a French or German subject and its verb.
_BEFORE_VERB = frozenset({"PRON", "ADV", "PART", "PRT"})

#: The classes that can translate a source pronoun, and under `_ANY` all classes seen.
Candidates = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class PronounLmOptions(Options):
    """An n-gram model that predicts pronouns from the genders and numbers of preceding nouns and pronouns."""

    order: int = option(4, "n-gram order, including the predicted pronoun", least=2, most=6)
    sentences: int = option(3, "preceding segments to search for nouns and pronouns", least=0, most=20)
    rules: bool = option(True, "predict on and OTHER only by rules")

    @property
    def requirements(self) -> Requirements:
        return Requirements(source=self.rules, target=True, sentences=self.sentences)


def ruled(context: SlotContext, labels: tuple[str, ...]) -> str | None:
    """The class predicted by a rule, among those that can be predicted; None if no rule applies.

    The findings paper says what IDIAP's rules cover (*on*, and untranslated pronouns) and that they use
    source and target patterns, but not which. The patterns here are grammar, written for this package.
    """
    if OTHER in labels and is_untranslated(context):
        return OTHER
    if _ON in labels and is_generic(context):
        return _ON
    return None


def is_generic(context: SlotContext) -> bool:
    """*They* with a verb of saying or naming, and no plural noun before it in its sentence."""
    source, at = context.here.source, context.slot.source
    if context.pronoun != "they" or at >= len(source.tags):
        return False
    head, _ = head_of(source, at)
    plural = any(
        source.tag(place) == "NOUN" and source.word(place) != source.lemma(place) for place in range(at)
    )
    return head is not None and source.lemma(head) in _GENERIC and not plural


def is_untranslated(context: SlotContext) -> bool:
    """Whether there is no room for a subject: no verb follows the placeholder, except after pronouns and
    adverbs.
    """
    target = context.here.target
    following = target.cut("tag", context.slot.target + 1, len(target))
    return next((tag for tag in following if tag not in _BEFORE_VERB), None) not in VERBS


def codes_of(context: SlotContext, most: int) -> tuple[str, ...]:
    """Gender and number of the last nouns and pronouns before the placeholder, in text order."""

    def nearest_first() -> Iterator[str]:
        sides = [(context.here.target, context.slot.target)]
        sides += [(earlier.target, len(earlier.target)) for earlier in context.before]
        for tokens, end in sides:
            pronouns = _PRONOUNS.get(tokens.language, {})
            for place in range(end - 1, -1, -1):
                word, tag = tokens.word(place), tokens.tag(place)
                if word == HIDDEN:
                    yield HIDDEN
                elif tag in NOUNS:
                    yield gender_of(tokens.language, word) + number_of(tokens, place)
                elif word in pronouns and tag == "PRON":
                    yield pronouns[word]

    return tuple(islice(nearest_first(), most))[::-1]


@dataclass(frozen=True, slots=True, eq=False)
class PronounLmModel(BaseModel):
    """A language model of pronouns after codes, and the candidates of each source pronoun."""

    builder: ContextBuilder
    model: NgramModel
    candidates: Candidates
    options: PronounLmOptions

    def predict_slots(self, segments: Sequence[TaskSegment]) -> Iterator[Prediction]:
        """The most likely pronoun, unless a rule overrides it."""
        labels = self.candidates[_ANY]
        contexts = self.builder.contexts(segments)
        while batch := list(islice(contexts, _BATCH)):
            lines = [
                (*codes_of(context, self.options.order - 1), label) for context in batch for label in labels
            ]
            # The last score is that of the end of the sentence, the one before it that of the pronoun.
            scores = np.array([values[-2] for values in self.model.score_all(lines)], np.float64)
            powers = 10.0 ** scores.reshape(len(batch), len(labels))
            # A model may give every class a probability that no float can tell from 0.
            powers[powers.sum(axis=1) == 0] = 1.0
            rows = (powers / powers.sum(axis=1, keepdims=True)).tolist()
            for context, row in zip(batch, rows, strict=True):
                yield self._prediction(context, dict(zip(labels, row, strict=True)))

    def _prediction(self, context: SlotContext, shares: dict[str, float]) -> Prediction:
        candidates = self.candidates.get(context.pronoun, self.candidates[_ANY])
        if self.options.rules:
            candidates = tuple(label for label in candidates if label not in RULED)
        # All classes are candidates where none is left.
        shares = {label: shares[label] for label in candidates or shares}
        total = sum(shares.values()) or 1.0
        shares = {label: share / total for label, share in shares.items()}
        label = max(shares, key=lambda label: shares[label])
        rule = ruled(context, self.candidates[_ANY]) if self.options.rules else None
        if rule is not None:
            # Half of the probability for what the rule says, so that the rest stays in proportion.
            label, shares = rule, {name: share / 2 for name, share in shares.items()}
            shares[rule] = shares.get(rule, 0.0) + 0.5
        return Prediction(label, tuple(shares.get(name, 0.0) for name in self.card.classes))

    def save(self, folder: Path) -> None:
        files = {_MODEL: model_writer(self.model), _CANDIDATES: json_writer(self.candidates)}
        save_model(folder, self.card, files)


@dataclass(frozen=True, slots=True, kw_only=True)
class PronounLmPredictor(BasePredictor[PronounLmModel]):
    """Counts pronouns after codes; development data is not used."""

    options: PronounLmOptions

    def train(self, data: TrainingData) -> PronounLmModel:
        data.progress("finding nouns", 0.1)
        builder = ContextBuilder(data.classes.pair, data.forms, self.options.requirements)
        most = self.options.order - 1
        lines = (
            " ".join((*codes_of(context, most), str(context.slot.label)))
            for context in builder.contexts(data.segments)
        )
        model = trained_model(lines, order=self.options.order)
        # For each source pronoun the classes that are not rare for it, and under `_ANY` all that occur.
        candidates: Candidates = {
            _ANY: data.labels,
            **{
                word: tuple(label for label in data.labels if seen[label] >= max(_RARE * seen.total(), 1))
                for word, seen in sorted(data.label_counts().items())
            },
        }
        return PronounLmModel(data.card, builder, model, candidates, self.options)


class PronounLmFamily(BaseFamily):
    name = "pronoun-lm"
    version = 1
    options = PronounLmOptions
    predictor_class = PronounLmPredictor

    def read(self, folder: ModelFolder) -> PronounLmModel:
        card, path = folder.card, folder.file(_CANDIDATES)
        content = read_json(path)
        options = self.options_of(folder)
        with parsing(path, "the candidates cannot be read"):
            candidates = {str(word): tuple(map(str, labels)) for word, labels in content.items()}
        every = candidates.get(_ANY, ())
        if not every or not set(every) <= set(card.classes) or len(set(every)) < len(every):
            raise damaged(path, "it has other classes")
        if not all(set(labels) <= set(every) for labels in candidates.values()):
            raise damaged(path, "a pronoun has a class that is not a candidate")
        builder = ContextBuilder(LanguagePair.parse(card.pair), card.forms, options.requirements)
        return PronounLmModel(card, builder, read_lm(folder.file(_MODEL)), candidates, options)


FAMILY = PronounLmFamily()
