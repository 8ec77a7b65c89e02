"""Answers as JSON: the same out and in, and nothing that a database or a file could not hold."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anaphor.annotate.answer_json import answer_json, parse_answer, read_answer
from anaphor.annotate.types import MAX_REMARK, MAX_TAGS, AnnotatorAnswer, Mark, TokenAt
from anaphor.core import InputError

TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=30)
TAG = TEXT.map(str.strip).filter(lambda tag: tag and not set(tag) & set(",\n\t"))
TOKEN = st.builds(TokenAt, st.integers(0, 9999), st.integers(0, 99))
ANSWERS = st.builds(
    AnnotatorAnswer,
    antecedent=st.sampled_from(Mark),
    pronoun=st.sampled_from(Mark),
    words=st.sets(TOKEN, max_size=4).map(lambda words: tuple(sorted(words))),
    tags=st.sets(TAG, max_size=4).map(lambda tags: tuple(sorted(tags))),
    remark=TEXT,
    choices=st.sets(TAG, max_size=3).map(lambda names: tuple(sorted(names))),
    order=st.sampled_from(((), (("a",), ("b",)), (("a", "b"),), (("c",), ("a", "b")))),
)


@given(ANSWERS)
def test_an_answer_comes_back_as_it_was(answer: AnnotatorAnswer) -> None:
    assert read_answer(answer_json(answer)) == answer


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
    | st.dictionaries(
        st.sampled_from(("antecedent", "pronoun", "words", "tags", "remark", "choices", "order")),
        st.none() | st.integers() | st.text() | st.lists(st.lists(st.integers() | st.text())),
    )
)
def test_whatever_arrives_is_an_answer_or_an_input_error(content: object) -> None:
    try:
        answer = parse_answer(content, where="the page")
    except InputError:
        return
    assert read_answer(answer_json(answer)) == answer
    answer_json(answer).encode()  # no half of a character is left


def test_order_and_duplicates_do_not_change_an_answer() -> None:
    one = parse_answer({"tags": ["b", "a", "b "], "words": [[2, 1], [1, 2], [2, 1]]}, where="x")
    assert one == AnnotatorAnswer(tags=("a", "b"), words=(TokenAt(1, 2), TokenAt(2, 1)))


@pytest.mark.parametrize(
    "content",
    [
        [],
        {"unknown": 1},
        {"pronoun": "maybe"},
        {"pronoun": ["yes"]},
        {"words": [[1]]},
        {"words": [[-1, 0]]},
        {"words": [[True, 0]]},
        {"words": [[2**40, 0]]},
        {"words": "1:2"},
        {"tags": [str(number) for number in range(MAX_TAGS + 1)]},
        {"tags": ["x" * 61]},
        {"tags": ["a,b"]},
        {"remark": "x" * (MAX_REMARK + 1)},
        {"remark": "nul \0"},
        {"remark": "half \ud800"},
        {"order": [["a"], ["a"]]},
        {"choices": {"a": 1}},
    ],
    ids=lambda content: json.dumps(content)[:30],
)
def test_invalid_answers_are_refused(content: object) -> None:
    with pytest.raises(InputError) as caught:
        parse_answer(content, where="the page")
    assert str(caught.value.where) == "the page"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"unknown": 1}, "unknown field `unknown`"),
        ({"pronoun": "maybe"}, "'maybe' - at `$.pronoun`"),
        ({"words": [[0, 1], [1]]}, "length 2, got 1 - at `$.words[1]`"),
        ({"tags": ["a,b"]}, "a tag with a comma"),
        ({"order": [["a"], ["b", "a"]]}, "ranked twice"),
    ],
)
def test_the_error_says_which_part_is_wrong(content: object, message: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_answer(content, where="the page")
    assert message in caught.value.what
    assert caught.value.fix
