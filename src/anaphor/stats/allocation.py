"""How many items of each stratum to judge, for a budget or for a width.

Neyman's allocation in whole numbers: each judgement goes where it lowers the variance of its estimate most.
The gains of a stratum only shrink, so taking the largest one each time is the best there is, and bounds
(what was judged already, the size of the stratum) are kept on the way.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from dataclasses import dataclass

from anaphor.core import OptionError

LEAST = 2
"""Judgements that every stratum needs: one alone cannot say how much its stratum varies."""


@dataclass(frozen=True, slots=True)
class AllocationStratum:
    """What allocation knows of a stratum.

    `weight` is its part of the estimate, `spread` the standard deviation of its items, `judged` what it has.
    """

    size: int
    weight: float
    spread: float
    judged: int = 0

    @property
    def least(self) -> int:
        return min(self.size, max(self.judged, LEAST))

    def gain(self, judged: int) -> float:
        """How much one more judgement lowers the variance."""
        return (self.weight * self.spread) ** 2 / (judged * (judged + 1))

    def variance(self, judged: int) -> float:
        return (self.weight * self.spread) ** 2 * (1 / judged - 1 / self.size)


def allocate(shares: Sequence[AllocationStratum], *, budget: int) -> tuple[int, ...]:
    """How many items of each stratum are judged at the end, those judged already included."""
    total = sum(share.size for share in shares)
    if budget > total:
        raise OptionError(
            f"there are only {total} items to judge", where="--budget", fix=f"give {total} or fewer"
        )
    taken = [share.least for share in shares]
    left = budget - sum(taken)
    if left < 0:
        what = f"{budget} judgements do not reach: {len(shares)} strata need {sum(taken)}"
        fix = f"give {sum(taken)} or more, or make larger strata with --least"
        raise OptionError(what, where="--budget", fix=fix)
    queue = _queue(shares, taken)
    while left and queue:
        _take_best(queue, shares, taken)
        left -= 1
    return tuple(taken)


def allocate_for(shares: Sequence[AllocationStratum], *, variance: float) -> tuple[int, ...]:
    """The fewest judgements that bring the variance of one estimate down to the one that is wanted."""
    taken = [share.least for share in shares]
    queue = _queue(shares, taken)
    while queue and math.fsum(map(AllocationStratum.variance, shares, taken)) > variance:
        _take_best(queue, shares, taken)
    return tuple(taken)


def _queue(shares: Sequence[AllocationStratum], taken: Sequence[int]) -> list[tuple[float, int]]:
    """The next gain of every stratum that has items left, the largest first; equal ones in their order."""
    queue = [(-share.gain(taken[i]), i) for i, share in enumerate(shares) if taken[i] < share.size]
    heapq.heapify(queue)
    return queue


def _take_best(queue: list[tuple[float, int]], shares: Sequence[AllocationStratum], taken: list[int]) -> None:
    _, i = heapq.heappop(queue)
    taken[i] += 1
    if taken[i] < shares[i].size:
        heapq.heappush(queue, (-shares[i].gain(taken[i]), i))
