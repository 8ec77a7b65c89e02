"""Which segments a scene sees, and what is said of their tokens."""

from __future__ import annotations

from dataclasses import replace

import pytest

from anaphor.core import Alignment, LanguagePair, Slot, TaskSegment
from anaphor.predict.features.needs import Needs, joined
from anaphor.predict.features.scene import HIDDEN
from anaphor.predict.features.stage import Stage

PAIR = LanguagePair("en", "fr")


def segment(source: str, target: str, document: str | None) -> TaskSegment:
    tokens = tuple(target.split())
    slots = tuple(
        Slot(int(token[8:]), place) for place, token in enumerate(tokens) if token.startswith("REPLACE_")
    )
    return TaskSegment(tuple(source.split()), tokens, slots, Alignment(), document)


SEGMENTS = [
    segment("The house", "La maison", "a"),
    segment("It is old", "REPLACE_0 est vieille", "a"),
    segment("It is big", "REPLACE_0 est grande", "b"),
    segment("A car", "Une voiture", None),
    segment("It is red", "REPLACE_0 est rouge", None),
]


def test_a_scene_sees_what_comes_before_in_its_document_and_no_further() -> None:
    scenes = list(Stage(PAIR, True, Needs(sentences=2)).scenes(SEGMENTS))
    seen = [[staged.segment for staged in scene.before] for scene in scenes]
    assert seen == [[SEGMENTS[0]], [], []]  # the last two: another document, none known


def test_the_nearest_segment_comes_first() -> None:
    many = [replace(SEGMENTS[0], document="a"), replace(SEGMENTS[3], document="a"), SEGMENTS[1]]
    scene = next(Stage(PAIR, True, Needs(sentences=5)).scenes(many))
    assert [staged.segment.source[-1] for staged in scene.before] == ["car", "house"]


@pytest.mark.parametrize("count", [1, 2047, 2048, 2049, 5000])
def test_long_texts_are_seen_the_same_across_batches(count: int) -> None:
    many = [replace(SEGMENTS[1], source=(f"it{number}",)) for number in range(count)]
    for number, scene in enumerate(Stage(PAIR, True, Needs(sentences=2)).scenes(many)):
        assert scene.pronoun == f"it{number}"
        assert [staged.source.words[0] for staged in scene.before] == [
            f"it{before}" for before in range(number - 1, max(number - 3, -1), -1)
        ]


def test_nothing_is_analysed_for_nobody() -> None:
    scene = next(Stage(PAIR, True, Needs()).scenes(SEGMENTS))
    assert (scene.here.source.tags, scene.here.target.tags) == ((), ())
    assert scene.here.target.words == (HIDDEN, "est", "vieille")


def test_word_forms_are_analysed_with_a_pronoun_in_the_gap() -> None:
    scene = next(Stage(PAIR, True, Needs(source=True, target=True)).scenes(SEGMENTS))
    assert scene.here.source.tags[0] == "PRON"
    assert scene.here.target.tags[0] == "PRON"
    assert scene.here.target.lemmas[1] == "être"
    assert scene.here.target.words[0] == HIDDEN


def test_lemmas_and_tags_of_a_file_are_taken_as_they_are() -> None:
    tagged = segment("It is old", "REPLACE_0 Être|VERB |x|X odd", "a")
    target = next(Stage(PAIR, False, Needs(target=True)).scenes([tagged])).here.target
    assert target.words == (HIDDEN, "être", "|x", "odd")
    assert target.tags == ("PRON", "VERB", "X", "X")
    assert target.lemmas is target.words


def test_a_language_without_an_analyser_has_words_alone() -> None:
    scene = next(Stage(LanguagePair("en", "cs"), True, Needs(target=True)).scenes(SEGMENTS))
    assert scene.here.target.tags == ()


def test_needs_are_joined() -> None:
    assert joined([Needs(source=True), Needs(sentences=3), Needs(sentences=1)]) == Needs(
        source=True, sentences=3
    )
    assert joined([]) == Needs()
