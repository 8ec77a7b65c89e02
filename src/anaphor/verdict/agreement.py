"""Does the rendering agree with its antecedent in the candidate's own text?

A reference cannot tell: if a system writes *die Pflanze*, the pronoun must be *sie*, whatever the reference
says (guillou-hardmeier-2018, section 6). The resolver assigns a probability to every antecedent, word
alignment finds its translation, and gender and number of that noun are compared with those of the rendering.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from anaphor.analyse.gender import Readings
from anaphor.antecedents import Expectation, Mention, TargetLanguage
from anaphor.verdict.contract import Testimony
from anaphor.verdict.document import Case
from anaphor.verdict.neutral import NeutralRule
from anaphor.verdict.rendering import Rendering, RenderingKind

#: Smooths shares, so that their log odds stay finite.
_SMOOTHING = 0.03
#: A use without a noun that is less probable than this is no reason against a rendering.
_LEAST = 0.1


class Shares(NamedTuple):
    """The probability of all antecedents, divided into those that agree with the rendering and those that do
    not.

    Nouns are counted separately from events and from *it* without a referent; `unknown` covers antecedents of
    unknown gender and those that the rendering cannot contradict.
    """

    noun_fits: float
    noun_differs: float
    other_fits: float
    other_differs: float
    unknown: float

    @property
    def log_odds(self) -> float:
        """Log odds of disagreement, smoothed."""
        fits, differs = self.noun_fits + self.other_fits, self.noun_differs + self.other_differs
        return math.log((differs + _SMOOTHING) / (fits + _SMOOTHING))


class Uses(NamedTuple):
    """Whether a rendering can refer to an event, to nothing, and to people in general."""

    event: bool
    nothing: bool
    people: bool

    @classmethod
    def of(cls, rendering: Rendering, language: TargetLanguage) -> Uses:
        """What the form can refer to other than nouns."""
        form, readings = rendering.form, rendering.readings
        # A verb without a subject can be impersonal, unless something feminine or plural agrees with it.
        impersonal = rendering.kind is RenderingKind.NULL_SUBJECT and any(
            reading == ("m", "s") for reading in readings
        )
        return cls(
            impersonal or form in language.event,
            impersonal or form in language.pleonastic,
            _is_plural(readings) or form in language.people,
        )


def shares_of(rendering: Rendering, expected: Expectation, language: TargetLanguage) -> Shares:
    """Measure how well a rendering fits its expectation."""
    form, fitting = rendering.form, rendering.readings
    uses = Uses.of(rendering, language)
    nouns = sum(expected.readings.values())
    fits = sum(share for reading, share in expected.readings.items() if reading in fitting)
    if _is_plural(fitting):
        fits += expected.groups
    differs = max(0.0, nouns - fits)
    # *this* and *that* name things and events about equally often.
    half = expected.demonstrative / 2
    unknown = expected.unknown + (half if uses.event else 2 * half)
    if form in language.genderless or (expected.names_something and form in language.event):
        differs, unknown = 0.0, unknown + differs
    others = (expected.event, expected.pleonastic, expected.generic)
    other_fits = sum(share for share, takes in zip(others, uses, strict=True) if takes)
    other_differs = sum(share for share, takes in zip(others, uses, strict=True) if not takes)
    return Shares(fits, differs, other_fits + (half if uses.event else 0.0), other_differs, unknown)


#: English pronouns by the number of what they stand for; German *sie* can be either.
_NUMBERS = {
    "it": "s",
    "they": "p",
    "them": "p",
    "il": "s",
    "elle": "s",
    "ils": "p",
    "elles": "p",
    "er": "s",
    "es": "s",
}


def _is_plural(readings: Readings) -> bool:
    """Whether all readings, of which there must be one, are plural."""
    return bool(readings) and all(reading.number == "p" for reading in readings)


def _other_number(number: str, rendering: Rendering) -> bool:
    """Whether the rendering has none of the numbers that the source pronoun allows, if it allows not all."""
    shown = {reading.number for reading in rendering.readings}
    return bool(number) and bool(shown) and shown.isdisjoint(number)


class AgreementWitness:
    """Compares gender and number of the rendering with those of its antecedents."""

    name = "agreement"

    def __init__(self, source: TargetLanguage | None = None) -> None:
        """`source` is the language of the source under the policy for *they*, if its forms are known."""
        self._neutral = NeutralRule(source)

    def testify(self, case: Case, rendering: Rendering) -> Testimony | None:
        """The shares of agreement, and the most likely antecedent regardless of the rendering."""
        antecedents = case.document.source.antecedents.get(case.place)
        if antecedents is None:
            return None
        likeliest = max(antecedents.heads, key=lambda head: antecedents.heads[head], default=None)
        place = None
        # No noun is shown if the pronoun more likely refers to an event, to nothing or to people in general.
        functions = max(antecedents.event, antecedents.pleonastic, antecedents.generic)
        if likeliest is not None and antecedents.heads[likeliest] > functions:
            place = case.start + likeliest.sentence, likeliest.position
        if rendering.kind not in (RenderingKind.PRONOUN, RenderingKind.NULL_SUBJECT):
            return Testimony({}, antecedent=place)
        language = case.document.language
        number = self._neutral.number(case, rendering, _NUMBERS.get(case.pair.source.form, ""))
        other_number = _other_number(number, rendering)
        rendering = self._neutral.restricted(case, rendering)
        expected = case.document.target.expectation(case.place)
        shares = shares_of(rendering, expected, language)
        nouns = 0.0 if expected.names_something else sum(expected.readings.values())
        signals = {
            "log_odds": shares.log_odds,
            "noun_fits": shares.noun_fits,
            "noun_differs": shares.noun_differs,
            "other_differs": shares.other_differs,
            "unknown": shares.unknown,
            "number": float(other_number),
            "demonstrative_noun": nouns if rendering.form in language.facts.clausal else 0.0,
            "adjective": shares.noun_differs if rendering.agreeing else 0.0,
        }
        accepts, rejects = self._clauses(case, rendering, expected, shares)
        accepts, rejects = self._neutral.clauses(case, rendering, accepts, rejects)
        return Testimony(signals, accepts, rejects, place)

    def _clauses(
        self, case: Case, rendering: Rendering, expected: Expectation, shares: Shares
    ) -> tuple[str, str]:
        """The most likely antecedent that agrees with the rendering, and the most likely that does not."""
        antecedents = case.document.source.antecedents[case.place]
        target, language = case.document.target, case.document.language
        source, shown = f"*{case.pair.source.form}*", rendering.shown
        # What the pronoun may refer to besides nouns, and whether the rendering can do so.
        names = ("an event", "nothing", "people in general")
        shares_of_uses = (expected.event, expected.pleonastic, expected.generic)
        functions = list(zip(shares_of_uses, names, Uses.of(rendering, language), strict=True))
        accepts = rejects = ""
        if antecedents.names_something and rendering.form in language.event:
            accepts = f"{source} names something; {shown} can do so with any noun"
        if not accepts and shares.other_fits > shares.noun_fits:
            _, name, _ = max(use for use in functions if use[2])
            accepts = f"{source} refers to {name}; {shown} can do so"
        if shares.other_differs > max(shares.noun_differs, _LEAST):
            _, name, _ = max(use for use in functions if not use[2])
            rejects = f"{source} refers to {name}; {shown} cannot do so"
        for head in sorted(antecedents.heads, key=lambda mention: -antecedents.heads[mention]):
            if accepts and rejects:
                break
            word, readings = target.translation(head)
            by_sense = head.group and any(reading.number == "p" for reading in rendering.readings)
            fits = by_sense or bool(readings & rendering.readings) or rendering.form in language.genderless
            if not readings and not by_sense:
                continue
            if fits and not accepts:
                verb = "agrees by sense" if by_sense and not readings & rendering.readings else "agrees"
                accepts = self._compared(case, head, word, language.described(readings), f"{shown} {verb}")
            if not fits and not rejects:
                described = language.described(readings)
                rejects = self._compared(case, head, word, described, f"{shown} does not agree")
        return accepts, rejects

    def _compared(self, case: Case, head: Mention, word: str, described: str, outcome: str) -> str:
        """A clause with the antecedent, its translation and the outcome."""
        line = case.start + head.sentence + 1
        became = f"*{head.form}* (line {line}) → *{word}* ({described})"
        return f"*{case.pair.source.form}* = {became}; {outcome}"
