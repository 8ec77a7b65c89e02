"""The compiled search for n-grams, held against the NumPy that it stands in for."""

from __future__ import annotations

import numpy as np
import pytest

from anaphor.engine import has_native
from anaphor.predict.lm.model import ABSENT, Ngrams

# Where anything was compiled this was too, so that a missing module is a failure and not a reason to skip.
pytestmark = pytest.mark.skipif(not has_native(), reason="nothing was compiled")


def ngrams(size: int) -> Ngrams:
    """Every other number, from 0 on; values nobody looks at."""
    return Ngrams(np.arange(size) * 2, np.zeros(size), np.zeros(0))


@pytest.mark.parametrize("size", [1, 2, 3, 15, 16, 17, 1000])
@pytest.mark.parametrize("asked", [0, 1, 15, 16, 17, 100])
def test_places_are_those_of_one_search_after_another(size: int, asked: int) -> None:
    keys = np.random.default_rng(size).integers(-3, 2 * size + 3, asked)
    level = ngrams(size)
    assert level.numbers(keys).tolist() == level._searched(keys).tolist()


def test_every_key_has_its_number_and_no_other_has_one() -> None:
    """By hand: of every other number, the even ones are there."""
    found = ngrams(4).numbers(np.array([-1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 2**62]))
    absent = ABSENT
    assert found.tolist() == [absent, 0, absent, 1, absent, 2, absent, 3, absent, absent, absent]


def test_a_level_without_ngrams_has_none() -> None:
    assert ngrams(0).numbers(np.array([0, 5])).tolist() == [ABSENT, ABSENT]


def test_numbers_that_only_may_be_read_can_be_searched() -> None:
    """As they come from a file."""
    level = ngrams(9)
    level.key.flags.writeable = False
    assert level.numbers(np.array([4])).tolist() == [2]
