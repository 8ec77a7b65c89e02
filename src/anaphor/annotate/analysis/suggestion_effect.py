"""What suggestions do to answers: the same figures with and without them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from anaphor.annotate.judging.suggestions import suggestion_rows
from anaphor.annotate.store import Store
from anaphor.annotate.types import Mark
from anaphor.core import Interval
from anaphor.core.table import JsonFields
from anaphor.stats import wilson

_LEVEL = 0.95


@dataclass(frozen=True, slots=True)
class SuggestionEffect(JsonFields):
    """Answers of *yes* or *no* with or without a suggestion, and how many of them agree with the guess.

    `changed` counts answers that agree now and did not at first; `share` has a 95 % interval.
    """

    shown: bool
    answers: int
    agreeing: int
    changed: int
    share: float | None
    interval: Interval | None

    json_keys: ClassVar = {"share": None, "interval": None}


@dataclass(frozen=True, slots=True)
class SuggestionDifference(JsonFields):
    """The share of agreeing answers with suggestions minus that without, with a 95 % interval."""

    difference: float
    interval: Interval

    json_keys: ClassVar = {}


def suggestion_difference(effects: Sequence[SuggestionEffect]) -> SuggestionDifference | None:
    """What suggestions change, by the score interval of Newcombe (1998, method 10); None without both parts.

    Answers count as independent, although those of an annotator may be alike.
    """
    if len(effects) != 2:
        return None
    without, shown = effects
    if without.share is None or shown.share is None or without.interval is None or shown.interval is None:
        return None
    difference = shown.share - without.share
    # d − √((p₁ − l₁)² + (u₂ − p₂)²) to d + √((u₁ − p₁)² + (p₂ − l₂)²), of the Wilson intervals (l, u).
    below = math.hypot(shown.share - shown.interval.low, without.interval.high - without.share)
    above = math.hypot(shown.interval.high - shown.share, without.share - without.interval.low)
    return SuggestionDifference(difference, Interval(difference - below, difference + above, _LEVEL))


def suggestion_effect(store: Store) -> tuple[SuggestionEffect, ...]:
    """The figures without and with suggestions; empty for a campaign that has none."""
    counts = {False: [0, 0, 0], True: [0, 0, 0]}
    some = False
    with store.read() as connection:
        for row in suggestion_rows(connection):
            some = True
            if row.answer in (Mark.YES, Mark.NO):
                agrees = row.answer is row.guess
                changed = agrees and row.first in (Mark.YES, Mark.NO) and row.first is not row.guess
                for at, number in enumerate((1, agrees, changed)):
                    counts[row.shown][at] += number
    if not some:
        return ()
    return tuple(_effect(shown, *numbers) for shown, numbers in counts.items())


def _effect(shown: bool, answers: int, agreeing: int, changed: int) -> SuggestionEffect:
    if not answers:
        return SuggestionEffect(shown, 0, 0, 0, None, None)
    share = agreeing / answers
    interval = wilson(share, size=answers, level=_LEVEL)
    return SuggestionEffect(shown, answers, agreeing, changed, share, interval)
