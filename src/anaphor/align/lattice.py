"""Posteriors of one sentence pair in clear NumPy: what native/hmm.hpp and native/pair.hpp compute.

Written for reading. Words are generated one after the other, each from one of `states` places of the other
sentence or from the null word; native/hmm.hpp has the formulas.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anaphor.align.model import LONGEST, REACH, Bools, Floats, HmmOptions, Longs

Doubles = NDArray[np.float64]

BEAM = 1e-3
"""Places with a smaller share of the mass after a word are forgotten; kBeam in native/hmm.hpp."""


@dataclass(frozen=True, slots=True, eq=False)
class Direction:
    """One direction of a pair: `emission[word, place]`, 0 where there is no cell, and the null word's."""

    emission: Doubles
    null_emission: Doubles
    null: float


@dataclass(frozen=True, slots=True, eq=False)
class Posteriors:
    """Posterior[word, place] of every link, the expected count of every jump, and the states on their way.

    `kept[word + 1]` says which last real places kept mass after a word; the last column stands for the place
    before the first, which alone is in `kept[0]`.
    """

    posterior: Doubles
    jumps: Doubles
    kept: Bools


def fits(rows: int, columns: int) -> bool:
    """Whether a pair is short enough for the hidden Markov model."""
    return max(rows, columns) <= LONGEST


def hidden_markov(direction: Direction, jumps: Floats) -> Posteriors:
    """Forward and backward through the words."""
    emission, null = direction.emission, direction.null * direction.null_emission
    words, states = emission.shape
    move = _moves(jumps.astype(np.float64), states, direction.null)
    real, mass = np.zeros((words, states)), np.zeros((words + 1, states + 1))
    mass[0, -1] = 1
    scale = np.empty(words)
    for word in range(words):
        real[word] = emission[word] * (mass[word] @ move)
        mass[word + 1] = null[word] * mass[word]
        mass[word + 1, :-1] += real[word]
        mass[word + 1][mass[word + 1] <= BEAM * mass[word + 1].sum()] = 0
        scale[word] = mass[word + 1].sum()
        mass[word + 1] /= scale[word]
    kept = mass > 0
    real = np.where(kept[1:, :-1], real / scale[:, None], 0)
    counts, behind = np.zeros(2 * REACH + 1), np.where(kept[-1], 1.0, 0.0)
    posterior = np.empty((words, states))
    for word in reversed(range(words)):
        posterior[word] = real[word] * behind[:-1]
        onward = emission[word] * behind[:-1] / scale[word]
        counts += _jump_counts(mass[word], move, onward)
        behind = np.where(kept[word], move @ onward + null[word] / scale[word] * behind, 0.0)
    return Posteriors(posterior, counts, kept)


def _moves(jumps: Doubles, states: int, null: float) -> Doubles:
    """p(i | k) as [k, i]; the last row is for the way in from before the first place."""
    move = jumps[REACH + _distances(states)]
    return np.asarray((1 - null) * move / move.sum(axis=1, keepdims=True))


def _distances(states: int) -> Longs:
    """i - k as [k, i], the last row for k = -1."""
    return np.asarray(np.arange(states)[None, :] - np.append(np.arange(states), -1)[:, None], np.int64)


def _jump_counts(mass: Doubles, move: Doubles, onward: Doubles) -> Doubles:
    """Expected jumps between two words, by distance."""
    expected = mass[:, None] * move * onward[None, :]
    places = (REACH + _distances(len(onward))).ravel()
    return np.asarray(np.bincount(places, weights=expected.ravel(), minlength=2 * REACH + 1), np.float64)


def best_way(direction: Direction, jumps: Floats, found: Posteriors) -> Longs:
    """The place of each word on the most probable way through the kept states (Viterbi); -1 is null."""
    words, states = direction.emission.shape
    move = _moves(jumps.astype(np.float64), states, direction.null)
    null = direction.null * direction.null_emission
    value = np.where(found.kept[0], 1.0, 0.0)
    came_from, is_real = np.empty((words, states + 1), np.int64), np.zeros((words, states + 1), np.bool_)
    order = np.append(-1, np.arange(states))  # the place before the first is the one furthest left
    for word in range(words):
        ways = (value[:, None] * move)[order] * direction.emission[word][None, :]
        real = np.append(ways.max(axis=0), 0.0)
        stay = null[word] * value
        is_real[word] = real >= stay
        came_from[word] = np.where(
            is_real[word], np.append(order[ways.argmax(axis=0)], 0), np.arange(states + 1)
        )
        value = np.where(found.kept[word + 1], np.maximum(real, stay), 0.0)
        value /= value.max()
    way, state = np.full(words, -1), int(order[value[order].argmax()])
    for word in reversed(range(words)):
        if is_real[word, state]:
            way[word] = state
        state = int(came_from[word, state])
    return way


def nearness(places: Doubles, other: Doubles, diagonal: float) -> Doubles:
    """exp(-diagonal |x - y|) of places between 0 and 1."""
    return np.asarray(np.exp(-diagonal * np.abs(places - other)))


@dataclass(frozen=True, slots=True, eq=False)
class Words:
    """The words that the position model generates: their unigrams, and the null word's emissions of them."""

    unigram: Floats
    null_emission: Floats
    options: HmmOptions


def position_model(
    words: Words, emission: Doubles, word: Longs, place: Longs, *, states: int
) -> tuple[Doubles, Doubles]:
    """Posteriors of cells and of each word's null where all that counts is the distance from the diagonal.

    Cells have an `emission`, a `word` that is generated and a `place`, one of `states`, that it comes from;
    any other place emits a word by smoothing alone.
    """
    options, size = words.options, len(words.unigram)
    floor = options.smoothing * words.unigram.astype(np.float64)
    null = options.null * words.null_emission.astype(np.float64)
    middles, places = (np.arange(size) + 0.5) / size, (np.arange(states) + 0.5) / states
    sums = np.array([nearness(places, at, options.diagonal).sum() for at in middles])
    near = nearness(middles[word], places[place], options.diagonal) / sums[word]
    above_floor = np.bincount(word, weights=near * (emission - floor[word]), minlength=size)
    total = (1 - options.null) * (above_floor + floor) + null
    return (1 - options.null) * near * emission / total[word], null / total
