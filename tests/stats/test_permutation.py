"""The permutation test against brute force, and its behaviour for a seed."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anaphor.core import OptionError
from anaphor.stats import Floats, Value, paired_permutation, paired_permutations, sampling

Pair = list[tuple[int, int]]


def _points(totals: Floats) -> Floats:
    points: Floats = totals[..., 0]
    return points


def _column(points: list[int]) -> Floats:
    return np.array(points, dtype=np.float64)[:, None]


def test_exact_p_by_hand() -> None:
    # Differences 1, 2, 3 of three clusters; observed 6. Of the eight sign patterns only +++ and ---
    # reach 6: p = 2 / 8.
    assert paired_permutation(_column([1, 2, 3]), _column([0, 0, 0]), _points, samples=9, seed=1) == 0.25


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=2, max_size=7))
def test_few_clusters_are_enumerated_as_by_brute_force(pairs: Pair) -> None:
    gaps = np.array([a - b for a, b in pairs])
    patterns = np.array(list(product([1, -1], repeat=len(pairs))))
    expected = (np.abs(patterns @ gaps) >= abs(gaps.sum())).mean()
    a, b = _column([a for a, _ in pairs]), _column([b for _, b in pairs])
    assert paired_permutation(a, b, _points, samples=1, seed=1) == expected


def test_a_ratio_is_permuted_through_its_totals(ratio: Value) -> None:
    a = np.array([[1.0, 2.0], [3.0, 4.0], [0.0, 1.0]])
    b = np.array([[2.0, 3.0], [1.0, 5.0], [1.0, 1.0]])
    observed = abs(a[:, 0].sum() / a[:, 1].sum() - b[:, 0].sum() / b[:, 1].sum())
    reached = 0
    for swapped in product([False, True], repeat=3):
        left = np.where(np.array(swapped)[:, None], b, a).sum(axis=0)
        right = np.where(np.array(swapped)[:, None], a, b).sum(axis=0)
        reached += abs(left[0] / left[1] - right[0] / right[1]) >= observed - 1e-12
    assert paired_permutation(a, b, ratio, samples=1, seed=1) == reached / 8


def test_many_clusters_are_sampled_close_to_the_exact_p() -> None:
    # 13 clusters with difference 1 in ten and -1 in three: observed 7. All 8192 patterns have a binomial
    # sum: |13 - 2 heads| >= 7 for heads <= 3 or >= 10, that is 2 (1 + 13 + 78 + 286) / 8192.
    a, b = _column([1] * 10 + [0] * 3), _column([0] * 10 + [1] * 3)
    exact = 2 * 378 / 8192
    sampled = paired_permutation(a, b, _points, samples=20_000, seed=1)
    assert sampled == pytest.approx(exact, abs=4 * np.sqrt(exact * (1 - exact) / 20_000))


def test_a_sampled_p_is_never_zero() -> None:
    assert paired_permutation(_column([1] * 60), _column([0] * 60), _points, samples=99, seed=1) == 0.01


@pytest.mark.parametrize("clusters", [2, 12, 13, 200])
def test_equal_systems_have_p_one(clusters: int) -> None:
    same = _column(list(range(clusters)))
    assert paired_permutation(same, same, _points, samples=100, seed=1) == 1.0


def test_swapping_the_two_systems_changes_nothing(systems: list[Floats], ratio: Value) -> None:
    a, b = systems[:2]
    forth = paired_permutation(a, b, ratio, samples=500, seed=7)
    assert paired_permutation(b, a, ratio, samples=500, seed=7) == forth


def test_several_systems_get_the_p_values_they_get_alone(systems: list[Floats], ratio: Value) -> None:
    together = paired_permutations(systems[0], systems[1:], ratio, samples=500, seed=7)
    alone = [paired_permutation(systems[0], s, ratio, samples=500, seed=7) for s in systems[1:]]
    assert list(together) == alone


def test_block_size_does_not_change_p(
    monkeypatch: pytest.MonkeyPatch, systems: list[Floats], ratio: Value
) -> None:
    whole = paired_permutation(systems[0], systems[1], ratio, samples=500, seed=7)
    monkeypatch.setattr(sampling, "BLOCK_CELLS", 7 * len(systems[0]))
    assert paired_permutation(systems[0], systems[1], ratio, samples=500, seed=7) == whole


def test_one_cluster_is_refused() -> None:
    with pytest.raises(OptionError, match="at least two"):
        paired_permutation(_column([1]), _column([0]), _points, samples=10, seed=1)
