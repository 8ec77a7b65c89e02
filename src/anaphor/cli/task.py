"""`anaphor task`: the shared task of pronoun prediction, from parallel text to scores."""

from __future__ import annotations

import argparse

from anaphor.cli import task_compare, task_lm, task_prepare, task_published, task_score
from anaphor.cli.jobs import add_jobs, run_job

SUMMARY = "predict hidden pronouns: prepare data, run the baseline, score, compare with published results"
EXAMPLES = """examples:
  anaphor task score dev.tsv predictions.tsv --pair en-fr
  anaphor task score dev.tsv a.tsv b.tsv --pair en-fr --paired --documents dev.doc-ids
  anaphor task published --pair en-de --year 2017
  anaphor task compare dev.tsv predictions.tsv --pair en-fr --year 2017

`anaphor task JOB --help` has examples of each job; docs/task/ describes files, scorer and results."""

_JOBS = {
    "prepare": task_prepare,
    "lm": task_lm,
    "score": task_score,
    "published": task_published,
    "compare": task_compare,
}


def configure(parser: argparse.ArgumentParser) -> None:
    add_jobs(parser, _JOBS)


def run(options: argparse.Namespace) -> int | None:
    return run_job(options)
