"""`anaphor annotate import`: answers from files of other tools."""

from __future__ import annotations

import argparse
from pathlib import Path

from anaphor.cli.annotate.merged import add_rules, rules_of, show
from anaphor.cli.annotate.options import add_database, opened

EXAMPLES = """examples:
  anaphor annotate import campaign.db answers.jsonl --format jsonl --dry-run
  anaphor annotate import campaign.db batch.db --format protest --create
  anaphor annotate import campaign.db pearmut-output.jsonl --format pearmut --skip

Without --skip one conflict, or one answer that has no place in the campaign, stops everything."""

FORMATS = ("csv", "tsv", "jsonl", "protest", "mtme", "pearmut", "label-studio")


def configure(parser: argparse.ArgumentParser) -> None:
    add_database(parser)
    parser.add_argument("file", metavar="FILE", help="the answers")
    parser.add_argument("--format", choices=FORMATS, required=True, help="of the file")
    add_rules(parser)


def run(options: argparse.Namespace) -> int | None:
    from anaphor.annotate.audit import COMMAND_LINE
    from anaphor.annotate.exchange import import_bytes

    data = _read(Path(options.file))
    with opened(options) as store:
        report = import_bytes(
            store, options.format, data, by=COMMAND_LINE, path=options.file, rules=rules_of(options)
        )
    return show(report, options)


def _read(path: Path) -> bytes:
    from anaphor.core import InputError

    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(
            f"the file cannot be read ({error.strerror})", where=str(path), fix="check the path"
        ) from error
