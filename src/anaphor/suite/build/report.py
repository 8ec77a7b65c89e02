"""What a corpus could provide and what was chosen of it (Tables 1 and 2 of protest-2016)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CategoryCounts:
    """One category: how many the plan wants, and how many there are and were taken, by group of form."""

    category: str
    planned: int
    available: Mapping[str, int]
    chosen: Mapping[str, int]
    automatic: int

    @property
    def found(self) -> int:
        return sum(self.available.values())

    @property
    def taken(self) -> int:
        return sum(self.chosen.values())

    @property
    def missing(self) -> int:
        return self.planned - self.taken


@dataclass(frozen=True, slots=True)
class BuildReport:
    """The categories of the plan, all pronouns by kind, why candidates fell away, notes on the corpus."""

    rows: tuple[CategoryCounts, ...]
    kinds: Mapping[str, int]
    lacks: Mapping[str, int]
    notes: tuple[str, ...]

    @property
    def planned(self) -> int:
        return sum(row.planned for row in self.rows)

    @property
    def taken(self) -> int:
        return sum(row.taken for row in self.rows)

    @property
    def automatic(self) -> int:
        return sum(row.automatic for row in self.rows)
