"""Does the rendering agree with its antecedent in the candidate's own text?

A reference cannot tell: if a system writes *die Pflanze*, the pronoun must be *sie*, whatever the reference
says (guillou-hardmeier-2018, section 6). The resolver assigns a probability to every antecedent, word
alignment finds its translation, and gender and number of that noun are compared with those of the rendering.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from anaphor.antecedents import Expectation, TargetLanguage
from anaphor.verdict.contract import Testimony
from anaphor.verdict.document import Case
from anaphor.verdict.neutral import NeutralRule
from anaphor.verdict.numbers import numbers_of
from anaphor.verdict.referents import Referents, Uses, is_plural
from anaphor.verdict.rendering import Rendering, RenderingKind

#: Smooths shares, so that their log odds stay finite.
_SMOOTHING = 0.03


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


def shares_of(rendering: Rendering, expected: Expectation, language: TargetLanguage) -> Shares:
    """Measure how well a rendering fits its expectation."""
    form, fitting = rendering.form, rendering.readings
    uses = Uses.of(rendering, language)
    nouns = sum(expected.readings.values())
    fits = sum(share for reading, share in expected.readings.items() if reading in fitting)
    if is_plural(fitting):
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
        self._numbers = numbers_of(source)

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
        number = self._neutral.number(case, rendering, self._numbers.get(case.pair.source.form, ""))
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
        referents = Referents(
            case,
            rendering,
            number=number if len(number) == 1 else "",
            fits=shares.noun_fits + shares.other_fits,
            differs=shares.noun_differs + shares.other_differs,
        )
        accepts, rejects = (referents.clause(accepts=accepts) for accepts in (True, False))
        accepts, rejects = self._neutral.clauses(case, rendering, accepts, rejects)
        return Testimony(signals, accepts, rejects, place, checkable=True)
