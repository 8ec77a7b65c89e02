"""`anaphor estimate`: people judge a sample, and the true accuracy of all is estimated."""

from __future__ import annotations

import argparse

from anaphor.cli import estimate_plan, estimate_run

SUMMARY = "estimate the true accuracy from a few human judgements: plan what to judge, then estimate"
EXAMPLES = """examples:
  anaphor score ... --output result.json --items items.tsv
  anaphor estimate plan result.json --items items.tsv --budget 200 --output plan.json
  anaphor estimate run result.json --plan plan.json --judgements judged.tsv

docs/semi-automatic.md describes files, estimators and what simulations say of them."""

_JOBS = {"plan": estimate_plan, "run": estimate_run}


def configure(parser: argparse.ArgumentParser) -> None:
    jobs = parser.add_subparsers(dest="job", metavar="JOB", required=True)
    for name, module in _JOBS.items():
        job = jobs.add_parser(
            name,
            help=module.SUMMARY,
            description=module.SUMMARY[0].upper() + module.SUMMARY[1:] + ".",
            epilog=module.EXAMPLES,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        module.configure(job)


def run(options: argparse.Namespace) -> None:
    _JOBS[options.job].run(options)
