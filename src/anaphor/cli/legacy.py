"""`anaphor legacy`: the released tools as they were."""

from __future__ import annotations

import argparse

from anaphor.cli.commands import CommandParser

EXAMPLES = """examples:
  anaphor legacy apt config_1
  anaphor legacy autoprf reference candidate doc-boundaries --verbosity 0

docs/metrics/legacy.md lists the cases in which anaphor reports an error where the original crashes."""


def configure(parser: CommandParser) -> None:
    tools = parser.add_subparsers(dest="tool", metavar="TOOL")
    apt = tools.add_parser("apt", help="read an APT configuration and write its .score and .detail files")
    apt.add_argument("config", metavar="CONFIG", help="an INI file of the released tool")
    autoprf = tools.add_parser("autoprf", help="print AutoPRF's tables")
    autoprf.add_argument("reference", metavar="REF_STEM", help="stem of STEM.en, STEM.fr, STEM.en-fr.alig")
    autoprf.add_argument("candidate", metavar="CAND_STEM", help="the same for the candidate")
    autoprf.add_argument("documents", metavar="DOCS", help="start line of every document, counted from 0")
    autoprf.add_argument(
        "--verbosity",
        type=int,
        choices=(0, 1, 2),
        default=1,
        help="0: table by pronoun; 1: also by document; 2: also every pronoun (default 1)",
    )
    autoprf.add_argument("--source", default="en", metavar="CODE", help="source suffix (default en)")
    autoprf.add_argument("--target", default="fr", metavar="CODE", help="target suffix (default fr)")


def run(options: argparse.Namespace) -> None:
    if options.tool == "apt":
        from pathlib import Path

        from anaphor.legacy import run_apt, write

        finished = run_apt(Path(options.config))
        write(finished)
        print(finished.console, end="")
        return
    from anaphor.legacy import run_autoprf

    text = run_autoprf(
        options.reference,
        options.candidate,
        options.documents,
        verbosity=options.verbosity,
        source=options.source,
        target=options.target,
    )
    print(text, end="")
