"""INI files by the rules of Python 2.7; every accepted form was compared with its RawConfigParser."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anaphor.core import InputError, OptionError
from anaphor.legacy.python27 import (
    OldSet,
    old_argsort,
    old_hash,
    old_lower,
    parse_ini,
    warn_of_empty_tokens,
)


@pytest.mark.parametrize(
    ("written", "key", "value"),
    [
        ("key: value", "key", "value"),
        ("key = value", "key", "value"),
        ("KEY: value", "key", "value"),
        ("key: value ; comment", "key", "value"),
        ("key: x;y ;z", "key", "x;y ;z"),
        ("key: ; kept", "key", "; kept"),
        ("key: ; cut ", "key", ""),  # the character "before" the first one is the last
        ("key: x ; cut ; y", "key", "x"),
        ("key: a # b", "key", "a # b"),
        ('key: ""', "key", ""),
        ("key:", "key", ""),
        ("key: a=b", "key", "a=b"),
        ("key = a:b", "key", "a:b"),
        ("spaced key   :  v  ", "spaced key", "v"),
        ("key: one\n  two\n\n  # three", "key", "one\ntwo\n# three"),
        ("key: 1\nkey: 2", "key", "2"),
        ("key: 1\n[b]\nkey: 2\n[a]\nother: 3", "key", "1"),
        ("key: 1\r", "key", "1"),
        ("# no: 1\n; no: 2\nREM no key\nrem no key\nkey: 4", "key", "4"),
        ("remark: 1", "remark", "1"),
    ],
)
def test_a_value_is_read_as_python_2_did(written: str, key: str, value: str) -> None:
    assert parse_ini(f"[a]\n{written}\n", "c").text("a", key) == value


def test_default_values_serve_every_section() -> None:
    ini = parse_ini("[DEFAULT]\nKey: 1\nother: 2\n[a]\nOTHER: 3\n", "c")
    assert ini.text("a", "key") == ini.text("a", "KEY") == "1"
    assert ini.text("a", "Other") == "3"


def test_a_value_of_several_lines_is_named_by_its_first() -> None:
    assert parse_ini("[a]\nother: 0\nkey: 1\n  2\n  3\n", "c").entry("a", "key").line == 3


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("key: 1\n", "c:1:1"),
        ("[a]\nno key here\n", "c:2:1"),
        ("\ufeff[a]\nkey: 1\n", "c:1:1"),
        ("[]\n", "c:1:1"),
    ],
)
def test_a_line_of_no_known_kind_is_refused(text: str, where: str) -> None:
    with pytest.raises(InputError, match="not a section, a key or a comment") as caught:
        parse_ini(text, "c")
    assert str(caught.value.where) == where


def test_a_missing_section_and_a_missing_key_are_named() -> None:
    ini = parse_ini("[a]\nkey: 1\n", "c")
    with pytest.raises(InputError, match=r"no section \[A\]"):
        ini.text("A", "key")
    with pytest.raises(InputError, match=r"section \[a\] has no key other"):
        ini.text("a", "other")


def test_a_value_that_cannot_be_converted_is_shown_with_its_line() -> None:
    with pytest.raises(OptionError, match="key is 'one'") as caught:
        parse_ini("[a]\n\nkey: one\n", "c").convert("a", "key", int, wanted="a number")
    assert (str(caught.value.where), caught.value.fix) == ("c:3", "write a number")


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


def test_a_table_is_larger_than_the_least_size() -> None:
    # Eight elements need room for 16, so the table has 32 slots; in one of 16, the number 16 comes first.
    numbers = [*range(8, 15), 16]
    assert list(OldSet(numbers) | OldSet()) == numbers


def test_large_sets_grow_by_two() -> None:
    # From 50,001 elements on a table grows by two, to 262,144 slots: 352,144 falls on slot 90,000.
    assert list(OldSet([*range(87_382), 100_000, 352_144]))[-2:] == [352_144, 100_000]


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


@pytest.mark.parametrize("distinct", [2, 5, 40])
@pytest.mark.parametrize("length", [15, 16, 17, 18, 33, 34, 35, 100, 500])
def test_ties_are_left_as_the_quicksort_of_numpy_leaves_them(length: int, distinct: int) -> None:
    """NumPy still sorts strings by the quicksort with which it sorted numbers then."""
    generator = random.Random(f"{length} {distinct}")
    for _ in range(10):
        values = [generator.randrange(distinct) for _ in range(length)]
        texts = np.array([f"{value:03d}" for value in values], "S3")
        assert old_argsort(values) == np.argsort(texts, kind="quicksort").tolist()


@pytest.mark.parametrize(("line", "warned"), [(" a b", True), ("a  b", True), ("a b", False), ("", False)])
def test_surplus_spaces_are_warned_of(line: str, warned: bool, recwarn: pytest.WarningsRecorder) -> None:
    warn_of_empty_tokens(["a", line], Path("text"))
    notes = [str(warning.message).partition(" with surplus spaces")[0] for warning in recwarn]
    assert notes == ["text:2: 1 line(s)"] * warned
