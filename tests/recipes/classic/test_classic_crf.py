"""Labels of sequences against trying all of them."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest

from anaphor.core import Alignment, LanguagePair, Slot, TaskSegment
from anaphor.recipes.classic.crf import decode, group_by_key, sequence_keys
from anaphor.recipes.features.context import AnalysedSegment, ContextBuilder, Requirements, SlotContext
from anaphor.recipes.features.tokens import AnnotatedTokens


def by_trying_all(
    scores: np.ndarray[tuple[int, ...], np.dtype[np.float64]],
    moves: np.ndarray[tuple[int, ...], np.dtype[np.float64]],
) -> tuple[list[int], np.ndarray[tuple[int, ...], np.dtype[np.float64]]]:
    """Best labels and the share of each label at each place, from the score of every sequence of labels."""
    length, classes = scores.shape
    totals = {
        labels: sum(scores[at, label] for at, label in enumerate(labels))
        + sum(moves[one, two] for one, two in pairwise(labels))
        for labels in product(range(classes), repeat=length)
    }
    shares = np.zeros((length, classes))
    for labels, total in totals.items():
        for at, label in enumerate(labels):
            shares[at, label] += np.exp(total)
    best, _ = max(totals.items(), key=lambda item: item[1])
    return list(best), shares / shares.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("length", [1, 2, 3, 5])
def test_the_best_labels_and_their_shares_are_exact(length: int) -> None:
    draw = np.random.default_rng(length)
    scores, moves = draw.normal(size=(length, 3)), draw.normal(size=(3, 3))
    found = decode(scores, moves, [list(range(length))])
    best, shares = by_trying_all(scores, moves)
    assert found.best.tolist() == best
    assert found.shares == pytest.approx(shares)


def test_sequences_are_independent() -> None:
    draw = np.random.default_rng(1)
    scores, moves = draw.normal(size=(4, 3)), draw.normal(size=(3, 3))
    found = decode(scores, moves, [[0, 2], [1, 3]])
    first = decode(scores[[0, 2]], moves, [[0, 1]])
    assert found.best[[0, 2]].tolist() == first.best.tolist()
    assert found.shares[[0, 2]].tolist() == first.shares.tolist()


def test_places_are_grouped_by_what_they_share() -> None:
    assert group_by_key(["a", "b", "a", 3, "b"]) == [[0, 2], [1, 4], [3]]


@pytest.mark.parametrize("kind", ["sentence", "neighbours", "chain"])
def test_a_repeated_sentence_is_another_sequence(kind: str) -> None:
    segment = TaskSegment(("it",), ("REPLACE_0",), (Slot(0, 0),), Alignment(), document="d")
    builder = ContextBuilder(
        LanguagePair("en", "fr"), forms=True, requirements=Requirements(source=True, sentences=1)
    )
    keys = sequence_keys(builder.contexts([segment, segment]), kind)
    assert group_by_key(keys) == [[0], [1]]


@pytest.mark.parametrize(
    ("kind", "groups"), [("sentence", [[0, 1, 2, 3]]), ("neighbours", [[0, 1], [2], [3]])]
)
def test_only_placeholders_side_by_side_are_neighbours(kind: str, groups: list[list[int]]) -> None:
    """? ? and ? that ? : a chain of first order passes nothing across a word, whose label is known."""
    target = ("REPLACE_0", "REPLACE_1", "and", "REPLACE_2", "that", "REPLACE_3")
    slots = tuple(Slot(source, place) for source, place in enumerate((0, 1, 3, 5)))
    segment = TaskSegment(("it",) * 4, target, slots, Alignment())
    tokens = AnnotatedTokens("en", segment.source)
    here = AnalysedSegment(segment, tokens, tokens)
    contexts = [SlotContext(here, slot, number) for number, slot in enumerate(slots)]
    assert group_by_key(sequence_keys(contexts, kind)) == groups
