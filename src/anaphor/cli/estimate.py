"""`anaphor estimate`: annotators judge a sample, and the true accuracy of all is estimated."""

from __future__ import annotations

import argparse

from anaphor.cli.commands import Command, CommandParser
from anaphor.cli.options import add_level, add_seed
from anaphor.cli.output import add_output, print_result

EXAMPLES = """examples:
  anaphor score ... --output result.json --items items.tsv
  anaphor estimate plan result.json --items items.tsv --budget 200 --output plan.json
  anaphor estimate run result.json --plan plan.json --judgements judged.tsv

docs/semi-automatic.md describes files and estimators, and evaluates them by simulation."""

PLAN_EXAMPLES = """examples:
  anaphor estimate plan result.json --items items.tsv --budget 200 --output plan.json
  anaphor estimate plan result.json --items items.tsv --categories functions.tsv --budget 200 --json
  anaphor estimate plan result.json --items items.tsv --guess accept --budget 200 --output plan.json
  anaphor estimate plan result.json --items items.tsv --previous plan.json --judgements judged.tsv \\
      --target 0.05 --output plan2.json

With --previous, the plan keeps all items of the earlier one and adds the most informative ones."""


def configure_plan(parser: CommandParser) -> None:
    parser.add_argument("result", metavar="RESULT", help="result of `anaphor score --output`")
    files = parser.add_argument_group("files")
    files.add_argument(
        "--items",
        required=True,
        metavar="FILE",
        help="items written by `anaphor score --items` in the same run",
    )
    files.add_argument(
        "--categories",
        metavar="FILE",
        help="id (or segment and token) and category of each pronoun: TSV or JSON lines",
    )
    files.add_argument("--previous", metavar="FILE", help="a plan to extend; its seed and strata are kept")
    files.add_argument("--judgements", metavar="FILE", help="human judgements of the previous plan")
    group = parser.add_argument_group("size and strata")
    size = group.add_mutually_exclusive_group(required=True)
    size.add_argument(
        "--budget", type=int, metavar="N", help="total number of judgements, including earlier ones"
    )
    size.add_argument(
        "--target",
        type=float,
        metavar="SHARE",
        help="plan enough items for this half-width of every system's interval; needs --previous",
    )
    group.add_argument(
        "--least",
        type=int,
        default=30,
        metavar="N",
        help="minimum number of items per stratum (default 30)",
    )
    group.add_argument(
        "--guess",
        metavar="METRIC",
        help="stratify by the probabilities of a metric, such as accept, instead of the APT case",
    )
    add_seed(group)
    output = parser.add_argument_group("output")
    output.add_argument("--output", metavar="FILE", help="write the plan")
    add_output(output)


def run_plan(options: argparse.Namespace) -> None:
    from anaphor.core import OptionError
    from anaphor.files.writing import write_atomically
    from anaphor.meta.estimate import plan_judgements
    from anaphor.meta.plan import plan_json

    if not options.output and not options.json:
        raise OptionError(
            "there is no output for the plan", where="--output", fix="add --output FILE or --json"
        )
    plan = plan_judgements(
        options.result,
        items=options.items,
        categories=options.categories,
        budget=options.budget,
        target=options.target,
        previous=options.previous,
        judgements=options.judgements,
        least=options.least,
        seed=options.seed,
        guess=options.guess,
    )
    if options.output:
        write_atomically(options.output, plan_json(plan))
    print_result(options, plan)


RUN_EXAMPLES = """examples:
  anaphor estimate run result.json --plan plan.json --judgements judged.tsv
  anaphor estimate run result.json --plan plan.json --judgements judged.tsv --target 0.02 --json

Judgements have the same columns as for `anaphor meta cases`."""


def configure_run(parser: CommandParser) -> None:
    parser.add_argument("result", metavar="RESULT", help="the result from which the plan was made")
    files = parser.add_argument_group("files")
    files.add_argument("--plan", required=True, metavar="FILE", help="output of `anaphor estimate plan`")
    files.add_argument(
        "--judgements", required=True, metavar="FILE", help="human judgements: TSV or JSON lines"
    )
    group = parser.add_argument_group("what is estimated")
    group.add_argument(
        "--target",
        type=float,
        default=0.05,
        metavar="SHARE",
        help="target half-width of the intervals; determines how many more items to judge (default 0.05)",
    )
    group.add_argument("--baseline", metavar="SYSTEM", help="system to compare with (default: the first)")
    add_level(group)
    add_output(parser)


def run_run(options: argparse.Namespace) -> None:
    from anaphor.meta.estimate import run_estimation

    estimation = run_estimation(
        options.result,
        plan=options.plan,
        judgements=options.judgements,
        target=options.target,
        baseline=options.baseline,
        level=options.level,
    )
    print_result(options, estimation)


COMMANDS = {
    "plan": Command(
        "choose the items that annotators should judge, and write a plan",
        configure_plan,
        run_plan,
        PLAN_EXAMPLES,
    ),
    "run": Command(
        "estimate accuracy by system, category and case, and say how many more to judge",
        configure_run,
        run_run,
        RUN_EXAMPLES,
    ),
}
