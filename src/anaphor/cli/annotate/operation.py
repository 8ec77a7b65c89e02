"""`anaphor annotate serve`, `status`, `backup`, `check` and `repair`: a running campaign."""

from __future__ import annotations

import argparse

from anaphor.cli.annotate.database import add_database, database, opened
from anaphor.cli.commands import CommandParser
from anaphor.cli.output import add_output, print_result

SERVE_EXAMPLES = """examples:
  anaphor annotate serve campaign.db
  anaphor annotate serve campaign.db --port 9000 --no-open
  anaphor annotate serve pilot.db main=campaign.db
  anaphor annotate serve campaign.db --public --host 0.0.0.0 --certificate cert.pem --key key.pem
  anaphor annotate serve postgresql://lead@localhost/campaign --behind-proxy --no-open
  anaphor annotate serve campaign.db --drop finished --webhook https://chat.example.org/hooks/annotation

Several campaigns are served at /NAME/ (default: the file's name), each with its own leads, links and
sessions. By default only this machine can reach the pages. For others, put a web server with TLS in front
(--behind-proxy), or give --public with a certificate and its key: personal links and passwords must not be
sent unencrypted."""


def configure_serve(parser: CommandParser) -> None:
    text = "campaign file, or postgresql://USER@HOST/DATABASE; several are served at /NAME/"
    parser.add_argument("databases", nargs="+", type=database, metavar="[NAME=]DATABASE", help=text)
    where = parser.add_argument_group("where").add_argument
    where("--host", default="127.0.0.1", metavar="ADDRESS", help="address to listen on (default 127.0.0.1)")
    where("--port", type=int, default=8080, metavar="N", help="port to listen on (default 8080)")
    where("--public", action="store_true", help="allow addresses other than this machine's own")
    where("--behind-proxy", action="store_true", help="the pages are behind a web server with TLS")
    where("--certificate", metavar="FILE", help="TLS certificate, in PEM format")
    where("--key", metavar="FILE", help="key of the certificate, in PEM format")
    end = parser.add_argument_group("when nothing is left to answer").add_argument
    text = "write the export `snapshot` (all formats, from the same moment) into this folder"
    end("--drop", default="", metavar="FOLDER", help=text)
    text = "send a message as JSON to this address (https, or http on this machine)"
    end("--webhook", default="", metavar="URL", help=text)
    parser.add_argument("--no-open", action="store_true", help="do not open the browser")


def run_serve(options: argparse.Namespace) -> None:
    from anaphor.annotate.finish import FinishActions
    from anaphor.annotate.web import serve
    from anaphor.scoring.suggestions import accept_guesser

    names = ("host", "port", "public", "behind_proxy", "certificate", "key")
    given = {name: getattr(options, name) for name in names}
    finish = FinishActions(folder=options.drop, webhook=options.webhook)
    serve(
        *options.databases, open_browser=not options.no_open, finish=finish, guess=accept_guesser(), **given
    )


DEMO_EXAMPLES = """examples:
  anaphor annotate demo
  anaphor annotate demo --port 9000 --no-open

The campaign uses a shipped suite; three invented annotators have done half of their work. A link for an
annotator and a password for a lead are printed. Nothing remains when the command ends (Ctrl+C)."""


def configure_demo(parser: CommandParser) -> None:
    text = "port to listen on; 0: any free port (default 0)"
    parser.add_argument("--port", type=int, default=0, metavar="N", help=text)
    parser.add_argument("--no-open", action="store_true", help="do not open the browser")


def run_demo(options: argparse.Namespace) -> None:
    from anaphor.align import AlignerChoice
    from anaphor.annotate import demo
    from anaphor.suite import EvaluationOptions

    aligner = AlignerChoice(pair=demo.PAIR)
    demo.run_demo(EvaluationOptions(aligner=aligner), port=options.port, open_browser=not options.no_open)


STATUS_EXAMPLES = """examples:
  anaphor annotate status campaign.db
  anaphor annotate status campaign.db --target 0.05 --json
  anaphor annotate status campaign.db --question antecedent"""


def configure_status(parser: CommandParser) -> None:
    add_database(parser)
    add = parser.add_argument
    text = "question for which agreement is measured; overall is the exported judgement (default overall)"
    add("--question", choices=("overall", "pronoun", "antecedent"), default="overall", help=text)
    text = "target half-width of the intervals; determines how many more items to judge (default 0.02)"
    add("--target", type=float, default=0.02, metavar="SHARE", help=text)
    add_output(parser)


def run_status(options: argparse.Namespace) -> None:
    from anaphor.annotate.analysis.status import read_status

    with opened(options) as store:
        status = read_status(store, question=options.question, target=options.target)
    print_result(options, status)


BACKUP_EXAMPLES = """examples:
  anaphor annotate backup campaign.db --output campaign-friday.db

The copy is checked. It is a complete campaign, so `merge` can add answers given in it to the original. For
PostgreSQL, use pg_dump."""


def configure_backup(parser: CommandParser) -> None:
    add_database(parser)
    parser.add_argument("--output", required=True, metavar="FILE", help="a new file")


def run_backup(options: argparse.Namespace) -> None:
    from anaphor.annotate.maintenance import backup

    with opened(options) as store:
        size = backup(store, options.output)
    print(f"{options.output}: {size} bytes")


CHECK_EXAMPLES = """examples:
  anaphor annotate check campaign.db"""


def run_check(options: argparse.Namespace) -> None:
    from anaphor.annotate.maintenance import check
    from anaphor.core import CheckError
    from anaphor.core.errors import printable

    with opened(options) as store:
        problems_by_check = check(store)
        address = store.address
    for name, problems in problems_by_check.items():
        print(f"{name}: {f'{len(problems)} problems' if problems else 'ok'}")
        for problem in problems:
            print(printable(f"  {problem}"))
    first = next((problem for problems in problems_by_check.values() for problem in problems), None)
    if first is not None:
        fix = "restore the last backup, and merge this file into it"
        if problems_by_check["rows"]:
            fix += ", or move damaged rows aside with `anaphor annotate repair`"
        raise CheckError(f"the campaign is not consistent: {first}", where=address, fix=fix)


REPAIR_EXAMPLES = """examples:
  anaphor annotate check campaign.db
  anaphor annotate repair campaign.db --output damaged.jsonl

Unreadable rows, and those that depend on them, are moved to the file as JSON, one per line; the rest of the
campaign can be used again. A file is never overwritten. Make a copy of the database first."""


def configure_repair(parser: CommandParser) -> None:
    add_database(parser)
    parser.add_argument("--output", required=True, metavar="FILE", help="a new file for the damaged rows")


def run_repair(options: argparse.Namespace) -> None:
    from anaphor.annotate.maintenance import repair

    with opened(options) as store:
        moved = repair(store, options.output)
    for row in moved:
        print(row)
    print(f"{options.output}: {len(moved)} rows" if moved else "no row is damaged")
