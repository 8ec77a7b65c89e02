"""Does the reference have the same pronoun? A difference is weak evidence that the candidate's pronoun is
wrong.
"""

from __future__ import annotations

from collections.abc import Sequence

from anaphor.core import Outcome
from anaphor.verdict.contract import Testimony

#: Of several references the one that agrees best counts.
_ORDER = (
    Outcome.IDENTICAL,
    Outcome.EQUIVALENT,
    Outcome.REFERENCE_MISSING,
    Outcome.DIFFERENT,
    Outcome.CANDIDATE_MISSING,
    Outcome.BOTH_MISSING,
)
NAME = "reference"


def testimony(outcomes: Sequence[Outcome]) -> Testimony | None:
    """The evidence from the APT outcomes against every reference; None without a reference."""
    if not outcomes:
        return None
    outcome = min(outcomes, key=_ORDER.index)
    same = outcome in (Outcome.IDENTICAL, Outcome.EQUIVALENT)
    signals = {
        "same": float(same),
        "different": float(outcome is Outcome.DIFFERENT),
        "candidate_missing": float(outcome is Outcome.CANDIDATE_MISSING),
    }
    different = "the reference has another pronoun" if outcome is Outcome.DIFFERENT else ""
    missing = "the reference has a pronoun" if outcome is Outcome.CANDIDATE_MISSING else ""
    return Testimony(signals, "the reference has the same pronoun" if same else "", different or missing)
