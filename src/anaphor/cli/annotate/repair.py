"""`anaphor annotate repair`: move rows that cannot be read out of a campaign."""

from __future__ import annotations

import argparse

from anaphor.cli.annotate.options import add_database, opened

EXAMPLES = """examples:
  anaphor annotate check campaign.db
  anaphor annotate repair campaign.db --output damaged.jsonl

Rows that cannot be read, and those that need them, go to the file as JSON, one per line; the rest of the
campaign can be used again. A file is never overwritten. Make a copy of the database first."""


def configure(parser: argparse.ArgumentParser) -> None:
    add_database(parser)
    parser.add_argument("--output", required=True, metavar="FILE", help="a new file for the damaged rows")


def run(options: argparse.Namespace) -> None:
    from anaphor.annotate.maintenance import repair

    with opened(options) as store:
        moved = repair(store, options.output)
    for one in moved:
        print(one)
    print(f"{options.output}: {len(moved)} rows" if moved else "no row is damaged")
