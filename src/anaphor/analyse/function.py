"""The function of an English *it*: anaphoric, event or pleonastic.

The features are those of Loáiciga, Guillou and Hardmeier (2017) as far as a tagger without a tree can provide
them: nearby words, lemmas and tags, the verb and what follows it, complement clauses, preceding nouns and
verbs. The classifier is small and often wrong about events; `docs/suites/function-of-it.md` has its figures.
Results that depend on it are marked as automatic, for annotators to confirm.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import chain, compress, product, repeat
from operator import add
from pathlib import Path
from typing import NamedTuple

import numpy as np

from anaphor.core import Analysis, InputError, digest
from anaphor.core.array_types import Doubles
from anaphor.core.learned import learned_folder
from anaphor.core.text import NOUNS, VERBS
from anaphor.corpus.text import read_bytes
from anaphor.files.writing import write_atomically

_NEAR = 3
_REACH = 12
#: Padding on either side of a sentence.
_EDGE = ("-",) * _NEAR
_STEPS = (*range(-_NEAR, 0), *range(1, _NEAR + 1))
#: Names of the features of nearby tokens, in their order.
_NEARBY = tuple(f"{what}{step:+d}=" for step in _STEPS for what in ("word", "lemma", "tag"))
#: Everything that folds to *it* or *its*: looked up unfolded, because folding takes longer.
_IT = frozenset(map("".join, product("iI", "tT")))
_ITS = _IT | frozenset(map("".join, product(_IT, "sSſ")))
_SKIPPED = frozenset({"ADV", "PART", "DET"})
# Verbs whose subject is rarely a thing: *it seems that*, *it rains*.
_SEEMING = frozenset({"seem", "appear", "happen", "matter", "turn", "strike", "occur", "follow", "remain"})
_WEATHER = frozenset({"rain", "snow", "freeze", "thunder", "drizzle", "hail", "pour"})
_CLOCK = frozenset({"time", "hour", "minute", "second", "o'clock", "midnight", "late", "early", "while"})
_TIMES = _CLOCK | {"year", "month", "week", "day"}
_JUDGING = frozenset({"make", "find", "think", "consider", "take", "keep", "believe", "deem", "owe", "leave"})
_CLAUSE = frozenset({"that", "to", "for", "whether", "if", "how", "why", "what", "when", "who", "which"})


class AnalysedSentence(NamedTuple):
    """The tokens of a sentence and their analysis."""

    tokens: tuple[str, ...]
    analysis: Analysis


def features_of(
    sentence: AnalysedSentence, position: int, before: AnalysedSentence | None
) -> tuple[str, ...]:
    """The features of the pronoun at a position, each once; `before` is the preceding sentence, if any."""
    pronoun = _PronounContext(sentence, position)
    if before is None or not before.tokens:
        previous = ["previous=none"]
    else:
        nouns = sum(map(NOUNS.__contains__, before.analysis.tags))
        previous = [
            f"previous.nouns={min(nouns, 4)}",
            f"previous.end={before.tokens[-1]}",
            f"previous.it={not _IT.isdisjoint(before.tokens)}",
        ]
    return (
        *pronoun.nearby(),
        *pronoun.role(),
        *pronoun.predicate(),
        *dict.fromkeys(pronoun.complement()),  # only these can occur twice
        *pronoun.context(),
        *previous,
    )


class _PronounContext:
    """One pronoun in its padded sentence: all positions are shifted by the length of the padding.

    There are many instances, so case is folded only where it matters.
    """

    def __init__(self, sentence: AnalysedSentence, position: int) -> None:
        self._analysis = sentence.analysis
        self._tokens = _EDGE + sentence.tokens + _EDGE
        self._lemmas = _EDGE + sentence.analysis.lemmas + _EDGE
        self._tags = _EDGE + sentence.analysis.tags + _EDGE
        self._position = position
        self._at = position + _NEAR
        self._end = len(sentence.tokens) + _NEAR
        self._subject = position in sentence.analysis.subjects
        self._verb = self._main_verb()

    def nearby(self) -> list[str]:
        """Words, lemmas and tags up to three positions away, and pairs of the nearest ones."""
        left, right = slice(self._at - _NEAR, self._at), slice(self._at + 1, self._at + 1 + _NEAR)
        words = [*map(str.casefold, self._tokens[left] + self._tokens[right])]
        lemmas = [*map(str.casefold, self._lemmas[left] + self._lemmas[right])]
        tags = self._tags[left] + self._tags[right]
        features = [*map(add, _NEARBY, chain.from_iterable(zip(words, lemmas, tags, strict=True)))]
        features.append(f"around={words[_NEAR - 1]}_{lemmas[_NEAR]}")
        features.append(f"tags={tags[_NEAR - 1]}_{tags[_NEAR]}_{tags[_NEAR + 1]}")
        return features

    def role(self) -> list[str]:
        """Whether it is a subject, an expletive, the first token; and what governs an object."""
        expletive = self._position in self._analysis.expletives
        features = [f"subject={self._subject}", f"expletive={expletive}", f"first={self._position == 0}"]
        if not self._subject:
            lemma = self._lemmas[self._at - 1].casefold()
            features.append(f"governor={lemma}_{self._tags[self._at - 1]}")
            features.append(f"judged={lemma in _JUDGING}_{self._tags[self._at + 1]}")
        return features

    def predicate(self) -> list[str]:
        """The verb that it is the subject of, and the predicate of *be*."""
        if self._verb is None:
            return ["verb=none"]
        lemma = self._lemmas[self._verb].casefold()
        features = [
            f"verb={lemma}_{self._subject}",
            f"seeming={lemma in _SEEMING}",
            f"weather={lemma in _WEATHER}",
        ]
        # The predicate of *be*, after adverbs, negations and articles.
        after = range(self._verb + 1, min(self._verb + 6, self._end)) if lemma == "be" else ()
        predicative = next((place for place in after if self._tags[place] not in _SKIPPED), None)
        if predicative is not None:
            lemma, tag = self._lemmas[predicative].casefold(), self._tags[predicative]
            word = self._tokens[predicative + 1].casefold()
            features.append(f"said={lemma}")
            features.append(f"said.tag={tag}")
            features.append(f"time={lemma in _TIMES or tag == 'NUM'}")
            features.append(f"said.then={tag}_{word if word in _CLAUSE else self._tags[predicative + 1]}")
        return features

    def complement(self) -> list[str]:
        """Words that open a clause soon after the pronoun, and the tag before each."""
        features: list[str] = []
        tags = self._tags
        soon = self._tokens[self._at + 1 : min(self._at + _REACH, self._end)]
        for place, word in enumerate(map(str.casefold, soon), start=self._at + 1):
            if tags[place] == "PUNCT" and word in ".;:!?":
                break
            if word in _CLAUSE:
                features.append(f"clause={word}")
                features.append(f"clause.after={tags[place - 1]}_{word}_{self._subject}")
                if word == "to":
                    features.append(f"infinitive={tags[place + 1] in VERBS}")
        return features

    def context(self) -> list[str]:
        """Nouns, verbs and other *it* before the pronoun in its sentence."""
        before = self._tags[_NEAR : self._at]
        nouns = [*compress(range(len(before)), map(NOUNS.__contains__, before))]
        verbs = sum(map(VERBS.__contains__, before))
        its = sum(map(_ITS.__contains__, self._tokens[_NEAR : self._at]))
        features = [f"nouns={min(len(nouns), 3)}", f"verbs={min(verbs, 3)}", f"its={min(its, 2)}"]
        if nouns:
            away = self._position - nouns[-1]
            features.append(f"noun.away={'near' if away < 4 else 'middle' if away < 9 else 'far'}")
            features.append(f"noun.subject={not self._analysis.subjects.isdisjoint(nouns)}")
        features.append(f"share={min(3, 4 * self._position // (self._end - _NEAR))}")
        return features

    def _main_verb(self) -> int | None:
        """The first verb after a subject, the auxiliary *be* too; the nearest one before an object."""
        after = range(self._at + 1, min(self._at + 6, self._end))
        before = range(self._at - 1, max(self._at - 6, _NEAR - 1), -1)
        for place in after if self._subject else before:
            tag = self._tags[place]
            if tag == "VERB" or (tag == "AUX" and self._lemmas[place].casefold() == "be"):
                return place
        return None


FORMAT = "anaphor-maxent/1"


@dataclass(frozen=True, eq=False)
class MaxentModel:
    """Weights of every feature for each label; `bias` is always added; an unknown feature has no weight."""

    labels: tuple[str, ...]
    bias: tuple[float, ...]
    weights: Mapping[str, tuple[float, ...]]

    def probabilities(self, instances: Iterable[Iterable[str]]) -> Doubles:
        """The probability of each label for each instance, one row per instance."""
        numbers, table = self._table
        rows = [[1, *map(numbers.get, features, repeat(0))] for features in instances]
        longest = max(map(len, rows), default=0)
        filled = [row + [0] * (longest - len(row)) for row in rows]
        places = np.array(filled, np.int64).reshape(len(rows), longest)
        scores = table[places].sum(axis=1)
        powers: Doubles = np.exp(scores - scores.max(axis=1, keepdims=True))
        shares: Doubles = powers / powers.sum(axis=1, keepdims=True)
        return shares

    @cached_property
    def _table(self) -> tuple[dict[str, int], Doubles]:
        """The row of each feature in a table that begins with an unknown feature and the bias."""
        numbers = {name: number for number, name in enumerate(self.weights, start=2)}
        return numbers, np.array([[0.0] * len(self.labels), self.bias, *self.weights.values()])

    def digest(self) -> str:
        """The digest of the file that this model is written to."""
        return digest([_text(self).encode()])


def write_maxent(path: Path, model: MaxentModel) -> None:
    """Write a file that can be compared line by line: one feature per line, in alphabetical order."""
    write_atomically(path, _text(model))


def read_maxent(path: Path) -> MaxentModel:
    """The model in a file; an invalid file is an `InputError`."""
    try:
        content = json.loads(read_bytes(path))
        model = MaxentModel(
            tuple(map(str, content["labels"])),
            tuple(map(float, content["bias"])),
            {str(name): tuple(map(float, row)) for name, row in content["weights"].items()},
        )
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError) as error:
        raise _damaged(path, type(error).__name__) from None
    rows = [model.bias, *model.weights.values()]
    if content.get("format") != FORMAT or len(set(model.labels)) < 2:
        raise _damaged(path, f"its format is not {FORMAT}, or it has no labels")
    if any(len(row) != len(model.labels) or not all(map(math.isfinite, row)) for row in rows):
        raise _damaged(path, "a row does not have a finite weight for every label")
    return model


def _text(model: MaxentModel) -> str:
    head = {"format": FORMAT, "labels": model.labels, "bias": model.bias}
    lines = [f"{json.dumps(key)}: {json.dumps(value)}," for key, value in head.items()]
    rows = [
        f"{json.dumps(name, ensure_ascii=False)}: {json.dumps(model.weights[name])}"
        for name in sorted(model.weights)
    ]
    return "\n".join(["{", *lines, '"weights": {', ",\n".join(rows), "}}", ""])


def _damaged(path: Path, why: str) -> InputError:
    return InputError(
        f"not a classifier, or a damaged one ({why})",
        where=str(path),
        fix="reinstall anaphor, or rebuild the model with tools/make_function_model.py",
    )


FUNCTIONS = ("anaphoric", "event", "pleonastic")


class ItPosition(NamedTuple):
    """A token of a sentence, and the preceding sentence, if any."""

    sentence: AnalysedSentence
    position: int
    before: AnalysedSentence | None


class FunctionGuess(NamedTuple):
    """The most probable function, and its probability."""

    function: str
    probability: float


class FunctionClassifier:
    """Predicts the function of *it*."""

    def __init__(self, model: MaxentModel) -> None:
        self._model = model

    @classmethod
    @cache
    def built_in(cls) -> FunctionClassifier:
        """The shipped classifier, loaded once."""
        return cls(read_maxent(learned_folder("analyse/models/function-of-it") / "weights.en.json"))

    def digest(self) -> str:
        """Identifies the model by its content."""
        return self._model.digest()

    def guess(self, sentences: Sequence[AnalysedSentence], segment: int, position: int) -> FunctionGuess:
        """The function of the token at a position of a segment of a document."""
        before = sentences[segment - 1] if segment else None
        return self.guess_all([ItPosition(sentences[segment], position, before)])[0]

    def guess_all(self, places: Sequence[ItPosition]) -> list[FunctionGuess]:
        """The function of each of many tokens."""
        shares = self._model.probabilities(features_of(*place) for place in places)
        labels = map(self._model.labels.__getitem__, shares.argmax(axis=1).tolist())
        return [*map(FunctionGuess, labels, shares.max(axis=1).tolist())]
