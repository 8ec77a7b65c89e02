"""Nouns before a pronoun, nearest first, and what is known of their gender and number."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from typing import NamedTuple, TypeAlias

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


Side: TypeAlias = tuple[Staged, Tokens, int]
"""One side of a staged segment, and where it ends: at the pronoun, or behind the last token."""


def source_sides(scene: Scene) -> list[Side]:
    """The source before the pronoun, the nearest segment first."""
    before = [(staged, staged.source, len(staged.source.words)) for staged in scene.before]
    return [(scene.here, scene.here.source, scene.slot.source), *before]


def target_sides(scene: Scene) -> list[Side]:
    """The target before the placeholder, the nearest segment first."""
    before = [(staged, staged.target, len(staged.target.words)) for staged in scene.before]
    return [(scene.here, scene.here.target, scene.slot.target), *before]


def nouns_of(sides: Iterable[Side]) -> Iterator[Noun]:
    """The nouns of sides, nearest first."""
    for away, (staged, tokens, end) in enumerate(sides):
        for place in reversed(tokens.nouns):
            if place < end:
                yield Noun(staged, tokens, place, away)


def determiners_of(sides: Iterable[Side], most: int) -> list[str]:
    """The determiners of sides, nearest first."""
    found: list[str] = []
    for _, tokens, end in sides:
        tags = tokens.tags
        for place in range(min(end, len(tags)) - 1, -1, -1):
            if len(found) == most:
                return found
            if tags[place] == "DET":
                found.append(tokens.words[place])
    return found


def determiner_of(tokens: Tokens, place: int) -> str:
    """The determiner before a noun, past up to two words; `-` where there is none."""
    tags = tokens.tags
    for before in range(place - 1, max(place - 4, -1), -1):
        if tags[before] == "DET":
            return tokens.words[before]
        if tags[before] not in _BETWEEN:
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
