"""Whole texts at once say the same as line by line, word by word."""

from __future__ import annotations

from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from anaphor.languages import (
    FormMatcher,
    Runs,
    distinct,
    fold,
    load_language,
    split_tokens,
    split_words,
    token_span,
)

FORMS = {
    "en": ("it", "they"),
    "fr": ("il", "elle", "ce", "c'", "ça", "ç'", "l'"),
    "de": ("er", "sie", "es", "du"),
    "es": ("él", "la", "lo", "se"),
}
MATCHERS = {code: FormMatcher(load_language(code), forms) for code, forms in FORMS.items()}
PIECES = (
    *("it", "It", "IT's", "they", "wit", "'tis", "end.It", "a.it", "\u212ait"),
    *("qu'elle", "qu’ELLE", "est-il", "avril", "c'", "C’est", "ça", "c\u0327a", "Ç'"),
    *("gib's", "sie", "Esel", "kannste", "\u212aannste", "él", "e\u0301l", "dámelo", "parte"),
    *(" ", "  ", "\t", "\u00a0", "\u2028", ".", ",", "x"),
)
line = st.lists(st.sampled_from(PIECES), max_size=8).map(" ".join) | st.text(max_size=20)
lines = st.lists(line, max_size=6)


def without_newlines(text: list[str]) -> list[str]:
    return [line.replace("\n", " ") for line in text]


@given(lines.map(without_newlines))
@example([])
@example(["", "a  b", " c ", "d\te\x0bf\x0cg"])
def test_counts_are_those_of_split_words(text: list[str]) -> None:
    expected = [len(split_words(line)) for line in text]
    assert Runs.of(text).counts().tolist() == expected
    with patch("anaphor.languages.matcher.native", None):
        assert Runs.of(text).counts().tolist() == expected


@pytest.mark.parametrize("code", sorted(FORMS))
@given(text=lines.map(without_newlines))
def test_a_scan_finds_what_a_look_at_every_word_finds(code: str, text: list[str]) -> None:
    matcher = MATCHERS[code]
    expected = [
        (number, position, forms)
        for number, line in enumerate(text)
        for position, word in enumerate(split_words(line))
        if (forms := matcher.forms_in(word))
    ]
    assert list(matcher.scan(Runs.of(text))) == expected
    with patch("anaphor.languages.matcher.native", None):
        assert list(matcher.scan(Runs.of(text))) == expected


@pytest.mark.parametrize("word", ["kannste", "Kannste", "KANNSTE", "\u212aannste", "\u212aANNSTE"])
def test_a_scan_finds_a_form_behind_the_kelvin_sign(word: str) -> None:
    """U+212A folds to k and is no k among the bytes: only a look at every word can find it."""
    only_du = FormMatcher(load_language("de"), ["du"])  # 's of es would make every word with an s a suspect
    assert list(only_du.scan(Runs.of(["Das", f"was {word} da"]))) == [(1, 1, ("du",))]


@given(line)
def test_the_span_of_a_token_is_that_of_the_split_sentence(text: str) -> None:
    sentence = split_tokens(text)
    assert [token_span(text, k) for k in range(len(sentence.tokens))] == [
        sentence.span(k) for k in range(len(sentence.tokens))
    ]


def test_no_other_character_outside_ascii_folds_to_ascii() -> None:
    """The search in the bytes rests on this; a new version of Unicode could add one."""
    others = [chr(code) for code in range(128, 0x110000) if not 0xD800 <= code < 0xE000]
    letters = [one for one in others if (folded := fold(one)).isascii() and folded.isalpha()]
    assert letters == ["\u212a"]


@given(st.lists(st.integers(-5, 5)))
def test_distinct_values_are_those_of_numpy(values: list[int]) -> None:
    array = np.array(values, np.int64)
    assert distinct(array).tolist() == np.unique(array).tolist()
