"""Clusters of gaps with few ways to fill them: the score of every way, for many clusters at once.

Clusters of the same form make one table, with an axis for the clusters and one for each gap. Arrays have the
length 1 along the axis of a gap that they do not depend on: a word three places behind a gap has the same
trigram whatever fills the gap, and that is looked up once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, product

import numpy as np

from anaphor.predict.classic.gap import NEVER, Filled, Gapped, Options, Words
from anaphor.predict.classic.rows import Doubles, Longs
from anaphor.predict.ngram_model import ABSENT, BEGIN_MARK, NgramModel, States

_LINES = 1 << 17  # ways that are scored at once: more would fill the caches


@dataclass(frozen=True, slots=True, eq=False)
class WayTable:
    """A model that scores; `penalty` is the log10 price of filling nothing."""

    model: NgramModel
    penalty: float

    def filled(self, clusters: Sequence[Gapped]) -> list[Filled]:
        """The filling of every cluster."""
        alike: dict[object, list[int]] = {}
        for number, (parts, options) in enumerate(clusters):
            alike.setdefault((options, *map(len, parts[1:-1])), []).append(number)
        found: dict[int, Filled] = {}
        for numbers in alike.values():
            many = max(_LINES // clusters[numbers[0]].ways, 1)
            for start in range(0, len(numbers), many):
                chunk = numbers[start : start + many]
                found.update(zip(chunk, _counted(self._scores([clusters[n] for n in chunk])), strict=True))
        return [found[number] for number in range(len(clusters))]

    def _scores(self, clusters: Sequence[Gapped]) -> Doubles:
        """The score of every way to fill clusters that have the same options, and gaps as far apart."""
        before = self._before([one.parts[0] for one in clusters])
        parts = [self._numbers(rows) for rows in zip(*(one.parts[1:] for one in clusters), strict=True)]
        # Clusters with the same words side by side: what is looked up for one is at hand for the next.
        order = np.lexsort((*before.T, parts[-1][:, 0]))
        states = self.model.states_after(before[order])
        scores = np.zeros(len(clusters))
        for options, part in zip(clusters[0].options, parts, strict=True):
            scores, states = self._fill(scores[..., None], tuple(one[..., None] for one in states), options)
            for words in part[order].T:
                column = words.reshape(-1, *[1] * (scores.ndim - 1))
                values, states = self.model.step_all(states, column)
                scores = scores + np.where(column == ABSENT, 0, values)
        scores[order] = scores + self._penalties(clusters[0].options)
        return scores

    def _fill(self, scores: Doubles, states: States, options: Options) -> tuple[Doubles, States]:
        """Scores and states behind a gap; where nothing fills it, they are those before it."""
        nothing = np.array([word is None for word in options])
        words = self._numbers([["" if word is None else word for word in options]])[0]
        values, reached = self.model.step_all(states, words)
        values[..., nothing] = 0
        after = (np.where(nothing, old, new) for old, new in zip(states, reached, strict=True))
        return scores + values, tuple(after) if nothing.any() else reached

    def _penalties(self, options: tuple[Options, ...]) -> Doubles:
        found = [self.penalty * way.count(None) for way in product(*options)]
        return np.array(found).reshape([*map(len, options)])

    def _before(self, parts: Sequence[Words]) -> Longs:
        """The words that n-grams see before a gap, after the mark of the beginning where they see that."""
        reach = self.model.order - 1
        left = reach - np.array([*map(len, parts)])
        before = np.full((len(parts), reach), ABSENT)
        before[np.arange(reach) >= left[:, None]] = self.model.numbers(chain.from_iterable(parts))
        short = np.flatnonzero(left)
        before[short, left[short] - 1] = self.model.words[BEGIN_MARK]
        return before

    def _numbers(self, rows: Sequence[Words]) -> Longs:
        """The words of rows, and `ABSENT` behind those that end before others."""
        lengths = np.array([*map(len, rows)])
        numbers = np.full((len(rows), lengths.max()), ABSENT)
        numbers[np.arange(lengths.max()) < lengths[:, None]] = self.model.numbers(chain.from_iterable(rows))
        return numbers


def _counted(scores: Doubles) -> Iterator[Filled]:
    """From the score of every way, an axis for the clusters and one for each gap."""
    flat = scores.reshape(len(scores), -1)
    powers = 10.0 ** np.maximum(flat - flat.max(axis=1, keepdims=True), NEVER)
    powers /= powers.sum(axis=1, keepdims=True)
    table = powers.reshape(scores.shape)
    axes = range(1, scores.ndim)
    shares = (table.sum(axis=tuple(other for other in axes if other != axis)) for axis in axes)
    best = np.unravel_index(flat.argmax(axis=1), scores.shape[1:])
    return map(Filled, zip(*(one.tolist() for one in best), strict=True), zip(*shares, strict=True))
