"""The evaluation of a suite as a page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from anaphor.core.table import Table, counted
from anaphor.pages.layout import article, page_of
from anaphor.report.charts import element
from anaphor.report.escape import escaped
from anaphor.report.gates import Gate
from anaphor.report.html.elements import block_table, table
from anaphor.suite import SuiteReport


def suite_page(
    report: SuiteReport, mismatches: Iterable[Mapping[str, str]], gates: Sequence[Gate] = ()
) -> str:
    """The evaluation of a suite as an HTML page: scores, changes, gates, and every mismatch by category.

    `mismatches` are the rows of `anaphor.suite.work_list`.
    """
    suite = report.suite
    scores, *changes = [block for block in report.tables() if isinstance(block, Table)]
    parts = [("scores", "Matches by category", block_table(scores, "Matches, and percent of the items"))]
    tables = "".join(block_table(block, block.columns[0].heading) for block in changes)
    parts += [("changes", "Changes", tables)] if changes else []
    if gates:
        rows = [[escaped(gate.system), escaped(gate.message), gate.status] for gate in gates]
        parts.append(("gates", "Gates", table("Gates", ["system", "measured", "status"], rows)))
    items: dict[str, dict[str, list[Mapping[str, str]]]] = {
        category.name: {} for category in suite.categories
    }
    for row in mismatches:
        items[row["category"]].setdefault(row["item"], []).append(row)
    details = "".join(
        f"<details><summary>{escaped(name)}: {len(by_item)} items</summary>"
        + "".join(_mismatch(rows) for rows in by_item.values())
        + "</details>"
        for name, by_item in items.items()
        if by_item
    )
    parts.append(("mismatches", "Mismatches", details or element("p", "Every item matches.")))
    parts.append(("about", "How the numbers were computed", element("code", escaped(str(report.signature)))))
    title = f"Test suite {suite.name} {suite.version}"
    size = f"{suite.pair}, {len(suite.items)} items, {len(suite.documents)} documents, "
    size += counted(len(report.systems), "system")
    return page_of(title, size, parts)


def _mismatch(rows: Sequence[Mapping[str, str]]) -> str:
    """One item, with the rendering of every system that does not match."""
    first = rows[0]
    pronoun = escaped(first["source_pronoun"])
    source = escaped(first["source"]).replace(f"[{pronoun}]", element("mark", pronoun, kind="pronoun"))
    lines = [("source", source), ("accepted", escaped(first["references"]))]
    for row in rows:
        words = ", ".join(filter(None, (row["pronoun"] or "-", row["heads"])))
        lines.append((row["system"], escaped(row["candidate"])))
        lines.append(("", f"{escaped(words)}: {element('span', escaped(row['outcome']), kind='outcome')}"))
    return article(first["item"], lines)
