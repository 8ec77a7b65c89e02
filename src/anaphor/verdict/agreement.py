"""Does the rendering agree with its antecedent in the candidate's own text? (guillou-hardmeier-2018, section 6)

The resolver gives every antecedent a probability, word alignment leads to its translation, and gender and
number of that noun are compared with what the rendering shows.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from anaphor.antecedents import Expectation, TargetLanguage
from anaphor.verdict.rendering import Kind, Rendering

#: Smooths shares, so that their log odds stay finite.
_SMOOTHING = 0.03


class Shares(NamedTuple):
    """How the probability of all antecedents divides: nouns, events and nothing that the rendering fits or not."""

    noun_fits: float
    noun_differs: float
    other_fits: float
    other_differs: float
    unknown: float

    @property
    def log_odds(self) -> float:
        """Log odds of disagreement, smoothed."""
        agree, differ = self.noun_fits + self.other_fits, self.noun_differs + self.other_differs
        return math.log((differ + _SMOOTHING) / (agree + _SMOOTHING))


def shares_of(rendering: Rendering, expected: Expectation, language: TargetLanguage) -> Shares:
    form, fitting = rendering.form, rendering.readings
    null = rendering.kind is Kind.NULL_SUBJECT
    is_event = form in language.event or (null and any(r.number == "s" and r.gender == "m" for r in fitting))
    is_pleonastic = form in language.pleonastic or is_event and null
    genderless = form in language.genderless
    nouns = sum(expected.readings.values())
    fits = sum(share for reading, share in expected.readings.items() if reading in fitting)
    if fitting and all(one.number == "p" for one in fitting):
        fits += expected.groups
    half = expected.demonstrative / 2
    unknown = expected.unknown + (half if is_event else 2 * half)
    differs = 0.0 if genderless else nouns - fits
    unknown += nouns - fits if genderless else 0.0
    other_fits = (expected.event + half if is_event else 0.0) + (expected.pleonastic if is_pleonastic else 0.0)
    other = (0.0 if is_event else expected.event) + (0.0 if is_pleonastic else expected.pleonastic)
    if expected.names_something and is_event:
        unknown += differs
        differs = 0.0
    return Shares(fits, differs, other_fits, other, unknown)
