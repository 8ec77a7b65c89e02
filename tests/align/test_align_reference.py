"""The model against sums over every possible alignment of tiny sentences."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from anaphor.align.model import REACH, HmmOptions
from anaphor.align.reference import Direction, best_path, hidden_markov, position_model
from anaphor.core.array_types import Doubles, Floats


def a_direction(*, words: int, states: int, seed: int = 1) -> tuple[Direction, Floats]:
    generator = np.random.default_rng(seed)
    emission = generator.uniform(0.1, 1, (words, states))
    jumps = generator.uniform(0.5, 1, 2 * REACH + 1).astype(np.float32)
    return Direction(emission, generator.uniform(0.1, 1, words), 0.2), jumps


def by_enumeration(direction: Direction, jumps: Floats) -> tuple[Doubles, Doubles, tuple[int, ...]]:
    """Posteriors, expected jumps and the best path by going through all (states + 1) ** words paths.

    The slow and sure way; -1 stands for null, and for the place before the first.
    """
    words, states = direction.emission.shape
    posterior, counts = np.zeros((words, states)), np.zeros(2 * REACH + 1)
    everything = 0.0
    best: tuple[float, tuple[int, ...]] = (0.0, ())
    for way in product(range(-1, states), repeat=words):
        weight, last, moves = 1.0, -1, []
        for word, place in enumerate(way):
            weight *= _step(direction, jumps, last, place, word=word)
            if place >= 0:
                moves.append(place - last)
                last = place
        everything += weight
        best = max(best, (weight, way), key=lambda found: found[0])
        for word, place in enumerate(way):
            if place >= 0:
                posterior[word, place] += weight
        for move in moves:
            counts[REACH + move] += weight
    return posterior / everything, counts / everything, best[1]


def _step(direction: Direction, jumps: Floats, last: int, place: int, *, word: int) -> float:
    if place < 0:
        return direction.null * float(direction.null_emission[word])
    ways = sum(float(jumps[REACH + i - last]) for i in range(direction.emission.shape[1]))
    move = float(jumps[REACH + place - last]) / ways
    return (1 - direction.null) * move * float(direction.emission[word, place])


@pytest.mark.parametrize(("words", "states"), [(1, 1), (1, 3), (3, 1), (3, 2), (4, 3)])
def test_posteriors_jumps_and_best_path_are_those_of_all_paths(words: int, states: int) -> None:
    direction, jumps = a_direction(words=words, states=states)
    found = hidden_markov(direction, jumps)
    posterior, counts, way = by_enumeration(direction, jumps)
    np.testing.assert_allclose(found.posterior, posterior, atol=1e-12)
    np.testing.assert_allclose(found.jumps, counts, atol=1e-12)
    assert tuple(best_path(direction, jumps, found)) == way


def test_words_without_cells_come_from_null() -> None:
    direction, jumps = a_direction(words=3, states=4)
    direction.emission[1] = 0
    found = hidden_markov(direction, jumps)
    assert found.posterior[1].sum() == 0
    assert best_path(direction, jumps, found)[1] == -1
    assert found.posterior[0].sum() > 0


def test_the_position_model_shares_each_word_among_places_and_null() -> None:
    generator = np.random.default_rng(2)
    options = HmmOptions(diagonal=3, smoothing=0.1, null=0.2)
    emission, unigram = generator.uniform(0.1, 1, 5), np.array([0.5, 0.3, 0.2], np.float32)
    word, place = np.array([0, 0, 1, 2, 2]), np.array([0, 3, 1, 0, 2])
    cells, null = position_model(unigram, unigram, emission, word, place, states=4, options=options)
    # The same as a full grid with the floor in all other cells.
    full = np.repeat(0.1 * unigram[:, None].astype(float), 4, axis=1)
    full[word, place] = emission
    near = np.exp(-3 * np.abs((np.arange(3)[:, None] + 0.5) / 3 - (np.arange(4) + 0.5) / 4))
    weights = 0.8 * full * near / near.sum(axis=1, keepdims=True)
    total = weights.sum(axis=1) + 0.2 * unigram
    np.testing.assert_allclose(cells, weights[word, place] / total[word], rtol=1e-6)
    np.testing.assert_allclose(null, 0.2 * unigram / total, rtol=1e-6)


def test_without_a_pull_the_position_model_is_ibm_model_1() -> None:
    # By hand: 0.5 * 0.6 / 2 = 0.15, 0.5 * 0.2 / 2 = 0.05, null 0.5 * 0.4 = 0.2; together 0.4.
    cells, _ = position_model(
        np.ones(1, np.float32),
        np.array([0.4], np.float32),
        np.array([0.6, 0.2]),
        np.array([0, 0]),
        np.array([0, 1]),
        states=2,
        options=HmmOptions(diagonal=0, null=0.5),
    )
    np.testing.assert_allclose(cells, [0.375, 0.125], rtol=1e-6)


def test_a_strong_beam_never_gives_more_than_certainty() -> None:
    generator = np.random.default_rng(5)
    emission = 10.0 ** generator.uniform(-9, 0, (60, 40))
    jumps = (10.0 ** generator.uniform(-8, 0, 2 * REACH + 1)).astype(np.float32)
    posterior = hidden_markov(Direction(emission, np.full(60, 1e-6), 0.05), jumps).posterior
    assert posterior.sum(axis=1).max() <= 1 + 1e-9


def some_jumps(**at: float) -> Floats:
    """Jumps of probability 1 but for some distances, which are named `d0`, `d1` and so on."""
    jumps = np.ones(2 * REACH + 1, np.float32)
    for name, value in at.items():
        jumps[REACH + int(name[1:])] = value
    return jumps


@pytest.mark.parametrize(
    ("direction", "jumps", "expected"),
    [
        # Equal paths: null then 0, and 0 then 0. The place before the first is left of place 0.
        (Direction(np.array([[0.25], [1.0]]), np.array([0.25, 0.125]), 0.5), some_jumps(), (-1, 0)),
        # Equal paths: 0 then null, and null then 0, which is the one whose last word has a place.
        (
            Direction(np.array([[1.0, 0.0], [1.0, 0.0]]), np.array([0.5, 0.5]), 0.2),
            some_jumps(d0=0.05),
            (-1, 0),
        ),
        # Two places that are equal in everything: the left one.
        (Direction(np.array([[1.0, 1.0]]), np.array([0.5]), 0.2), some_jumps(), (0,)),
    ],
    ids=["where a path comes from", "a place or null", "which place"],
)
def test_of_equal_paths_the_first_in_order_is_the_best(
    direction: Direction, jumps: Floats, expected: tuple[int, ...]
) -> None:
    found = best_path(direction, jumps, hidden_markov(direction, jumps))
    assert tuple(found) == expected == by_enumeration(direction, jumps)[2]
