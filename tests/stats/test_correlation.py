"""Coefficients against published figures, against brute force, and against what they must be."""

from __future__ import annotations

import math
from itertools import combinations, permutations
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from anaphor.core import InputError, MismatchError, OptionError, UnknownNameError, UserError
from anaphor.stats.correlation import (
    COEFFICIENTS,
    correlation,
    differences,
    exact_p,
    kendall,
    mid_ranks,
    normal_p,
    pearson,
    rank_differences,
    signs,
    spearman,
    tie_sizes,
    williams,
)

# Anscombe 1973, data sets 1 and 4.
ANSCOMBE_X = [10, 8, 13, 9, 11, 14, 6, 4, 12, 7, 5]
ANSCOMBE_Y = [8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68]
ANSCOMBE_X4 = [8, 8, 8, 8, 8, 8, 8, 19, 8, 8, 8]
ANSCOMBE_Y4 = [6.58, 5.76, 7.71, 8.84, 8.47, 7.04, 5.25, 12.50, 5.56, 7.91, 6.89]

# The usual worked example of Spearman's coefficient: intelligence and hours of television, -29/165, p 0.627.
IQ = [106, 100, 86, 101, 99, 103, 97, 113, 112, 110]
HOURS = [7, 27, 2, 50, 28, 29, 20, 12, 6, 17]


@pytest.mark.parametrize(
    ("x", "y", "printed"), [(ANSCOMBE_X, ANSCOMBE_Y, 0.816), (ANSCOMBE_X4, ANSCOMBE_Y4, 0.817)]
)
def test_pearson_of_anscombe(x: list[float], y: list[float], printed: float) -> None:
    assert round(pearson(x, y).value, 3) == printed


def test_pearson_has_the_p_value_of_anscombes_regression() -> None:
    # t = 4.24 with 9 degrees of freedom, p = 0.00217 in every printing of the quartet's regression.
    assert pearson(ANSCOMBE_X, ANSCOMBE_Y).p == pytest.approx(0.00217, abs=5e-6)


def test_spearman_of_the_usual_example() -> None:
    found = spearman(IQ, HOURS)
    assert found.value == pytest.approx(-29 / 165)
    assert found.p == pytest.approx(0.627188, abs=1e-6)


def test_kendall_with_ties_on_both_sides() -> None:
    # By hand: the ties 12-12 and 2-2 leave 8 pairs in x, 1-1 leaves 9 in y; 2 pairs agree and 6 disagree.
    assert kendall([12, 2, 1, 12, 2], [1, 4, 7, 1, 0]).value == pytest.approx(-4 / math.sqrt(72))


def test_the_interval_is_fishers() -> None:
    # By definition: 28 values have the error 1 / sqrt(25) on the scale of z.
    x = [*([1.0] * 14), *([0.0] * 14)]
    y = [*([1.0] * 7), *([0.0] * 7), *([0.0] * 14)]
    r = pearson(x, y).value
    found = pearson(x, y).interval
    assert found is not None
    assert math.atanh(found.high) - math.atanh(r) == pytest.approx(1.959964 / 5, abs=1e-6)
    assert math.atanh(r) - math.atanh(found.low) == pytest.approx(1.959964 / 5, abs=1e-6)


@pytest.mark.parametrize(
    ("coefficient", "n", "has"),
    [("pearson", 3, False), ("pearson", 4, True), ("kendall", 4, False), ("kendall", 5, True)],
)
def test_too_few_values_have_no_interval(coefficient: str, n: int, has: bool) -> None:
    found = correlation([1, 3, 2, 4, 5][:n], [1, 2, 4, 3, 5][:n], coefficient=coefficient)
    assert (found.interval is not None) is has


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_a_perfect_relation_is_one_without_interval(coefficient: str) -> None:
    found = correlation([1, 2, 4, 5], [10, 20, 40, 50], coefficient=coefficient)
    assert (found.value, found.interval) == (1, None)
    assert correlation([1, 2, 4, 5], [-1, -2, -4, -5], coefficient=coefficient).value == -1


def brute_tau(x: tuple[float, ...], y: tuple[float, ...]) -> float:
    pairs = list(combinations(range(len(x)), 2))
    a = [np.sign(x[i] - x[j]) for i, j in pairs]
    b = [np.sign(y[i] - y[j]) for i, j in pairs]
    agree = sum(p * q for p, q in zip(a, b, strict=True))
    return float(agree / math.sqrt(sum(map(abs, a)) * sum(map(abs, b))))


