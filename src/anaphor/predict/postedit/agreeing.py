"""Words that may have to agree with a new subject. They are named, never changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from anaphor.core import Analysis
from anaphor.languages import fold
from anaphor.predict.postedit.french_words import COPULAS, PLURAL_IS
from anaphor.predict.postedit.grammar import Features
from anaphor.predict.postedit.nouns import Occurrence

_VERBAL = frozenset(["VERB", "AUX"])
_PREDICATIVE = frozenset(["ADJ", "VERB"])
_BETWEEN = frozenset(["ADV", "PRON", "PART"])
_FARTHEST = 4
#: Masculine and feminine endings of adjectives and participles, the longest first; others add an e.
_FEMININE = (("eux", "euse"), ("if", "ive"), ("er", "ère"), ("el", "elle"), ("en", "enne"), ("on", "onne"))


def agreement_warnings(
    occurrence: Occurrence, old: Features, new: Features, analysis: Analysis, *, language: str
) -> tuple[str, ...]:
    """What a reader should look at: the verb if the number changes; in French also adjectives."""
    verb = _verb(occurrence, analysis)
    word = "the verb" if verb is None else occurrence.sentence.tokens[verb]
    # The verb of a pronoun of either number shows which it is: c'est, ce sont.
    was_plural = fold(word) in PLURAL_IS if old.plural is None else old.plural
    found = []
    if new.plural is not None and new.plural != was_plural:
        found.append(f"the number changes to {'plural' if new.plural else 'singular'}: {word}?")
    if language == "fr" and verb is not None and _marks(old) != _marks(new):
        found += _predicates(occurrence, verb, analysis, new)
    return tuple(found)


def _marks(features: Features) -> tuple[bool, bool]:
    """What an adjective shows: number, and whether it is feminine."""
    return bool(features.plural), features.gender == "f"


def _verb(occurrence: Occurrence, analysis: Analysis) -> int | None:
    """The nearest verb behind a pronoun, or just before one that is written onto it."""
    token = occurrence.token
    if occurrence.word.startswith("-"):
        return token - 1
    behind = range(token + 1, min(token + 1 + _FARTHEST, len(analysis.tags)))
    verbs = (place for place in behind if analysis.tags[place] in _VERBAL)
    # Without a tag to tell, the next word is the likeliest verb.
    return next(verbs, behind[0] if behind else None)


def _predicates(occurrence: Occurrence, verb: int, analysis: Analysis, new: Features) -> Iterator[str]:
    """An adjective or participle behind être and its like."""
    words: Sequence[str] = occurrence.sentence.tokens
    behind = [
        place for place in range(verb, min(verb + _FARTHEST + 1, len(words))) if place != occurrence.token
    ]
    if not any(fold(words[place]) in COPULAS for place in behind[:3]):
        return
    for place in behind[1:]:
        tag, folded = analysis.tags[place], fold(words[place])
        if tag in _PREDICATIVE and folded not in COPULAS:
            if (better := inflected(folded, new)) != folded:
                yield f"agreement: {words[place]} -> {better}?"
            return
        if tag not in _BETWEEN and folded not in COPULAS:
            return


def inflected(word: str, new: Features) -> str:
    """A guess at the form of an adjective or participle that agrees; good enough for a question."""
    stem = word[:-1] if word.endswith("s") and not word.endswith(("is", "os", "us")) else word
    stem = _to_feminine(stem) if new.gender == "f" else _to_masculine(stem)
    return f"{stem}s" if new.plural and not stem.endswith(("s", "x")) else stem


def _to_feminine(word: str) -> str:
    for masculine, feminine in _FEMININE:
        if word.endswith(masculine):
            return word.removesuffix(masculine) + feminine
    return word if word.endswith("e") else f"{word}e"


def _to_masculine(word: str) -> str:
    for masculine, feminine in _FEMININE:
        if word.endswith(feminine):
            return word.removesuffix(feminine) + masculine
    return word.removesuffix("e") if word.endswith(("ée", "ie", "ue", "ite", "rte", "nte", "nde")) else word
