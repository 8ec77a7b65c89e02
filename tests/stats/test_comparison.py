"""One call compares every system with the baseline."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anaphor.core import Comparison, MismatchError, OptionError
from anaphor.core.array_types import Doubles
from anaphor.stats import (
    Value,
    bootstrap,
    compare,
    holm,
    mcnemar,
    paired_permutation,
    resampled_scores,
)


def _compare(names: list[str], totals: list[Doubles], ratio: Value) -> tuple[Comparison, ...]:
    return compare(
        "points",
        names=names,
        totals=totals,
        value=ratio,
        right=None,
        resampled=resampled_scores(totals, ratio, resamples=bootstrap(totals, ratio, samples=300, seed=9)),
        seed=9,
        level=0.9,
    )


def test_each_system_is_compared_with_the_first(systems: list[Doubles], ratio: Value) -> None:
    found = _compare(["a", "b", "c"], systems, ratio)
    assert [(c.metric, c.baseline, c.system) for c in found] == [("points", "a", "b"), ("points", "a", "c")]
    sums = [s.sum(axis=0) for s in systems]
    assert found[1].difference == pytest.approx(sums[2][0] / sums[2][1] - sums[0][0] / sums[0][1])
    for comparison in found:
        assert comparison.interval.low < comparison.difference < comparison.interval.high
        assert comparison.interval.level == 0.9
        assert comparison.p_mcnemar is None
        assert comparison.detectable > 0


def test_a_clear_difference_is_found_by_both_tests(systems: list[Doubles], ratio: Value) -> None:
    # System c has rate 0.7, the baseline 0.5, with about 300 pronouns each.
    better = _compare(["a", "b", "c"], systems, ratio)[1]
    assert better.p_bootstrap < 0.01
    assert better.p_permutation < 0.01
    assert better.interval.low > 0


def test_the_adjusted_p_is_holms_of_the_permutation_p(systems: list[Doubles], ratio: Value) -> None:
    found = _compare(["a", "b", "c"], systems, ratio)
    raw = [paired_permutation(systems[0], s, ratio, samples=300, seed=9) for s in systems[1:]]
    assert [c.p_permutation for c in found] == raw
    assert tuple(c.p_adjusted for c in found) == holm(raw)


def test_judged_pronouns_add_mcnemars_p(systems: list[Doubles], ratio: Value) -> None:
    right = [np.array([True, False, False, False, False]), np.array([False, True, True, True, True])]
    (found,) = compare(
        "points",
        names=["a", "b"],
        totals=systems[:2],
        value=ratio,
        right=right,
        resampled=resampled_scores(
            systems[:2], ratio, resamples=bootstrap(systems[:2], ratio, samples=50, seed=1)
        ),
        seed=1,
        level=0.95,
    )
    assert found.p_mcnemar == mcnemar(*right)


def test_a_duplicate_of_the_baseline_differs_by_nothing(systems: list[Doubles], ratio: Value) -> None:
    (found,) = _compare(["a", "again"], [systems[0], systems[0].copy()], ratio)
    assert found.difference == 0
    assert (found.interval.low, found.interval.high) == (0, 0)
    assert (found.p_bootstrap, found.p_permutation, found.p_adjusted) == (1, 1, 1)
    assert found.detectable == 0


def test_the_order_of_systems_changes_only_the_order_of_comparisons(
    systems: list[Doubles], ratio: Value
) -> None:
    a, b, c = systems
    forward = _compare(["a", "b", "c"], [a, b, c], ratio)
    assert _compare(["a", "c", "b"], [a, c, b], ratio) == forward[::-1]


def test_a_baseline_alone_has_nothing_to_compare(systems: list[Doubles], ratio: Value) -> None:
    assert _compare(["a"], systems[:1], ratio) == ()


def test_an_undefined_score_is_refused_by_name(systems: list[Doubles], ratio: Value) -> None:
    with pytest.raises(OptionError, match="the score of empty is undefined"):
        _compare(["a", "empty"], [systems[0], np.zeros_like(systems[0])], ratio)


def test_names_and_totals_must_fit(systems: list[Doubles], ratio: Value) -> None:
    with pytest.raises(MismatchError, match="2 names, 3 totals"):
        _compare(["a", "b"], systems, ratio)


# McNemar's test and Holm's correction by hand.


@pytest.mark.parametrize(
    ("both", "only_a", "only_b", "expected"),
    [
        (50, 0, 0, 1.0),
        (50, 4, 4, 1.0),
        (0, 1, 0, 1.0),  # one toss: 2 * 1/2
        (7, 5, 0, 2 / 32),  # five tosses, no tail
        (7, 1, 9, 2 * (1 + 10) / 1024),  # ten tosses, at most one head
        (0, 6, 2, 2 * (1 + 8 + 28) / 256),  # eight tosses, at most two tails
        (3, 5, 4, 1.0),  # 2 * 256 / 512
    ],
)
def test_mcnemar_is_the_two_sided_sign_test(both: int, only_a: int, only_b: int, expected: float) -> None:
    right_a = np.array([True] * both + [True] * only_a + [False] * only_b + [False] * 3)
    right_b = np.array([True] * both + [False] * only_a + [True] * only_b + [False] * 3)
    assert mcnemar(right_a, right_b) == pytest.approx(expected, rel=1e-10)
    assert mcnemar(right_b, right_a) == pytest.approx(expected, rel=1e-10)


def test_mcnemar_of_no_pronouns_is_one() -> None:
    assert mcnemar(np.array([], dtype=np.bool_), np.array([], dtype=np.bool_)) == 1.0


def test_mcnemar_needs_the_same_pronouns() -> None:
    with pytest.raises(MismatchError, match="2 judged pronouns against 3"):
        mcnemar(np.ones(2, dtype=np.bool_), np.ones(3, dtype=np.bool_))


@pytest.mark.parametrize(
    ("given_p", "expected"),
    [
        ([], ()),
        ([0.03], (0.03,)),
        # Sorted 0.01, 0.02, 0.04: times 3, 2, 1 gives 0.03, 0.04, 0.04.
        ([0.04, 0.01, 0.02], (0.04, 0.03, 0.04)),
        # Sorted 0.01, 0.03, 0.031: 0.03, 0.06, then 0.031 is raised to 0.06.
        ([0.01, 0.03, 0.031], (0.03, 0.06, 0.06)),
        # 0.6 times 2 is cut to 1.
        ([0.6, 0.7], (1.0, 1.0)),
        # Equal values get equal corrections: 0.02 times 2 for the first, kept for the second.
        ([0.02, 0.02], (0.04, 0.04)),
    ],
)
def test_holm_by_hand(given_p: list[float], expected: tuple[float, ...]) -> None:
    assert holm(given_p) == pytest.approx(expected)


@given(st.lists(st.floats(0, 1), max_size=12))
def test_holm_keeps_the_order_and_lies_between_the_raw_p_and_bonferroni(raw: list[float]) -> None:
    adjusted = holm(raw)
    assert all(p <= q <= min(1.0, len(raw) * p) + 1e-12 for p, q in zip(raw, adjusted, strict=True))
    ranked = [q for _, q in sorted(zip(raw, adjusted, strict=True))]
    assert ranked == sorted(ranked)
