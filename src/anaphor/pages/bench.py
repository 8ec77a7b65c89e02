"""The result of a bench as a page."""

from __future__ import annotations

from anaphor.bench.result import BenchResult, item_lines
from anaphor.core.table import Table
from anaphor.pages.layout import article, page_of
from anaphor.report.charts import element
from anaphor.report.escape import escaped
from anaphor.report.html.elements import block_table

#: The most items that are shown one by one.
_EXAMPLES = 100


def bench_page(result: BenchResult) -> str:
    """The result of a bench as an HTML page: its tables, and items with the output of every system."""
    bench, rule = result.bench, result.rules[-1]
    tables = [block for block in result.tables() if isinstance(block, Table)]
    parts = [("scores", "Accuracy", block_table(tables[0], "Accuracy, and items by outcome"))]
    rest = "".join(block_table(block, block.columns[0].heading) for block in tables[1:])
    parts += [("parts", "Parts and comparisons", rest)] if rest else []
    notes = "".join(element("p", escaped(note)) for note in result.notes)
    parts += [("notes", "Notes", notes)] if notes else []
    items = []
    for at in result.example_items(_EXAMPLES):
        item = bench.items[at]
        lines = [(name, escaped(content)) for name, content in item_lines(item)]
        for system in result.systems:
            outcome = element("span", escaped(system.outcomes[rule][at].value), kind="outcome")
            response = f"{escaped(system.outputs[at])} " if system.outputs else ""
            lines.append((system.system, response + outcome))
        items.append(article(item.id, lines))
    parts.append(("examples", "Examples", "".join(items) or element("p", "Every item is right.")))
    signatures = "".join(
        element("p", element("code", escaped(str(signature)))) for signature in result.signatures.values()
    )
    parts.append(("about", "How the numbers were computed", signatures))
    size = f"{bench.pair}, {len(bench.items)} items, {result.mode}"
    return page_of(f"Bench {bench.name}", size, parts)
