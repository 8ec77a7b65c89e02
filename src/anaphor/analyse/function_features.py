"""What stands around an *it*: the evidence for what the pronoun does.

The features of Loáiciga, Guillou and Hardmeier (2017) as far as a tagger without a tree can give them: words,
lemmas and tags nearby, the verb and what follows it, complement clauses, nouns and verbs before.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from anaphor.core import Analysis

_NEAR = 3
_REACH = 12
_NOUNS = frozenset({"NOUN", "PROPN"})
_VERBS = frozenset({"VERB", "AUX"})
_SKIPPED = frozenset({"ADV", "PART", "DET"})
# Verbs whose subject is as a rule no thing: *it seems that*, *it rains*.
_SEEMING = frozenset({"seem", "appear", "happen", "matter", "turn", "strike", "occur", "follow", "remain"})
_WEATHER = frozenset({"rain", "snow", "freeze", "thunder", "drizzle", "hail", "pour"})
_TIMES = frozenset(
    {
        "time",
        "year",
        "month",
        "week",
        "day",
        "hour",
        "minute",
        "late",
        "early",
        "o'clock",
        "while",
        "second",
        "midnight",
    }
)
_JUDGING = frozenset({"make", "find", "think", "consider", "take", "keep", "believe", "deem", "owe", "leave"})
_CLAUSE = frozenset({"that", "to", "for", "whether", "if", "how", "why", "what", "when", "who", "which"})


@dataclass(frozen=True, slots=True)
class AnalysedSentence:
    """The tokens of a sentence and what an analyser says of them."""

    tokens: tuple[str, ...]
    analysis: Analysis


def features_of(
    sentence: AnalysedSentence, position: int, before: AnalysedSentence | None
) -> tuple[str, ...]:
    """The features of the pronoun at a position, each once; `before` is the sentence before, if any."""
    look = _Look(sentence, position)
    found = [
        *look.nearby(),
        *look.role(),
        *look.predicate(),
        *look.complement(),
        *look.context(),
        *_previous(before),
    ]
    return tuple(dict.fromkeys(found))


class _Look:
    """One pronoun in its sentence; outside the sentence there is the token `-`."""

    def __init__(self, sentence: AnalysedSentence, position: int) -> None:
        self._words = [token.casefold() for token in sentence.tokens]
        self._analysis = sentence.analysis
        self._tags = sentence.analysis.tags
        self._lemmas = [lemma.casefold() for lemma in sentence.analysis.lemmas]
        self._at = position
        self._subject = position in sentence.analysis.subjects
        self._verb = self._main_verb()

    def nearby(self) -> Iterator[str]:
        """Words, lemmas and tags up to three places away, and pairs of the nearest ones."""
        for step in (*range(-_NEAR, 0), *range(1, _NEAR + 1)):
            word, lemma, tag = self._token(self._at + step)
            yield f"word{step:+d}={word}"
            yield f"lemma{step:+d}={lemma}"
            yield f"tag{step:+d}={tag}"
        (before, _, tag_before), (_, after, tag_after) = self._token(self._at - 1), self._token(self._at + 1)
        yield f"around={before}_{after}"
        yield f"tags={tag_before}_{tag_after}_{self._token(self._at + 2)[2]}"

    def role(self) -> Iterator[str]:
        """Subject or not, filler or not, first of its sentence or not, and what governs an object."""
        yield f"subject={self._subject}"
        yield f"expletive={self._at in self._analysis.expletives}"
        yield f"first={self._at == 0}"
        if not self._subject:
            _, lemma, tag = self._token(self._at - 1)
            yield f"governor={lemma}_{tag}"
            yield f"judged={lemma in _JUDGING}_{self._token(self._at + 1)[2]}"

    def predicate(self) -> Iterator[str]:
        """The verb that it is subject of, and the word that says something with *be*."""
        if self._verb is None:
            yield "verb=none"
            return
        lemma = self._lemmas[self._verb]
        yield f"verb={lemma}_{self._subject}"
        yield f"seeming={lemma in _SEEMING}"
        yield f"weather={lemma in _WEATHER}"
        said = self._said()
        if lemma == "be" and said is not None:
            yield f"said={self._lemmas[said]}"
            yield f"said.tag={self._tags[said]}"
            yield f"time={self._lemmas[said] in _TIMES or self._tags[said] == 'NUM'}"
            after = self._token(said + 1)
            yield f"said.then={self._tags[said]}_{after[0] if after[0] in _CLAUSE else after[2]}"

    def complement(self) -> Iterator[str]:
        """Words that open a clause soon after the pronoun, and the tag before each."""
        for place in range(self._at + 1, min(self._at + _REACH, len(self._words))):
            if self._tags[place] == "PUNCT" and self._words[place] in ".;:!?":
                return
            if self._words[place] in _CLAUSE:
                yield f"clause={self._words[place]}"
                yield f"clause.after={self._tags[place - 1]}_{self._words[place]}_{self._subject}"
                if self._words[place] == "to":
                    yield f"infinitive={self._token(place + 1)[2] in _VERBS}"

    def context(self) -> Iterator[str]:
        """Nouns, verbs and other *it* before the pronoun in its sentence."""
        before = self._tags[: self._at]
        nouns = [place for place, tag in enumerate(before) if tag in _NOUNS]
        yield f"nouns={min(len(nouns), 3)}"
        yield f"verbs={min(sum(tag in _VERBS for tag in before), 3)}"
        yield f"its={min(sum(word in ('it', 'its') for word in self._words[: self._at]), 2)}"
        if nouns:
            away = self._at - nouns[-1]
            yield f"noun.away={'near' if away < 4 else 'middle' if away < 9 else 'far'}"
            yield f"noun.subject={any(place in self._analysis.subjects for place in nouns)}"
        yield f"share={min(3, 4 * self._at // len(self._words))}"

    def _main_verb(self) -> int | None:
        """The first verb after a subject, the auxiliary *be* too; the nearest one before an object."""
        after = range(self._at + 1, min(self._at + 6, len(self._words)))
        before = range(self._at - 1, max(self._at - 6, -1), -1)
        for place in after if self._subject else before:
            if self._tags[place] == "VERB" or (self._tags[place] == "AUX" and self._lemmas[place] == "be"):
                return place
        return None

    def _said(self) -> int | None:
        """The word that *be* ascribes, past adverbs, negations and articles."""
        if self._verb is None:
            return None
        places = range(self._verb + 1, min(self._verb + 6, len(self._words)))
        return next((place for place in places if self._tags[place] not in _SKIPPED), None)

    def _token(self, place: int) -> tuple[str, str, str]:
        if 0 <= place < len(self._words):
            return self._words[place], self._lemmas[place], self._tags[place]
        return "-", "-", "-"


def _previous(before: AnalysedSentence | None) -> Iterator[str]:
    """How the sentence before looks: long or short, with or without a noun, a question or not."""
    if before is None or not before.tokens:
        yield "previous=none"
        return
    nouns = sum(tag in _NOUNS for tag in before.analysis.tags)
    yield f"previous.nouns={min(nouns, 4)}"
    yield f"previous.end={before.tokens[-1]}"
    yield f"previous.it={'it' in map(str.casefold, before.tokens)}"
