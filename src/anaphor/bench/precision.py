"""Precision, recall and F0.5: the figures of sets whose systems may leave an item unanswered (GATE)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from anaphor.bench.items import BenchOutcome
from anaphor.core.table import Cell, JsonFields, Table, count, percent, text

#: How much less recall counts than precision, in F with beta = 0.5.
_BETA_SQUARED = 0.25


@dataclass(frozen=True, slots=True)
class AnswerCounts(JsonFields):
    """Some items: how many there are, how many are right, and how many are wrong; the rest has no answer."""

    name: str
    items: int
    right: int
    wrong: int

    json_extra: ClassVar[Sequence[str]] = ("precision", "recall", "f_half")

    @property
    def precision(self) -> float:
        """The share of answers that are right; 0 without answers, as in the script of GATE."""
        answers = self.right + self.wrong
        return self.right / answers if answers else 0.0

    @property
    def recall(self) -> float:
        return self.right / self.items if self.items else 0.0

    @property
    def f_half(self) -> float:
        """Precision and recall in one number, in which precision counts more."""
        weighted = _BETA_SQUARED * self.precision + self.recall
        return (1 + _BETA_SQUARED) * self.precision * self.recall / weighted if weighted else 0.0


def answer_counts(
    outcomes: Sequence[BenchOutcome], parts: Mapping[str, Sequence[int]]
) -> tuple[AnswerCounts, ...]:
    """The counts of all items, and those of every part."""
    groups = {"all": range(len(outcomes)), **parts}
    return tuple(
        AnswerCounts(
            name,
            len(members),
            sum(outcomes[at] is BenchOutcome.RIGHT for at in members),
            sum(outcomes[at] is BenchOutcome.WRONG for at in members),
        )
        for name, members in groups.items()
    )


def precision_table(counts: Mapping[str, Sequence[AnswerCounts]]) -> Table:
    """One row per part, three columns per system."""
    columns = [text("label"), count("items")]
    for system in counts:
        name = f"{system} " if len(counts) > 1 else ""
        columns += [percent(f"{name}{measure}") for measure in ("precision", "recall", "F0.5")]
    rows = []
    for row in zip(*counts.values(), strict=True):
        values = [value for part in row for value in (part.precision, part.recall, part.f_half)]
        rows.append([row[0].name, row[0].items, *map(Cell, values)])
    return Table(columns, rows)
