"""`anaphor estimate run`: the true accuracy of all items, from the judgements of a plan."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from anaphor.meta.sample import Sample

EXAMPLES = """examples:
  anaphor estimate run result.json --plan plan.json --judgements judged.tsv
  anaphor estimate run result.json --plan plan.json --judgements judged.tsv --target 0.02 --json

Judgements have the columns system, segment, token (or id), judgement (correct, incorrect, bad) and, if
wanted, annotator, as for `anaphor meta cases`."""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("result", metavar="RESULT", help="the result that the plan was made from")
    files = parser.add_argument_group("files")
    files.add_argument("--plan", required=True, metavar="FILE", help="what `anaphor estimate plan` wrote")
    files.add_argument(
        "--judgements", required=True, metavar="FILE", help="what people said: TSV or JSON lines"
    )
    group = parser.add_argument_group("what is estimated")
    group.add_argument(
        "--target",
        type=float,
        default=0.05,
        metavar="SHARE",
        help="how far intervals may reach to each side; says how many more to judge (default 0.05)",
    )
    group.add_argument("--baseline", metavar="SYSTEM", help="compare with this system, not with the first")
    group.add_argument(
        "--level", type=float, default=0.95, metavar="SHARE", help="of the intervals (default 0.95)"
    )
    parser.add_argument_group("output").add_argument("--json", action="store_true", help="print JSON")


def run(options: argparse.Namespace) -> None:
    from anaphor.cli.estimate.tables import as_json, as_text
    from anaphor.cli.terminal import paint
    from anaphor.meta.estimate import estimate
    from anaphor.meta.stopping import needed

    sample = read_sample(options.result, plan=options.plan, judgements=options.judgements)
    found = estimate(sample, level=options.level, baseline=options.baseline)
    more = needed(sample, target=options.target, level=options.level)
    if options.json:
        print(as_json(sample, found, more, target=options.target, level=options.level))
    else:
        print(as_text(sample, found, more, target=options.target, level=options.level, paint=paint()))


def read_sample(result: str, *, plan: str, judgements: str) -> Sample:
    """The judgements of a plan, which must be of this result."""
    from anaphor.meta.judgements import read_judgements
    from anaphor.meta.plan_file import read_plan, require_plan_of
    from anaphor.meta.sample import take_sample
    from anaphor.report.result_file import read_result

    known = read_plan(plan)
    require_plan_of(known, read_result(result).content, path=plan)
    return take_sample(known, read_judgements(judgements), path=judgements)
