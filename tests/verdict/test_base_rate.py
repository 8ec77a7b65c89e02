"""The share of wrong pronouns, against the equations in plain Python."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

from anaphor.verdict import base_rate
from anaphor.verdict.base_rate import BINS, bin_of, probabilities, wrong_share

PRIOR = 0.2
LOWEST, HIGHEST = -6.0, 6.0
WIDTH = (HIGHEST - LOWEST) / BINS


def centre(number: int) -> float:
    return LOWEST + WIDTH * (number + 0.5)


def slow_rate(ratios: list[float], prior: float, weight: float = 0.6) -> float:
    """π until it stands still: w_i = π r_i / (π r_i + 1 − π), π = (Σ w_i + c n π₀) / (n + c n)."""
    rate, n = prior, len(ratios)
    for _ in range(2000):
        posterior = [rate * math.exp(ratio) / (rate * math.exp(ratio) + 1 - rate) for ratio in ratios]
        new = (sum(posterior) + weight * n * prior) / (n + weight * n)
        if abs(new - rate) < 1e-14:
            return new
        rate = new
    return rate


def drawn(seed: int, count: int, shift: float = 0.0) -> list[float]:
    draw = random.Random(seed)
    return [draw.gauss(shift, 2.5) for _ in range(count)]


def counted(ratios: list[float]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return np.bincount([bin_of(ratio) for ratio in ratios], minlength=BINS).astype(np.float64)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("shift", [-3.0, 0.0, 3.0])
def test_the_equations_in_plain_python_give_the_same(seed: int, shift: float) -> None:
    ratios = [centre(bin_of(ratio)) for ratio in drawn(seed, 5 + 20 * seed, shift)]
    rate = slow_rate(ratios, PRIOR)
    assert float(base_rate.base_rate(counted(ratios), PRIOR)) == pytest.approx(rate, abs=1e-6)
    odds = [rate / (1 - rate) * math.exp(ratio) for ratio in ratios]
    share = sum(one / (1 + one) for one in odds) / len(odds)
    assert float(wrong_share(counted(ratios), PRIOR)) == pytest.approx(share, abs=1e-6)
    assert probabilities(ratios, PRIOR) == pytest.approx([1 / (1 + one) for one in odds], abs=1e-6)


def test_a_sum_of_counts_is_a_document() -> None:
    parts = [drawn(seed, 30) for seed in range(5)]
    whole = [ratio for part in parts for ratio in part]
    summed = np.sum([counted(part) for part in parts], axis=0)
    assert wrong_share(summed, PRIOR) == wrong_share(counted(whole), PRIOR)


def test_rows_are_scored_as_they_are_alone() -> None:
    rows = np.array([counted(drawn(seed, 10 + seed)) for seed in range(6)]).reshape(2, 3, BINS)
    together = wrong_share(rows, PRIOR)
    assert together.shape == (2, 3)
    for index in np.ndindex(2, 3):
        assert together[index] == pytest.approx(float(wrong_share(rows[index], PRIOR)))


def test_counts_times_a_constant_have_the_same_share() -> None:
    counts = counted(drawn(1, 40))
    assert float(wrong_share(7 * counts, PRIOR)) == pytest.approx(float(wrong_share(counts, PRIOR)))


@pytest.mark.parametrize("ratio", [-1000.0, -6.0, 0.0, 5.999, 6.0, 1000.0])
def test_shares_stay_between_0_and_1(ratio: float) -> None:
    assert 0 <= bin_of(ratio) < BINS
    for count in (1, 10_000):
        assert 0 < float(wrong_share(count * counted([ratio]), PRIOR)) < 1
    (probability,) = probabilities([ratio], PRIOR)
    assert 0 < probability < 1


def test_without_pronouns_there_is_no_share() -> None:
    empty = np.zeros(BINS)
    assert math.isnan(float(base_rate.base_rate(empty, PRIOR)))
    assert math.isnan(float(wrong_share(empty, PRIOR)))
    assert probabilities([], PRIOR) == []
    rows = np.stack([empty, counted([0.0])])
    assert np.isnan(wrong_share(rows, PRIOR)).tolist() == [True, False]


def test_evidence_that_says_nothing_leaves_the_share_of_the_judged_data() -> None:
    near = counted([0.01, -0.01] * 50)
    assert float(base_rate.base_rate(near, PRIOR)) == pytest.approx(PRIOR, abs=0.01)


def test_worse_evidence_never_raises_the_score() -> None:
    draw = random.Random(3)
    for _ in range(200):
        numbers = [draw.randrange(BINS) for _ in range(draw.randint(1, 30))]
        before = float(wrong_share(counted([centre(one) for one in numbers]), PRIOR))
        at = draw.randrange(len(numbers))
        numbers[at] = draw.randint(numbers[at], BINS - 1)
        after = float(wrong_share(counted([centre(one) for one in numbers]), PRIOR))
        assert after >= before - 1e-9


def test_worse_evidence_on_one_pronoun_never_raises_the_probability_of_any() -> None:
    ratios = drawn(4, 20)
    before = probabilities(ratios, PRIOR)
    ratios[7] += 2
    after = probabilities(ratios, PRIOR)
    assert all(new <= old + 1e-12 for new, old in zip(after, before, strict=True))
    assert after[7] < before[7]
