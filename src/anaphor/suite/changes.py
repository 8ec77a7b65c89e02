"""The second use of a suite (protest-2016, section 6): what a change of a system improved, what it broke."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from anaphor.core import Item
from anaphor.stats import holm, mcnemar
from anaphor.suite.outcomes import ItemOutcome, Judged


@dataclass(frozen=True, slots=True)
class Changes:
    """A system beside the baseline: items that only it matches, items that only the baseline matches.

    `p_value` is McNemar's exact test; `p_adjusted` the same after Holm's correction over all systems.
    """

    baseline: str
    system: str
    improved: tuple[Item, ...]
    broken: tuple[Item, ...]
    p_value: float
    p_adjusted: float

    def by_category(self) -> dict[str, tuple[int, int]]:
        """How many items improved and broke in every category that has any of them."""
        names = dict.fromkeys(item.category for item in (*self.improved, *self.broken))
        return {name: (_count(self.improved, name), _count(self.broken, name)) for name in names}


def changes(systems: Mapping[str, Sequence[Judged]]) -> tuple[Changes, ...]:
    """Every system beside the first one, which is the baseline; none where there is one system only."""
    baseline, *others = systems
    right = {
        name: np.array([j.outcome is ItemOutcome.MATCH for j in judged]) for name, judged in systems.items()
    }
    values = [mcnemar(right[baseline], right[name]) for name in others]
    items = [one.item for one in systems[baseline]]
    return tuple(
        Changes(
            baseline,
            name,
            tuple(items[at] for at in np.flatnonzero(right[name] & ~right[baseline])),
            tuple(items[at] for at in np.flatnonzero(right[baseline] & ~right[name])),
            value,
            adjusted,
        )
        for name, value, adjusted in zip(others, values, holm(values), strict=True)
    )


def _count(items: Sequence[Item], category: str) -> int:
    return sum(item.category == category for item in items)
