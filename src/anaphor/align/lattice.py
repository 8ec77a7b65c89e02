"""Posteriors of one sentence pair in clear NumPy: what native/hmm.hpp and native/pair.hpp compute.

Written for reading, in double precision. `steps` words are generated one after the other, each from one of
`states` positions of the other sentence or from the null word.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anaphor.align.model import LONGEST, REACH, Floats

Doubles = NDArray[np.float64]

BEAM = 1e-4
"""States with less than this share of the mass do not spread; the same as kBeam in native/hmm.hpp."""


@dataclass(frozen=True, slots=True, eq=False)
class Direction:
    """One direction of a pair: `emission[step, state]` and the null word's emission of each step."""

    emission: Doubles
    null_emission: Doubles
    null: float


def fits(rows: int, columns: int) -> bool:
    """Whether a pair is short enough for the hidden Markov model."""
    return max(rows, columns) <= LONGEST


def hidden_markov(direction: Direction, jumps: Floats) -> tuple[Doubles, Doubles]:
    """Posterior[step, state] of every link, and the expected count of every jump."""
    emission, null = direction.emission, direction.null * direction.null_emission
    steps, states = emission.shape
    move, leave, start = _moves(jumps.astype(np.float64), states, direction.null)
    real, mass = np.empty((2, steps, states))
    scale = np.empty(steps)
    before, ahead = np.full(states, 1 / states), start
    for step in range(steps):
        if step > 0:
            before = mass[step - 1]
            spread = before * leave
            ahead = np.where(spread > BEAM, spread, 0) @ move
        real[step] = emission[step] * ahead
        mass[step] = real[step] + null[step] * before
        scale[step] = mass[step].sum()
        real[step] /= scale[step]
        mass[step] /= scale[step]
    posterior = np.empty((steps, states))
    counts = np.zeros(2 * REACH + 1)
    behind = np.ones(states)
    for step in reversed(range(steps)):
        posterior[step] = real[step] * behind
        if step == 0:
            break
        product = emission[step] * behind
        counts += _jump_counts(mass[step - 1] * leave / scale[step], mass[step - 1], move, product)
        reached = move @ np.where(product > BEAM * product.max(), product, 0)
        behind = leave * reached + null[step] * behind
        behind /= mass[step - 1] @ behind
    return posterior, counts


def _moves(jumps: Doubles, states: int, null: float) -> tuple[Doubles, Doubles, Doubles]:
    """jump(i - k) as [k, i], (1 - p0) / Z(k), and the way in from before the first position."""
    distance = np.arange(states)[None, :] - np.arange(states)[:, None]
    move = jumps[REACH + distance]
    first = jumps[REACH + 1 : REACH + 1 + states]
    return move, (1 - null) / move.sum(axis=1), (1 - null) * first / first.sum()


def _jump_counts(weight: Doubles, mass: Doubles, move: Doubles, product: Doubles) -> Doubles:
    """Expected jumps between two steps, by distance."""
    expected = np.where(mass > BEAM, weight, 0)[:, None] * move * product[None, :]
    states = len(weight)
    distance = np.arange(states)[None, :] - np.arange(states)[:, None]
    places = (REACH + distance).ravel()
    return np.asarray(np.bincount(places, weights=expected.ravel(), minlength=2 * REACH + 1), np.float64)


def nearness(rows: int, columns: int, diagonal: float) -> Doubles:
    """exp(-diagonal |i/I - j/J|) as [i, j], places counted at the middle of the words."""
    places = (np.arange(rows) + 0.5) / rows, (np.arange(columns) + 0.5) / columns
    return np.exp(-diagonal * np.abs(places[0][:, None] - places[1][None, :]))


def position_model(direction: Direction, near: Doubles) -> Doubles:
    """Posterior[step, state] where all that counts is the distance from the diagonal, `near[step, state]`."""
    real = (1 - direction.null) * direction.emission * near / near.sum(axis=1, keepdims=True)
    total = real.sum(axis=1) + direction.null * direction.null_emission
    posterior: Doubles = real / total[:, None]
    return posterior
