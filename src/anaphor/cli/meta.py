"""`anaphor meta`: judge the metric itself. Each job is a module of its own; a new one is a line below."""

from __future__ import annotations

import argparse

from anaphor.cli import meta_cases, meta_correlate, meta_equivalents, meta_gaps, meta_published
from anaphor.cli.jobs import add_jobs, run_job

SUMMARY = "does the metric agree with people? correlation, cases, published tables, gap filling, equivalents"
EXAMPLES = """examples:
  anaphor meta correlate --scores result.json --human human.tsv --outliers weakest
  anaphor meta cases --items items.tsv --judgements judgements.tsv
  anaphor meta published --table guillou-hardmeier-2018-table-3
  anaphor meta gaps --answers gaps.tsv
  anaphor meta equivalents --pair en-fr --pairs judged.tsv --output equivalent.toml

`anaphor meta JOB --help` has examples of each job; docs/meta/ describes files and measures."""

_JOBS = {
    "correlate": meta_correlate,
    "cases": meta_cases,
    "published": meta_published,
    "gaps": meta_gaps,
    "equivalents": meta_equivalents,
}


def configure(parser: argparse.ArgumentParser) -> None:
    add_jobs(parser, _JOBS)


def run(options: argparse.Namespace) -> None:
    run_job(options)
