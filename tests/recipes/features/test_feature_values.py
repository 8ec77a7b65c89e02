"""Boundaries of single features: buckets, distances, preferences between candidates."""

from __future__ import annotations

import pytest

from anaphor.core import Alignment, Analysis, Slot, TaskSegment
from anaphor.recipes.features import build_groups
from anaphor.recipes.features.antecedents import PrecedingTokens, antecedent, determiner_of
from anaphor.recipes.features.context import AnalysedSegment, SlotContext
from anaphor.recipes.features.tokens import AnnotatedTokens


def analysed(
    source: str,
    *,
    target: int = 1,
    subjects: tuple[int, ...] = (),
    slots: tuple[Slot, ...] = (),
    alignment: Alignment | None = None,
) -> AnalysedSegment:
    """A segment of English words written `word/TAG`, whose target is so many words long."""
    pairs = [token.split("/") for token in source.split()]
    words, tags = tuple(word for word, _ in pairs), tuple(tag for _, tag in pairs)
    places = [place for place, tag in enumerate(tags) if tag in ("NOUN", "PROPN")]
    determiners = [place for place, tag in enumerate(tags) if tag == "DET"]
    gaps = tuple(f"t{number}" for number in range(target))
    return AnalysedSegment(
        TaskSegment(words, gaps, slots, alignment or Alignment(), "d"),
        AnnotatedTokens("en", words, Analysis(words, tags, frozenset(subjects)), places, determiners),
        AnnotatedTokens("fr", gaps),
    )


def context(
    here: AnalysedSegment, *before: AnalysedSegment, slot: Slot | None = None, number: int = 0
) -> SlotContext:
    return SlotContext(here, slot or Slot(0, 0), number, before)


IT = analysed("it/PRON works/VERB")


@pytest.mark.parametrize(
    ("place", "source", "target", "share", "end"),
    [
        (0, 0, 0, 0, 4),
        (1, 1, 1, 0, 4),
        (3, 3, 3, 1, 4),
        (4, 4, 4, 2, 4),
        (5, 4, 4, 2, 4),
        (6, 4, 4, 3, 3),
        (9, 4, 4, 4, 0),
    ],
)
def test_positions_beyond_four_tokens_are_one_bucket(
    place: int, source: int, target: int, share: int, end: int
) -> None:
    """Ten tokens on either side: two to a fifth."""
    here = analysed(" ".join(["w/X"] * 10), target=10, slots=(Slot(place, place),))
    found = build_groups({"position": {}})["position"].features(context(here, slot=here.segment.slots[0]))
    expected = [f"po.source={source}", f"po.target={target}", f"po.share={share}", f"po.end={end}"]
    assert found == [*expected, "po.slot=1/1"]


def test_a_slot_is_counted_up_to_the_third() -> None:
    slots = tuple(Slot(0, place) for place in range(4))
    here = analysed("it/PRON", target=4, slots=slots)
    group = build_groups({"position": {}})["position"]
    found = [group.features(context(here, slot=slot, number=n))[-1] for n, slot in enumerate(slots)]
    assert found == ["po.slot=1/3", "po.slot=2/3", "po.slot=3/3", "po.slot=3/3"]


@pytest.mark.parametrize(("links", "expected"), [(0, 0), (1, 1), (3, 3), (4, 3)])
def test_links_are_counted_up_to_three(links: int, expected: int) -> None:
    alignment = Alignment((0,) * links, tuple(range(links)))
    here = analysed("it/PRON", target=5, alignment=alignment)
    found = build_groups({"alignment": {"neighbours": False}})["alignment"].features(context(here))
    assert f"al.fertility={expected}" in found


@pytest.mark.parametrize(("back", "away"), [(0, 0), (1, 1), (2, 2), (3, 3), (4, 3)])
def test_a_noun_is_up_to_three_segments_away(back: int, away: int) -> None:
    noun, empty = analysed("dog/NOUN"), analysed("yes/INTJ")
    if back == 0:
        found = context(analysed("dog/NOUN it/PRON"), slot=Slot(1, 0))
    else:
        found = context(IT, *[empty] * (back - 1), noun)
    group = build_groups({"antecedents": {"side": "source", "sentences": 9, "determiners": 0}})
    assert f"as.n1.away={away}" in group["antecedents"].features(found)


@pytest.mark.parametrize(
    ("source", "determiner"),
    [
        ("the/DET dog/NOUN", "the"),
        ("the/DET big/ADJ dog/NOUN", "the"),
        ("the/DET very/ADV big/ADJ dog/NOUN", "the"),
        ("the/DET two/NUM very/ADV big/ADJ dog/NOUN", "-"),  # three words between them are too many
        ("the/DET cat/VERB dog/NOUN", "-"),
        ("dog/NOUN", "-"),
        ("the/DET a/DET dog/NOUN", "a"),
    ],
)
def test_a_determiner_belongs_to_a_noun_within_two_words(source: str, determiner: str) -> None:
    tokens = analysed(source).source
    assert determiner_of(tokens, len(tokens) - 1) == determiner


# The cat is the subject of its segment, the dog is nearer to the pronoun.
CAT_DOG = analysed("the/DET cat/NOUN sees/VERB the/DET dog/NOUN", subjects=(1,))


@pytest.mark.parametrize(
    ("before", "subjects", "expected"),
    [
        ([CAT_DOG], False, ("dog", 1)),
        ([CAT_DOG], True, ("cat", 1)),
        ([analysed("a/DET bird/NOUN"), CAT_DOG], True, ("bird", 1)),  # a nearer segment comes first
        ([analysed("cat/NOUN and/CCONJ dog/NOUN", subjects=(0, 2))], True, ("dog", 1)),  # the nearer subject
        ([analysed("cat/NOUN and/CCONJ dog/NOUN")], True, ("dog", 1)),
    ],
)
def test_subjects_come_before_nearer_nouns_of_their_segment(
    before: list[AnalysedSegment], subjects: bool, expected: tuple[str, int]
) -> None:
    found = antecedent(context(IT, *before), subjects=subjects)
    assert found is not None
    assert (found.tokens.word(found.place), found.away) == expected
    group = build_groups({"closest-noun": {"subjects": subjects}})["closest-noun"]
    assert f"cn.source={expected[0]}" in group.features(context(IT, *before))


def test_nouns_after_the_pronoun_are_not_candidates() -> None:
    here = analysed("cat/NOUN it/PRON dog/NOUN")
    assert [place for _, place, _ in PrecedingTokens((here.source,), 1).nouns(9)] == [0]
    assert PrecedingTokens((here.source,), 1).nouns(5) == [(here.source, 0, 0)]
    assert PrecedingTokens((here.source,), 1).has(nouns=1, determiners=0)
    assert not PrecedingTokens((here.source,), 1).has(nouns=2, determiners=0)
    assert PrecedingTokens((here.source, here.source), 1).has(nouns=3, determiners=0)


def test_at_most_the_requested_number_of_nouns_is_found() -> None:
    here, before = analysed("a/NOUN b/NOUN it/PRON"), analysed("c/NOUN d/NOUN e/NOUN")
    preceding = PrecedingTokens((here.source, before.source), 2)
    for most in range(1, 6):
        assert preceding.nouns(most) == preceding.nouns(9)[:most]
    assert [tokens.word(place) for tokens, place, _ in preceding.nouns(4)] == ["b", "a", "e", "d"]
