"""Discounts follow Chen and Goodman (1998), equation 26, and a text too small for them is not passed over."""

from __future__ import annotations

import numpy as np
import pytest

from anaphor.core import InputError, InputWarning
from anaphor.predict.lm.smoothing import FALLBACK, Discounts, counts_of_counts, discounts_of


def test_discounts_are_those_of_the_formula() -> None:
    # By hand: n1..n4 = 100, 30, 15, 10; Y = 100 / 160; D1 = 1 - 2Y 30/100, D2 = 2 - 3Y 15/30,
    # D3 = 3 - 4Y 10/15.
    found = discounts_of(np.array([7, 100, 30, 15, 10]), length=2, fallback=False)
    assert (found.one, found.two, found.more) == pytest.approx((0.625, 1.0625, 4 / 3))


def test_counts_above_four_do_not_enter() -> None:
    assert counts_of_counts(np.array([0, 1, 1, 2, 3, 4, 5, 100])).tolist() == [1, 2, 1, 1, 1]


def test_every_count_has_its_discount() -> None:
    assert Discounts(0.5, 1.0, 1.5).of(np.array([0, 1, 2, 3, 9])).tolist() == [0, 0.5, 1.0, 1.5, 1.5]


@pytest.mark.parametrize(
    ("found", "reason"),
    [
        ([0, 0, 5, 5, 5], "none occurs 1 time by"),
        ([0, 5, 0, 5, 5], "none occurs 2 times"),
        ([0, 5, 5, 0, 5], "none occurs 3 times"),
        ([0, 9, 1, 9, 9], "adjusted count 2 would be"),
    ],
)
def test_a_text_without_discounts_is_an_error_or_takes_those_of_lmplz(found: list[int], reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        discounts_of(np.array(found), length=3, fallback=False)
    with pytest.warns(InputWarning, match=f"{reason}.*3-grams"):
        assert discounts_of(np.array(found), length=3, fallback=True) == Discounts(*FALLBACK)
