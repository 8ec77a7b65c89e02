"""The tables of the README and of docs/predict/, written between their marks from the last run that was kept.

Usage: python benchmarks/postedit/tables.py
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
DOCS = HERE.parents[1] / "docs" / "predict"
LIMITS = ("0.1", "0.05", "0.02")

Rows = Sequence[Mapping[str, Any]]


def write_tables(report: Mapping[str, Any]) -> None:
    """Put the tables of a report into both pages."""
    edits = [*_edits(report["before_and_after"]), "", *_suites(report["before_and_after"])]
    hints = list(_hints(report["hints"]))
    fifty = _fifty()
    model = report["signature"].split("|version")[0]
    _put(HERE / "README.md", [*edits, "", *hints, "", fifty, "", f"Model: `{model}`."])


def _edits(rows: Rows) -> Iterator[str]:
    yield "| text | threshold | proposals | held back | better | worse | APT | AutoPRF | p |"
    yield "|---|---:|---:|---:|---:|---:|---:|---:|---:|"
    for row in rows:
        if "apt" not in row:
            continue
        counts = [str(row.get(name, "")) for name in ("proposals", "held", "better", "worse")]
        scores = [f"{row['apt']:.1f}", f"{row['autoprf']:.1f}", str(row.get("p", ""))]
        yield f"| {' | '.join([row['text'], row['threshold'], *counts, *scores])} |"


def _suites(rows: Rows) -> Iterator[str]:
    """A row for each system; matches before, and after with the number of proposals."""
    found: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        if "matches" in row:
            found.setdefault(row["text"], []).append(row)
    if not found:
        return
    headings = [row["threshold"] for row in next(iter(found.values()))]
    yield f"| matches of {next(iter(found.values()))[0]['items']} items | {' | '.join(headings)} |"
    yield "|---|" + "---:|" * len(headings)
    for name, cells in found.items():
        told = [f"{row['matches']} ({row['proposals']} proposals)" for row in cells[1:]]
        yield f"| {name} | {' | '.join([str(cells[0]['matches']), *told])} |"


def _hints(rows: Rows) -> Iterator[str]:
    limits = " | ".join(f"below {limit}" for limit in LIMITS)
    yield f"| text, and what is wrong there | asked | wrong among all | {limits} |"
    yield "|---|---:|---:|" + "---:|" * len(LIMITS)
    for row in rows:
        cells = [_share(row[limit]["wrong"], row[limit]["flagged"]) for limit in LIMITS]
        whole = _share(row["wrong"], row["asked"])
        yield f"| {' | '.join([row['text'], str(row['asked']), whole, *cells])} |"


def _share(part: int, whole: int) -> str:
    return f"{part} of {whole} ({100 * part / whole:.0f} %)" if whole else "0 of 0"


def _fifty() -> str:
    """The verdicts in the file of the fifty; a reader may have written them after the run."""
    rows = (HERE / "results" / "fifty.tsv").read_text(encoding="utf-8").splitlines()[1:]
    verdicts = Counter(row.split("\t")[5] or "unread" for row in rows)
    told = ", ".join(f"{count} {name}" for name, count in sorted(verdicts.items()))
    return (
        "Fifty proposals at 0.9 on the news set, drawn by seed and read once by the makers of the tool: "
        f"{told}."
    )


def write_hiding(report: Mapping[str, Mapping[str, Any]]) -> None:
    """Put the table of the ways to hide into the page of post-editing."""
    lines = ["| hidden | right | p ≥ 0.9 | right of these |", "|---|---:|---:|---:|"]
    for name, row in report.items():
        right = f"{100 * row['accuracy']:.1f} %"
        lines.append(f"| {name} | {right} | {row['sure']} | {_share(row['sure_right'], row['sure'])} |")
    _put(DOCS / "postedit.md", lines, mark="hiding")


def _put(page: Path, lines: Sequence[str], *, mark: str = "measured") -> None:
    text = page.read_text(encoding="utf-8")
    block = "\n".join([f"<!-- {mark} -->", *lines, "<!-- end -->"])
    found = re.compile(rf"<!-- {mark} -->.*?<!-- end -->", re.DOTALL)
    page.write_text(found.sub(lambda _: block, text), encoding="utf-8")


if __name__ == "__main__":
    write_tables(json.loads((HERE / "results" / "postedit.json").read_text(encoding="utf-8")))
    write_hiding(json.loads((HERE / "results" / "hiding.json").read_text(encoding="utf-8")))
