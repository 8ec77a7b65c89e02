"""`anaphor verify`: recompute a result file and report differences."""

from __future__ import annotations

import argparse

from anaphor.cli.commands import CommandParser

EXAMPLES = """examples:
  anaphor verify result.json

Run it in the same folder as the command that wrote the result, because relative paths in the file start
there."""


def configure(parser: CommandParser) -> None:
    parser.add_argument("result", metavar="RESULT.json", help="a file written by `anaphor score --output`")


def run(options: argparse.Namespace) -> None:
    from anaphor.cli.terminal import TerminalProgress
    from anaphor.core import CheckError
    from anaphor.core.table import counted
    from anaphor.scoring.verification import verify

    with TerminalProgress(quiet=options.quiet) as progress:
        report = verify(options.result, progress)
    if report.differences:
        raise CheckError(
            "recomputing these files gives a different result\n       "
            + "\n       ".join(report.differences),
            where=options.result,
            fix="use the inputs, options and version of the original result, or write a new one",
        )
    print(f"{options.result}: {counted(report.scores, 'score')} recomputed, all equal")
