"""What a corpus offered and what was chosen from it (Tables 1 and 2 of protest-2016)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from anaphor.core.table import Block, Paragraph, Table, count, text


@dataclass(frozen=True, slots=True)
class CategoryCounts:
    """One category: the number that is planned, and those available and chosen by group of form."""

    category: str
    planned: int
    available: Mapping[str, int]
    chosen: Mapping[str, int]
    automatic: int

    @property
    def taken(self) -> int:
        return sum(self.chosen.values())

    @property
    def missing(self) -> int:
        return self.planned - self.taken


@dataclass(frozen=True, slots=True)
class BuildReport:
    """The categories of the plan, all pronouns by kind, why candidates were left out, notes on the corpus."""

    rows: tuple[CategoryCounts, ...]
    kinds: Mapping[str, int]
    lacks: Mapping[str, int]
    notes: tuple[str, ...]

    @property
    def totals(self) -> dict[str, int]:
        """Items that are planned, chosen, and chosen automatically, in all categories together."""
        return {
            "plan": sum(row.planned for row in self.rows),
            "chosen": sum(row.taken for row in self.rows),
            "automatic": sum(row.automatic for row in self.rows),
        }

    def to_dict(self) -> dict[str, Any]:
        return {
            "pronouns": dict(self.kinds),
            "categories": {
                row.category: {
                    "plan": row.planned,
                    "possible": dict(_largest_first(row.available)),
                    "chosen": dict(_largest_first(row.chosen)),
                    "automatic": row.automatic,
                    "missing": row.missing,
                }
                for row in self.rows
            },
            **self.totals,
            "left out": dict(self.lacks),
            "notes": list(self.notes),
        }

    def tables(self) -> list[Block]:
        """All pronouns by kind, the categories of the plan, their forms, then remarks."""
        kinds = [*self.kinds.items(), ("total", sum(self.kinds.values()))]
        rows: list[tuple[object, ...]] = [
            (row.category, row.planned, sum(row.available.values()), row.taken, row.automatic)
            for row in self.rows
        ]
        planned, taken, automatic = self.totals.values()
        rows.append(("total", planned, "", taken, automatic))
        headings = ("plan", "possible", "chosen", "automatic")
        totals = sum((Counter(row.chosen) for row in self.rows), Counter[str]())
        groups = [name for name, _ in _largest_first(totals)]
        forms = [[row.category, *(row.chosen.get(name) or "-" for name in groups)] for row in self.rows]
        forms.append(["total", *(totals[name] for name in groups)])
        remarks = [
            f"missing: {row.missing} of {row.planned} {row.category}; the corpus has no more"
            for row in self.rows
            if row.missing
        ]
        remarks += [f"left out: {number} candidates, {why}" for why, number in self.lacks.items()]
        if automatic:
            remarks.append(f"to confirm: {automatic} items whose category was guessed automatically")
        remarks += [f"note: {note}" for note in self.notes]
        return [
            Table((text("pronouns"), count("count")), kinds),
            Table((text("category"), *map(count, headings)), rows),
            Table((text("in the reference"), *map(count, groups)), forms),
            Paragraph(remarks),
        ]


def _largest_first(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
