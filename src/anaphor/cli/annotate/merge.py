"""`anaphor annotate merge`: copies of a campaign that were annotated offline come back."""

from __future__ import annotations

import argparse

from anaphor.cli.annotate.merged import add_rules, rules_of, show
from anaphor.cli.annotate.options import add_database, opened

EXAMPLES = """examples:
  anaphor annotate backup campaign.db --output for-ann.db
  anaphor annotate merge campaign.db from-ann.db --dry-run
  anaphor annotate merge campaign.db from-ann.db from-bob.db

Answers are matched by their ids. One that was changed in both places is a conflict: it is shown, and the one
that is there stays. Without --skip one conflict stops everything."""


def configure(parser: argparse.ArgumentParser) -> None:
    add_database(parser)
    parser.add_argument("copies", nargs="+", metavar="COPY", help="databases that were annotated elsewhere")
    add_rules(parser, create=False)


def run(options: argparse.Namespace) -> int | None:
    from anaphor.annotate.audit import COMMAND_LINE
    from anaphor.annotate.copies import copy_answers
    from anaphor.annotate.merging import merge
    from anaphor.annotate.store import open_store

    with opened(options) as store:
        incoming = []
        for path in options.copies:
            copy = open_store(path)
            try:
                incoming.append(copy_answers(store, copy))
            finally:
                copy.close()
        reports = [
            merge(store, answers, by=COMMAND_LINE, kind="merge", rules=rules_of(options))
            for answers in incoming
        ]
    codes = [show(report, options, title=path) for report, path in zip(reports, options.copies, strict=True)]
    return max(code or 0 for code in codes)
