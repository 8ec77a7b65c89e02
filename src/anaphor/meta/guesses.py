"""What the judgements of all systems say of an item before it is judged itself: the predictor.

It knows the case and the category of an item. The share right of the two together is drawn towards that of
the case, and this towards what earlier studies found of it, so that a rare kind has a sensible guess too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from anaphor.core import Outcome
from anaphor.meta.plan import EXPECTED, Kind
from anaphor.stats.stratified import PULL, group_shares, left_out_shares

_BORROWED = 4.0
"""How many judgements the share of its case is worth to a category of it."""

_OUTCOMES = tuple(Outcome)


@dataclass(frozen=True, slots=True)
class Guesses:
    """The share right of every case and of every kind; for each judged item, that of the other pronouns."""

    cases: Mapping[Outcome, float]
    kinds: Mapping[Kind, float]
    items: tuple[float, ...]


def guess(
    kinds: Sequence[Kind], values: Sequence[float], pronouns: Sequence[int], *, known: Sequence[Kind]
) -> Guesses:
    """Guesses from judged items, each with its kind, value and pronoun; `known` are all kinds there are."""
    right, keys = np.array(values, np.float64), np.array(pronouns, np.int64)
    outcomes = np.array([_OUTCOMES.index(kind.outcome) for kind in kinds], np.int64)
    earlier = np.array([EXPECTED[outcome] for outcome in _OUTCOMES])
    cases = group_shares(outcomes, right, towards=earlier, pull=PULL)
    numbers = {kind: number for number, kind in enumerate(known)}
    groups = np.array([numbers[kind] for kind in kinds], np.int64)
    towards = cases[[_OUTCOMES.index(kind.outcome) for kind in known]]
    shares = group_shares(groups, right, towards=towards, pull=_BORROWED)
    items = left_out_shares(groups, right, keys, towards=towards, pull=_BORROWED)
    return Guesses(
        dict(zip(_OUTCOMES, cases.tolist(), strict=True)),
        dict(zip(known, shares.tolist(), strict=True)),
        tuple(items.tolist()),
    )
