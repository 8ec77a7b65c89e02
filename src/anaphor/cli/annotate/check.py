"""`anaphor annotate check`: whether a campaign holds together; and its way to a newer schema."""

from __future__ import annotations

import argparse

from anaphor.cli.annotate.options import add_database, opened

EXAMPLES = """examples:
  anaphor annotate check campaign.db
  anaphor annotate check campaign.db --migrate"""


def configure(parser: argparse.ArgumentParser) -> None:
    add_database(parser)
    parser.add_argument("--migrate", action="store_true", help="bring the tables to the newest schema first")


def run(options: argparse.Namespace) -> None:
    from anaphor.annotate.checking import check
    from anaphor.annotate.store import migrate_store
    from anaphor.core import CheckError

    if options.migrate:
        steps = migrate_store(options.database)
        print(f"migrated: {', '.join(map(str, steps))}" if steps else "the schema is the newest")
    with opened(options) as store:
        found = check(store)
        address = store.address
    for name, complaints in found.items():
        print(f"{name}: {'ok' if not complaints else f'{len(complaints)} complaints'}")
    first = next((one for complaints in found.values() for one in complaints), None)
    if first is not None:
        raise CheckError(
            f"the campaign does not hold together: {first}",
            where=address,
            fix="put the last backup in place, and merge this file into it",
        )
