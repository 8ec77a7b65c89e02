"""What a corpus offered and what was chosen from it (Tables 1 and 2 of protest-2016)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from anaphor.core.table import Block, Listing, Paragraph, Table, count, text


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


def build_report(
    rows: Sequence[CategoryCounts], kinds: Mapping[str, int], lacks: Mapping[str, int], notes: Sequence[str]
) -> Listing:
    """All pronouns by kind, the categories of the plan, their forms in the reference, then remarks.

    `lacks` says why candidates were left out, `notes` how sentences of the corpus were aligned.
    """
    planned, taken, automatic = (
        sum(getattr(row, name) for row in rows) for name in ("planned", "taken", "automatic")
    )
    content = {
        "pronouns": dict(kinds),
        "categories": {
            row.category: {
                "plan": row.planned,
                "possible": dict(_largest_first(row.available)),
                "chosen": dict(_largest_first(row.chosen)),
                "automatic": row.automatic,
                "missing": row.missing,
            }
            for row in rows
        },
        "plan": planned,
        "chosen": taken,
        "automatic": automatic,
        "left out": dict(lacks),
        "notes": list(notes),
    }
    categories: list[tuple[object, ...]] = [
        (row.category, row.planned, sum(row.available.values()), row.taken, row.automatic) for row in rows
    ]
    categories.append(("total", planned, "", taken, automatic))
    totals = sum((Counter(row.chosen) for row in rows), Counter[str]())
    groups = [name for name, _ in _largest_first(totals)]
    forms = [[row.category, *(row.chosen.get(name) or "-" for name in groups)] for row in rows]
    forms.append(["total", *(totals[name] for name in groups)])
    remarks = [
        f"missing: {row.missing} of {row.planned} {row.category}; the corpus has no more"
        for row in rows
        if row.missing
    ]
    remarks += [f"left out: {number} candidates, {why}" for why, number in lacks.items()]
    if automatic:
        remarks.append(f"to confirm: {automatic} items whose category was guessed automatically")
    remarks += [f"note: {note}" for note in notes]
    headings = ("plan", "possible", "chosen", "automatic")
    blocks: list[Block] = [
        Table((text("pronouns"), count("count")), [*kinds.items(), ("total", sum(kinds.values()))]),
        Table((text("category"), *map(count, headings)), categories),
        Table((text("in the reference"), *map(count, groups)), forms),
        Paragraph(remarks),
    ]
    return Listing(content, blocks)


def _largest_first(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
