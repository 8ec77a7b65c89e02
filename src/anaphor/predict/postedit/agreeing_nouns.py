"""The nearest noun before a pronoun that agrees with it: what a reader wants to see first."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from anaphor.analyse.gender import GenderReading, GenderTable
from anaphor.core import Analysis
from anaphor.languages import fold
from anaphor.predict.postedit.grammar import Features
from anaphor.predict.postedit.nouns import LinkedText, Noun, Occurrence

#: How many segments before are searched.
_BACK = 3

Analyse = Callable[[Sequence[str]], Analysis]


def agreeing_noun(
    occurrence: Occurrence, new: Features, text: LinkedText, *, nouns: GenderTable, analyse: Analyse
) -> Noun | None:
    """The noun, or None where none is near whose every known reading agrees.

    Nobody says that the predictor looked at it: it is what speaks for the new pronoun.
    """
    here = occurrence.pronoun.segment
    for segment in range(here, max(-1, here - _BACK - 1), -1):
        if not text.same_document(segment, other=here):
            return None
        words = text.candidate[segment].tokens
        end = occurrence.position if segment == here else len(words)
        tags = analyse(words).tags
        for place in range(end - 1, -1, -1):
            if tags[place] == "NOUN" and _agrees(words[place], new, nouns):
                return Noun(segment, words[place])
    return None


def _agrees(word: str, new: Features, nouns: GenderTable) -> bool:
    """Plural pronouns of German show no gender, so that number alone counts for them."""
    readings = nouns.readings(fold(word))
    return bool(readings) and all(_fits(reading, new) for reading in readings)


def _fits(reading: GenderReading, new: Features) -> bool:
    number = reading.number == ("p" if new.plural else "s")
    return number and (reading.gender == new.gender or (bool(new.plural) and new.gender == "n"))
