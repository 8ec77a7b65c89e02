"""`anaphor annotate merge`: merge copies of a campaign that were annotated offline."""

from __future__ import annotations

import argparse

from anaphor.cli.annotate.options import add_database, add_rules, opened, print_merge, rules_of

EXAMPLES = """examples:
  anaphor annotate backup campaign.db --output for-ann.db
  anaphor annotate merge campaign.db from-ann.db --dry-run
  anaphor annotate merge campaign.db from-ann.db from-bob.db

Answers are matched by their ids. An answer that was changed in both places is a conflict: it is shown, and
the existing one stays. Without --skip one conflict in any copy stops the merge of all copies. --json prints
an object, or a list with one object per copy if there are several."""


def configure(parser: argparse.ArgumentParser) -> None:
    add_database(parser)
    parser.add_argument("copies", nargs="+", metavar="COPY", help="databases that were annotated elsewhere")
    add_rules(parser, create=False)


def run(options: argparse.Namespace) -> int:
    from anaphor.annotate.exchange.merge import merge_copies
    from anaphor.annotate.store.audit import COMMAND_LINE

    with opened(options) as store:
        merged = merge_copies(store, options.copies, by=COMMAND_LINE, rules=rules_of(options))
    return print_merge(options, merged)
