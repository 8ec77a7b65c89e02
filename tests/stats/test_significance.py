"""McNemar's test and Holm's correction by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anaphor.core import MismatchError
from anaphor.stats import holm, mcnemar


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
