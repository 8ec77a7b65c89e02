"""Agreement in a language: genders and numbers of its nouns, determiners and pronouns.

English has no grammatical gender: its nouns name a man, a woman, a person, a thing, a group, or are
ambiguous, and *they* can refer to one person.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from anaphor.analyse.gender import (
    GenderReading,
    GenderTable,
    Readings,
    gendered_languages,
    parse_readings,
    pronoun_readings,
)
from anaphor.analyse.nouns import noun_languages, noun_table
from anaphor.antecedents.phrases import phrase_reader
from anaphor.core import UnknownNameError
from anaphor.languages import (
    AgreementFacts,
    FormMatcher,
    LanguagePack,
    NeutralForms,
    known_languages,
    load_language,
)

#: How many words before a noun its determiner is looked for: *die sehr kleine, alte Stadt*.
_DETERMINER_REACH = 4
#: The share of the evidence that must disagree with a personal form, so that it counts as wrong.
_UNANIMOUS = 0.9
GENDER_NAMES = {"m": "masculine", "f": "feminine", "n": "neuter"}
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
    """The languages with known nouns and pronouns."""
    return tuple(code for code in known_languages() if has_agreement(load_language(code)))


def has_agreement(pack: LanguagePack) -> bool:
    """Whether agreement is known: the pack has the facts, and nouns are in it or in this package."""
    facts = pack.agreement
    return facts is not None and (
        bool(facts.nouns) or pack.code in (*gendered_languages(), *noun_languages())
    )


#: By the digest of the pack: a user's pack may take the place of one with the same code.
_LOADED: dict[tuple[str, str], TargetLanguage] = {}


@dataclass(frozen=True)
class TargetLanguage:
    """Nouns, determiners and third-person pronouns of one target language.

    `facts` are those of its pack; the lists in them that are looked up for every pronoun are sets here.
    """

    code: str
    pack: LanguagePack
    neutral: NeutralForms
    facts: AgreementFacts
    nouns: GenderTable
    determiners: Mapping[str, Readings]
    pronouns: Mapping[str, Readings]
    event: frozenset[str]
    pleonastic: frozenset[str]
    genderless: frozenset[str]
    personal: frozenset[str]
    people: frozenset[str]
    adverbs: frozenset[str]
    of: frozenset[str]
    openers: frozenset[str]
    agreeing_endings: Mapping[str, Readings]
    quantities: frozenset[str]

    @classmethod
    def load(cls, code: str) -> TargetLanguage:
        """The language with the facts of its built-in pack."""
        if code not in known_languages() or not has_agreement(load_language(code)):
            raise UnknownNameError.among(code, target_languages(), kind="target language", where="agreement")
        return cls.from_pack(load_language(code))

    @classmethod
    def from_pack(cls, pack: LanguagePack) -> TargetLanguage:
        """The language of a pack."""
        key = (pack.code, pack.digest)
        if key not in _LOADED:
            _LOADED[key] = _loaded(pack)
        return _LOADED[key]

    def under(self, they: str) -> TargetLanguage:
        """The language where *they* refers to what a policy says (`anaphor.core.options.THEY`)."""
        neutral = NeutralForms.of(self.pack, they)
        restricted = {
            form: frozenset(
                reading for reading in self.pronouns[form] if reading.number in neutral.numbers(form, "sp")
            )
            for form in neutral.either_number & self.pronouns.keys()
        }
        # For several people alone, a neutral form for one does not refer to people in general.
        people = self.people - neutral.always if they == "plural" else self.people
        return replace(self, neutral=neutral, pronouns={**self.pronouns, **restricted}, people=people)

    @property
    def names_people(self) -> bool:
        """Whether the genders of nouns tell people from things, as in English."""
        return "c" in self.nouns.genders

    @property
    def null_subjects(self) -> bool:
        """Whether subjects are left out."""
        return self.facts.null_subjects

    @property
    def capital_nouns(self) -> bool:
        """Whether nouns begin with a capital letter."""
        return self.facts.capital_nouns

    @property
    def compounds(self) -> bool:
        """Whether compounds are one word."""
        return self.facts.compounds

    @cached_property
    def _objects(self) -> FormMatcher:
        return FormMatcher(self.pack, self.facts.objects)

    def attached(self, word: str) -> str:
        """The last object pronoun that is part of a longer word: *hacerlo*, *mets-le*; empty if none is."""
        if word in self.facts.objects:
            return ""
        return next(reversed(self._objects.forms_in(word)), "")

    def verb_number(self, verb: str) -> str:
        """`s` or `p` for a finite verb in the third person; empty for other forms."""
        return self.facts.verb_number(verb)

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
        if plural and len(genders) == len(GENDER_NAMES):
            # No plural of German shows a gender.
            return "plural"
        described = " or ".join(GENDER_NAMES[gender] for gender in genders) or "gender unknown"
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


def _loaded(pack: LanguagePack) -> TargetLanguage:
    facts = pack.agreement
    if facts is None:
        raise ValueError(f"the pack of {pack.code} has no agreement")
    if facts.nouns:
        nouns = GenderTable(_by_word(facts.nouns), _by_word(facts.endings))
    else:
        nouns = noun_table(pack.code)
    endings = _by_word(facts.agreeing)
    return TargetLanguage(
        code=pack.code,
        pack=pack,
        neutral=NeutralForms.of(pack),
        facts=facts,
        nouns=nouns,
        determiners=_by_word(facts.determiners),
        pronouns=pronoun_readings(pack, nouns.genders) | _by_word(facts.pronouns),
        event=frozenset(facts.event),
        pleonastic=frozenset(facts.pleonastic),
        genderless=frozenset(facts.genderless),
        personal=frozenset(facts.personal),
        people=frozenset(facts.people) | NeutralForms.of(pack).always,
        adverbs=frozenset(facts.adverbs),
        of=frozenset(facts.of),
        openers=frozenset(facts.openers),
        # The longest ending of a word decides.
        agreeing_endings={ending: endings[ending] for ending in sorted(endings, key=len, reverse=True)},
        quantities=frozenset(facts.quantities),
    )


def _by_word(table: Mapping[str, Sequence[str]]) -> dict[str, Readings]:
    """The readings of words from their spelling in a pack."""
    return {word: parse_readings(" ".join(readings)) for word, readings in table.items()}
