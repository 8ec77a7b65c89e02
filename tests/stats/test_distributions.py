"""Student's t and the fair coin against closed forms and sums by hand."""

from __future__ import annotations

import math
from statistics import NormalDist

import pytest

from anaphor.stats.distributions import coin_at_most, incomplete_beta, t_outside, t_quantile


@pytest.mark.parametrize(
    ("x", "a", "b", "expected"),
    [
        (0.0, 2.0, 3.0, 0.0),
        (1.0, 2.0, 3.0, 1.0),
        (0.3, 1.0, 1.0, 0.3),  # I_x(1, 1) = x
        (0.3, 4.0, 1.0, 0.3**4),  # I_x(a, 1) = x^a
        (0.8, 1.0, 5.0, 1 - 0.2**5),  # I_x(1, b) = 1 - (1 - x)^b
        (0.5, 7.5, 7.5, 0.5),  # symmetric
    ],
)
def test_incomplete_beta_has_its_closed_forms(x: float, a: float, b: float, expected: float) -> None:
    assert incomplete_beta(x, a=a, b=b) == pytest.approx(expected, abs=1e-13)


@pytest.mark.parametrize("t", [0.0, 0.3, 1.0, 2.5, 12.0])
def test_t_with_one_and_two_degrees_has_its_closed_form(t: float) -> None:
    # Cauchy: 1 - 2 atan(t) / pi; two degrees: 1 - t / sqrt(2 + t^2).
    assert t_outside(t, freedom=1) == pytest.approx(1 - 2 * math.atan(t) / math.pi, abs=1e-13)
    assert t_outside(t, freedom=2) == pytest.approx(1 - t / math.sqrt(2 + t * t), abs=1e-13)


@pytest.mark.parametrize(
    ("probability", "freedom", "expected"),
    [
        # Any printed table of Student's t.
        (0.975, 1, 12.706),
        (0.975, 4, 2.776),
        (0.975, 24, 2.064),
        (0.975, 39, 2.023),
        (0.95, 10, 1.812),
        (0.8, 24, 0.857),
        (0.5, 3, 0.0),
        (0.025, 24, -2.064),
    ],
)
def test_t_quantiles_are_those_of_the_tables(probability: float, freedom: float, expected: float) -> None:
    assert t_quantile(probability, freedom=freedom) == pytest.approx(expected, abs=5e-4)


def test_t_with_many_degrees_is_normal() -> None:
    assert t_quantile(0.975, freedom=1e6) == pytest.approx(NormalDist().inv_cdf(0.975), abs=1e-5)


@pytest.mark.parametrize("freedom", [1.5, 5.144, 24.0, 5000.0])
def test_the_quantile_undoes_the_probability(freedom: float) -> None:
    t = t_quantile(0.99, freedom=freedom)
    assert t_outside(t, freedom=freedom) == pytest.approx(0.02, rel=1e-9)


@pytest.mark.parametrize(("heads", "tosses"), [(0, 1), (0, 10), (3, 10), (9, 10), (12, 40), (480, 1000)])
def test_the_coin_is_the_sum_of_its_binomials(heads: int, tosses: int) -> None:
    exact = sum(math.comb(tosses, i) for i in range(heads + 1)) / 2**tosses
    assert coin_at_most(heads, tosses=tosses) == pytest.approx(exact, rel=1e-10)