@pytest.mark.parametrize(
    ("x", "y"),
    [((1, 2, 3, 4, 5), (2, 1, 4, 3, 5)), ((1, 1, 2, 3, 4), (3, 1, 2, 2, 5)), ((1, 2, 3, 4), (4, 1, 3, 2))],
)
def test_the_exact_p_of_kendall_is_that_of_all_orders(x: tuple[float, ...], y: tuple[float, ...]) -> None:
    seen = abs(brute_tau(x, y))
    orders = list(permutations(y))
    expected = sum(abs(brute_tau(x, order)) >= seen - 1e-9 for order in orders) / len(orders)
    found = kendall(x, y)
    assert found.value == pytest.approx(brute_tau(x, y))
    assert found.p == pytest.approx(expected)


def test_the_normal_p_of_kendall_is_near_that_of_random_orders() -> None:
    rng = np.random.default_rng(7)
    x, y = rng.integers(0, 8, 20).tolist(), rng.integers(0, 8, 20).tolist()
    seen = abs(brute_tau(tuple(x), tuple(y)))
    drawn = [abs(brute_tau(tuple(x), tuple(rng.permutation(y)))) >= seen - 1e-9 for _ in range(2000)]
    assert kendall(x, y).p == pytest.approx(sum(drawn) / 2000, abs=0.04)


@pytest.mark.parametrize("levels", [2, 3, 5])
def test_the_variance_of_kendalls_sum_is_that_of_all_orders(levels: int) -> None:
    """With ties of three and more on both sides every term counts. Seven values have 5,040 orders."""
    x = tuple(float(k % levels) for k in range(7))
    y = tuple(float(k * k % levels) for k in range(7))
    sums = [
        sum(np.sign(x[i] - x[j]) * np.sign(order[i] - order[j]) for i in range(7) for j in range(i))
        for order in permutations(y)
    ]
    seen = sum(np.sign(x[i] - x[j]) * np.sign(y[i] - y[j]) for i in range(7) for j in range(i))
    expected = 2 * NormalDist().cdf(-abs(seen) / np.std(sums))
    assert normal_p(np.array(x), np.array(y)) == pytest.approx(expected)


values = st.lists(st.floats(-1e6, 1e6), min_size=4, max_size=7)


@given(values, st.data(), st.sampled_from(COEFFICIENTS))
def test_the_order_of_systems_and_of_sides_changes_nothing(
    x: list[float], data: st.DataObject, coefficient: str
) -> None:
    y = data.draw(st.lists(st.floats(-1e6, 1e6), min_size=len(x), max_size=len(x)))
    assume(len(set(x)) > 1 and len(set(y)) > 1)
    found = correlation(x, y, coefficient=coefficient)
    order = data.draw(st.permutations(range(len(x))))
    mixed = correlation([y[i] for i in order], [x[i] for i in order], coefficient=coefficient)
    assert -1 <= found.value <= 1
    assert mixed.value == pytest.approx(found.value, abs=1e-9)


@pytest.mark.parametrize("scale", [1e-200, 1e200])
def test_very_small_and_very_large_scores_keep_their_correlation(scale: float) -> None:
    assert pearson([scale, 2 * scale, 4 * scale], [1, 2, 4]).value == pytest.approx(1)


@pytest.mark.parametrize(
    ("x", "y", "error", "words"),
    [
        ([1, 2, 3], [1, 2], MismatchError, "3 scores on one side and 2"),
        ([1, 2], [1, 2], InputError, "2 systems have no correlation"),
        ([], [], InputError, "0 systems"),
        ([1, 1, 1], [1, 2, 3], InputError, "all scores are 1"),
        ([1, 2, 3], [4, 4, 4], InputError, "all scores are 4"),
        ([1, 2, math.nan], [1, 2, 3], InputError, "not a number"),
        ([1, 2, math.inf], [1, 2, 3], InputError, "not a number"),
    ],
)
def test_what_has_no_correlation_is_refused(
    x: list[float], y: list[float], error: type[UserError], words: str
) -> None:
    with pytest.raises(error, match=words):
        pearson(x, y)


def test_an_unknown_coefficient_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="pearsen"):
        correlation([1, 2, 3], [1, 2, 4], coefficient="pearsen")


# Ranks and pair scores, by hand.


