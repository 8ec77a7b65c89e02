"""The confusion matrix of the original APT, rows = reference, columns = candidate."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from anaphor.legacy.apt_labels import Decision
from anaphor.legacy.old_python import old_argsort

REST = "..."
SUM = "-sum-"


@dataclass(frozen=True, slots=True, eq=False)
class ShownMatrix:
    """The matrix as printed: labels by falling diagonal, the tail as `...`, sums last."""

    labels: tuple[str, ...]
    cells: NDArray[np.int64]

    def text(self) -> str:
        lines = ["\t".join(["", *self.labels])]
        for label, row in zip(self.labels, self.cells.tolist(), strict=True):
            lines.append("\t".join([label, *map(str, row)]))
        return "\n".join(lines) + "\n"


def confusion(size: int, decisions: Iterable[Decision], *, multiword: bool) -> NDArray[np.int64]:
    """Count one cell per pronoun, its first row and column, or with `multiword` every pair of them.

    An index of None is passed on to NumPy on purpose, as the original did: it adds an axis, so that
    the whole row of the known index grows, or with two of them the whole matrix.
    """
    cells = np.zeros((size, size), dtype=np.int64)
    for decision in decisions:
        pairs = list(product(decision.rows, decision.columns))
        for row, column in pairs if multiword else pairs[:1]:
            cells[row, column] += 1
    return cells


def shown_matrix(labels: Sequence[str], cells: NDArray[np.int64], *, most: int) -> ShownMatrix:
    """Sort the labels, keep `most` of them, gather the others, add the sums."""
    order = old_argsort(np.diagonal(cells).tolist())[::-1]
    kept = [labels[number] for number in order[:most]]
    blocks = [[number] for number in order[:most]]
    if order[most:]:
        kept.append(REST)
        blocks.append(order[most:])
    return ShownMatrix((*kept, SUM), _with_sums(_gather(cells, blocks)))


def _gather(cells: NDArray[np.int64], blocks: Sequence[Sequence[int]]) -> NDArray[np.int64]:
    """One cell per pair of blocks: the sum of the cells in both."""
    member = np.zeros((len(blocks), len(cells)), dtype=np.int64)
    for number, block in enumerate(blocks):
        member[number, block] = 1
    gathered: NDArray[np.int64] = member @ cells @ member.T
    return gathered


def _with_sums(cells: NDArray[np.int64]) -> NDArray[np.int64]:
    rows = np.column_stack([cells, cells.sum(axis=1)])
    return np.vstack([rows, rows.sum(axis=0)])
