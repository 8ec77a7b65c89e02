"""The model against sums over every possible alignment of tiny sentences."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from anaphor.align.lattice import Direction, Doubles, hidden_markov, nearness, position_model
from anaphor.align.model import REACH, Floats


def a_direction(*, steps: int, states: int, seed: int = 1) -> tuple[Direction, Floats]:
    generator = np.random.default_rng(seed)
    emission = generator.uniform(0.1, 1, (steps, states))
    jumps = generator.uniform(0.5, 1, 2 * REACH + 1).astype(np.float32)
    return Direction(emission, generator.uniform(0.1, 1, steps), 0.2), jumps


def by_enumeration(direction: Direction, jumps: Floats) -> tuple[Doubles, Doubles]:
    """Posteriors and expected jumps by adding up all (2 * states) ** steps paths, the slow and sure way."""
    steps, states = direction.emission.shape
    posterior, counts = np.zeros((steps, states)), np.zeros(2 * REACH + 1)
    everything = 0.0
    for path in product(product(range(states), (True, False)), repeat=steps):
        weight, last = 1.0, None
        moves = []
        for step, (state, real) in enumerate(path):
            weight *= _step(direction, jumps, last, state, real=real, step=step)
            if real and last is not None:
                moves.append(state - last)
            last = state
        everything += weight
        for step, (state, real) in enumerate(path):
            posterior[step, state] += weight * real
        for move in moves:
            counts[REACH + move] += weight
    return posterior / everything, counts / everything


def _step(
    direction: Direction, jumps: Floats, last: int | None, state: int, *, real: bool, step: int
) -> float:
    states = direction.emission.shape[1]
    if not real:
        stays = 1 / states if last is None else float(state == last)
        return stays * direction.null * float(direction.null_emission[step])
    start = -1 if last is None else last
    ways = sum(float(jumps[REACH + i - start]) for i in range(states))
    move = float(jumps[REACH + state - start]) / ways
    return (1 - direction.null) * move * float(direction.emission[step, state])


@pytest.mark.parametrize(("steps", "states"), [(1, 1), (1, 3), (3, 1), (3, 2), (4, 3)])
def test_posteriors_and_jumps_are_those_of_all_paths_added_up(steps: int, states: int) -> None:
    direction, jumps = a_direction(steps=steps, states=states)
    posterior, counts = hidden_markov(direction, jumps)
    expected_posterior, expected_counts = by_enumeration(direction, jumps)
    np.testing.assert_allclose(posterior, expected_posterior, atol=1e-12)
    np.testing.assert_allclose(counts, expected_counts, atol=1e-12)


def test_the_position_model_shares_each_word_among_positions_and_null() -> None:
    direction, _ = a_direction(steps=3, states=4)
    near = nearness(3, 4, 2.0)
    weights = 0.8 * direction.emission * near / near.sum(axis=1, keepdims=True)
    null = 0.2 * direction.null_emission
    np.testing.assert_allclose(
        position_model(direction, near), weights / (weights.sum(axis=1) + null)[:, None], atol=1e-12
    )


def test_without_a_pull_the_position_model_is_ibm_model_1() -> None:
    direction = Direction(np.array([[0.6, 0.2]]), np.array([0.4]), 0.5)
    # By hand: 0.5 * 0.6 / 2 = 0.15, 0.5 * 0.2 / 2 = 0.05, null 0.5 * 0.4 = 0.2; together 0.4.
    np.testing.assert_allclose(position_model(direction, nearness(1, 2, 0.0)), [[0.375, 0.125]])


def test_a_strong_beam_never_gives_more_than_certainty() -> None:
    generator = np.random.default_rng(5)
    emission = 10.0 ** generator.uniform(-9, 0, (60, 40))
    jumps = (10.0 ** generator.uniform(-8, 0, 2 * REACH + 1)).astype(np.float32)
    posterior, _ = hidden_markov(Direction(emission, np.full(60, 1e-6), 0.05), jumps)
    assert posterior.sum(axis=1).max() <= 1 + 1e-9
