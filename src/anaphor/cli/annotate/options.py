"""Options that several subcommands of `anaphor annotate` share: the database, and the rules of a merge."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from anaphor.cli.output import add_output, print_result

if TYPE_CHECKING:
    from anaphor.annotate.exchange.merge import MergedCopies, MergeReport, MergeRules
    from anaphor.annotate.store import Store


def add_database(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "database", metavar="DATABASE", help="file of the campaign, or postgresql://USER@HOST/DATABASE"
    )


def opened(options: argparse.Namespace) -> Store:
    """The campaign that the options name; a context manager that closes it."""
    from anaphor.annotate.store import open_store

    return open_store(options.database)


def add_rules(parser: argparse.ArgumentParser, *, create: bool = True) -> None:
    """How far a merge may go."""
    add = parser.add_argument
    add("--dry-run", action="store_true", help="write nothing, print what would be written")
    add("--skip", action="store_true", help="leave out conflicts and unknown answers, write the rest")
    if create:
        add("--create", action="store_true", help="make missing annotators and assignments")
    add_output(parser)


def rules_of(options: argparse.Namespace) -> MergeRules:
    from anaphor.annotate.exchange.merge import MergeRules

    create = getattr(options, "create", False)
    return MergeRules(dry_run=options.dry_run, skip=options.skip, create=create)


def print_merge(options: argparse.Namespace, result: MergeReport | MergedCopies) -> int:
    """Print what became of the answers; the exit code is 1 where conflicts stopped the merge."""
    print_result(options, result)
    return 0 if result.written or options.dry_run else 1
