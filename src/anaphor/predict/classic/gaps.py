"""What a language model says of gaps: the best filling of all together, and how likely each option is.

Gaps so far apart that no n-gram sees two of them are on their own; nearer ones make a cluster. Where the ways
to fill a cluster are few, all are scored, with those of many other clusters at once. Else it is read from
left to right: ways that lead to the same state of the model have the same future, so they are merged, and
nothing is lost (Viterbi's algorithm for the best way, sums for the shares).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any

import numpy as np

from anaphor.predict.classic.rows import Doubles
from anaphor.predict.ngram_model import END_MARK, NgramModel

Words = Sequence[str]
_NEVER = -300.0  # log10, where a share would be 0
_FEW = 1500  # ways to fill that are scored one by one
_LINES = 1 << 15  # lines that are scored at once


@dataclass(frozen=True, slots=True)
class Gapped:
    """A sentence with gaps: the words before, between and behind them, and what may stand in each.

    None fills nothing, at a penalty.
    """

    parts: tuple[Words, ...]
    options: tuple[tuple[str | None, ...], ...]

    @property
    def ways(self) -> int:
        """How many ways there are to fill all gaps."""
        return prod(map(len, self.options))


@dataclass(frozen=True, slots=True, eq=False)
class Filled:
    """For each gap the option of the best filling, and the share of every option."""

    best: tuple[int, ...]
    shares: tuple[Doubles, ...]


@dataclass(frozen=True, slots=True, eq=False)
class GapReader:
    """A model that fills gaps; `penalty` is the log10 price of filling nothing."""

    model: NgramModel
    penalty: float = 0.0

    def read(self, sentences: Sequence[Gapped]) -> list[Filled]:
        """The filling of every sentence."""
        clusters = [
            (number, one) for number, gapped in enumerate(sentences) for one in self._clusters(gapped)
        ]
        listed = self._listed([one for _, one in clusters if one.ways <= _FEW])
        best: list[list[int]] = [[] for _ in sentences]
        shares: list[list[Doubles]] = [[] for _ in sentences]
        for number, cluster in clusters:
            filled = next(listed) if cluster.ways <= _FEW else self._lattice(cluster)
            best[number] += filled.best
            shares[number] += filled.shares
        return [Filled(tuple(one), tuple(two)) for one, two in zip(best, shares, strict=True)]

    @property
    def _reach(self) -> int:
        return self.model.order - 1

    def _clusters(self, gapped: Gapped) -> Iterable[Gapped]:
        """Gaps that n-grams see together, with the words that these see; the end of a sentence is a word."""
        parts = [*gapped.parts[:-1], (*gapped.parts[-1], END_MARK)]
        start = 0
        for gap in range(len(gapped.options)):
            last = gap == len(gapped.options) - 1
            if last or len(parts[gap + 1]) >= self._reach:
                first, behind = parts[start][-self._reach :], parts[gap + 1][: self._reach]
                between = parts[start + 1 : gap + 1]
                yield Gapped((tuple(first), *between, tuple(behind)), gapped.options[start : gap + 1])
                start = gap + 1

    def _listed(self, clusters: Sequence[Gapped]) -> Iterator[Filled]:
        """Clusters with few ways: all of them, as many clusters at once as make a good batch."""
        batch: list[Gapped] = []
        lines = 0
        for one in clusters:
            batch.append(one)
            lines += one.ways
            if lines >= _LINES:
                yield from self._all_ways(batch)
                batch, lines = [], 0
        if batch:
            yield from self._all_ways(batch)

    def _all_ways(self, clusters: Sequence[Gapped]) -> Iterator[Filled]:
        ways = [list(product(*one.options)) for one in clusters]
        lines = [_line(one.parts, way) for one, found in zip(clusters, ways, strict=True) for way in found]
        # The end that the model adds is no part of a line: where it is one, the line has it already.
        values = iter(self.model.score_all(lines))
        for one, found in zip(clusters, ways, strict=True):
            skipped = len(one.parts[0])
            scores = np.array([float(next(values)[skipped:-1].sum(dtype=np.float64)) for _ in found])
            scores += [self.penalty * way.count(None) for way in found]
            yield _counted(scores.reshape([len(options) for options in one.options]))

    def _lattice(self, cluster: Gapped) -> Filled:
        """Gaps near each other, one after the other."""
        gaps, most = len(cluster.options), max(map(len, cluster.options))
        start = _Cell(0.0, np.zeros((gaps, most)), 0.0, ())
        cells = self._read({self.model.begin(): start}, cluster.parts[0])
        for gap, (options, part) in enumerate(zip(cluster.options, cluster.parts[1:], strict=True)):
            cells = self._read(self._fill(cells, gap, options), part)
        whole = _merged(list(cells.values()))
        shares = [whole.table[gap, : len(options)] for gap, options in enumerate(cluster.options)]
        return Filled(whole.taken, tuple(share / share.sum() for share in shares))

    def _read(self, cells: dict[Any, _Cell], words: Words) -> dict[Any, _Cell]:
        for word in words:
            after: dict[Any, list[_Cell]] = {}
            for state, cell in cells.items():
                value, reached = self.model.step(state, word)
                after.setdefault(reached, []).append(cell.moved(value))
            cells = {state: _merged(found) for state, found in after.items()}
        return cells

    def _fill(self, cells: dict[Any, _Cell], gap: int, options: Sequence[str | None]) -> dict[Any, _Cell]:
        after: dict[Any, list[_Cell]] = {}
        for state, cell in cells.items():
            for number, word in enumerate(options):
                value, reached = (self.penalty, state) if word is None else self.model.step(state, word)
                after.setdefault(reached, []).append(cell.moved(value).taking(gap, number))
        return {state: _merged(found) for state, found in after.items()}


def _line(parts: Sequence[Words], way: Sequence[str | None]) -> list[str]:
    words = list(parts[0])
    for word, part in zip(way, parts[1:], strict=True):
        if word is not None:
            words.append(word)
        words += part
    return words


def _counted(scores: Doubles) -> Filled:
    """From the score of every way, an axis for each gap."""
    powers = 10.0 ** np.maximum(scores - scores.max(), _NEVER)
    powers /= powers.sum()
    best = np.unravel_index(int(scores.argmax()), scores.shape)
    axes = range(scores.ndim)
    shares = (powers.sum(axis=tuple(other for other in axes if other != axis)) for axis in axes)
    return Filled(tuple(map(int, best)), tuple(shares))


@dataclass(frozen=True, slots=True, eq=False)
class _Cell:
    """All ways to a state: their sum, the shares of the options taken so far, and the best of them."""

    total: float
    table: Doubles
    best: float
    taken: tuple[int, ...]

    def moved(self, value: float) -> _Cell:
        return _Cell(self.total + value, self.table, self.best + value, self.taken)

    def taking(self, gap: int, number: int) -> _Cell:
        table = self.table.copy()
        table[gap, number] = 1.0
        return _Cell(self.total, table, self.best, (*self.taken, number))


def _merged(cells: Sequence[_Cell]) -> _Cell:
    if len(cells) == 1:
        return cells[0]
    totals = np.array([cell.total for cell in cells])
    shares = 10.0 ** np.maximum(totals - totals.max(), _NEVER)
    table = sum(share * cell.table for share, cell in zip(shares, cells, strict=True)) / shares.sum()
    best = min(cells, key=lambda cell: (-cell.best, cell.taken))
    total = float(totals.max() + np.log10(shares.sum()))
    return _Cell(total, np.asarray(table), best.best, best.taken)
