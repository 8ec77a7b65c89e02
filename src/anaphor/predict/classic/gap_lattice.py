"""A cluster of gaps with too many ways to fill it: read from left to right.

Ways that lead to the same state of the model have the same future, so they are merged, and nothing is lost
(Viterbi's algorithm for the best way, sums for the shares).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from anaphor.predict.classic.gap import NEVER, Filled, Gapped, Options, Words
from anaphor.predict.classic.rows import Doubles
from anaphor.predict.ngram_model import BEGIN_MARK, NgramModel

Numbers = tuple[int, ...]
"""A state: for each length the number of the last words."""
Cells = dict[Numbers, "_Cell"]


@dataclass(frozen=True, slots=True, eq=False)
class Lattice:
    """A model that reads; `penalty` is the log10 price of filling nothing."""

    model: NgramModel
    penalty: float

    def filled(self, cluster: Gapped) -> Filled:
        """Gaps near each other, one after the other."""
        gaps, most = len(cluster.options), max(map(len, cluster.options))
        begin = np.array([[self.model.words[BEGIN_MARK]]])
        state = tuple(int(one[0]) for one in self.model.states_after(begin))
        cells = self._read({state: _Cell(0.0, np.zeros((gaps, most)), 0.0, ())}, cluster.parts[0])
        for gap, (options, part) in enumerate(zip(cluster.options, cluster.parts[1:], strict=True)):
            cells = self._read(self._fill(cells, gap, options), part)
        whole = _merged(list(cells.values()))
        shares = [whole.table[gap, : len(options)] for gap, options in enumerate(cluster.options)]
        return Filled(whole.taken, tuple(share / share.sum() for share in shares))

    def _read(self, cells: Cells, words: Words) -> Cells:
        for word in words:
            after: dict[Numbers, list[_Cell]] = {}
            for cell, [(value, reached)] in zip(cells.values(), self._steps(cells, [word]), strict=True):
                after.setdefault(reached, []).append(cell.moved(value))
            cells = {state: _merged(found) for state, found in after.items()}
        return cells

    def _fill(self, cells: Cells, gap: int, options: Options) -> Cells:
        after: dict[Numbers, list[_Cell]] = {}
        words = ["" if word is None else word for word in options]
        for (state, cell), steps in zip(cells.items(), self._steps(cells, words), strict=True):
            for number, (word, step) in enumerate(zip(options, steps, strict=True)):
                value, reached = (self.penalty, state) if word is None else step
                after.setdefault(reached, []).append(cell.filled(value, gap, number))
        return {state: _merged(found) for state, found in after.items()}

    def _steps(self, states: Iterable[Numbers], words: Words) -> Iterator[Iterator[tuple[float, Numbers]]]:
        """For each state and each word the value and the state after it."""
        columns = np.array([*states])[..., None]
        values, reached = self.model.step_all(
            tuple(columns.swapaxes(0, 1)), np.array(self.model.numbers(words))
        )
        after = np.stack(np.broadcast_arrays(*reached, values)[:-1], axis=-1).tolist()
        for row, found in zip(values.tolist(), after, strict=True):
            yield zip(row, map(tuple, found), strict=True)


class _Cell(NamedTuple):
    """All ways to a state: their sum, the shares of the options taken so far, and the best of them."""

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
    shares = 10.0 ** np.maximum(totals - totals.max(), NEVER)
    tables = np.array([cell.table for cell in cells])
    table = (shares[:, None, None] * tables).sum(axis=0) / shares.sum()
    best = min(cells, key=lambda cell: (-cell.best, cell.taken))
    total = float(totals.max() + np.log10(shares.sum()))
    return _Cell(total, table, best.best, best.taken)
