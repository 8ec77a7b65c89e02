"""`anaphor estimate run`: the true accuracy of all items, from the judgements of a plan."""

from __future__ import annotations

import argparse

from anaphor.cli.meta.options import add_level
from anaphor.cli.output import add_output

EXAMPLES = """examples:
  anaphor estimate run result.json --plan plan.json --judgements judged.tsv
  anaphor estimate run result.json --plan plan.json --judgements judged.tsv --target 0.02 --json

Judgements have the columns system, segment, token (or id), judgement (correct, incorrect, bad) and,
optionally, annotator, as for `anaphor meta cases`."""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("result", metavar="RESULT", help="the result that the plan was made from")
    files = parser.add_argument_group("files")
    files.add_argument("--plan", required=True, metavar="FILE", help="what `anaphor estimate plan` wrote")
    files.add_argument(
        "--judgements", required=True, metavar="FILE", help="human judgements: TSV or JSON lines"
    )
    group = parser.add_argument_group("what is estimated")
    group.add_argument(
        "--target",
        type=float,
        default=0.05,
        metavar="SHARE",
        help="wanted half-width of the intervals; says how many more to judge (default 0.05)",
    )
    group.add_argument("--baseline", metavar="SYSTEM", help="system to compare with (default: the first)")
    add_level(group)
    add_output(parser)


def run(options: argparse.Namespace) -> None:
    from anaphor.cli.output import print_result
    from anaphor.meta.estimate import run_estimation

    found = run_estimation(
        options.result,
        plan=options.plan,
        judgements=options.judgements,
        target=options.target,
        baseline=options.baseline,
        level=options.level,
    )
    print_result(options, found)
