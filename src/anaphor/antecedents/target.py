"""Agreement in a language: genders and numbers of its nouns, determiners and pronouns.

English has no grammatical gender: its nouns name a man, a woman, a person, a thing, a group, or are
ambiguous, and *they* can refer to one person.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

from anaphor.analyse.gender import (
    GenderReading,
    GenderTable,
    Readings,
    load_genders,
    parse_readings,
    pronoun_readings,
)
from anaphor.antecedents.phrases import phrase_reader
from anaphor.core import UnknownNameError
from anaphor.languages import load_language

#: How many words before a noun its determiner is looked for: *die sehr kleine, alte Stadt*.
_DETERMINER_REACH = 4
#: The share of the evidence that must disagree with a personal form, so that it counts as wrong.
_UNANIMOUS = 0.9
_GENDERS = {"m": "masculine", "f": "feminine", "n": "neuter"}
#: What stands for genders in English.
_KINDS = {
    "m": "a man",
    "f": "a woman",
    "c": "a person",
    "n": "a thing",
    "g": "a group",
    "a": "an animal",
}


@dataclass(frozen=True, slots=True)
class Expectation:
    """What a candidate's pronoun should agree with: shares of readings, of an event, of nothing.

    `demonstrative` is the share of antecedents such as *this*, which name a thing or an event, and `unknown`
    the share with unknown gender. All shares sum to 1, except for antecedents too unlikely to be kept. A
    neutral form is never wrong if the pronoun names something, as in *they are the sounds of space*. `groups`
    is the share of singular nouns for groups, which *they* can refer to, `generic` that of unnamed people.
    """

    readings: Mapping[GenderReading, float]
    event: float
    pleonastic: float
    demonstrative: float
    unknown: float
    names_something: bool = False
    groups: float = 0.0
    generic: float = 0.0


@dataclass(frozen=True, slots=True)
class Agreement:
    """The probabilities that a pronoun agrees with its antecedent, disagrees, or cannot be compared; they sum
    to 1.
    """

    agree: float
    disagree: float
    unknown: float


def target_languages() -> tuple[str, ...]:
    """The target languages with known nouns and pronouns."""
    return tuple(_table())


@dataclass(frozen=True, slots=True)
class TargetLanguage:
    """Nouns, determiners and third-person pronouns of one target language."""

    code: str
    nouns: GenderTable
    determiners: Mapping[str, Readings]
    pronouns: Mapping[str, Readings]
    event: frozenset[str]
    pleonastic: frozenset[str]
    genderless: frozenset[str]
    personal: frozenset[str]
    capital_nouns: bool = False
    compounds: bool = False
    null_subjects: bool = False
    adverbs: frozenset[str] = frozenset()
    of: frozenset[str] = frozenset()
    people: frozenset[str] = frozenset()
    openers: frozenset[str] = frozenset()
    agreeing_endings: Mapping[str, Readings] = field(default_factory=dict)

    @classmethod
    def load(cls, code: str) -> TargetLanguage:
        """Load the shipped data of a language."""
        table = _table()
        if code not in table:
            raise UnknownNameError.among(code, table, kind="target language", where="agreement")
        return _load(code)

    def knows(self, form: str) -> bool:
        """Whether anything is known about a normalized form."""
        return form in self.pronouns or form in self.event or form in self.pleonastic

    def shows_gender(self, form: str) -> bool:
        """Whether a form tells the gender or number of its noun."""
        return form in self.pronouns and form not in self.genderless

    def noun_readings(self, tokens: Sequence[str], position: int) -> Readings:
        """The possible readings of the noun at a position, from its form, determiner and adjectives."""
        if reader := phrase_reader(self.code):
            return reader.answer(tokens, position).readings
        return self.listed_readings(tokens, position)

    def listed_readings(self, tokens: Sequence[str], position: int) -> Readings:
        """The possible readings of the noun according to `nouns` and `determiners` alone.

        The shipped predictors and the resolvers of other source languages were trained with these.
        """
        known = self.nouns.readings(tokens[position].casefold())
        before = tokens[max(0, position - _DETERMINER_REACH) : position]
        for distance, token in enumerate(reversed(before)):
            if allowed := self.determiners.get(token.lower()):
                # One right before the noun, or before its adjective, is surer than a list: *das Lernen*.
                return (known & allowed) or (allowed if distance < 2 else known or allowed)
            if not token[:1].isalpha():
                break
        return known

    def agreeing(self, word: str) -> Readings:
        """The genders and numbers that an adjective or participle shows by its ending."""
        form = word.lower()
        ends = (ending for ending in self.agreeing_endings if form.endswith(ending))
        return next((self.agreeing_endings[ending] for ending in ends), frozenset())

    def described(self, readings: Readings) -> str:
        """A description of readings: `masculine or neuter, plural`; in English `a person`, `a thing`,
        `plural`.
        """
        genders = sorted({reading.gender for reading in readings})
        plural = {reading.number for reading in readings} == {"p"}
        if self.code == "en":
            return (
                "plural"
                if plural
                else " or ".join(_KINDS[gender] for gender in genders) or "a person or a thing"
            )
        if plural and len(genders) == len(_GENDERS):
            # No plural of German shows a gender.
            return "plural"
        described = " or ".join(_GENDERS[gender] for gender in genders) or "gender unknown"
        return f"{described}, plural" if plural else described

    def agreement(self, form: str, expected: Expectation) -> Agreement:
        """How well a normalized form fits the expectation."""
        fitting = self.pronouns.get(form, frozenset())
        if not self.knows(form):
            return Agreement(0.0, 0.0, 1.0)
        nouns = sum(expected.readings.values())
        agree = sum(share for reading, share in expected.readings.items() if reading in fitting)
        # *this* and *that* name things and events about equally often.
        half = expected.demonstrative / 2
        unknown = expected.unknown + (half if form in self.event else 2 * half)
        if form in self.genderless:
            unknown += nouns - agree
        if form in self.event:
            agree += expected.event + half
        if form in self.pleonastic:
            agree += expected.pleonastic
        total = nouns + expected.event + expected.pleonastic
        total += expected.demonstrative + expected.unknown
        if total <= 0:
            return Agreement(0.0, 0.0, 1.0)
        disagree = max(0.0, total - agree - unknown)
        unsure = form in self.personal and disagree < _UNANIMOUS * total
        if unsure or (expected.names_something and form in self.event):
            disagree, unknown = 0.0, unknown + disagree
        return Agreement(agree / total, disagree / total, unknown / total)


@cache
def _table() -> dict[str, Any]:
    text = (files("anaphor.antecedents") / "target_languages.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


@cache
def _load(code: str) -> TargetLanguage:
    facts = _table()[code]
    if "nouns" in facts:
        nouns = GenderTable(_by_word(facts["nouns"]), _by_word(facts["endings"]))
    else:
        nouns = load_genders(code)
    pronouns = pronoun_readings(load_language(code), nouns.genders) | _by_word(facts.get("pronouns", {}))
    return TargetLanguage(
        code,
        nouns,
        _by_word(facts["determiners"]),
        pronouns,
        frozenset(facts["event"].split()),
        frozenset(facts["pleonastic"].split()),
        frozenset(facts["genderless"].split()),
        frozenset(facts.get("personal", "").split()),
        facts.get("capital_nouns", False),
        facts.get("compounds", False),
        facts.get("null_subjects", False),
        frozenset(facts.get("adverbs", "").split()),
        frozenset(facts.get("of", "").split()),
        frozenset(facts.get("people", "").split()),
        frozenset(facts.get("openers", "").split()),
        _by_word(facts.get("agreeing", {})),
    )


def _by_word(table: Mapping[str, str]) -> dict[str, Readings]:
    """Invert a mapping from readings to words."""
    return {word: parse_readings(readings) for readings, words in table.items() for word in words.split()}
