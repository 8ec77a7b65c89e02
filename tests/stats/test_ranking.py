"""Ranks and pair scores, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from anaphor.stats.ranking import differences, exact_p, mid_ranks, rank_differences, signs, tie_sizes


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
