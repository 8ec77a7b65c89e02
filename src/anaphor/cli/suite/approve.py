"""`anaphor suite approve`: accept the translations that annotators approved in a work list."""

from __future__ import annotations

import argparse

from anaphor.cli.suite.options import add_suite, load
from anaphor.core.table import counted


def configure(parser: argparse.ArgumentParser) -> None:
    add_suite(parser)
    add = parser.add_argument
    add(
        "--work-list",
        required=True,
        metavar="FILE",
        help="work list of `evaluate`, with ok or bad in its first column",
    )
    add("--by", required=True, metavar="NAME", help="name of the annotator")
    add("--when", metavar="DATE", help="date such as 2016-05-23 (default: today)")
    add("--output", required=True, metavar="FOLDER", help="new folder for the suite")


def run(options: argparse.Namespace) -> None:
    from datetime import UTC, datetime

    from anaphor.corpus import read_text
    from anaphor.suite import with_approved, write_suite

    loaded = load(options)
    when = options.when or datetime.now(tz=UTC).date().isoformat()
    suite = with_approved(loaded.suite, read_text(options.work_list), by=options.by, when=when)
    write_suite(suite, options.output, texts=loaded.texts)
    before, after = (sum(len(item.alternatives) for item in one.items) for one in (loaded.suite, suite))
    print(f"{options.output}: {counted(after, 'approved alternative')}, {after - before} of them new")
