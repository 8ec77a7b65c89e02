"""Williams' test against Steiger's worked example, and by simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest

from anaphor.core import InputError, OptionError
from anaphor.stats import pearson, williams


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
