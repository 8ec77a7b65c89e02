"""Rules for two cases that a model of genders and numbers cannot know, in the spirit of IDIAP's.

The findings paper says what the rules are for (*on*, and untranslated pronouns) and that they look at source
and target patterns, not what these are. The patterns below are grammar, written for this package.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from anaphor.core import LanguagePair, Prediction, TaskSegment
from anaphor.predict.classic.option_family import OptionFamily
from anaphor.predict.classic.sparse import Doubles
from anaphor.predict.contract import ModelCard, Progress
from anaphor.predict.data import card_of, check_training, has_forms
from anaphor.predict.features.context import HIDDEN, NOUNS, Needs, Scene, Stage, Tokens
from anaphor.predict.features.nouns import gender_of, number_of
from anaphor.predict.features.syntax import head_of
from anaphor.predict.lm.file import read_lm
from anaphor.predict.lm.model import NgramModel
from anaphor.predict.lm.target_text import model_writer, trained_model
from anaphor.predict.model_folder import ModelFolder, damaged, save_model
from anaphor.predict.options import check_range, option, settings_of
from anaphor.task.classes import OTHER, TaskClasses

#: What people in general do: *they say*, *they call it*.
_GENERAL = frozenset({"say", "call", "tell", "name", "speak", "think", "believe", "expect", "teach", "ask"})
_ON = "on"
#: The classes that rules speak of.
RULED = (OTHER, _ON)
#: Tags that can follow a French or German subject: its verb, or what stands between the two.
_BEHIND_SUBJECT = frozenset({"VERB", "AUX", "PRON", "ADV", "PART", "PRT"})


def ruled(scene: Scene, labels: tuple[str, ...]) -> str | None:
    """The class that a rule gives, of those that can be predicted; None where no rule applies."""
    if OTHER in labels and is_untranslated(scene):
        return OTHER
    if _ON in labels and is_general(scene):
        return _ON
    return None


def is_general(scene: Scene) -> bool:
    """*They* with a verb of saying or naming, and no noun in the plural before it in its sentence."""
    source, at = scene.here.source, scene.slot.source
    if scene.pronoun != "they" or at >= len(source.tags):
        return False
    head, _ = head_of(source, at)
    plural = any(
        tag == "NOUN" and word != lemma
        for tag, word, lemma in zip(source.tags[:at], source.words[:at], source.lemmas[:at], strict=True)
    )
    return head is not None and source.lemmas[head] in _GENERAL and not plural


def is_untranslated(scene: Scene) -> bool:
    """No link between pronoun and placeholder, or no place for a subject: nothing like a verb behind it."""
    slot, target = scene.slot, scene.here.target
    if slot.target not in scene.here.segment.alignment.targets_of(slot.source):
        return True
    behind = target.tags[slot.target + 1 : slot.target + 2]
    subject = slot.source in scene.here.source.analysis.subjects
    return not subject and not (behind and behind[0] in _BEHIND_SUBJECT)


VERSION = 1
_NAME = "pronoun-lm"
_MODEL, _CANDIDATES = "pronouns.lm", "candidates.json"
_BATCH = 2000
_RARE = 0.01  # of the slots of a source pronoun
_ANY = ""  # stands for source pronouns that training never had
#: Gender and number of the pronouns that show them.
_PRONOUNS: Mapping[str, Mapping[str, str]] = {
    "fr": {"il": "ms", "elle": "fs", "ils": "mp", "elles": "fp", "lui": "ms", "eux": "mp"},
    "de": {"er": "ms", "sie": "fs", "es": "ns"},
    "en": {"he": "ms", "she": "fs", "it": "ns", "they": "?p"},
}

Candidates = Mapping[str, tuple[str, ...]]
"""The classes that can translate a source pronoun, and under `_ANY` all classes seen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What the model looks at, and whether rules go first."""

    order: int = option(4, "the pronoun and how many nouns and pronouns before it")
    sentences: int = option(3, "segments before this one that are looked at")
    rules: bool = option(True, "on and OTHER are said by rules, and by rules alone")

    def __post_init__(self) -> None:
        check_range(self.order, least=2, most=6, name="order", where="options.order")
        check_range(self.sentences, least=0, most=20, name="sentences", where="options.sentences")

    @property
    def needs(self) -> Needs:
        return Needs(source=self.rules, target=True, sentences=self.sentences)


def codes_of(scene: Scene, most: int) -> tuple[str, ...]:
    """Gender and number of the last nouns and pronouns before the placeholder, in the order of the text."""
    nearest = islice(_codes(scene), most)
    return tuple(nearest)[::-1]


def _codes(scene: Scene) -> Iterator[str]:
    """Nearest first."""
    yield from _of_tokens(scene.here.target, scene.slot.target)
    for staged in scene.before:
        yield from _of_tokens(staged.target, len(staged.target.words))


def _of_tokens(tokens: Tokens, end: int) -> Iterator[str]:
    pronouns = _PRONOUNS.get(tokens.language, {})
    for place in range(end - 1, -1, -1):
        word = tokens.words[place]
        if word == HIDDEN:
            yield HIDDEN
        elif tokens.tags[place] in NOUNS:
            yield gender_of(tokens.language, word) + number_of(tokens, place)
        elif word in pronouns and tokens.tags[place] == "PRON":
            yield pronouns[word]


@dataclass(frozen=True, slots=True, eq=False)
class PronounModel:
    """A model of the pronouns behind codes, and the candidates of each source pronoun."""

    card: ModelCard
    stage: Stage
    model: NgramModel
    candidates: Candidates
    options: Options

    def predict(self, segments: Sequence[TaskSegment]) -> Iterator[tuple[Prediction, ...]]:
        """The likeliest pronoun, unless a rule says another one."""
        found = self._predictions(segments)
        for segment in segments:
            yield tuple(next(found) for _ in segment.slots)

    def _predictions(self, segments: Sequence[TaskSegment]) -> Iterator[Prediction]:
        labels = self.candidates[_ANY]
        scenes = self.stage.scenes(segments)
        while batch := list(islice(scenes, _BATCH)):
            for scene, scored in zip(batch, self._shares(batch, labels), strict=True):
                shares = self._allowed(scene, dict(zip(labels, scored.tolist(), strict=True)))
                best = max(shares, key=lambda label: shares[label])
                rule = ruled(scene, labels) if self.options.rules else None
                if rule is not None:  # half for what it says, so that the rest stays in proportion
                    shares = {label: share / 2 for label, share in shares.items()}
                    shares[rule] = shares.get(rule, 0.0) + 0.5
                yield Prediction(rule or best, tuple(shares.get(one, 0.0) for one in self.card.classes))

    def _allowed(self, scene: Scene, shares: Mapping[str, float]) -> dict[str, float]:
        """The shares of the candidates among themselves; all classes are candidates where none is left."""
        candidates = self.candidates.get(scene.pronoun, self.candidates[_ANY])
        if self.options.rules:
            candidates = tuple(label for label in candidates if label not in RULED)
        kept = {label: shares[label] for label in candidates or shares}
        total = sum(kept.values())
        return {label: share / total for label, share in kept.items()}

    def _shares(self, scenes: Sequence[Scene], labels: Sequence[str]) -> Doubles:
        lines = [(*codes_of(one, self.options.order - 1), label) for one in scenes for label in labels]
        scores = np.array([values[-2] for values in self.model.score_all(lines)], np.float64)
        powers = 10.0 ** scores.reshape(len(scenes), len(labels))
        shares: Doubles = powers / powers.sum(axis=1, keepdims=True)
        return shares

    def save(self, folder: Path) -> None:
        """Write the model and the classes seen."""
        save_model(folder, self.card, {_MODEL: model_writer(self.model), _CANDIDATES: self._write})

    def _write(self, path: Path) -> None:
        path.write_text(json.dumps(self.candidates, ensure_ascii=False) + "\n", encoding="utf-8")


def _candidates(
    segments: Sequence[TaskSegment], labels: tuple[str, ...], pronouns: tuple[str, ...]
) -> Candidates:
    """For each source pronoun the classes that are not rare for it, and under `_ANY` all that occur."""
    counts: dict[str, Counter[str]] = {}
    for segment in segments:
        for slot in segment.slots:
            word = segment.source[slot.source].lower()
            if word in pronouns:
                counts.setdefault(word, Counter())[str(slot.label)] += 1
    found = {
        word: tuple(label for label in labels if seen[label] >= max(_RARE * seen.total(), 1))
        for word, seen in sorted(counts.items())
    }
    return {_ANY: labels, **found}


@dataclass(frozen=True, slots=True)
class PronounPredictor:
    """The recipe of a pronoun model."""

    recipe: str
    options: Options
    settings: Mapping[str, Any]

    def fit(
        self,
        segments: Sequence[TaskSegment],
        *,
        classes: TaskClasses,
        dev: Sequence[TaskSegment] = (),
        seed: int = 1,  # noqa: ARG002 - nothing is drawn
        progress: Progress | None = None,
    ) -> PronounModel:
        """Count pronouns behind codes; `dev` is not looked at."""
        labels = check_training(segments, classes)
        if progress:
            progress(0.1, "looking at nouns")
        stage = Stage(classes.pair, has_forms(segments), self.options.needs)
        most = self.options.order - 1
        lines = (" ".join((*codes_of(one, most), str(one.slot.label))) for one in stage.scenes(segments))
        model = trained_model(lines, order=self.options.order)
        card = card_of(self, segments, dev, classes, family=_NAME, version=VERSION)
        candidates = _candidates(segments, labels, classes.source_pronouns)
        return PronounModel(card, stage, model, candidates, self.options)


def _load(folder: ModelFolder) -> PronounModel:
    card = folder.card
    options = settings_of(Options, card.options.get("options", {}), where=str(folder.path))
    stage = Stage(LanguagePair.parse(card.pair), card.forms, options.needs)
    model = read_lm(folder.file(_MODEL))
    return PronounModel(card, stage, model, _read(folder.file(_CANDIDATES), card.classes), options)


def _read(path: Path, classes: tuple[str, ...]) -> Candidates:
    try:
        found = {str(word): tuple(map(str, labels)) for word, labels in json.loads(path.read_bytes()).items()}
    except (ValueError, TypeError, AttributeError, RecursionError):
        raise damaged(path, "the candidates cannot be read") from None
    if not found.get(_ANY) or not all(set(labels) <= set(classes) for labels in found.values()):
        raise damaged(path, "it has other classes")
    return found


FAMILY = OptionFamily(_NAME, VERSION, Options, PronounPredictor, _load)
