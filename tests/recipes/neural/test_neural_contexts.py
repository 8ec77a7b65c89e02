"""Segments as contexts: every place is counted by hand on invented sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from anaphor.core import Alignment, Analysis, Slot, TaskSegment, Tree
from anaphor.recipes.neural.contexts import (
    NO_LABEL,
    NO_SEGMENT,
    PLACEHOLDER,
    ContextReader,
    head_of,
    roles_of,
)
from anaphor.task import TaskClasses


def reader(classes: TaskClasses, *, forms: bool = False) -> ContextReader:
    return ContextReader(classes.pair, forms=forms, classes=classes.classes)


def test_places_of_pronoun_gap_head_and_candidate(
    twenty: Sequence[TaskSegment], classes: TaskClasses
) -> None:
    contexts = reader(classes).read(twenty[:2])
    # Place 0 is no token; the first sentence has places 1-4, the second 5-10 on both sides.
    assert contexts.source.starts.tolist() == contexts.target.starts.tolist() == [1, 5, 11]
    table = contexts.slots
    assert (table.segment[0], table.source[0], table.target[0], table.head[0]) == (1, 7, 7, 8)
    assert classes.classes[table.label[0]] == "elle"
    assert contexts.previous.tolist() == [NO_SEGMENT, 0]
    # "house" is the only noun before: source place 2, linked to the target noun at place 2.
    assert table.candidates[0].tolist() == [[2, 2]] + [[0, 0]] * 5
    assert contexts.source.types[contexts.source.tokens[2]][:3] == ("house", "house", "NOUN")
    assert contexts.target.types[contexts.target.tokens[7]] == (PLACEHOLDER, PLACEHOLDER)
    assert contexts.target.types[contexts.target.tokens[8]] == ("sembler", "VERB")


def test_nothing_is_taken_from_another_document(twenty: Sequence[TaskSegment], classes: TaskClasses) -> None:
    first, second = twenty[:2]
    for other in ("another", None):
        contexts = reader(classes).read([first, replace(second, document=other)])
        assert len(contexts.source) == 1  # the first sentence is not needed
        assert contexts.previous.tolist() == [NO_SEGMENT]
        assert not contexts.slots.candidates.any()


def test_sentences_that_no_slot_needs_are_left_out(
    twenty: Sequence[TaskSegment], classes: TaskClasses
) -> None:
    first, second = twenty[:2]
    contexts = reader(classes).read([first, first, first, second, first])
    assert len(contexts.source) == 2
    assert contexts.previous.tolist() == [NO_SEGMENT, 0]


def test_candidates_are_the_nearest_nouns_before_the_pronoun(classes: TaskClasses) -> None:
    segment = TaskSegment(
        ("the", "cat", "saw", "the", "dog", "and", "it", "left", "the", "house"),
        ("chat|NOUN", "voir|VERB", "chien|NOUN", "et|CONJ", "REPLACE_6", "quitter|VERB", "maison|NOUN"),
        (Slot(6, 4, None, None),),
        Alignment((1, 2, 4, 5, 6, 7, 9), (0, 1, 2, 3, 4, 5, 6)),
    )
    table = reader(classes).read([segment]).slots
    assert table.candidates[0, :3].tolist() == [[5, 3], [2, 1], [0, 0]]  # dog, cat; never "house" after it
    assert table.label.tolist() == [NO_LABEL]


def test_word_forms_are_folded_and_get_tags(classes: TaskClasses) -> None:
    segment = TaskSegment(
        ("It", "rains"), ("REPLACE_0", "Pleut", "."), (Slot(0, 0, "il", "Il"),), Alignment((1,), (1,))
    )
    contexts = reader(classes, forms=True).read([segment])
    rows = [contexts.target.types[i] for i in contexts.target.tokens[1:]]
    assert [row[0] for row in rows] == [PLACEHOLDER, "pleut", "."]
    assert rows[2][1] == "PUNCT"
    assert contexts.source.types[contexts.source.tokens[1]][0] == "It"  # the case of source letters is kept


def test_the_head_comes_from_the_tree_or_is_the_next_verb() -> None:
    tags = ("PRON", "ADV", "VERB", "NOUN")
    slot = Slot(0, 0)
    assert head_of(slot, Analysis(tags, tags)) == 2
    assert head_of(replace(slot, source=3), Analysis(tags, tags)) == 2  # none follows: the one before
    assert head_of(slot, Analysis(("a", "b"), ("PRON", "NOUN"))) == 0  # none at all: itself
    tree = Tree((3, 3, None, 2), ("nsubj", "advmod", "root", "obj"))
    assert head_of(slot, Analysis(tags, tags, tree=tree)) == 3
    assert head_of(replace(slot, source=2), Analysis(tags, tags, tree=tree)) == 2


def test_roles_come_from_the_tree_or_are_the_kind_of_subject() -> None:
    tags = ("PRON", "VERB", "PRON", "VERB")
    analysis = Analysis(
        tags, tags, subjects=frozenset([0]), expletives=frozenset([2]), null_subjects=frozenset([3])
    )
    assert list(roles_of(analysis)) == ["subject", "", "expletive", "null"]
    tree = Tree((1, None), ("nsubj", "root"))
    assert list(roles_of(Analysis(tags[:2], tags[:2], tree=tree))) == ["nsubj", "root"]


def test_a_sentence_after_a_gap_has_no_preceding_one(
    twenty: Sequence[TaskSegment], classes: TaskClasses
) -> None:
    first, second = twenty[:2]
    # The third sentence and the fourth are not needed; the fifth is, but not what came before it.
    contexts = reader(classes).read([first, second, first, first, first, second])
    assert contexts.previous.tolist() == [NO_SEGMENT, 0, NO_SEGMENT, 2]


def test_a_candidate_with_several_links_is_at_the_first(classes: TaskClasses) -> None:
    segment = TaskSegment(
        ("the", "dog", "and", "it"),
        ("gros|ADJ", "chien|NOUN", "REPLACE_3"),
        (Slot(3, 2, "il"),),
        Alignment((1, 1), (0, 1)),
    )
    assert reader(classes).read([segment]).slots.candidates[0, 0].tolist() == [2, 1]


def test_no_segments_give_no_slots(classes: TaskClasses) -> None:
    contexts = reader(classes).read([])
    assert len(contexts.slots) == 0
    assert np.array_equal(contexts.source.starts, [1])


def test_no_more_candidates_than_the_table_holds_and_the_nearest_first(classes: TaskClasses) -> None:
    nouns = ("dog", "house", "car", "book", "tree", "door", "river")
    words = [word for noun in nouns for word in ("the", noun)]
    segment = TaskSegment(
        (*words, "it", "left"),
        ("REPLACE_14", "partir|VERB"),
        (Slot(14, 0, "il"),),
        Alignment((3,), (1,)),
        "a",
    )
    table = reader(classes).read([segment]).slots
    found = [words[place - 1] for place in table.candidates[0, :, 0]]
    assert found == list(reversed(nouns))[:6]  # the seventh noun is too far
    assert table.candidates[0, :, 1].tolist() == [0, 0, 0, 0, 0, 2]  # only "house" is aligned


def test_candidates_of_the_preceding_sentence_come_after_those_of_the_same_sentence(
    classes: TaskClasses,
) -> None:
    first = TaskSegment(("the", "dog", "left"), ("chien|NOUN",), (), Alignment((1,), (0,)), "a")
    second = TaskSegment(
        ("the", "cat", "saw", "it"),
        ("chat|NOUN", "REPLACE_3"),
        (Slot(3, 1, "il"),),
        Alignment((1,), (0,)),
        "a",
    )
    table = reader(classes).read([first, second]).slots
    assert table.candidates[0, :3].tolist() == [[5, 2], [2, 1], [0, 0]]
