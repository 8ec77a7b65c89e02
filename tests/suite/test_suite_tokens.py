"""From characters to tokens, whoever cut the text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anaphor.core import MismatchError, Span
from anaphor.suite.texts import Locator, SegmentSpan, TokenFinder

LINE = "Don't you see it? It's red."


def tokens_at(tokens: list[str], start: int, end: int, line: str = LINE) -> list[str]:
    finder = TokenFinder([line], [tokens], path="tok.en")
    return [tokens[position] for _, position in finder.tokens([SegmentSpan(0, start, end)])]


@pytest.mark.parametrize(
    ("tokens", "start", "end", "expected"),
    [
        (["Do", "n't", "you", "see", "it", "?", "It", "'s", "red", "."], 14, 16, ["it"]),
        (["Do", "n't", "you", "see", "it", "?", "It", "'s", "red", "."], 18, 20, ["It"]),
        (["Don't", "you", "see", "it?", "It's", "red."], 18, 20, ["It's"]),  # the token that holds it
        (["D", "o", "n't", "you", "see", "i", "t", "?", "It", "'", "s", "red", "."], 14, 16, ["i", "t"]),
        (["Don't", "you", "see", "it", "?", "It's", "red", "."], 6, 16, ["you", "see", "it"]),
    ],
)
def test_a_place_covers_the_tokens_that_hold_its_characters(
    tokens: list[str], start: int, end: int, expected: list[str]
) -> None:
    assert tokens_at(tokens, start, end) == expected


@pytest.mark.parametrize(
    "tokens",
    [
        ["Don", "&apos;t", "you", "see", "it", "?", "It", "'s", "red", "."],
        ["don't", "you", "see", "it", "?", "It", "'s", "red", "."],
        ["Don't", "you", "see", "it", "?"],
    ],
)
def test_any_other_difference_than_white_space_is_refused(tokens: list[str]) -> None:
    with pytest.raises(MismatchError, match="more than white space") as caught:
        tokens_at(tokens, 14, 16)
    assert str(caught.value.where) == "tok.en:1"


@given(
    st.lists(st.text("aé'-,", min_size=1, max_size=4), min_size=1, max_size=8),
    st.lists(st.sampled_from(["", " ", "  ", "\u00a0"]), min_size=8, max_size=8),
    st.integers(0, 7),
)
def test_a_token_is_found_at_its_own_characters_in_any_spacing(
    tokens: list[str], gaps: list[str], which: int
) -> None:
    which %= len(tokens)
    before = "".join(token + gap for token, gap in zip(tokens[:which], gaps, strict=False))
    line = "".join(token + gap for token, gap in zip(tokens, gaps, strict=False))
    finder = TokenFinder([line], [tokens], path="tok")
    place = SegmentSpan(0, len(before), len(before) + len(tokens[which]))
    assert finder.tokens([place]) == ((0, which),)


def test_a_place_in_a_document_is_a_stretch_of_a_segment() -> None:
    locator = Locator(("Ab cd.", "", "Ef."), first=10)
    assert locator.stretches((Span(3, 5), Span(8, 10))) == (SegmentSpan(10, 3, 5), SegmentSpan(12, 0, 2))
    assert locator.text((Span(3, 5), Span(8, 10))) == "cd Ef"


@pytest.mark.parametrize(
    ("start", "end", "fits"),
    [(0, 2, True), (0, 6, True), (0, 7, False), (2, 3, False), (6, 7, False), (8, 11, True), (8, 12, False)],
)
def test_a_place_must_lie_inside_a_line_and_not_be_blank(start: int, end: int, fits: bool) -> None:
    assert Locator(("Ab cd.", "", "Ef."), first=0).fits(Span(start, end)) is fits


def test_the_offsets_are_those_of_the_lines_joined_by_newlines() -> None:
    lines = ("One two.", "Three it.")
    at = "\n".join(lines).index("it")
    assert Locator(lines, first=0).text((Span(at, at + 2),)) == "it"
