"""`anaphor annotate import`: import answers from files of third-party tools."""

from __future__ import annotations

import argparse

from anaphor.cli.annotate.options import add_database, add_rules, opened, print_merge, rules_of

EXAMPLES = """examples:
  anaphor annotate import campaign.db answers.jsonl --format jsonl --dry-run
  anaphor annotate import campaign.db batch.db --format protest --create
  anaphor annotate import campaign.db pearmut-output.jsonl --format pearmut --skip

Without --skip one conflict, or one answer that has no place in the campaign, stops the import."""

FORMATS = ("csv", "tsv", "jsonl", "protest", "mtme", "pearmut", "label-studio")


def configure(parser: argparse.ArgumentParser) -> None:
    add_database(parser)
    parser.add_argument("file", metavar="FILE", help="the answers")
    parser.add_argument("--format", choices=FORMATS, required=True, help="format of the file")
    add_rules(parser)


def run(options: argparse.Namespace) -> int:
    from anaphor.annotate.exchange import import_bytes
    from anaphor.annotate.store.audit import COMMAND_LINE
    from anaphor.corpus.text import read_bytes

    data = read_bytes(options.file)
    with opened(options) as store:
        report = import_bytes(
            store, options.format, data, by=COMMAND_LINE, path=options.file, rules=rules_of(options)
        )
    return print_merge(options, report)
