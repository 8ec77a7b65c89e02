"""`anaphor annotate export`, `import`, `merge` and `approve`: answers out and in."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from anaphor.cli.annotate.database import add_database, database, opened
from anaphor.cli.commands import CommandParser
from anaphor.cli.output import add_output, print_result
from anaphor.cli.suite_options import load

if TYPE_CHECKING:
    from anaphor.annotate.exchange.merge import MergedCopies, MergeReport, MergeRules


EXPORT_EXAMPLES = """examples:
  anaphor annotate export campaign.db --format judgements --output judgements.tsv
  anaphor annotate export campaign.db --format final --output final.tsv
  anaphor annotate export campaign.db --format protest --output campaign.protest.db
  anaphor annotate export campaign.db --format mtme --output ratings.zip
  anaphor annotate export campaign.db --format jsonl --output -

Formats: judgements (every annotator, for anaphor meta cases), final (leads' decisions first, for anaphor
estimate), gaps (for anaphor meta gaps), csv, template (CSV of unanswered examples, to fill in and import),
tsv, jsonl, journal, protest, mtme, pearmut, label-studio, pronoun-links (gold for anaphor align evaluate),
suggestions, snapshot (all files at the same moment)"""

_EXPORT_FORMATS = (
    *("judgements", "final", "pronoun-links", "suggestions", "gaps", "csv", "template", "tsv", "jsonl"),
    *("journal", "protest", "mtme", "pearmut", "label-studio", "snapshot"),
)


def configure_export(parser: CommandParser) -> None:
    add_database(parser)
    parser.add_argument(
        "--format", choices=_EXPORT_FORMATS, required=True, help="format of the export; see below"
    )
    parser.add_argument("--output", required=True, metavar="FILE", help="output file; - is standard output")


def run_export(options: argparse.Namespace) -> None:
    from anaphor.annotate.exchange import export_file, export_parts

    with opened(options) as store:
        if options.output == "-":
            for part in export_parts(store, options.format):
                sys.stdout.buffer.write(part)
            return
        size = export_file(store, options.format, options.output)
    print(f"{options.output}: {size} bytes")


def add_rules(parser: CommandParser, *, create: bool = True) -> None:
    """Options for what a merge may do."""
    add = parser.add_argument
    add("--dry-run", action="store_true", help="print what would be written, but write nothing")
    add("--skip", action="store_true", help="leave out conflicts and unknown answers, and write the rest")
    if create:
        add("--create", action="store_true", help="create missing annotators and assignments")
    add_output(parser)


def rules_of(options: argparse.Namespace) -> MergeRules:
    from anaphor.annotate.exchange.merge import MergeRules

    create = getattr(options, "create", False)
    return MergeRules(dry_run=options.dry_run, skip=options.skip, create=create)


def print_merge(options: argparse.Namespace, result: MergeReport | MergedCopies) -> int:
    """Print the outcome for the answers; the exit code is 1 if conflicts stopped the merge."""
    print_result(options, result)
    return 0 if result.written or options.dry_run else 1


IMPORT_EXAMPLES = """examples:
  anaphor annotate import campaign.db answers.jsonl --format jsonl --dry-run
  anaphor annotate import campaign.db batch.db --format protest --create
  anaphor annotate import campaign.db pearmut-output.jsonl --format pearmut --skip

Without --skip, a single conflict, or an answer that does not belong to the campaign, stops the import."""

_IMPORT_FORMATS = ("csv", "tsv", "jsonl", "protest", "mtme", "pearmut", "label-studio")


def configure_import(parser: CommandParser) -> None:
    add_database(parser)
    parser.add_argument("file", metavar="FILE", help="the answers")
    parser.add_argument("--format", choices=_IMPORT_FORMATS, required=True, help="format of the file")
    add_rules(parser)


def run_import(options: argparse.Namespace) -> int:
    from anaphor.annotate.exchange import import_bytes
    from anaphor.annotate.store.audit import COMMAND_LINE
    from anaphor.corpus.text import read_bytes

    data = read_bytes(options.file)
    with opened(options) as store:
        report = import_bytes(
            store, options.format, data, by=COMMAND_LINE, path=options.file, rules=rules_of(options)
        )
    return print_merge(options, report)


MERGE_EXAMPLES = """examples:
  anaphor annotate backup campaign.db --output for-ann.db
  anaphor annotate merge campaign.db from-ann.db --dry-run
  anaphor annotate merge campaign.db from-ann.db from-bob.db

Answers are matched by their ids. An answer that was changed in both places is a conflict: it is shown, and
the existing answer is kept. Without --skip, one conflict in any copy stops the whole merge. --json prints an
object, or a list with one object per copy if there are several."""


def configure_merge(parser: CommandParser) -> None:
    add_database(parser)
    parser.add_argument(
        "copies", nargs="+", type=database, metavar="COPY", help="databases that were annotated elsewhere"
    )
    add_rules(parser, create=False)


def run_merge(options: argparse.Namespace) -> int:
    from anaphor.annotate.exchange.merge import merge_copies
    from anaphor.annotate.store.audit import COMMAND_LINE

    with opened(options) as store:
        merged = merge_copies(store, options.copies, by=COMMAND_LINE, rules=rules_of(options))
    return print_merge(options, merged)


APPROVE_EXAMPLES = """examples:
  anaphor annotate approve campaign.db --suite my-suite --output my-suite-2
  anaphor suite evaluate my-suite-2 --candidate old.fr new.fr

A translation is approved if a lead approves it, or if all annotators accept the pronoun and the antecedent
and mark the words of both. Scores with approved translations are not comparable with other scores."""


def configure_approve(parser: CommandParser) -> None:
    add_database(parser)
    parser.add_argument("--suite", required=True, metavar="SUITE", help="the suite of the campaign")
    parser.add_argument("--documents", metavar="FOLDER", help="its texts, if they are not in its folder")
    parser.add_argument("--output", required=True, metavar="FOLDER", help="new folder for the suite")


def run_approve(options: argparse.Namespace) -> None:
    from anaphor.annotate.exchange.approval import approve
    from anaphor.suite import write_suite

    loaded = load(options)
    with opened(options) as store:
        suite = approve(store, loaded.suite)
    write_suite(suite, options.output, texts=loaded.texts)
    before, after = (sum(len(item.alternatives) for item in one.items) for one in (loaded.suite, suite))
    print(f"{options.output}: {after} approved alternatives, {after - before} of them new")
