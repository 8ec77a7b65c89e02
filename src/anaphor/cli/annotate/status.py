"""`anaphor annotate status`: the progress of a campaign, the agreement of annotators, what is left."""

from __future__ import annotations

import argparse

from anaphor.cli.annotate.options import add_database, opened
from anaphor.cli.output import add_output, print_result

EXAMPLES = """examples:
  anaphor annotate status campaign.db
  anaphor annotate status campaign.db --target 0.05 --json
  anaphor annotate status campaign.db --question antecedent"""


def configure(parser: argparse.ArgumentParser) -> None:
    add_database(parser)
    add = parser.add_argument
    text = "question that agreement is measured on; overall is the exported judgement (default overall)"
    add("--question", choices=("overall", "pronoun", "antecedent"), default="overall", help=text)
    text = "half-width of the intervals to aim at; says how many more to judge (default 0.02)"
    add("--target", type=float, default=0.02, metavar="SHARE", help=text)
    add_output(parser)


def run(options: argparse.Namespace) -> None:
    from anaphor.annotate.analysis.status import read_status

    with opened(options) as store:
        status = read_status(store, question=options.question, target=options.target)
    print_result(options, status)
