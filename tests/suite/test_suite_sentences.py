"""Sentences of two versions of a document, paired by length and by words that begin alike."""

from __future__ import annotations

import pytest

from anaphor.core import MismatchError, Where
from anaphor.suite.build.sentence_alignment import align_sentences

ENGLISH = [
    "The minister visited the factory in Lyon on Monday .",
    "It rained .",
    "Nobody had expected that the general director of the company would be absent , but he was .",
    "The visit lasted 45 minutes and ended with a lunch .",
]
FRENCH = [
    "Le ministre a visité l' usine de Lyon lundi .",
    "Il pleuvait .",
    "Personne ne s' attendait à l' absence du directeur général de la compagnie , mais il n' était pas là .",
    "La visite a duré 45 minutes et a fini par un déjeuner .",
]


def paired(source: list[str], reference: list[str]) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    return [(tuple(a), tuple(b)) for a, b in align_sentences(source, reference, where=Where("x"))]  # type: ignore[misc]


def test_equal_documents_are_paired_one_to_one() -> None:
    assert paired(ENGLISH, FRENCH) == [((n, n + 1), (n, n + 1)) for n in range(4)]


def test_a_sentence_that_was_cut_in_two_is_put_together() -> None:
    cut = [*FRENCH[:2], "Personne ne s' attendait à l' absence du directeur général de la compagnie ."]
    cut += ["Mais il n' était pas là .", FRENCH[3]]
    assert paired(ENGLISH, cut) == [((0, 1), (0, 1)), ((1, 2), (1, 2)), ((2, 3), (2, 4)), ((3, 4), (4, 5))]
    assert paired(cut, ENGLISH) == [((0, 1), (0, 1)), ((1, 2), (1, 2)), ((2, 4), (2, 3)), ((4, 5), (3, 4))]


@pytest.mark.parametrize("count", [4, 13])
def test_versions_that_differ_too_much_are_refused(count: int) -> None:
    with pytest.raises(MismatchError, match="cannot be aligned"):
        paired(["One sentence ."], ["Une phrase ."] * count)
