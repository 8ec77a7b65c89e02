"""The text that the official scorers of 2015 and 2016 print for one confusion matrix."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

_WIDTH = 5


@dataclass(frozen=True, slots=True)
class Percentages:
    """One class, or an average: percent, computed in the scorer's own order of operations."""

    precision: float
    recall: float
    f1: float


@dataclass(frozen=True, slots=True)
class Matrix:
    """Counts of the scorer, `cells[gold][predicted]`, in the order of its labels."""

    labels: tuple[str, ...]
    cells: tuple[tuple[int, ...], ...]

    @property
    def rows(self) -> list[int]:
        return [sum(row) for row in self.cells]

    @property
    def columns(self) -> list[int]:
        return [sum(column) for column in zip(*self.cells, strict=True)]

    @property
    def diagonal(self) -> list[int]:
        return [row[i] for i, row in enumerate(self.cells)]

    def accuracy(self) -> float:
        """Percent of all labels; there must be one."""
        return 100.0 * sum(self.diagonal) / sum(self.rows)

    def by_label(self) -> list[Percentages]:
        return list(map(_percentages, self.diagonal, self.columns, self.rows))

    def macro(self) -> Percentages:
        """The mean over all labels, those included that the gold file does not have."""
        scores, count = self.by_label(), len(self.labels)
        return Percentages(
            sum(score.precision for score in scores) / count,
            sum(score.recall for score in scores) / count,
            sum(score.f1 for score in scores) / count,
        )


def matrix_text(matrix: Matrix) -> str:
    """The confusion matrix with its sums, and the blank line below it."""
    rule = "       +" + "-" * ((_WIDTH + 1) * len(matrix.labels)) + "+"
    lines = [
        "Confusion matrix:",
        "       " + "".join(f" {padded(label)}" for label in matrix.labels) + " <-- classified as",
        f"{rule} -SUM-",
    ]
    for label, row, total in zip(matrix.labels, matrix.cells, matrix.rows, strict=True):
        lines.append(f" {padded(label)} |{_cells(row)}| {total:5d}")
    return "\n".join([*lines, rule, f" -SUM- {_cells(matrix.columns)}", "", ""])


def scores_text(matrix: Matrix) -> str:
    """Accuracy, labels and averages, and the three blank lines below them."""
    right, total = sum(matrix.diagonal), sum(matrix.rows)
    micro, macro = _percentages(right, total, total), matrix.macro()
    share = f"{right}/{total} = {matrix.accuracy():5.2f}%"
    return "\n".join(
        [
            f"Accuracy (calculated for the above confusion matrix) = {share}",
            "",
            "Results for the individual labels:",
            *_label_lines(matrix),
            "",
            "Micro-averaged result:",
            _fractions(right, total, total, micro),
            "",
            "MACRO-averaged result:",
            f"P = {macro.precision:6.2f}%\tR = {macro.recall:6.2f}%\tF1 = {macro.f1:6.2f}%",
            *[""] * 4,
        ]
    )


def padded(label: str) -> str:
    """A label in five characters: one space after it, the others before, as far as there is room."""
    return (label + " " if len(label) < _WIDTH else label).rjust(_WIDTH)


def _label_lines(matrix: Matrix) -> list[str]:
    columns = zip(matrix.labels, matrix.diagonal, matrix.columns, matrix.rows, matrix.by_label(), strict=True)
    return [
        f"     {padded(label)} :    {_fractions(right, predicted, gold, score)}"
        for label, right, predicted, gold, score in columns
    ]


def _fractions(right: int, predicted: int, gold: int, score: Percentages) -> str:
    return (
        f"P = {right:5d}/{predicted:5d} = {score.precision:6.2f}%     "
        f"R = {right:5d}/{gold:5d} = {score.recall:6.2f}%     F1 = {score.f1:6.2f}%"
    )


def _cells(counts: Sequence[int]) -> str:
    return "".join(f"{count:5d} " for count in counts)


def _percentages(right: int, predicted: int, gold: int) -> Percentages:
    precision = 100.0 * right / predicted if predicted else 0.0
    recall = 100.0 * right / gold if gold else 0.0
    # From the percentages and not from the counts: the last digit can differ.
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    return Percentages(precision, recall, f1)
