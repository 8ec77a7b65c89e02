"""Gaps in many sentences filled by an n-gram model: the best filling, and the probability of every option.

Gaps so far apart that no n-gram covers two of them are independent; nearer ones form a cluster. A cluster
with few fillings is enumerated, together with many other clusters. One with many is read from left to right
as a lattice: fillings that lead to the same state of the model have the same future, so they are merged
without loss (Viterbi's algorithm for the best filling, sums for the probabilities).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, product
from math import prod
from typing import NamedTuple

import numpy as np

from anaphor.core.array_types import Doubles, Longs
from anaphor.recipes.lm.model import ABSENT, BEGIN_MARK, END_MARK, NgramModel, States

Words = Sequence[str]
#: What may fill a gap; None leaves it empty, at a penalty.
Options = tuple[str | None, ...]

_SMALLEST = -300.0  # log10; smaller shares would underflow


class GappedSentence(NamedTuple):
    """The words before, between and after the gaps, and what may fill each gap."""

    parts: tuple[Words, ...]
    options: tuple[Options, ...]

    @property
    def fillings(self) -> int:
        """The number of fillings of all gaps together."""
        return prod(map(len, self.options))


class FilledGaps(NamedTuple):
    """For each gap the option of the best filling, and the probability of every option."""

    best: tuple[int, ...]
    shares: tuple[Doubles, ...]


#: A state of the model: for each length the number of the last words as an n-gram.
Numbers = tuple[int, ...]
Cells = dict[Numbers, "_Cell"]


@dataclass(frozen=True, slots=True, eq=False)
class GapLattice:
    """Fills one cluster at a time; `penalty` is the log10 penalty for an empty gap."""

    model: NgramModel
    penalty: float

    def filled(self, cluster: GappedSentence) -> FilledGaps:
        gaps, most = len(cluster.options), max(map(len, cluster.options))
        begin = np.array([[self.model.words[BEGIN_MARK]]])
        state = tuple(int(numbers[0]) for numbers in self.model.states_after(begin))
        cells = self._read({state: _Cell(0.0, np.zeros((gaps, most)), 0.0, ())}, cluster.parts[0])
        for gap, (options, part) in enumerate(zip(cluster.options, cluster.parts[1:], strict=True)):
            cells = self._read(self._fill(cells, gap, options), part)
        whole = _merged(list(cells.values()))
        shares = [whole.table[gap, : len(options)] for gap, options in enumerate(cluster.options)]
        return FilledGaps(whole.taken, tuple(share / share.sum() for share in shares))

    def _read(self, cells: Cells, words: Words) -> Cells:
        for word in words:
            after: dict[Numbers, list[_Cell]] = {}
            for cell, [(value, reached)] in zip(cells.values(), self._steps(cells, [word]), strict=True):
                after.setdefault(reached, []).append(cell.moved(value))
            cells = {state: _merged(arrived) for state, arrived in after.items()}
        return cells

    def _fill(self, cells: Cells, gap: int, options: Options) -> Cells:
        after: dict[Numbers, list[_Cell]] = {}
        words = ["" if word is None else word for word in options]
        for (state, cell), steps in zip(cells.items(), self._steps(cells, words), strict=True):
            for number, (word, step) in enumerate(zip(options, steps, strict=True)):
                value, reached = (self.penalty, state) if word is None else step
                after.setdefault(reached, []).append(cell.filled(value, gap, number))
        return {state: _merged(arrived) for state, arrived in after.items()}

    def _steps(self, states: Iterable[Numbers], words: Words) -> Iterator[Iterator[tuple[float, Numbers]]]:
        """For each state and each word the log10 probability and the state after it."""
        columns = np.array([*states])[..., None]
        values, reached = self.model.step_all(
            tuple(columns.swapaxes(0, 1)), np.array(self.model.numbers(words))
        )
        after = np.stack(np.broadcast_arrays(*reached, values)[:-1], axis=-1).tolist()
        for row, states_of_row in zip(values.tolist(), after, strict=True):
            yield zip(row, map(tuple, states_of_row), strict=True)


class _Cell(NamedTuple):
    """All fillings that lead to a state: their sum, the shares of options so far, and the best filling."""

    total: float
    table: Doubles
    best: float
    taken: tuple[int, ...]

    def moved(self, value: float) -> _Cell:
        return _Cell(self.total + value, self.table, self.best + value, self.taken)

    def filled(self, value: float, gap: int, number: int) -> _Cell:
        table = self.table.copy()
        table[gap, number] = 1.0
        return _Cell(self.total + value, table, self.best + value, (*self.taken, number))


def _merged(cells: Sequence[_Cell]) -> _Cell:
    if len(cells) == 1:
        return cells[0]
    totals = np.array([cell.total for cell in cells])
    shares = 10.0 ** np.maximum(totals - totals.max(), _SMALLEST)
    tables = np.array([cell.table for cell in cells])
    table = (shares[:, None, None] * tables).sum(axis=0) / shares.sum()
    best = min(cells, key=lambda cell: (-cell.best, cell.taken))
    total = float(totals.max() + np.log10(shares.sum()))
    return _Cell(total, table, best.best, best.taken)


_AT_ONCE = 1 << 17  # fillings that are scored at once: more would not fit into the caches


@dataclass(frozen=True, slots=True, eq=False)
class FillingTable:
    """Scores every filling of many clusters at once; `penalty` is the log10 penalty for an empty gap.

    Clusters of the same shape make one table, with an axis for the clusters and one for each gap. Arrays have
    the length 1 along the axis of a gap that they do not depend on: a word three places after a gap has the
    same trigram whatever fills the gap, and that is looked up once.
    """

    model: NgramModel
    penalty: float

    def filled(self, clusters: Sequence[GappedSentence]) -> list[FilledGaps]:
        """The filling of every cluster."""
        alike: dict[object, list[int]] = {}
        for number, (parts, options) in enumerate(clusters):
            alike.setdefault((options, *map(len, parts[1:-1])), []).append(number)
        filled: dict[int, FilledGaps] = {}
        for numbers in alike.values():
            many = max(_AT_ONCE // clusters[numbers[0]].fillings, 1)
            for start in range(0, len(numbers), many):
                chunk = numbers[start : start + many]
                filled.update(zip(chunk, _summed(self._scores([clusters[n] for n in chunk])), strict=True))
        return [filled[number] for number in range(len(clusters))]

    def _scores(self, clusters: Sequence[GappedSentence]) -> Doubles:
        """The scores of all fillings of clusters with the same options and distances between gaps."""
        before = self._before([cluster.parts[0] for cluster in clusters])
        parts = [
            self._numbers(rows) for rows in zip(*(cluster.parts[1:] for cluster in clusters), strict=True)
        ]
        # Clusters with the same words side by side: what is looked up for one is cached for the next.
        order = np.lexsort((*before.T, parts[-1][:, 0]))
        states = self.model.states_after(before[order])
        scores = np.zeros(len(clusters))
        for options, part in zip(clusters[0].options, parts, strict=True):
            scores, states = self._fill(
                scores[..., None], tuple(numbers[..., None] for numbers in states), options
            )
            for words in part[order].T:
                column = words.reshape(-1, *[1] * (scores.ndim - 1))
                values, states = self.model.step_all(states, column)
                scores = scores + np.where(column == ABSENT, 0, values)
        empty = [filling.count(None) for filling in product(*clusters[0].options)]
        scores[order] = scores + self.penalty * np.array(empty).reshape([*map(len, clusters[0].options)])
        return scores

    def _fill(self, scores: Doubles, states: States, options: Options) -> tuple[Doubles, States]:
        """Scores and states after a gap; for an empty gap they are those before it."""
        nothing = np.array([word is None for word in options])
        words = self._numbers([["" if word is None else word for word in options]])[0]
        values, reached = self.model.step_all(states, words)
        values[..., nothing] = 0
        after = (np.where(nothing, old, new) for old, new in zip(states, reached, strict=True))
        return scores + values, tuple(after) if nothing.any() else reached

    def _before(self, parts: Sequence[Words]) -> Longs:
        """The words before a gap that n-grams cover, after the sentence mark if they reach it."""
        reach = self.model.order - 1
        left = reach - np.array([*map(len, parts)])
        before = np.full((len(parts), reach), ABSENT)
        before[np.arange(reach) >= left[:, None]] = self.model.numbers(chain.from_iterable(parts))
        short = np.flatnonzero(left)
        before[short, left[short] - 1] = self.model.words[BEGIN_MARK]
        return before

    def _numbers(self, rows: Sequence[Words]) -> Longs:
        """The word numbers of rows, padded with `ABSENT` at the end."""
        lengths = np.array([*map(len, rows)])
        numbers = np.full((len(rows), lengths.max()), ABSENT)
        numbers[np.arange(lengths.max()) < lengths[:, None]] = self.model.numbers(chain.from_iterable(rows))
        return numbers


def _summed(scores: Doubles) -> Iterator[FilledGaps]:
    """From the scores of all fillings, with an axis for the clusters and one for each gap."""
    flat = scores.reshape(len(scores), -1)
    powers = 10.0 ** np.maximum(flat - flat.max(axis=1, keepdims=True), _SMALLEST)
    powers /= powers.sum(axis=1, keepdims=True)
    table = powers.reshape(scores.shape)
    axes = range(1, scores.ndim)
    shares = (table.sum(axis=tuple(other for other in axes if other != axis)) for axis in axes)
    best = np.unravel_index(flat.argmax(axis=1), scores.shape[1:])
    return map(FilledGaps, zip(*(places.tolist() for places in best), strict=True), zip(*shares, strict=True))


_FEW = 1500  # fillings up to which a cluster is enumerated


@dataclass(frozen=True, slots=True, eq=False)
class GapFiller:
    """Fills the gaps of sentences; `penalty` is the log10 penalty for an empty gap."""

    model: NgramModel
    penalty: float = 0.0

    def fill(self, sentences: Sequence[GappedSentence]) -> list[FilledGaps]:
        """The filling of every sentence."""
        clusters = [[*self._clusters(gapped)] for gapped in sentences]
        few = [cluster for of_sentence in clusters for cluster in of_sentence if cluster.fillings <= _FEW]
        listed = iter(FillingTable(self.model, self.penalty).filled(few))
        lattice = GapLattice(self.model, self.penalty)
        filled = []
        for of_sentence in clusters:
            parts = [
                next(listed) if cluster.fillings <= _FEW else lattice.filled(cluster)
                for cluster in of_sentence
            ]
            best = tuple(number for part in parts for number in part.best)
            filled.append(FilledGaps(best, tuple(share for part in parts for share in part.shares)))
        return filled

    def _clusters(self, gapped: GappedSentence) -> Iterator[GappedSentence]:
        """Gaps that n-grams cover together, with the words around them; the end of a sentence is a word."""
        reach = self.model.order - 1
        parts = [*gapped.parts[:-1], (*gapped.parts[-1][:reach], END_MARK)]
        start = 0
        for end in range(1, len(parts)):
            if end == len(parts) - 1 or len(parts[end]) >= reach:
                first, behind = parts[start][-reach:], parts[end][:reach]
                yield GappedSentence((first, *parts[start + 1 : end], behind), gapped.options[start:end])
                start = end
