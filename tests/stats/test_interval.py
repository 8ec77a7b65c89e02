"""Intervals and the detectable difference, by hand on resamples with a known standard deviation."""

from __future__ import annotations

import math

import numpy as np
import pytest

from anaphor.core import Interval, OptionError
from anaphor.core.array_types import Doubles
from anaphor.stats import Value, bootstrap, detectable_difference, interval, resampled_scores

# Half of the resamples 0.1 above and half 0.1 below: a standard deviation of 0.1.
SPREAD = np.array([0.4, 0.6] * 50)


def test_the_interval_is_a_t_interval_on_the_logit_scale() -> None:
    found = interval(SPREAD, estimate=0.5, clusters=25, level=0.95)
    # sd 0.1 times sqrt(25 / 24), t(24) = 2.0639, slope of the logit at one half 4, inverse logit.
    margin = 4 * 2.0639 * 0.1 * math.sqrt(25 / 24)
    assert found.low == pytest.approx(1 / (1 + math.exp(margin)), abs=1e-5)
    assert found.high == pytest.approx(1 / (1 + math.exp(-margin)), abs=1e-5)
    assert found.level == 0.95


def test_few_clusters_and_a_high_level_make_it_wider() -> None:
    plain, few, sure = (
        interval(SPREAD, estimate=0.5, clusters=clusters, level=level)
        for clusters, level in ((40, 0.95), (5, 0.95), (40, 0.99))
    )
    assert few.low < plain.low < plain.high < few.high
    assert sure.low < plain.low < plain.high < sure.high


@pytest.mark.parametrize("estimate", [0.001, 0.1, 0.5, 0.95, 0.999])
def test_it_holds_the_estimate_and_stays_inside_the_bounds(estimate: float) -> None:
    found = interval(SPREAD, estimate=estimate, clusters=3, level=0.95)
    assert 0 <= found.low < estimate < found.high <= 1


def test_a_difference_has_bounds_of_its_own() -> None:
    found = interval(SPREAD - 0.5, estimate=0.0, clusters=25, level=0.95, bounds=(-1, 1))
    assert found.low == pytest.approx(-found.high)
    # With slope 2 at the centre of (-1, 1): tanh of half of 2 * 2.0639 * 0.1 * sqrt(25 / 24).
    assert found.high == pytest.approx(math.tanh(2.0639 * 0.1 * math.sqrt(25 / 24)), abs=1e-5)


@pytest.mark.parametrize("estimate", [0.0, 1.0])
def test_an_estimate_on_a_bound_has_a_point_interval(estimate: float) -> None:
    found = interval(np.full(10, estimate), estimate=estimate, clusters=10, level=0.95)
    assert (found.low, found.high) == (estimate, estimate)


def test_undefined_resamples_are_left_out() -> None:
    with_gaps = np.concatenate([SPREAD, np.full(30, np.nan)])
    found, plain = (interval(s, estimate=0.5, clusters=25, level=0.95) for s in (with_gaps, SPREAD))
    assert found == plain


def test_mostly_undefined_resamples_are_refused() -> None:
    with pytest.raises(OptionError, match="undefined in 101 of 201"):
        interval(np.concatenate([SPREAD, np.full(101, np.nan)]), estimate=0.5, clusters=25, level=0.95)


@pytest.mark.parametrize("level", [0.0, 1.0, 95.0, -0.1, math.nan])
def test_a_level_that_is_no_share_is_refused(level: float) -> None:
    with pytest.raises(OptionError, match="not between 0 and 1"):
        interval(SPREAD, estimate=0.5, clusters=25, level=level)


def _intervals(totals: list[Doubles], ratio: Value) -> tuple[Interval | None, ...]:
    resamples = bootstrap(totals, ratio, samples=200, seed=3)
    scores = resampled_scores(totals, ratio, resamples=resamples)
    return tuple(None if one is None else one.interval(level=0.95) for one in scores)


def test_the_order_of_systems_does_not_change_their_intervals(systems: list[Doubles], ratio: Value) -> None:
    forward = _intervals(systems, ratio)
    backward = _intervals(systems[::-1], ratio)
    assert forward == backward[::-1]


def test_an_undefined_score_has_no_interval_and_does_not_disturb_others(
    systems: list[Doubles], ratio: Value
) -> None:
    nothing = np.zeros_like(systems[0])
    found = _intervals([systems[0], nothing], ratio)
    assert found == (*_intervals(systems[:1], ratio), None)


def test_the_detectable_difference_is_the_error_times_both_quantiles() -> None:
    # Table of t with 24 degrees of freedom: 2.0639 for 0.975, 0.8569 for 0.8.
    expected = (2.0639 + 0.8569) * 0.1 * math.sqrt(25 / 24)
    assert detectable_difference(SPREAD, clusters=25) == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize(("alpha", "power"), [(0.0, 0.8), (0.05, 1.0)])
def test_alpha_and_power_must_be_shares(alpha: float, power: float) -> None:
    with pytest.raises(OptionError, match="not between 0 and 1"):
        detectable_difference(SPREAD, clusters=25, alpha=alpha, power=power)
