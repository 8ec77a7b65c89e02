"""The covariance of two estimates, against what happens when the same world is sampled many times."""

from __future__ import annotations

import numpy as np
import pytest

from anaphor.stats.cells import Cell
from anaphor.stats.coordinated import Shared, shared_error

PRONOUNS = 60
Estimates = tuple[list[float], list[list[Cell]]]


def drawn(right: np.ndarray, strata: np.ndarray, numbers: np.ndarray, counts: tuple[int, int]) -> list[Cell]:
    """The cells of one system: of each stratum the pronouns with the smallest random numbers."""
    cells = []
    for stratum, count in enumerate(counts):
        members = np.flatnonzero(strata == stratum)
        keys = members[np.argsort(numbers[members])[:count]]
        cells.append(Cell(len(members), right[keys].astype(np.float64), keys, 0.5))
    return cells


def mean(cells: list[Cell]) -> float:
    return sum(float(cell.values.mean()) * cell.size for cell in cells) / PRONOUNS


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
    first = [Cell(9, np.array([1.0, 0.0]), np.array([0, 1]), 0.5)]
    second = [Cell(9, np.array([1.0, 0.0]), np.array([2, 3]), 0.5)]
    assert shared_error(first, second, total=(9, 9)) == Shared(0, 0)


def test_a_single_judged_item_says_nothing() -> None:
    one = [Cell(9, np.array([1.0]), np.array([0]), 0.5)]
    assert shared_error(one, one, total=(9, 9)) == Shared(0, 1)


def test_what_is_known_completely_has_none() -> None:
    full = [Cell(2, np.array([1.0, 0.0]), np.array([0, 1]), 0.5)]
    assert shared_error(full, full, total=(2, 2)) == Shared(0, 2)
