"""`anaphor annotate backup`: copy a campaign while annotators go on."""

from __future__ import annotations

import argparse

from anaphor.cli.annotate.options import add_database, opened

EXAMPLES = """examples:
  anaphor annotate backup campaign.db --output campaign-friday.db

The copy is complete, checked, and a campaign of its own: `merge` brings back what was annotated in it. For
PostgreSQL use pg_dump."""


def configure(parser: argparse.ArgumentParser) -> None:
    add_database(parser)
    parser.add_argument("--output", required=True, metavar="FILE", help="a new file")


def run(options: argparse.Namespace) -> None:
    from anaphor.annotate.maintenance import backup

    with opened(options) as store:
        size = backup(store, options.output)
    print(f"{options.output}: {size} bytes")
