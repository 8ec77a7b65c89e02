"""What a network thinks that has seen many errors.

The other witnesses see what their rules name. This one was taught by a language model, on made and real
errors, to tell wrong renderings from right ones; it speaks where a detector knows the pair.
"""

from __future__ import annotations

from anaphor.verdict.contract import Testimony
from anaphor.verdict.document import Case
from anaphor.verdict.rendering import Kind, Rendering

#: Log odds beyond this are worth no more.
_MOST = 6.0
#: A form that the detector expects with less than this is not worth a sentence.
_LEAST = 0.3


class DetectionWitness:
    """Reports the detector's opinion, and the form that it would expect instead."""

    name = "detector"

    def testify(self, case: Case, rendering: Rendering) -> Testimony | None:
        """The log odds that the rendering is wrong."""
        found = case.detected
        if found is None:
            return None
        odds = max(-_MOST, min(_MOST, found.log_odds))
        return Testimony({"log_odds": odds}, *self._clauses(case, rendering))

    def _clauses(self, case: Case, rendering: Rendering) -> tuple[str, str]:
        source = f"*{case.pair.source.form}*"
        if rendering.kind is Kind.NOTHING:
            return f"the detector misses no word for {source}", f"the detector misses a word for {source}"
        own = "" if rendering.kind is Kind.NULL_SUBJECT else rendering.form
        expected = case.detected.expected if case.detected is not None else {}
        best = next((form for form, share in expected.items() if share >= _LEAST), own)
        doubt = f"the detector takes {rendering.shown} for wrong"
        if best != own:
            doubt += f" and expects {f'*{best}*' if best else 'no pronoun'} ({expected[best]:.2f})"
        return f"the detector finds {rendering.shown} fitting", doubt
