"""What a predictor adds: everything if it is right, nothing if it is dull, and never a bias."""

from __future__ import annotations

import numpy as np
import pytest

from anaphor.stats.cells import Cell
from anaphor.stats.powered import Predicted, group_shares, left_out_shares, powered
from anaphor.stats.stratified import stratified

VALUES = np.array([1, 0, 1, 1, 0, 1], np.float64)
CELL = Cell(30, VALUES, np.arange(6), 0.5)


def test_a_predictor_that_is_always_right_leaves_no_error() -> None:
    found = powered([CELL], [Predicted(VALUES, 0.4)])
    assert found.strength == pytest.approx(1)
    assert found.estimate.value == pytest.approx(0.4)
    assert found.estimate.variance == pytest.approx(0)


@pytest.mark.parametrize("said", [np.full(6, 0.7), 1 - VALUES], ids=["dull", "perverse"])
def test_a_predictor_without_use_changes_nothing(said: np.ndarray) -> None:
    found = powered([CELL], [Predicted(said, 0.2)])
    assert found.strength == 0
    assert found.estimate == stratified([CELL])


def test_a_biased_predictor_does_not_bias_the_estimate() -> None:
    rng = np.random.default_rng(6)
    right = rng.random(200) < 0.6
    said = np.where(right, 0.95, 0.25) + 0.05 * rng.random(200)  # kinder than the truth
    errors = []
    for _ in range(2000):
        keys = rng.permutation(200)[:40]
        cell = Cell(200, right[keys].astype(np.float64), keys, 0.5)
        found = powered([cell], [Predicted(said[keys], float(said.mean()))])
        errors.append(found.estimate.value - right.mean())
    assert abs(np.mean(errors)) < 0.003
    assert np.std(errors) < 0.03  # 0.069 without the predictor: the root of 0.24 / 40 * 0.8


def test_what_the_predictor_leaves_is_kept_for_differences() -> None:
    found = powered([CELL], [Predicted(VALUES, 0.4)])
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
