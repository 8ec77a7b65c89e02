"""The number of items to judge in each stratum, for a budget or a target interval width.

Neyman's allocation in whole numbers: each judgement goes where it reduces the variance of its estimate most.
Gains within a stratum only shrink, so the greedy choice is optimal, and bounds (items already judged, size of
the stratum) are respected along the way.
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
    """A stratum as seen by the allocation.

    `weight` is its share of the estimate, `spread` the standard deviation of its items, `judged` the number
    already judged.
    """

    size: int
    weight: float
    spread: float
    judged: int = 0

    @property
    def least(self) -> int:
        return min(self.size, max(self.judged, LEAST))

    def gain(self, judged: int) -> float:
        """The reduction in variance from one more judgement."""
        # 1/n - 1/(n + 1) = 1/[n (n + 1)]: the difference of two variances as below.
        return (self.weight * self.spread) ** 2 / (judged * (judged + 1))

    def variance(self, judged: int) -> float:
        # Sampling without replacement: nothing is uncertain any more when all items are judged.
        return (self.weight * self.spread) ** 2 * (1 / judged - 1 / self.size)


def allocate(shares: Sequence[AllocationStratum], *, budget: int) -> tuple[int, ...]:
    """The number of items judged in each stratum at the end, including those judged already."""
    total = sum(share.size for share in shares)
    if budget > total:
        raise OptionError(
            f"there are only {total} items to judge", where="--budget", fix=f"use {total} or fewer"
        )
    taken = [share.least for share in shares]
    left = budget - sum(taken)
    if left < 0:
        what = f"{budget} judgements are not enough: {len(shares)} strata need {sum(taken)}"
        fix = f"use {sum(taken)} or more, or make larger strata with --least"
        raise OptionError(what, where="--budget", fix=fix)
    queue = _queue(shares, taken)
    while left and queue:
        _take_best(queue, shares, taken)
        left -= 1
    return tuple(taken)


def allocate_for(shares: Sequence[AllocationStratum], *, variance: float) -> tuple[int, ...]:
    """The smallest number of judgements that reduces the variance of one estimate to the target."""
    taken = [share.least for share in shares]
    queue = _queue(shares, taken)
    while queue and math.fsum(map(AllocationStratum.variance, shares, taken)) > variance:
        _take_best(queue, shares, taken)
    return tuple(taken)


def _queue(shares: Sequence[AllocationStratum], taken: Sequence[int]) -> list[tuple[float, int]]:
    """A priority queue of the next gain of every stratum with items left, largest first; ties keep their
    order.
    """
    queue = [(-share.gain(taken[i]), i) for i, share in enumerate(shares) if taken[i] < share.size]
    heapq.heapify(queue)
    return queue


def _take_best(queue: list[tuple[float, int]], shares: Sequence[AllocationStratum], taken: list[int]) -> None:
    _, i = heapq.heappop(queue)
    taken[i] += 1
    if taken[i] < shares[i].size:
        heapq.heappush(queue, (-shares[i].gain(taken[i]), i))
