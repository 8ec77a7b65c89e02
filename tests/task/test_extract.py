"""The rules for placeholders, on sentences counted by hand."""

from __future__ import annotations

import pytest

from anaphor.core import Alignment
from anaphor.task.prepare.placeholders import LinkThresholds, Placeholder, TargetPronouns, find_placeholders

COUNTERPARTS = TargetPronouns(frozenset(["il", "elle", "ils", "c'", "ce"]), frozenset(["le", "l'"]))


def places(
    pronouns: list[int],
    links: str,
    target: str,
    *,
    length: int = 5,
    confidence: tuple[float, ...] | None = None,
    limits: LinkThresholds | None = None,
) -> list[Placeholder]:
    pairs = [tuple(map(int, link.split("-"))) for link in links.split()]
    sources, targets = tuple(s for s, _ in pairs), tuple(t for _, t in pairs)
    found = find_placeholders(
        pronouns,
        source_length=length,
        words=target.split(),
        alignment=Alignment(sources, targets, confidence=confidence),
        counterparts=COUNTERPARTS,
        limits=limits or LinkThresholds(),
    )
    return list(found)


@pytest.mark.parametrize(
    ("links", "target", "hidden"),
    [
        pytest.param("0-1", "donc il part", 1, id="its only word"),
        pytest.param("0-0 0-1", "quand Elle part", 1, id="one of the accepted set among several"),
        pytest.param("0-2 0-0", "Il y elle", 0, id="the first of two accepted ones"),
        pytest.param("0-0 0-1", "voilà que cela", 1, id="the shortest if none is accepted"),
        pytest.param("0-2 0-1", "mais qui que", 1, id="the first of two equally short ones"),
    ],
)
def test_a_linked_pronoun_hides_one_word(links: str, target: str, hidden: int) -> None:
    # wmt16-findings, section 3.3.2, second paragraph
    assert places([0], links, target) == [Placeholder(0, hidden, hides=True)]


@pytest.mark.parametrize(
    ("links", "gap"),
    [
        pytest.param("1-1 3-3", 2, id="left before right at the same distance: after its word"),
        pytest.param("1-0 1-1", 2, id="after the last word of a left neighbour"),
        pytest.param("3-2 3-3", 2, id="before the first word of a right neighbour"),
        pytest.param("0-0 3-3", 3, id="a nearer right neighbour before a farther left one"),
        pytest.param("0-3", 4, id="two steps to the left"),
    ],
)
def test_a_pronoun_without_links_goes_beside_the_nearest_linked_neighbour(links: str, gap: int) -> None:
    # wmt16-findings, section 3.3.2, third paragraph; ties as in 127 placeholders of the 2015 file
    assert places([2], links, "a b c d") == [Placeholder(2, gap, hides=False)]


@pytest.mark.parametrize(("pronoun", "gap"), [(0, 0), (2, 4), (4, 8)])
def test_without_any_link_the_position_is_like_that_in_the_source(pronoun: int, gap: int) -> None:
    # five source tokens, ten target tokens: twice the position
    assert places([pronoun], "", "a b c d e f g h i j") == [Placeholder(pronoun, gap, hides=False)]


def test_a_word_is_hidden_once_for_the_pronoun_it_is_linked_to_most_surely() -> None:
    found = places([0, 3], "0-1 3-1 2-2", "puis ils reculent", confidence=(0.4, 0.9, 1.0))
    assert found == [Placeholder(0, 2, hides=False), Placeholder(3, 1, hides=True)]


@pytest.mark.parametrize(
    ("target", "confidence", "hides"),
    [
        pytest.param("il part", 0.1, True, id="accepted, sure enough"),
        pytest.param("il part", 0.09, False, id="accepted, too doubtful"),
        pytest.param("le part", 0.05, True, id="likely translation"),
        pytest.param("le part", 0.04, False, id="likely translation, too doubtful"),
        pytest.param("oui part", 0.05, True, id="any other word"),
        pytest.param("oui part", 0.04, False, id="any other word, too doubtful"),
    ],
)
def test_what_a_link_must_be_depends_on_its_word(target: str, confidence: float, hides: bool) -> None:
    (found,) = places([0], "0-0 1-1", target, confidence=(confidence, 1.0))
    assert found.hides is hides


def test_doubtful_links_of_neighbours_place_nothing() -> None:
    found = places([2], "1-0 4-3", "a b c d", confidence=(0.09, 0.1))
    assert found == [Placeholder(2, 3, hides=False)]


def test_the_loosest_threshold_is_that_of_the_aligner() -> None:
    assert LinkThresholds().loosest == 0.05
    assert LinkThresholds(neighbour=0.01).loosest == 0.01


def test_no_pronoun_has_no_place() -> None:
    assert places([], "0-0", "a") == []


@pytest.mark.parametrize(
    ("links", "target", "expected"),
    [
        # one accepted word, two pronouns with equal confidence: the first pronoun has it
        ("0-1 3-1", "puis ils reculent", [Placeholder(0, 1, hides=True), Placeholder(3, 2, hides=False)]),
        # the first pronoun has two accepted words and takes the first; the second gets the other
        ("0-0 0-2 3-2", "il et elle", [Placeholder(0, 0, hides=True), Placeholder(3, 2, hides=True)]),
    ],
)
def test_among_links_of_equal_confidence_the_first_pronoun_and_the_first_word_win(
    links: str, target: str, expected: list[Placeholder]
) -> None:
    confidence = (0.5,) * len(links.split())
    assert places([0, 3], links, target, confidence=confidence) == expected
