"""What an antecedent became in a translation, and whether the translation's pronoun agrees with it.

A reference cannot tell: if a system writes *die Pflanze*, the pronoun must be *sie*, whatever the reference
has (guillou-hardmeier-2018, section 6). Here the antecedents of the source pronoun are followed through the
word alignment into the candidate's own text, their gender and number is read off nouns and determiners
there, and the candidate's pronoun is compared with that.
"""

from __future__ import annotations

import tomllib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
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
from anaphor.antecedents.mentions import RESOLVED, Mention
from anaphor.antecedents.resolver import Place, ResolvedDocument
from anaphor.core import Alignment, UnknownNameError
from anaphor.languages import load_language

#: How many words before a noun its determiner is looked for: *die sehr kleine, alte Stadt*.
_DETERMINER_REACH = 4
#: How much the form of an earlier pronoun of the same chain tells beside the nouns that the chain leads to.
#: Chosen between 0 and 0.75 on contrastive items: the form helps where no noun is near, but it may itself
#: be wrong.
_CHAIN_FORM = 0.5


@dataclass(frozen=True, slots=True)
class Expectation:
    """What a pronoun of the candidate should agree with: shares of readings, of an event, of nothing.

    `demonstrative` is the share of antecedents such as *this*, which name a thing or an event, and
    `unknown` of those whose gender is not known here. All shares sum to 1, up to antecedents that were too
    unlikely to be kept. A neutral form is never wrong where the pronoun names something, as in *they are the
    sounds of space*.
    """

    readings: Mapping[GenderReading, float]
    event: float
    pleonastic: float
    demonstrative: float
    unknown: float
    names_something: bool = False


@dataclass(frozen=True, slots=True)
class Agreement:
    """How likely a pronoun agrees with its antecedent, disagrees, or cannot be compared; they sum to 1."""

    agree: float
    disagree: float
    unknown: float


def target_languages() -> tuple[str, ...]:
    """The target languages whose nouns and pronouns are known."""
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
    capital_nouns: bool = False
    compounds: bool = False

    @classmethod
    def load(cls, code: str) -> TargetLanguage:
        """The facts that ship for a language."""
        table = _table()
        if code not in table:
            raise UnknownNameError.among(code, table, kind="target language", where="agreement")
        return _load(code)

    def knows(self, form: str) -> bool:
        """Whether anything can be said of a form in its comparison shape."""
        return form in self.pronouns or form in self.event or form in self.pleonastic

    def noun_readings(self, tokens: Sequence[str], position: int) -> Readings:
        """What the noun at a position can be, by its form and by the determiner before it."""
        known = self.nouns.readings(tokens[position].casefold())
        before = tokens[max(0, position - _DETERMINER_REACH) : position]
        for distance, token in enumerate(reversed(before)):
            if allowed := self.determiners.get(token.lower()):
                # One right before the noun, or before its adjective, is surer than a list: *das Lernen*.
                return (known & allowed) or (allowed if distance < 2 else known or allowed)
            if not token[:1].isalpha():
                break
        return known

    def agreement(self, form: str, expected: Expectation) -> Agreement:
        """How far a form in its comparison shape fits what is expected."""
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
        if expected.names_something and form in self.event:
            disagree, unknown = 0.0, unknown + disagree
        return Agreement(agree / total, disagree / total, unknown / total)


