"""Nouns before a pronoun, nearest first, and what is known of their gender and number."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from anaphor.analyse.gender import GenderTable, gendered_languages, load_genders
from anaphor.predict.features.scene import Scene, Staged, Tokens

#: Said of a gender or a number that is not known.
UNKNOWN = "?"
#: What may stand between a determiner and its noun.
_BETWEEN = frozenset({"ADJ", "NUM", "ADV"})


class Noun(NamedTuple):
    """A noun on one side of a staged segment; `away` counts segments back."""

    staged: Staged
    tokens: Tokens
    place: int
    away: int

    @property
    def word(self) -> str:
        return self.tokens.words[self.place]

    @property
    def lemma(self) -> str:
        return self.tokens.lemmas[self.place]

    def gender(self) -> str:
        """`m`, `f`, `n`, several of them, or `UNKNOWN`."""
        return gender_of(self.tokens.language, self.word)

    def number(self) -> str:
        """`s`, `p`, or `UNKNOWN`; lemmas show none."""
        return number_of(self.tokens, self.place)

    def determiner(self) -> str:
        """The determiner before it, past up to two words; `-` where there is none."""
        return determiner_of(self.tokens, self.place)


def source_nouns(scene: Scene) -> Iterator[Noun]:
    """The source nouns before the pronoun, nearest first, through all segments of the scene."""
    yield from _nouns(scene.here, scene.here.source, scene.slot.source, 0)
    for away, staged in enumerate(scene.before, start=1):
        yield from _nouns(staged, staged.source, len(staged.source.words), away)


def target_nouns(scene: Scene) -> Iterator[Noun]:
    """The target nouns before the placeholder, nearest first, through all segments of the scene."""
    yield from _nouns(scene.here, scene.here.target, scene.slot.target, 0)
    for away, staged in enumerate(scene.before, start=1):
        yield from _nouns(staged, staged.target, len(staged.target.words), away)


def _nouns(staged: Staged, tokens: Tokens, end: int, away: int) -> Iterator[Noun]:
    for place in reversed(tokens.nouns):
        if place < end:
            yield Noun(staged, tokens, place, away)


def determiner_of(tokens: Tokens, place: int) -> str:
    """The determiner before a noun, past up to two words; `-` where there is none."""
    for before in range(place - 1, max(place - 4, -1), -1):
        tag = tokens.tags[before]
        if tag == "DET":
            return tokens.words[before]
        if tag not in _BETWEEN:
            break
    return "-"


@cache
def _table(language: str) -> GenderTable | None:
    return load_genders(language) if language in gendered_languages() else None


@cache
def gender_of(language: str, word: str) -> str:
    """The genders that a noun can have, in alphabetical order, or `UNKNOWN`."""
    table = _table(language)
    readings = table.readings(word) if table else frozenset()
    return "".join(sorted({reading.gender for reading in readings})) or UNKNOWN


def number_of(tokens: Tokens, place: int) -> str:
    """The number of a noun: English and Romance plurals differ from their lemma, German ones are listed."""
    if tokens.lemmas is tokens.words:
        return UNKNOWN
    if tokens.tags[place] == "PROPN":
        return "s"
    table = _table(tokens.language)
    if tokens.language == "de" and table is not None:
        numbers = {reading.number for reading in table.readings(tokens.words[place])}
        return numbers.pop() if len(numbers) == 1 else UNKNOWN
    return "s" if tokens.words[place] == tokens.lemmas[place] else "p"
