"""`anaphor meta published`: what the papers printed."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from anaphor.meta.published import PublishedTable
    from anaphor.report.table import Paint

EXAMPLES = """examples:
  anaphor meta published
  anaphor meta published --table guillou-hardmeier-2018-table-3
  anaphor meta published --table guillou-hardmeier-2018-table-1 --output table-1.tsv
  anaphor meta published --table guillou-hardmeier-2018-table-1 --beside mine.tsv
  anaphor meta published --table apt-2017-table-5 --json

A table written with --output is a file that `anaphor meta correlate` reads."""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--table", metavar="NAME", help="the table to show; none lists all")
    parser.add_argument("--beside", metavar="FILE", help="rows of your own (TSV, same columns) to put below")
    group = parser.add_argument_group("output")
    group.add_argument("--output", metavar="FILE", help="write the table as TSV")
    group.add_argument("--json", action="store_true", help="print JSON")


def run(options: argparse.Namespace) -> None:
    from anaphor.cli.terminal import paint
    from anaphor.core import OptionError
    from anaphor.corpus import write_atomically
    from anaphor.meta.published import published_names, published_table

    if (options.output or options.beside) and not options.table:
        raise OptionError("no table is named", where="--output, --beside", fix="name one with --table")
    if options.table is None:
        tables = [published_table(name) for name in published_names()]
        print(_as_json(tables) if options.json else _listing(tables, paint()))
        return
    found = published_table(options.table)
    if options.beside:
        found = found.beside(options.beside)
    if options.output:
        write_atomically(options.output, found.tsv())
    print(_as_json([found]) if options.json else _as_text(found, paint()))


def _listing(tables: list[PublishedTable], paint: Paint) -> str:
    from anaphor.report.table import table

    # Padded, because tables set every column but the first flush right.
    width = max(len(found.title) for found in tables)
    return table(
        [["table", f"{'title':{width}}"], *([t.name, f"{t.title:{width}}"] for t in tables)], paint=paint
    )


def _as_text(found: PublishedTable, paint: Paint) -> str:
    from anaphor.report.table import table

    remarks = "\n".join(f"- {remark}" for remark in found.remarks)
    heading = f"{found.title}\n{found.source}"
    return "\n\n".join(
        filter(None, [heading, table([list(found.header), *map(list, found.rows)], paint=paint), remarks])
    )


def _as_json(tables: list[PublishedTable]) -> str:
    import json

    content = [
        {
            "table": found.name,
            "title": found.title,
            "source": found.source,
            "remarks": list(found.remarks),
            "rows": [dict(zip(found.header, row, strict=True)) for row in found.rows],
        }
        for found in tables
    ]
    return json.dumps(content, ensure_ascii=False, indent=2)
