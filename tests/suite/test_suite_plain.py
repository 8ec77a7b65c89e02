"""A suite from plain text has the pronouns that scoring evaluates."""

from __future__ import annotations

import pytest

from anaphor.core import InputError, LanguagePair
from anaphor.corpus import Text
from anaphor.suite import plain_suite

PAIR = LanguagePair("en", "fr")
SOURCE = Text.of(["The lamp fell.", "It broke, and they left it.", "Its glass stayed."], path="lamps.en")


def test_every_evaluated_pronoun_is_an_item() -> None:
    suite, texts = plain_suite(SOURCE, PAIR)
    locator = texts.locators["source"]["text"]
    assert [(item.id, item.category, locator.text(item.pronoun)) for item in suite.items] == [
        ("1:0", "it", "It"),
        ("1:4", "they", "they"),
        ("1:6", "it", "it"),
    ]
    assert [(one.name, one.antecedent) for one in suite.categories] == [("it", False), ("they", False)]


def test_documents_and_other_pronouns() -> None:
    suite, texts = plain_suite(SOURCE, PAIR, documents=["a", "b", "b"], pronouns=["its"])
    assert [(one.id, one.segments) for one in suite.documents] == [("a", 1), ("b", 2)]
    (item,) = suite.items
    assert (item.id, item.document) == ("2:0", "b")
    assert texts.locators["source"]["b"].text(item.pronoun) == "Its"


def test_what_cannot_be_a_suite_is_refused() -> None:
    with pytest.raises(InputError, match="not adjacent"):
        plain_suite(SOURCE, PAIR, documents=["a", "b", "a"])
    with pytest.raises(InputError, match="no pronoun found"):
        plain_suite(Text.of(["Nothing."], path="none.en"), PAIR)
