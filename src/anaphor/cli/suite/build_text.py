"""The report of a build as tables like Tables 1 and 2 of protest-2016, and as JSON."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from anaphor.report.table import Paint, table

if TYPE_CHECKING:
    from anaphor.suite.build.report import BuildReport, CategoryCounts


def build_text(report: BuildReport, *, paint: Paint) -> str:
    """All pronouns by kind, the categories of the plan, their forms, what is missing, and notes."""
    kinds = [["pronouns", "count"], *([name, str(count)] for name, count in report.kinds.items())]
    kinds.append(["total", str(sum(report.kinds.values()))])
    rows = [["category", "plan", "possible", "chosen", "automatic"], *map(_cells, report.rows)]
    rows.append(["total", str(report.planned), "", str(report.taken), str(report.automatic)])
    tables = [table(part, paint=paint) for part in (kinds, rows, _forms(report))]
    remarks = "\n".join(_remarks(report))
    return "\n\n".join([*tables, *([remarks] if remarks else [])])


def build_json(report: BuildReport) -> str:
    """The same figures."""
    return json.dumps(
        {
            "pronouns": dict(report.kinds),
            "categories": {
                row.category: {
                    "plan": row.planned,
                    "possible": dict(_largest_first(row.available)),
                    "chosen": dict(_largest_first(row.chosen)),
                    "automatic": row.automatic,
                    "missing": row.missing,
                }
                for row in report.rows
            },
            "plan": report.planned,
            "chosen": report.taken,
            "automatic": report.automatic,
            "left out": dict(report.lacks),
            "notes": list(report.notes),
        },
        ensure_ascii=False,
        indent=2,
    )


def _cells(row: CategoryCounts) -> list[str]:
    return [row.category, *map(str, (row.planned, row.found, row.taken, row.automatic))]


def _forms(report: BuildReport) -> list[list[str]]:
    """What the references have for the chosen items: a column for every group of forms."""
    totals: Counter[str] = Counter()
    for row in report.rows:
        totals.update(row.chosen)
    groups = [name for name, _ in _largest_first(totals)]
    rows = [["in the reference", *groups]]
    rows += [[row.category, *(str(row.chosen.get(name) or "-") for name in groups)] for row in report.rows]
    return [*rows, ["total", *(str(totals[name]) for name in groups)]]


def _remarks(report: BuildReport) -> Iterator[str]:
    for row in report.rows:
        if row.missing:
            yield f"missing: {row.missing} of {row.planned} {row.category}; the corpus has no more"
    for why, count in report.lacks.items():
        yield f"left out: {count} candidates, {why}"
    if report.automatic:
        yield f"to confirm: {report.automatic} items whose category the program guessed"
    for note in report.notes:
        yield f"note: {note}"


def _largest_first(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
