"""Nouns before a pronoun, nearest first, and what is known about their gender and number."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from anaphor.analyse.gender import GenderTable, gendered_languages, load_genders
from anaphor.predict.features.context import AnalysedSegment, SlotContext
from anaphor.predict.features.tokens import AnnotatedTokens

#: A gender or a number that is not known.
UNKNOWN = "?"
#: What may stand between a determiner and its noun, and from which distance on they do not belong together.
_BETWEEN = frozenset({"ADJ", "NUM", "ADV"})
_TOO_FAR = 4


class NounMention(NamedTuple):
    """A noun on one side of an analysed segment; `away` counts segments back."""

    analysed: AnalysedSegment
    tokens: AnnotatedTokens
    place: int
    away: int


class PrecedingTokens(NamedTuple):
    """One side of a segment and of those before it, the nearest first; the first one ends before `end`."""

    tokens: tuple[AnnotatedTokens, ...]
    end: int

    def nouns(self, most: int) -> list[tuple[AnnotatedTokens, int, int]]:
        """The nouns, nearest first: tokens, place, and how many segments back."""
        return self._nearest([tokens.nouns for tokens in self.tokens], most)

    def determiners(self, most: int) -> list[str]:
        """The determiners, nearest first."""
        found = self._nearest([tokens.determiners for tokens in self.tokens], most)
        return [tokens.word(place) for tokens, place, _ in found]

    def has(self, *, nouns: int, determiners: int) -> bool:
        """Whether there are so many nouns and determiners."""
        here, *others = self.tokens
        found_nouns = bisect_left(here.nouns, self.end) + sum(len(one.nouns) for one in others)
        found = bisect_left(here.determiners, self.end) + sum(len(one.determiners) for one in others)
        return found_nouns >= nouns and found >= determiners

    def _nearest(self, places: Sequence[Sequence[int]], most: int) -> list[tuple[AnnotatedTokens, int, int]]:
        found: list[tuple[AnnotatedTokens, int, int]] = []
        for away, (tokens, here) in enumerate(zip(self.tokens, places, strict=True)):
            last = len(here) if away else bisect_left(here, self.end)
            first = max(last - most + len(found), 0)
            found += [(tokens, place, away) for place in here[first:last][::-1]]
            if len(found) == most:
                break
        return found


def preceding_source(context: SlotContext) -> PrecedingTokens:
    """The source before the pronoun."""
    here, slot, _, before = context
    return PrecedingTokens((here.source, *[one.source for one in before]), slot.source)


def preceding_target(context: SlotContext) -> PrecedingTokens:
    """The target before the placeholder."""
    here, slot, _, before = context
    return PrecedingTokens((here.target, *[one.target for one in before]), slot.target)


def determiner_of(tokens: AnnotatedTokens, place: int) -> str:
    """The determiner of a noun, with at most two words between them; `-` where there is none."""
    determiners = tokens.determiners
    number = bisect_left(determiners, place)
    distance = place - determiners[number - 1] if number else _TOO_FAR
    if distance >= _TOO_FAR:
        return "-"
    for between in range(place - distance + 1, place):
        if tokens.tag(between) not in _BETWEEN:
            return "-"
    return tokens.word(place - distance)


@cache
def _table(language: str) -> GenderTable | None:
    return load_genders(language) if language in gendered_languages() else None


@cache
def gender_of(language: str, word: str) -> str:
    """The genders that a noun can have, in alphabetical order, or `UNKNOWN`."""
    table = _table(language)
    readings = table.readings(word) if table else frozenset()
    return "".join(sorted({reading.gender for reading in readings})) or UNKNOWN


def number_of(tokens: AnnotatedTokens, place: int) -> str:
    """The number of a noun: English and Romance plurals differ from their lemma, German ones are listed."""
    if not tokens.inflected:
        return UNKNOWN
    if tokens.tag(place) == "PROPN":
        return "s"
    if tokens.language == "de":
        return _listed_number(tokens.word(place))
    return "s" if tokens.word(place) == tokens.lemma(place) else "p"


@cache
def _listed_number(word: str) -> str:
    """The only number that a German noun can have, or `UNKNOWN`."""
    table = _table("de")
    numbers = {reading.number for reading in table.readings(word)} if table else set()
    return numbers.pop() if len(numbers) == 1 else UNKNOWN
