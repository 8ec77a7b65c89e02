"""Matches per category and in total, with intervals that know that items of one document hang together."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from anaphor.core import Interval, OptionError, Suite
from anaphor.stats import Floats, cluster_ids, cluster_totals, leave_one_out
from anaphor.stats.distributions import t_quantile
from anaphor.suite.outcomes import ItemOutcome, Judged

TOTAL = "total"


@dataclass(frozen=True, slots=True)
class Tally:
    """A category, or all of them: how many items, how many matches, the interval of the accuracy.

    `agreeing` mismatches have an antecedent of their own that the pronoun agrees with; they are no matches.
    """

    name: str
    items: int
    matches: int
    interval: Interval
    agreeing: int

    @property
    def accuracy(self) -> float:
        return self.matches / self.items


def tallies(suite: Suite, judged: Sequence[Judged], *, level: float) -> tuple[Tally, ...]:
    """One for every category that has items, in the order of the suite, and the total."""
    if not 0.5 <= level < 1:
        raise OptionError(f"no confidence level: {level}", where="--level", fix="give one such as 0.95")
    by_category: dict[str, list[Judged]] = {category.name: [] for category in suite.categories}
    for one in judged:
        by_category[one.item.category].append(one)
    rows = [*((name, found) for name, found in by_category.items() if found), (TOTAL, judged)]
    return tuple(_tally(name, found, level) for name, found in rows)


def _tally(name: str, judged: Sequence[Judged], level: float) -> Tally:
    right = np.array([one.outcome is ItemOutcome.MATCH for one in judged], dtype=np.float64)
    documents = [one.item.document for one in judged]
    size = effective_size(right, documents)
    matches = int(right.sum())
    interval = wilson(matches / len(judged), size=size, level=level)
    agreeing = sum(one.outcome is ItemOutcome.AGREES for one in judged)
    return Tally(name, len(judged), matches, interval, agreeing)


def effective_size(right: Floats, documents: Sequence[str]) -> float:
    """How many independent items say as much as these, at most as many as there are.

    The variance that the jackknife over documents finds is compared with that of independent items (the
    design effect). A single document shows no variance between documents: its items count as they are.
    """
    share = float(right.mean())
    ids = cluster_ids(documents, segments=len(documents))
    clusters = int(ids.max()) + 1
    if clusters < 2 or share in (0.0, 1.0):
        return float(len(right))
    totals = cluster_totals(np.column_stack([right, np.ones_like(right)]), ids)
    left_out = leave_one_out(totals, lambda sums: sums[..., 0] / sums[..., 1])
    variance = (clusters - 1) / clusters * float(((left_out - left_out.mean()) ** 2).sum())
    return min(len(right), share * (1 - share) / variance) if variance else float(len(right))


def wilson(share: float, *, size: float, level: float) -> Interval:
    """Wilson's score interval of a proportion: of use for few items and for all or none right, too."""
    z = t_quantile((1 + level) / 2, freedom=1e9)  # the normal distribution
    centre = share + z * z / (2 * size)
    spread = z * math.sqrt(share * (1 - share) / size + z * z / (4 * size * size))
    scale = 1 + z * z / size
    return Interval(max(0.0, (centre - spread) / scale), min(1.0, (centre + spread) / scale), level)
