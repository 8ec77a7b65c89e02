"""Orders of Python 2.7 and of its NumPy. All expected values were observed in a 64-bit Python 2.7.18."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anaphor.legacy.python27 import OldSet, old_argsort, old_hash, old_lower


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("", 0),
        ("il", 13440080745121173),
        ("ça", 29568177383265942),
        ("elles", 731534857460930472),
        ("qu'", 1882935603000924822),
        ("İ", 38912117041),
    ],
)
def test_words_have_their_unsalted_hash(word: str, expected: int) -> None:
    assert old_hash(word) == expected


def test_minus_one_shares_the_hash_of_minus_two() -> None:
    assert old_hash(-1) == old_hash(-2) == 2**64 - 2


@pytest.mark.parametrize(
    ("items", "expected"),
    [
        ([2, 9], [9, 2]),
        ([9, 1], [9, 1]),
        ([1, 9], [1, 9]),
        ([16, 8, 0], [16, 8, 0]),
        ([12, 5, 20, 33, 7], [20, 7, 12, 5, 33]),
        ([12, 5, 20, 33, 7, 41], [33, 5, 7, 41, 12, 20]),
    ],
)
def test_numbers_iterate_by_residue_then_insertion(items: list[int], expected: list[int]) -> None:
    assert list(OldSet(items)) == expected


def test_words_iterate_as_they_did_after_growth() -> None:
    words = ["il", "elle", "ils", "elles", "ce", "c'", "on", "ça"]
    assert list(OldSet(words)) == ["on", "elles", "c'", "ce", "il", "ça", "elle", "ils"]


def test_a_union_grows_once_for_both_parts() -> None:
    union = OldSet(["il", "elle", "ils", "que", "ce"]) | OldSet(
        ["elle", "on", "cela", "il", "lui", "y", "en"]
    )
    assert list(union) == ["on", "en", "elle", "ce", "que", "il", "y", "lui", "cela", "ils"]


def test_an_intersection_walks_the_smaller_set_or_the_right_one() -> None:
    assert list(OldSet([10, 2]) & OldSet([2, 10, 3])) == [10, 2]
    assert list(OldSet([2, 10]) & OldSet([10, 2])) == [10, 2]


def test_a_difference_keeps_the_order_of_the_left_set() -> None:
    assert list(OldSet([3, 11, 19]) - OldSet([11])) == [3, 19]


def test_no_index_comes_behind_the_numbers_of_a_small_set() -> None:
    assert list(OldSet([None, 20])) == [20, None]


@given(st.lists(st.text(max_size=4)))
def test_an_old_set_has_the_members_of_a_set(words: list[str]) -> None:
    assert sorted(OldSet(words)) == sorted(set(words))
    assert len(OldSet(words)) == len(set(words))


@pytest.mark.parametrize(
    ("text", "expected"),
    [("İSTANBUL", "istanbul"), ("ΛΌΓΟΣ", "λόγοσ"), ("ÇA Est-Il", "ça est-il")],
)
def test_lower_case_maps_letter_by_letter(text: str, expected: str) -> None:
    assert old_lower(text) == expected


def test_up_to_sixteen_values_are_sorted_stably() -> None:
    assert old_argsort([1, 0] * 8) == [*range(1, 16, 2), *range(0, 16, 2)]


def test_seventeen_values_are_partitioned_first() -> None:
    # The diagonal of the tool's own second example; its printed order is this one reversed.
    diagonal = [1, 3, 2, 0, 3, 0, 0, 5, 2, 0, 0, 1, 0, 0, 3, 40, 3]
    shown = [15, 7, 16, 14, 1, 4, 2, 8, 11, 0, 9, 10, 6, 5, 3]
    assert old_argsort(diagonal)[::-1][:15] == shown


@given(st.lists(st.integers(0, 5), max_size=200))
def test_the_sort_sorts(values: list[int]) -> None:
    order = old_argsort(values)
    assert sorted(order) == list(range(len(values)))
    assert [values[position] for position in order] == sorted(values)
