"""Limits against printed examples of Wilson's and Newcombe's intervals (Newcombe 1998, both papers)."""

from __future__ import annotations

import math

import pytest

from anaphor.core import OptionError
from anaphor.stats.coordinated import Shared
from anaphor.stats.limits import difference_interval, quantile, share_interval
from anaphor.stats.stratified import Estimate

APART = Shared(covariance=0, pronouns=0)


def simple(right: int, judged: int) -> Estimate:
    """A simple random sample out of very many; 0 and all are drawn off the bound."""
    share = right / judged
    inside = min(max(share, 0.01), 0.99)
    return Estimate(share, inside * (1 - inside) / judged, math.inf, inside)


@pytest.mark.parametrize(
    ("right", "judged", "low", "high"),
    [  # Newcombe 1998, "Two-sided confidence intervals for the single proportion", Table I, method 3
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_a_simple_sample_gets_the_interval_of_wilson(
    right: int, judged: int, low: float, high: float
) -> None:
    found = share_interval(simple(right, judged), level=0.95)
    assert [found.low, found.high] == pytest.approx([low, high], abs=1e-4)


@pytest.mark.parametrize(
    ("first", "second", "low", "high"),
    [  # Newcombe 1998, "Interval estimation for the difference between independent proportions", method 10
        ((56, 70), (48, 80), 0.0524, 0.3339),
        ((9, 10), (3, 10), 0.1705, 0.8090),
        ((10, 10), (0, 20), 0.6791, 1.0),
    ],
)
def test_independent_shares_get_the_interval_of_newcombe(
    first: tuple[int, int], second: tuple[int, int], low: float, high: float
) -> None:
    found = difference_interval(simple(*first), simple(*second), shared=APART, level=0.95)
    assert [found.low, found.high] == pytest.approx([low, high], abs=1e-4)


def test_estimates_that_err_together_differ_less() -> None:
    apart, together = (_widths(correlation, pronouns=100) for correlation in (0, 0.6))
    assert together < 0.7 * apart


def test_a_correlation_that_may_be_chance_is_not_believed() -> None:
    """Of 25 pairs without any correlation one in three shows more than 1 / sqrt(25) = 0.2."""
    assert _widths(0.2, pronouns=25) == _widths(-0.2, pronouns=25) == _widths(0, pronouns=25)
    assert _widths(0.6, pronouns=5) > _widths(0.6, pronouns=25) > _widths(0.6, pronouns=1000)


def _widths(correlation: float, *, pronouns: int) -> float:
    one, other = simple(60, 100), simple(50, 100)
    shared = Shared(correlation * math.sqrt(one.variance * other.variance), pronouns)
    found = difference_interval(one, other, shared=shared, level=0.95)
    return found.high - found.low


def test_few_degrees_of_freedom_widen_an_interval() -> None:
    sure = simple(60, 100)
    unsure = Estimate(sure.value, sure.variance, 3, sure.smoothed)
    assert share_interval(unsure, level=0.95).low < share_interval(sure, level=0.95).low


def test_what_is_known_completely_is_a_point() -> None:
    known = Estimate(0.25, 0.0, math.inf, 0.25)
    assert share_interval(known, level=0.95).low == share_interval(known, level=0.95).high == 0.25
    difference = difference_interval(known, known, shared=APART, level=0.95)
    assert (difference.low, difference.high) == (0, 0)


def test_a_level_that_is_none_is_refused() -> None:
    with pytest.raises(OptionError, match="no confidence level"):
        quantile(5, level=95)
