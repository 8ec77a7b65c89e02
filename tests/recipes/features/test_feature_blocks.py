"""Columns of what stands around pronouns, and the n-grams that are made of them."""

from __future__ import annotations

from typing import Any

import pytest

from anaphor.core import Alignment, Analysis, LanguagePair, Slot, TaskSegment
from anaphor.recipes.features import GROUPS, build_groups
from anaphor.recipes.features.context import ContextBuilder, Requirements
from anaphor.recipes.features.groups import (
    NgramBlock,
    NgramTemplate,
    columns_around,
    feature_lists,
    padded,
)
from anaphor.recipes.features.tokens import AnnotatedTokens, LemmaTagTokens

#: Placeholders at the beginning, inside and at the end of a target, which are two of one segment once.
CONTEXTS = list(
    ContextBuilder(
        LanguagePair("en", "fr"), False, Requirements(source=True, target=True, sentences=2)
    ).contexts(
        [
            TaskSegment(("A", "dog"), ("un|DET", "chien|NOUN"), (), Alignment(), "a"),
            TaskSegment(("It", "barks"), ("REPLACE_0", "aboyer|VERB"), (Slot(0, 0),), Alignment(), "a"),
            TaskSegment(("See", "it"), ("voir|VERB", "REPLACE_1"), (Slot(1, 1),), Alignment(), "a"),
            TaskSegment(
                ("It", "is", "it"),
                ("REPLACE_0", "être|VERB", "REPLACE_2"),
                (Slot(0, 0), Slot(2, 2)),
                Alignment(),
                "b",
            ),
        ]
    )
)


@pytest.mark.parametrize(
    ("at", "before", "after", "expected"),
    [
        (2, 1, 1, "b c d"),
        (0, 2, 1, "<> <> a b"),
        (4, 1, 3, "d e <> <> <>"),
        (1, 3, 5, "<> <> a b c d e <> <>"),
        (3, 0, 0, "d"),
        (7, 1, 1, "<> <> <>"),  # a slot may point outside
    ],
)
def test_places_outside_of_the_sentence_are_padded(at: int, before: int, after: int, expected: str) -> None:
    assert " ".join(padded(AnnotatedTokens("en", tuple("ABCDE")), "word", at, before, after)) == expected


@pytest.mark.parametrize(
    ("tokens", "layer", "expected"),
    [
        (AnnotatedTokens("fr", ("Les", "Amis")), "word", "<> les amis <>"),
        (
            AnnotatedTokens("fr", ("Les", "Amis"), Analysis(("Le", "Ami"), ("DET", "NOUN"))),
            "lemma",
            "<> le ami <>",
        ),
        (
            AnnotatedTokens("fr", ("Les", "Amis"), Analysis(("Le", "Ami"), ("DET", "NOUN"))),
            "tag",
            "<> DET NOUN <>",
        ),
        (AnnotatedTokens("fr", ("Les", "Amis")), "tag", "<> <> <> <>"),  # not analysed
        (LemmaTagTokens("fr", ("Le|DET", "Ami|NOUN")), "word", "<> le ami <>"),
        (LemmaTagTokens("fr", ("Le|DET", "Ami|NOUN")), "lemma", "<> le ami <>"),
        (LemmaTagTokens("fr", ("Le|DET", "Ami")), "tag", "<> DET X <>"),
    ],
)
def test_a_layer_is_cut_around_a_place(tokens: AnnotatedTokens, layer: str, expected: str) -> None:
    assert " ".join(padded(tokens, layer, 0, 1, 2)) == expected


def test_ngrams_are_made_of_columns() -> None:
    sides = [(AnnotatedTokens("en", ("a", "b", "c")), 1), (AnnotatedTokens("en", ("x", "y")), 0)]
    columns = columns_around(sides, "word", before=1, after=1)
    assert columns == [("a", "<>"), ("b", "x"), ("c", "y")]
    found = NgramBlock(columns, [NgramTemplate("w-1=", 0, 1), NgramTemplate("w-1:+1=", 0, 3)])
    assert found.feature_lists(2) == [("w-1=a", "w-1:+1=a_b_c"), ("w-1=<>", "w-1:+1=<>_x_y")]


def test_all_ngrams_of_a_slot_have_its_prefix() -> None:
    found = NgramBlock(
        [("a", "x"), ("b", "y")], [NgramTemplate("1=", 0, 1), NgramTemplate("2=", 0, 2)], ("it&", "they&")
    )
    assert found.feature_lists(2) == [["it&1=a", "it&2=a_b"], ["they&1=x", "they&2=x_y"]]


def test_no_contexts_and_no_columns_are_allowed() -> None:
    assert columns_around([], "word", before=1, after=1) == [(), (), ()]
    assert NgramBlock([], []).feature_lists(2) == [(), ()]


@pytest.mark.parametrize("options", [{}, {"bag": 2, "with_pronoun": True, "layers": ["lemma", "ending"]}])
@pytest.mark.parametrize("name", ["source-window", "target-window"])
def test_windows_give_the_same_features_for_many_contexts_and_for_one(
    name: str, options: dict[str, Any]
) -> None:
    group = build_groups({name: options})[name]
    parts = [feature_lists(part, len(CONTEXTS)) for part in group.extract_batch(CONTEXTS)]
    rows = [[name for part in parts for name in part[number]] for number in range(len(CONTEXTS))]
    assert rows == [group.features(context) for context in CONTEXTS]
    assert [feature_lists(part, 0) for part in group.extract_batch([])] == [[]] * len(parts)


@pytest.mark.parametrize("name", sorted({*GROUPS} - {"lm"}))
def test_groups_with_equal_options_are_equal(name: str) -> None:
    """Two steps that have a group in common ask it once, so that groups must be equal where options are."""
    first, second = (build_groups({name: {}})[name] for _ in range(2))
    assert first == second
    assert hash(first) == hash(second)
