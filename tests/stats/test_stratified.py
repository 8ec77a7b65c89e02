"""Estimates from cells: by hand, over all samples of a small world, and where everything was judged."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations, product

import numpy as np
import pytest

from anaphor.core import OptionError
from anaphor.stats.stratified import (
    CellPrediction,
    Estimate,
    SampleCell,
    SharedError,
    cell_variance,
    difference_interval,
    group_shares,
    left_out_shares,
    prediction_powered,
    quantile,
    share_interval,
    shared_error,
    stratified,
)


def cell(size: int, values: Sequence[float], *, expected: float = 0.5, first: int = 0) -> SampleCell:
    return SampleCell(size, np.array(values, np.float64), np.arange(first, first + len(values)), expected)


def test_cells_count_by_their_size() -> None:
    found = stratified([cell(30, [1, 1, 0, 1]), cell(10, [0, 1], first=4)])
    assert found.value == pytest.approx(0.75 * 0.75 + 0.25 * 0.5)


def test_the_variance_of_a_cell_by_hand() -> None:
    # (3 + 2 * 0.5) / 6 = 2/3 right; spread 2/3 * 1/3 * 20/19; 4 of 20 judged.
    assert cell_variance(cell(20, [1, 1, 0, 1])) == pytest.approx(0.8 * (2 / 9) * (20 / 19) / 4)


def test_a_cell_judged_alike_is_not_taken_for_certain() -> None:
    assert cell_variance(cell(20, [1, 1, 1, 1], expected=0.9)) > 0


def test_a_cell_judged_to_the_last_item_has_no_error() -> None:
    found = stratified([cell(3, [1, 0, 1]), cell(1, [1], first=3)])
    assert (found.value, found.variance) == (0.75, 0)
    assert math.isinf(found.effective_size)


def test_over_all_samples_the_estimate_is_right_on_average() -> None:
    first, second = (1, 1, 0, 1, 0), (0, 0, 1, 0)
    found = [
        stratified([cell(5, one), cell(4, other, first=5)]).value
        for one, other in product(combinations(first, 2), combinations(second, 2))
    ]
    assert np.mean(found) == pytest.approx(4 / 9)


def test_more_judgements_are_more_degrees_of_freedom_up_to_the_pronouns() -> None:
    few, many = (stratified([cell(100, [1, 0] * n)]).freedom for n in (2, 10))
    assert few < many == 19 + 1, "20 pronouns, and what Wilson's form is worth"


def test_pronouns_that_go_wrong_together_make_a_sum_less_certain() -> None:
    values = [1, 1, 0, 0, 1, 0]
    apart = stratified([cell(30, values), cell(30, values, first=6)])
    together = stratified([cell(30, values), cell(30, values)])
    assert together.variance > 1.5 * apart.variance


def test_two_systems_in_one_cell_share_their_pronouns_too() -> None:
    values = np.array([1, 1, 0, 0] * 2, np.float64)
    shared = stratified([SampleCell(40, values, np.array([0, 1, 2, 3] * 2), 0.5)])
    alone = stratified([SampleCell(40, values, np.arange(8), 0.5)])
    assert shared.variance > alone.variance


# The covariance of two estimates, against what happens when the same world is sampled many times.


PRONOUNS = 60
Estimates = tuple[list[float], list[list[SampleCell]]]


def drawn(
    right: np.ndarray, strata: np.ndarray, numbers: np.ndarray, counts: tuple[int, int]
) -> list[SampleCell]:
    """The cells of one system: of each stratum the pronouns with the smallest random numbers."""
    cells = []
    for stratum, count in enumerate(counts):
        members = np.flatnonzero(strata == stratum)
        keys = members[np.argsort(numbers[members])[:count]]
        cells.append(SampleCell(len(members), right[keys].astype(np.float64), keys, 0.5))
    return cells


def mean(cells: list[SampleCell]) -> float:
    return sum(float(cell.values.mean()) * cell.size for cell in cells) / PRONOUNS


@pytest.mark.slow
@pytest.mark.parametrize("counts", [((8, 8), (8, 8)), ((14, 5), (6, 12))])
def test_the_estimated_covariance_is_the_true_one_on_average(
    counts: tuple[tuple[int, int], tuple[int, int]],
) -> None:
    rng = np.random.default_rng(5)
    ease = rng.normal(size=PRONOUNS)
    right = [ease + 0.5 * rng.normal(size=PRONOUNS) > 0 for _ in range(2)]
    strata = [(ease + rng.normal(size=PRONOUNS) > 0).astype(int) for _ in range(2)]
    found, estimates = [], []
    for _ in range(4000):
        numbers = rng.random(PRONOUNS)
        first, second = (drawn(right[s], strata[s], numbers, counts[s]) for s in range(2))
        found.append(shared_error(first, second, total=(PRONOUNS, PRONOUNS)).covariance)
        estimates.append((mean(first), mean(second)))
    truth = np.cov(np.array(estimates).T)[0, 1]
    assert truth > 0.0005
    assert np.mean(found) == pytest.approx(truth, rel=0.15)


def test_systems_without_a_common_pronoun_have_none() -> None:
    first = [SampleCell(9, np.array([1.0, 0.0]), np.array([0, 1]), 0.5)]
    second = [SampleCell(9, np.array([1.0, 0.0]), np.array([2, 3]), 0.5)]
    assert shared_error(first, second, total=(9, 9)) == SharedError(0, 0)


def test_a_single_judged_item_says_nothing() -> None:
    one = [SampleCell(9, np.array([1.0]), np.array([0]), 0.5)]
    assert shared_error(one, one, total=(9, 9)) == SharedError(0, 1)


def test_what_is_known_completely_has_none() -> None:
    full = [SampleCell(2, np.array([1.0, 0.0]), np.array([0, 1]), 0.5)]
    assert shared_error(full, full, total=(2, 2)) == SharedError(0, 2)


# What a predictor adds: everything if it is right, nothing if it is dull, and never a bias.


VALUES = np.array([1, 0, 1, 1, 0, 1], np.float64)
CELL = SampleCell(30, VALUES, np.arange(6), 0.5)


def test_a_predictor_that_is_always_right_leaves_no_error() -> None:
    found = prediction_powered([CELL], [CellPrediction(VALUES, 0.4)])
    assert found.strength == pytest.approx(1)
    assert found.estimate.value == pytest.approx(0.4)
    assert found.estimate.variance == pytest.approx(0)


@pytest.mark.parametrize("said", [np.full(6, 0.7), 1 - VALUES], ids=["dull", "perverse"])
def test_a_predictor_without_use_changes_nothing(said: np.ndarray) -> None:
    found = prediction_powered([CELL], [CellPrediction(said, 0.2)])
    assert found.strength == 0
    assert found.estimate == stratified([CELL])


def test_a_biased_predictor_does_not_bias_the_estimate() -> None:
    rng = np.random.default_rng(6)
    right = rng.random(200) < 0.6
    said = np.where(right, 0.95, 0.25) + 0.05 * rng.random(200)  # kinder than the truth
    errors = []
    for _ in range(2000):
        keys = rng.permutation(200)[:40]
        cell = SampleCell(200, right[keys].astype(np.float64), keys, 0.5)
        found = prediction_powered([cell], [CellPrediction(said[keys], float(said.mean()))])
        errors.append(found.estimate.value - right.mean())
    assert abs(np.mean(errors)) < 0.003
    assert np.std(errors) < 0.03  # 0.069 without the predictor: the root of 0.24 / 40 * 0.8


def test_what_the_predictor_leaves_is_kept_for_differences() -> None:
    found = prediction_powered([CELL], [CellPrediction(VALUES, 0.4)])
    assert np.allclose(found.unexplained[0].values, 0)


def test_the_share_of_a_group_is_drawn_towards_its_guess() -> None:
    groups, values = np.array([0, 0, 2]), np.array([1.0, 0.0, 1.0])
    shares = group_shares(groups, values, towards=np.array([0.5, 0.3, 0.1]), pull=2)
    assert shares.tolist() == pytest.approx([0.5, 0.3, (1 + 0.2) / 3])


def test_a_judged_item_is_guessed_without_its_own_pronoun() -> None:
    groups, keys = np.array([0, 0, 0, 1]), np.array([7, 7, 8, 7])
    values = np.array([1.0, 1.0, 0.0, 1.0])
    shares = left_out_shares(groups, values, keys, towards=np.array([0.5, 0.25]), pull=1)
    # Pronoun 7 sees the one 0 of pronoun 8; pronoun 8 sees two ones; the second group sees nobody.
    assert shares.tolist() == pytest.approx([0.25, 0.25, 2.5 / 3, 0.25])


# Limits against printed examples of Wilson's and Newcombe's intervals (Newcombe 1998, both papers).


APART = SharedError(covariance=0, pronouns=0)


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
    shared = SharedError(correlation * math.sqrt(one.variance * other.variance), pronouns)
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
    with pytest.raises(OptionError, match="confidence level must be between 0 and 1"):
        quantile(5, level=95)