class TargetDocument:
    """One document of a candidate beside its resolved source."""

    def __init__(
        self,
        language: TargetLanguage,
        resolved: ResolvedDocument,
        tokens: Sequence[Sequence[str]],
        alignments: Sequence[Alignment],
    ) -> None:
        self._language = language
        self._resolved = resolved
        self._tokens = tokens
        self._links = [_targets_by_source(alignment) for alignment in alignments]
        self._memory: dict[Place, Expectation] = {}
        # In the order of the text, so that a chain finds what came before it.
        for place in resolved:
            self._memory[place] = self._expectation(place)

    def expectation(self, place: Place) -> Expectation:
        """What the candidate's pronoun for a source pronoun should agree with."""
        return self._memory[place]

    def translation(self, mention: Mention) -> tuple[str, Readings]:
        """The candidate's noun for a mention and what it can be; an empty word where there is none."""
        tokens, links = self._tokens[mention.sentence], self._links[mention.sentence]
        number = "p" if mention.plural else "s"
        first = ""
        # A compound may be linked to the modifier of the head alone: *gravitational waves*.
        start = mention.start if self._language.compounds else mention.position
        for source in range(mention.position, start - 1, -1):
            for position in links.get(source, ()):
                if self._language.capital_nouns and not tokens[position][:1].isupper():
                    continue
                if readings := self._language.noun_readings(tokens, position):
                    same = frozenset(one for one in readings if one.number == number)
                    return tokens[position], same or readings
                first = first or tokens[position]
            if first:
                break
        return first, frozenset()

    def _expectation(self, place: Place) -> Expectation:
        antecedents = self._resolved[place]
        readings: defaultdict[GenderReading, float] = defaultdict(float)
        event, pleonastic = antecedents.event, antecedents.pleonastic
        demonstrative = unknown = 0.0
        for mention, share in antecedents.candidates:
            earlier = self._memory.get(Place(mention.sentence, mention.position))
            if mention.kind != "pronoun":
                _spread(readings, found := self.translation(mention)[1], share)
                unknown += 0.0 if found else share
            elif earlier is not None:
                own = self._own_readings(mention)
                _spread(readings, own, share * _CHAIN_FORM)
                rest = share * (1 - _CHAIN_FORM) if own else share
                for reading, part in earlier.readings.items():
                    readings[reading] += rest * part
                event += rest * earlier.event
                pleonastic += rest * earlier.pleonastic
                demonstrative += rest * earlier.demonstrative
                unknown += rest * earlier.unknown
            elif mention.form in ("this", "that"):
                demonstrative += share
            else:
                unknown += share
        naming = antecedents.names_something
        return Expectation(readings, event, pleonastic, demonstrative, unknown, naming)

    def _own_readings(self, pronoun: Mention) -> Readings:
        """What the candidate's form for an earlier pronoun can refer to; nothing unless it has just one."""
        tokens = self._tokens[pronoun.sentence]
        linked = self._links[pronoun.sentence].get(pronoun.position, ())
        forms = [word for word in (tokens[one].lower() for one in linked) if word in self._language.pronouns]
        if len(forms) != 1:
            return frozenset()
        found = self._language.pronouns[forms[0]]
        number = "p" if RESOLVED[pronoun.form] == "they" else "s"
        return frozenset(one for one in found if one.number == number) or found


def _spread(readings: defaultdict[GenderReading, float], found: Readings, share: float) -> None:
    """Add a share, divided equally over several readings."""
    for reading in found:
        readings[reading] += share / len(found)


def _targets_by_source(alignment: Alignment) -> dict[int, list[int]]:
    links: dict[int, list[int]] = {}
    for source, target in zip(alignment.sources, alignment.targets, strict=True):
        links.setdefault(source, []).append(target)
    return links


@cache
def _table() -> dict[str, Any]:
    text = (files("anaphor.antecedents") / "target_languages.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


@cache
def _load(code: str) -> TargetLanguage:
    facts = _table()[code]
    nouns = load_genders(code, common_nouns=True)
    pronouns = pronoun_readings(load_language(code), nouns.genders)
    determiners = {
        word: parse_readings(readings)
        for readings, words in facts["determiners"].items()
        for word in words.split()
    }
    return TargetLanguage(
        code,
        nouns,
        determiners,
        pronouns,
        frozenset(facts["event"].split()),
        frozenset(facts["pleonastic"].split()),
        frozenset(facts["genderless"].split()),
        facts.get("capital_nouns", False),
        facts.get("compounds", False),
    )
