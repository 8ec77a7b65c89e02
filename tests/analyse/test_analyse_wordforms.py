"""Lemmas by exception and by ending; what a spelling shows."""

from __future__ import annotations

import pytest

from anaphor.analyse.wordforms import FEATURES, Lemmas, Rewriting, features_of, plain, shape

LEMMAS = Lemmas(
    rules={
        ("VERB", ""): Rewriting("", 0, ""),
        ("VERB", "t"): Rewriting("", 1, "en"),
        ("VERB", "cht"): Rewriting("ge", 1, "en"),
        ("NOUN", "er"): Rewriting("", 2, ""),
        ("ADJ", "er"): Rewriting("", 2, ""),
    },
    exceptions={("VERB", "ist"): "sein"},
    titled=frozenset({"NOUN"}),
)


@pytest.mark.parametrize(
    ("form", "tag", "lemma"),
    [
        ("ist", "VERB", "sein"),
        ("IST", "VERB", "sein"),
        ("sagt", "VERB", "sagen"),
        ("gemacht", "VERB", "machen"),
        ("aufgemacht", "VERB", "aufmachen"),
        ("Kinder", "NOUN", "Kind"),
        ("KINDER", "NOUN", "Kind"),
        ("er", "ADJ", "er"),  # a rule that leaves nothing does not apply
        ("Berlin", "PROPN", "Berlin"),
        ("…", "PUNCT", "…"),
        ("oft", "ADV", "oft"),
        ("", "VERB", ""),
    ],
)
def test_lemma(form: str, tag: str, lemma: str) -> None:
    assert LEMMAS.lemma(form, tag) == lemma


@pytest.mark.parametrize(
    ("form", "word"),
    [("Il", "il"), ("-il", "il"), ("L’", "l'"), ("--", "--"), ("Straße", "straße"), ("", "")],
)
def test_plain_forms(form: str, word: str) -> None:
    assert plain(form) == word


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ("house", "lower"),
        ("House", "title"),
        ("NATO", "upper"),
        ("I", "letter"),
        ("iPhone", "mixed"),
        ("1,234.5", "number"),
        ("G8", "digits"),
        ("...", "punctuation"),
        ("", "punctuation"),
        ("-il", "inverted lower"),
        ("l’", "elided lower"),
        ("arc-en-ciel", "joined lower"),
        ("日本", "lower"),
    ],
)
def test_shapes(form: str, expected: str) -> None:
    assert shape(form) == expected


def test_features_are_named_apart_and_always_as_many() -> None:
    for form in ("", "a", "ab", "abcdefgh"):
        found = features_of(form)
        assert len(found) == len(FEATURES)
        assert len({feature[:2] for feature in found}) == len(FEATURES)
