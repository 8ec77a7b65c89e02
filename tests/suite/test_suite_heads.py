"""Heads of antecedents: by order and tags, and by a tree where there is one."""

from __future__ import annotations

import pytest

from anaphor.core import Analysis, Tree
from anaphor.suite.build.candidates import head_of


@pytest.mark.parametrize(
    ("tagged", "head"),
    [
        ("the/DET red/ADJ bicycle/NOUN", "bicycle"),
        ("a/DET bed/NOUN net/NOUN", "net"),
        ("the/DET treatments/NOUN we/PRON have/VERB for/ADP depression/NOUN", "treatments"),
        ("the/DET road/NOUN to/ADP peace/NOUN", "road"),
        ("some/DET drug/NOUN that/PRON stops/VERB one/NUM stage/NOUN", "drug"),
        ("Peter/PROPN 's/PART old/ADJ house/NOUN", "house"),
        ("the/DET mayor/NOUN ,/PUNCT a/DET lawyer/NOUN", "mayor"),
        ("mothers/NOUN and/CCONJ fathers/NOUN", "mothers"),
        ("a/DET lot/NOUN of/ADP people/NOUN from/ADP here/ADV", "people"),
        ("a/DET couple/NOUN of/ADP ,/PUNCT", "couple"),
        ("a/DET kind/NOUN", "kind"),
        ("all/DET these/PRON", "these"),
        ("the/DET poor/ADJ", "poor"),
        ("John/PROPN Smith/PROPN", "Smith"),
    ],
)
def test_without_a_tree_the_last_noun_before_what_follows_is_the_head(tagged: str, head: str) -> None:
    tokens, tags = zip(*(cell.rsplit("/", 1) for cell in tagged.split()), strict=True)
    found = head_of(Analysis(tuple(map(str.lower, tokens)), tags), tokens, range(len(tokens)))
    assert found is not None
    assert tokens[found] == head


def test_only_the_tokens_of_the_mention_count() -> None:
    tags = ("DET", "NOUN", "VERB", "DET", "NOUN")
    tokens = ("the", "dog", "sees", "the", "cat")
    assert head_of(Analysis(tokens, tags), tokens, (0, 1)) == 1
    assert head_of(Analysis(tokens, tags), tokens, (3, 4)) == 4


def test_marks_alone_have_no_head() -> None:
    assert head_of(Analysis((",", "."), ("PUNCT", "PUNCT")), (",", "."), (0, 1)) is None


def test_with_a_tree_the_head_is_the_word_whose_head_lies_outside() -> None:
    tokens = ("I", "saw", "the", "team", "players")
    tree = Tree((1, None, 4, 4, 1), ("nsubj", "root", "det", "compound", "obj"))
    analysis = Analysis(tokens, ("PRON", "VERB", "DET", "NOUN", "NOUN"), tree=tree)
    assert head_of(analysis, tokens, (2, 3, 4)) == 4
    assert head_of(analysis, tokens, (2, 3)) == 2