@pytest.mark.parametrize(
    ("values", "ranks"),
    [
        ([0.3, 0.1, 0.2], [3, 1, 2]),
        ([5, 5, 1], [2.5, 2.5, 1]),
        ([7, 7, 7], [2, 2, 2]),
        ([2, 1, 2, 2], [3, 1, 3, 3]),
    ],
)
def test_equal_values_share_the_mean_of_their_ranks(values: list[float], ranks: list[float]) -> None:
    assert mid_ranks(values).tolist() == ranks


def test_ties_are_counted_by_value() -> None:
    assert tie_sizes([3, 1, 3, 2, 3]).tolist() == [1, 1, 3]


def test_pairs_are_scored_by_difference_rank_and_sign() -> None:
    values = np.array([1.0, 10.0, 10.0])
    assert differences(values)[0].tolist() == [0, 9, 9]
    assert rank_differences(values)[0].tolist() == [0, 1.5, 1.5]
    assert signs(values)[1].tolist() == [-1, 0, 0]


def test_of_all_orders_of_three_only_the_two_straight_ones_are_as_extreme() -> None:
    ordered = np.array([1.0, 2.0, 3.0])
    assert exact_p(ordered, ordered, rank_differences) == pytest.approx(2 / 6)


def test_the_weakest_relation_has_the_p_value_one() -> None:
    # 1-2-3 against 2-3-1 has two wrong pairs of three, tau -1/3: no order of three comes closer to 0.
    assert exact_p(np.array([1.0, 2.0, 3.0]), np.array([2.0, 3.0, 1.0]), signs) == 1.0


# Williams' test against Steiger's worked example, and by simulation.


def test_the_worked_example_of_steiger() -> None:
    # Steiger 1980, case A: r12 = 0.4, r13 = 0.5, r23 = 0.1 with n = 103 gives t = -0.89 and p = 0.37.
    found = williams(0.4, 0.5, between=0.1, n=103)
    assert (round(found.t, 2), found.freedom, round(found.p, 2)) == (-0.89, 100, 0.37)


def test_a_large_sample_with_nearly_equal_metrics() -> None:
    # An example of the documentation of the R package psych, there with p about 0.1.
    found = williams(0.693458895410494, 0.695966022434845, between=0.988475791500198, n=5105)
    assert found.p == pytest.approx(0.1, abs=0.05)
    assert found.t < 0


def test_the_other_order_has_the_other_sign() -> None:
    first, second = williams(0.9, 0.7, between=0.6, n=9), williams(0.7, 0.9, between=0.6, n=9)
    assert first.t == pytest.approx(-second.t)
    assert first.t > 0
    assert first.p == pytest.approx(second.p)


@pytest.mark.parametrize(("value", "between"), [(0.8, 1.0), (0.8, 0.99), (1.0, 1.0), (0.0, 0.0)])
def test_equal_correlations_do_not_differ(value: float, between: float) -> None:
    found = williams(value, value, between=between, n=7)
    assert (found.t, found.p) == (0, 1)


def test_a_metric_beats_its_own_reverse_beyond_doubt() -> None:
    found = williams(1.0, -1.0, between=-1.0, n=5)
    assert (found.t, found.p) == (math.inf, 0)


def share_of_alarms(weights: tuple[float, float], trials: int = 1000) -> float:
    """How often the test at 0.05 calls two noisy copies of the human scores different, for 15 systems."""
    rng = np.random.default_rng(11)
    alarms = 0
    for _ in range(trials):
        human = rng.normal(size=15)
        shared = rng.normal(size=15)
        metrics = [weight * human + shared + rng.normal(size=15) for weight in weights]
        first, second = (pearson(metric.tolist(), human.tolist()).value for metric in metrics)
        between = pearson(metrics[0].tolist(), metrics[1].tolist()).value
        alarms += williams(first, second, between=between, n=15).p < 0.05
    return alarms / trials


@pytest.mark.slow
def test_equally_good_metrics_raise_an_alarm_in_about_five_of_a_hundred() -> None:
    assert 0.03 <= share_of_alarms((1.0, 1.0)) <= 0.07


def test_a_much_better_metric_is_found_often() -> None:
    assert share_of_alarms((4.0, 0.5), trials=300) > 0.6


@pytest.mark.parametrize("n", [0, 3])
def test_three_systems_are_too_few(n: int) -> None:
    with pytest.raises(InputError, match="no degrees of freedom"):
        williams(0.5, 0.4, between=0.3, n=n)


def test_what_is_no_correlation_is_refused() -> None:
    with pytest.raises(OptionError, match=r"not a correlation: 1\.2"):
        williams(1.2, 0.4, between=0.3, n=9)
