"""The opinion of a network trained to detect errors.

The other witnesses only see what their rules cover. This one learned from a language model, on synthetic and
real errors, to tell wrong renderings from right ones; it testifies if a detector supports the pair.
"""

from __future__ import annotations

from anaphor.core import Detection
from anaphor.verdict.contract import Testimony
from anaphor.verdict.document import Case
from anaphor.verdict.rendering import Rendering, RenderingKind

#: Log odds beyond this are worth no more.
_MOST = 6.0
#: A form that the detector expects with less than this is not worth a sentence.
_LEAST = 0.3


class DetectionWitness:
    """Reports the detector's opinion and the form that it would expect instead."""

    name = "detector"

    def testify(self, case: Case, rendering: Rendering) -> Testimony | None:
        """The log odds that the rendering is wrong."""
        detection = case.detected
        # It was trained on texts without neutral forms, and takes them for errors.
        if detection is None or rendering.form in case.document.language.neutral.always:
            return None
        odds = max(-_MOST, min(_MOST, detection.log_odds))
        accepts, rejects = _clauses(case.pair.source.form, rendering, detection)
        return Testimony({"log_odds": odds}, accepts if odds < 0 else "", rejects)


def _clauses(source: str, rendering: Rendering, detection: Detection) -> tuple[str, str]:
    """The clauses for and against a rendering.

    Most renderings are right. One with an error probability of one third is more suspicious than most and
    gets a clause against it, although the detector does not consider it wrong.
    """
    if rendering.kind is RenderingKind.NOTHING:
        return f"the detector misses no word for *{source}*", f"the detector misses a word for *{source}*"
    own = "" if rendering.kind is RenderingKind.NULL_SUBJECT else rendering.form
    best = next((form for form, share in detection.expected.items() if share >= _LEAST), own)
    doubt = f"flags {rendering.shown} as wrong" if detection.log_odds > 0 else f"doubts {rendering.shown}"
    if best != own:
        doubt += f" and expects {f'*{best}*' if best else 'no pronoun'} ({detection.expected[best]:.2f})"
    return f"the detector finds {rendering.shown} fitting", f"the detector {doubt}"
