"""All pairs of systems get the p-values that they get alone, with far fewer swaps."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from anaphor.core import OptionError
from anaphor.core.array_types import Doubles
from anaphor.stats import Value, holm, paired_permutation, pairwise_permutations


def _graded(systems: int, clusters: int, *, spread: float) -> list[Doubles]:
    """Systems from the worst to the best; some of their clusters have no pronoun."""
    rng = np.random.default_rng(systems)
    pronouns = rng.integers(0, 9, size=clusters)
    rates = np.linspace(0.5 - spread, 0.5 + spread, systems)
    return [np.array([rng.binomial(pronouns, rate), pronouns], dtype=np.float64).T for rate in rates]


@pytest.mark.parametrize(
    ("systems", "clusters", "spread", "significant"),
    [(2, 3, 0.3, range(1)), (3, 12, 0.4, range(1, 3)), (7, 40, 0.4, range(1, 21)), (9, 60, 0.0, range(1))],
)
def test_all_pairs_get_the_p_values_that_each_gets_alone(
    systems: int, clusters: int, spread: float, significant: range, ratio: Value
) -> None:
    """With all swaps tried or only some, and where all, some or no pairs differ."""
    totals = _graded(systems, clusters, spread=spread)
    pairs = list(combinations(range(systems), 2))
    alone = [paired_permutation(totals[a], totals[b], ratio, samples=2000, seed=3) for a, b in pairs]
    found = pairwise_permutations(totals, ratio, samples=2000, seed=3)
    assert list(found) == pairs
    assert tuple(found.values()) == holm(alone)
    assert sum(p < 0.05 for p in found.values()) in significant


def test_pairs_that_differ_go_on_where_most_do_not(ratio: Value) -> None:
    """Six equal systems are left out after some swaps, each of them against the best one is not."""
    totals = [*_graded(6, 40, spread=0.0), _graded(2, 40, spread=0.45)[1]]
    totals[-1][:, 1] = totals[0][:, 1]
    totals[-1][:, 0] = np.minimum(totals[0][:, 0] + 3, totals[0][:, 1])
    pairs = list(combinations(range(7), 2))
    alone = [paired_permutation(totals[a], totals[b], ratio, samples=2000, seed=3) for a, b in pairs]
    found = pairwise_permutations(totals, ratio, samples=2000, seed=3)
    assert tuple(found.values()) == holm(alone)
    assert [pair for pair, p in found.items() if p < 0.05] == [(one, 6) for one in range(6)]


def test_undefined_swaps_count_for_neither_side_of_a_p_value(ratio: Value) -> None:
    """One system has a single pronoun: half of the swaps take it away."""
    totals = _graded(4, 40, spread=0.3)
    totals[1] = np.zeros_like(totals[1])
    totals[1][7] = 1.0, 1.0
    with np.errstate(divide="ignore"):
        pairs = list(combinations(range(4), 2))
        alone = [paired_permutation(totals[a], totals[b], ratio, samples=2000, seed=5) for a, b in pairs]
        assert tuple(pairwise_permutations(totals, ratio, samples=2000, seed=5).values()) == holm(alone)


def test_pairs_with_hardly_any_defined_swap_are_refused() -> None:
    """A score of whole systems only: undefined as soon as some clusters are swapped, but not all."""

    def whole(totals: Doubles) -> Doubles:
        return np.where(totals[..., 0] % 40 == 0, totals[..., 0], np.nan)

    with pytest.raises(OptionError, match="the score is undefined"):
        pairwise_permutations([np.zeros((40, 1)), np.ones((40, 1))], whole, samples=200, seed=5)


def test_pairs_that_cannot_differ_take_no_more_swaps_than_tell_so(ratio: Value) -> None:
    """A few hundred swaps tell that all 190 corrected p are 1: fifty of them show a larger difference."""
    scored, samples = 0, 50 * 190

    def counting(totals: Doubles) -> Doubles:
        nonlocal scored
        scored += totals.size // totals.shape[-1]
        return ratio(totals)

    found = pairwise_permutations(_graded(20, 50, spread=0.0), counting, samples=samples, seed=3)
    assert set(found.values()) == {1.0}
    assert scored < 2 * 190 * samples / 10
