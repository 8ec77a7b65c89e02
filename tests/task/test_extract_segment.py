"""Placeholders in the target, links counted anew."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anaphor.core import Alignment, LanguagePair, Slot
from anaphor.task import format_segment, task_classes
from anaphor.task.lines import parse_segment
from anaphor.task.prepare.placeholders import Placeholder, hide_words

CLASSES = task_classes(LanguagePair("en", "fr"), year=2016)
SOURCE = ["And", "it", "works", ",", "they", "say", "."]
WORDS = ["Et", "ça", "marche", ",", "disent-ils", "."]
SHOWN = ["et|CONJ", "cela|PRON", "marcher|VERB", ",|.", "dire|VERB", ".|."]
LINKS = Alignment((0, 1, 2, 3, 5, 6), (0, 1, 2, 3, 4, 5))


def test_a_hidden_word_keeps_its_form_and_gets_its_tag() -> None:
    segment = hide_words(
        SOURCE, words=WORDS, shown=SHOWN, places=[Placeholder(1, 1, hides=True)], links=LINKS, classes=CLASSES
    )
    assert segment.slots == (Slot(1, 1, "cela", "ça|PRON"),)
    assert " ".join(segment.target) == "et|CONJ REPLACE_1 marcher|VERB ,|. dire|VERB .|."
    assert segment.alignment == LINKS


def test_an_inserted_placeholder_moves_all_that_follows() -> None:
    places = [Placeholder(1, 1, hides=True), Placeholder(4, 4, hides=False)]
    segment = hide_words(SOURCE, words=WORDS, shown=WORDS, places=places, links=LINKS, classes=CLASSES)
    assert " ".join(segment.target) == "Et REPLACE_1 marche , REPLACE_4 disent-ils ."
    assert segment.slots == (Slot(1, 1, "cela", "ça"), Slot(4, 4, "OTHER", "NONE"))
    assert segment.alignment.sources == (0, 1, 2, 3, 4, 5, 6)
    assert segment.alignment.targets == (0, 1, 2, 3, 4, 5, 6)


@pytest.mark.parametrize(
    ("places", "target"),
    [
        (
            [Placeholder(4, 0, hides=False), Placeholder(1, 0, hides=False)],
            "REPLACE_1 REPLACE_4 Et ça marche , disent-ils .",
        ),
        (
            [Placeholder(4, 1, hides=False), Placeholder(1, 1, hides=True)],
            "Et REPLACE_4 REPLACE_1 marche , disent-ils .",
        ),
        ([Placeholder(4, 6, hides=False)], "Et ça marche , disent-ils . REPLACE_4"),
    ],
)
def test_several_placeholders_in_one_place_stand_in_the_order_of_the_source(
    places: list[tuple[int, int, bool]], target: str
) -> None:
    segment = hide_words(
        SOURCE,
        words=WORDS,
        shown=WORDS,
        places=[Placeholder(*place) for place in places],
        links=LINKS,
        classes=CLASSES,
    )
    assert " ".join(segment.target) == target
    assert all(segment.target[slot.target] == f"REPLACE_{slot.source}" for slot in segment.slots)


def test_without_places_the_text_is_as_it_was() -> None:
    segment = hide_words(SOURCE, words=WORDS, shown=WORDS, places=[], links=LINKS, classes=CLASSES)
    assert (segment.slots, segment.target) == ((), tuple(WORDS))
    assert segment.alignment == LINKS


@given(
    st.lists(
        st.tuples(st.integers(0, 6), st.integers(0, 5), st.booleans()),
        max_size=4,
        unique_by=lambda place: place[0],
    )
)
def test_every_segment_is_read_back_from_its_line(drawn: list[tuple[int, int, bool]]) -> None:
    hidden = {target: source for source, target, hides in drawn if hides}
    places = [Placeholder(*place) for place in drawn if not place[2] or hidden[place[1]] == place[0]]
    segment = hide_words(SOURCE, words=WORDS, shown=WORDS, places=places, links=LINKS, classes=CLASSES)
    assert parse_segment(format_segment(segment), "made", 1, classes=None) == segment
    for slot in segment.slots:
        assert slot.target in segment.alignment.targets_of(slot.source)
