"""Allocation against every other way to spend the same judgements."""

from __future__ import annotations

from itertools import product

import pytest

from anaphor.core import OptionError
from anaphor.stats.allocation import AllocationStratum, allocate, allocate_for

SHARES = [AllocationStratum(6, 0.5, 0.3), AllocationStratum(5, 0.3, 0.5), AllocationStratum(4, 0.2, 0.1)]


def variance(shares: list[AllocationStratum], taken: tuple[int, ...]) -> float:
    return sum(share.variance(count) for share, count in zip(shares, taken, strict=True))


def ways(shares: list[AllocationStratum]) -> list[tuple[int, ...]]:
    return list(product(*(range(share.least, share.size + 1) for share in shares)))


@pytest.mark.parametrize("budget", range(6, 16))
def test_no_other_allocation_of_a_budget_is_better(budget: int) -> None:
    found = allocate(SHARES, budget=budget)
    assert sum(found) == budget
    best = min(variance(SHARES, way) for way in ways(SHARES) if sum(way) == budget)
    assert variance(SHARES, found) == pytest.approx(best)


@pytest.mark.parametrize("wanted", [0.0, 0.001, 0.005, 0.01, 1.0])
def test_no_cheaper_allocation_reaches_a_variance(wanted: float) -> None:
    found = allocate_for(SHARES, variance=wanted)
    fewest = min(sum(way) for way in ways(SHARES) if variance(SHARES, way) <= wanted)
    assert (sum(found), variance(SHARES, found) <= wanted) == (fewest, True)


@pytest.mark.parametrize("judged", [1, 2, 5])
def test_a_gain_is_the_fall_of_the_variance(judged: int) -> None:
    share = AllocationStratum(6, 0.5, 0.3)
    assert share.gain(judged) == pytest.approx(share.variance(judged) - share.variance(judged + 1))


def test_what_was_judged_is_kept() -> None:
    shares = [
        AllocationStratum(6, 0.5, 0.3),
        AllocationStratum(5, 0.3, 0.5),
        AllocationStratum(4, 0.2, 0.1, judged=4),
    ]
    assert allocate(shares, budget=10)[2] == 4


def test_a_stratum_of_one_item_needs_one_judgement() -> None:
    assert allocate([AllocationStratum(1, 0.1, 0.5), AllocationStratum(9, 0.9, 0.5)], budget=3) == (1, 2)


@pytest.mark.parametrize(("budget", "what"), [(5, "3 strata need 6"), (16, "only 15 items")])
def test_a_budget_that_cannot_be_spent_is_refused(budget: int, what: str) -> None:
    with pytest.raises(OptionError, match=what):
        allocate(SHARES, budget=budget)
