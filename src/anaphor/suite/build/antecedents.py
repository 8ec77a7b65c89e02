"""Antecedents: the head of an annotated one, and a guess at what an unannotated *it* or *they* refers to."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files

from anaphor.analyse.function import AnalysedSentence
from anaphor.core import Analysis

_NOUNS = frozenset({"NOUN", "PROPN"})
_SENTENCES_BACK = 2
_INSIDE_NOUN_PHRASE = frozenset({"DET", "ADJ", "NUM", "NOUN", "PROPN", "PRON"})
# What ends the part of an English noun phrase whose last noun is the head.
_CLOSING = frozenset({"ADP", "SCONJ", "VERB", "AUX", "CCONJ", "PUNCT"})
_WITHOUT_NOUN = ("PRON", "NUM", "ADJ", "DET", "VERB")


#: Word lists of the rules for English, by name.
ENGLISH = {
    name: frozenset(words.split())
    for name, words in tomllib.loads(
        (files("anaphor.suite.build") / "english.toml").read_text(encoding="utf-8")
    ).items()
}


def head_of(analysis: Analysis, tokens: Sequence[str], positions: Sequence[int]) -> int | None:
    """The head of a mention, with which a pronoun agrees (protest-2016, section 5.1), or None.

    With a dependency tree it is the word whose own head lies outside; without one, rules of English word
    order find it: the last noun before a preposition, a clause, a conjunction or a comma.
    """
    if analysis.tree is not None:
        inside = set(positions)
        return next((at for at in positions if analysis.tree.heads[at] not in inside), None)
    end = len(positions)
    seen = False
    for number, position in enumerate(positions):
        tag = analysis.tags[position]
        if seen and (tag in _CLOSING or tokens[position].casefold() in ENGLISH["relative"]):
            end = number
            break
        seen = seen or tag in _NOUNS
    core = positions[:end]
    nouns = [position for position in core if analysis.tags[position] in _NOUNS]
    if nouns:
        quantity = analysis.lemmas[nouns[-1]].casefold() in ENGLISH["quantities"]
        if quantity and end < len(positions) - 1 and tokens[positions[end]].casefold() == "of":
            counted = head_of(analysis, tokens, positions[end + 1 :])
            return nouns[-1] if counted is None else counted
        return nouns[-1]
    others = [position for tag in _WITHOUT_NOUN for position in core if analysis.tags[position] == tag]
    return others[0] if others else None


@dataclass(frozen=True, slots=True)
class FoundAntecedent:
    """A noun before the pronoun: its segment and token, the pronoun's number, whether it names a group."""

    segment: int
    position: int
    number: str
    group: bool


def find_antecedent(
    sentences: Sequence[AnalysedSentence], segment: int, position: int, *, plural: bool
) -> FoundAntecedent | None:
    """The best noun that fits in number, in this sentence or else in the nearest of the two before it.

    The last subject, or else the last noun that no preposition governs, or else the last noun.
    """
    for number in range(segment, max(segment - _SENTENCES_BACK - 1, -1), -1):
        sentence = sentences[number]
        end = position if number == segment else len(sentence.tokens)
        fitting = [at for at in range(end) if _fits(sentence, at, end, plural=plural)]
        if fitting:
            subjects = [at for at in fitting if at in sentence.analysis.subjects]
            free = [at for at in fitting if not _is_governed(sentence, at)]
            best = (subjects or free or fitting)[-1]
            lemma = sentence.analysis.lemmas[best].casefold()
            one = not plural or (lemma in ENGLISH["anyone"] and not _is_plural(sentence, best))
            return FoundAntecedent(number, best, "singular" if one else "plural", lemma in ENGLISH["groups"])
    return None


def _fits(sentence: AnalysedSentence, at: int, end: int, *, plural: bool) -> bool:
    """Whether a noun at the end of its phrase, or a word such as *anyone*, has the number of the pronoun."""
    tags, lemma = sentence.analysis.tags, sentence.analysis.lemmas[at].casefold()
    closes_phrase = tags[at] in _NOUNS and not (at + 1 < end and tags[at + 1] in _NOUNS)
    anyone = sentence.tokens[at].casefold() in ENGLISH["anyone"]
    if lemma in ENGLISH["seldom"] or not (closes_phrase or anyone):
        return False
    if plural:
        return _is_plural(sentence, at) or lemma in ENGLISH["groups"] | ENGLISH["anyone"]
    return not _is_plural(sentence, at) and lemma not in ENGLISH["anyone"]


def _is_governed(sentence: AnalysedSentence, at: int) -> bool:
    """Whether a preposition precedes the noun, with only words of its phrase between."""
    before = at - 1
    while before >= 0 and sentence.analysis.tags[before] in _INSIDE_NOUN_PHRASE:
        before -= 1
    return before >= 0 and sentence.analysis.tags[before] == "ADP"


def _is_plural(sentence: AnalysedSentence, at: int) -> bool:
    """A noun in another form than its lemma; *people* is its own lemma and plural."""
    word = sentence.tokens[at].casefold()
    return word == "people" or (
        sentence.analysis.tags[at] == "NOUN" and word != sentence.analysis.lemmas[at].casefold()
    )
