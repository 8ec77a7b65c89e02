"""`anaphor estimate plan`: which items people should judge."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from anaphor.meta.plan import Plan
    from anaphor.meta.population import Unit

EXAMPLES = """examples:
  anaphor estimate plan result.json --items items.tsv --budget 200 --output plan.json
  anaphor estimate plan result.json --items items.tsv --categories functions.tsv --budget 200 --json
  anaphor estimate plan result.json --items items.tsv --previous plan.json --judgements judged.tsv \\
      --target 0.05 --output plan2.json

The last one keeps all items of the first plan and adds those that its judgements make worth most."""


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
    files.add_argument("--judgements", metavar="FILE", help="what people said of the previous plan")
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
    group.add_argument("--seed", type=int, default=12345, metavar="N", help="of the draw (default 12345)")
    output = parser.add_argument_group("output")
    output.add_argument("--output", metavar="FILE", help="write the plan")
    output.add_argument("--json", action="store_true", help="print the plan")


def run(options: argparse.Namespace) -> None:
    from anaphor.cli.estimate.tables import plan_text
    from anaphor.cli.terminal import paint
    from anaphor.core import OptionError
    from anaphor.corpus import write_atomically
    from anaphor.meta.plan_file import plan_json

    if not options.output and not options.json:
        raise OptionError("the plan goes nowhere", where="--output", fix="name a file, or give --json")
    plan = _plan(options)
    if options.output:
        write_atomically(options.output, plan_json(plan))
    print(plan_json(plan) if options.json else plan_text(plan, paint()), end="" if options.json else "\n")


def _plan(options: argparse.Namespace) -> Plan:
    from anaphor.core import OptionError
    from anaphor.meta.plan import make_plan
    from anaphor.meta.plan_file import result_digest
    from anaphor.meta.population import read_population, require_result
    from anaphor.meta.results import result_counts
    from anaphor.report.result_file import read_result

    if options.seed < 0:
        raise OptionError(f"no seed: {options.seed}", where="--seed", fix="give a number from 0 up")
    content = read_result(options.result).content
    units = read_population(options.items, categories=options.categories)
    require_result(units, result_counts(content, path=options.result), path=options.items)
    if options.previous or options.judgements or options.target is not None:
        return _extended(options, units)
    result = result_digest(content)
    return make_plan(units, result=result, budget=options.budget, seed=options.seed, least=options.least)


def _extended(options: argparse.Namespace, units: tuple[Unit, ...]) -> Plan:
    from anaphor.cli.estimate.run import read_sample
    from anaphor.core import OptionError
    from anaphor.meta.plan import extend_plan
    from anaphor.meta.stopping import planned_for_budget, planned_for_target

    if not (options.previous and options.judgements):
        raise OptionError(
            "a plan is extended, or made for a width, with the judgements of an earlier one",
            where="--previous and --judgements",
            fix="give both; or give neither of them, and a --budget",
        )
    sample = read_sample(options.result, plan=options.previous, judgements=options.judgements)
    if options.target is None:
        planned = planned_for_budget(sample, budget=options.budget)
    else:
        planned = planned_for_target(sample, target=options.target, level=0.95)
    return extend_plan(units, sample.plan, planned)
