"""`anaphor annotate check`: check that a campaign is consistent, or migrate it to a newer schema."""

from __future__ import annotations

import argparse

from anaphor.cli.annotate.options import add_database, opened

EXAMPLES = """examples:
  anaphor annotate check campaign.db
  anaphor annotate check campaign.db --migrate"""


def configure(parser: argparse.ArgumentParser) -> None:
    add_database(parser)
    add = parser.add_argument
    add("--migrate", action="store_true", help="migrate the tables to the newest schema first")


def run(options: argparse.Namespace) -> None:
    from anaphor.annotate.maintenance import check
    from anaphor.annotate.store import migrate_store
    from anaphor.core import CheckError
    from anaphor.core.errors import printable

    if options.migrate:
        steps = migrate_store(options.database)
        print(f"migrated: {', '.join(map(str, steps))}" if steps else "the schema is the newest")
    with opened(options) as store:
        found = check(store)
        address = store.address
    for name, problems in found.items():
        print(f"{name}: {f'{len(problems)} problems' if problems else 'ok'}")
        for problem in problems:
            print(printable(f"  {problem}"))
    first = next((one for problems in found.values() for one in problems), None)
    if first is not None:
        fix = "restore the last backup, and merge this file into it"
        if found["rows"]:
            fix += ", or move damaged rows aside with `anaphor annotate repair`"
        raise CheckError(f"the campaign is not consistent: {first}", where=address, fix=fix)
