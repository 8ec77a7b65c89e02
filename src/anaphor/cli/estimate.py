"""`anaphor estimate`: people judge a sample, and the true accuracy of all is estimated."""

from __future__ import annotations

import argparse

from anaphor.cli import estimate_plan, estimate_run
from anaphor.cli.jobs import add_jobs, run_job

SUMMARY = "estimate the true accuracy from a few human judgements: plan what to judge, then estimate"
EXAMPLES = """examples:
  anaphor score ... --output result.json --items items.tsv
  anaphor estimate plan result.json --items items.tsv --budget 200 --output plan.json
  anaphor estimate run result.json --plan plan.json --judgements judged.tsv

docs/semi-automatic.md describes files, estimators and what simulations say of them."""

_JOBS = {"plan": estimate_plan, "run": estimate_run}


def configure(parser: argparse.ArgumentParser) -> None:
    add_jobs(parser, _JOBS)


def run(options: argparse.Namespace) -> None:
    run_job(options)
