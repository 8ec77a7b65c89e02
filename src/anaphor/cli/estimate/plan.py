"""`anaphor estimate plan`: which items annotators should judge."""

from __future__ import annotations

import argparse

from anaphor.cli.output import add_output

EXAMPLES = """examples:
  anaphor estimate plan result.json --items items.tsv --budget 200 --output plan.json
  anaphor estimate plan result.json --items items.tsv --categories functions.tsv --budget 200 --json
  anaphor estimate plan result.json --items items.tsv --guess accept --budget 200 --output plan.json
  anaphor estimate plan result.json --items items.tsv --previous plan.json --judgements judged.tsv \\
      --target 0.05 --output plan2.json

The last command keeps all items of the first plan and adds those that are worth most after its judgements."""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("result", metavar="RESULT", help="what `anaphor score --output` wrote")
    files = parser.add_argument_group("files")
    files.add_argument(
        "--items", required=True, metavar="FILE", help="what `anaphor score --items` wrote in the same run"
    )
    files.add_argument(
        "--categories", metavar="FILE", help="id (or segment and token) and category: TSV or JSON lines"
    )
    files.add_argument("--previous", metavar="FILE", help="a plan to extend; its seed and strata are kept")
    files.add_argument("--judgements", metavar="FILE", help="human judgements of the previous plan")
    group = parser.add_argument_group("how many, and which")
    size = group.add_mutually_exclusive_group(required=True)
    size.add_argument("--budget", type=int, metavar="N", help="judgements in all, earlier ones included")
    size.add_argument(
        "--target",
        type=float,
        metavar="SHARE",
        help="as many as bring 95 %% intervals of systems to this half-width; needs --previous",
    )
    group.add_argument(
        "--least",
        type=int,
        default=30,
        metavar="N",
        help="items that a case or category needs for a stratum of its own (default 30)",
    )
    group.add_argument(
        "--guess",
        metavar="METRIC",
        help="divide items by the probability of a metric, such as accept, instead of the case of apt",
    )
    group.add_argument("--seed", type=int, default=12345, metavar="N", help="random seed (default 12345)")
    output = parser.add_argument_group("output")
    output.add_argument("--output", metavar="FILE", help="write the plan")
    add_output(output)


def run(options: argparse.Namespace) -> None:
    from anaphor.cli.output import print_result
    from anaphor.core import OptionError
    from anaphor.corpus import write_atomically
    from anaphor.meta.estimate import plan_judgements
    from anaphor.meta.plan import plan_json

    if not options.output and not options.json:
        raise OptionError("the plan goes nowhere", where="--output", fix="name a file, or give --json")
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
