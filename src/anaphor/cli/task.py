"""`anaphor task`: the shared task of pronoun prediction, from parallel text to scores."""

from __future__ import annotations

import argparse
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

SUMMARY = "predict hidden pronouns: prepare data, run the baseline, score, compare with published results"
EXAMPLES = """examples:
  anaphor task score dev.tsv predictions.tsv --pair en-fr
  anaphor task score dev.tsv a.tsv b.tsv --pair en-fr --paired --documents dev.doc-ids
  anaphor task published --pair en-de --year 2017
  anaphor task compare dev.tsv predictions.tsv --pair en-fr --year 2017

`anaphor task JOB --help` has examples of each job; docs/task/ describes files, scorer and results."""

#: A module each, with SUMMARY, EXAMPLES, configure and run.
_JOBS = {
    "prepare": "anaphor.cli.task_prepare",
    "lm": "anaphor.cli.task_lm",
    "score": "anaphor.cli.task_score",
    "published": "anaphor.cli.task_published",
    "compare": "anaphor.cli.task_compare",
}


def configure(parser: argparse.ArgumentParser) -> None:
    jobs = parser.add_subparsers(dest="job", metavar="JOB", required=True)
    for name, module in _modules().items():
        job = jobs.add_parser(
            name,
            help=module.SUMMARY,
            description=module.SUMMARY[0].upper() + module.SUMMARY[1:] + ".",
            epilog=module.EXAMPLES,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        module.configure(job)
        job.set_defaults(run_job=module.run)


def run(options: argparse.Namespace) -> int:
    code: int = options.run_job(options)
    return code


def _modules() -> dict[str, ModuleType]:
    return {name: import_module(target) for name, target in _JOBS.items() if find_spec(target)}
