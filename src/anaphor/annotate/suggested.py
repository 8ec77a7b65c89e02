"""Which guesses of the automatic verdict are shown to whom.

A random part of the work comes with the guess, before or after the answer; the rest is the control, and the
difference between both is the effect of suggestions. Who is shown which guess follows from the ids of unit
and person, so it can always be recomputed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from anaphor.annotate.types import Mark, Target

BEFORE, AFTER = "before", "after"
"""When a guess is shown: chosen in the empty form, or once another answer is saved."""


def is_shown(unit: str, person: str, share: float) -> bool:
    """Whether a person is shown the guess about a unit; true for this share of all pairs, at random."""
    drawn = hashlib.sha256(f"suggestion {unit} {person}".encode()).digest()
    return int.from_bytes(drawn[:8], "big") < share * 2**64


def suggested(facts: Mapping[str, Any], unit: str, person: str, targets: Sequence[Target]) -> Mark:
    """The guess that a person is shown about a unit; unset for none."""
    if not facts.get("suggestions") or len(targets) != 1 or not targets[0].guess:
        return Mark.UNSET
    return Mark(targets[0].guess) if is_shown(unit, person, facts["suggestion_share"]) else Mark.UNSET
