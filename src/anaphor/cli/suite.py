"""`anaphor suite`: test suites for pronouns. Each job is a module of its own; a new one is a line below."""

from __future__ import annotations

import argparse

from anaphor.cli import (
    suite_approve,
    suite_build,
    suite_check,
    suite_evaluate,
    suite_export,
    suite_import,
    suite_shipped,
    suite_show,
)
from anaphor.cli.jobs import add_jobs, run_job

SUMMARY = "test suites: judge candidates item by item, build, check, show, import and export suites"
EXAMPLES = """examples:
  anaphor suite shipped
  anaphor suite shipped anaphor-en-fr --output my-suite
  anaphor suite show my-suite
  anaphor suite export my-suite --source to-translate.en
  anaphor suite evaluate my-suite --candidate old.fr new.fr --work-list todo.tsv
  anaphor suite approve my-suite --work-list todo.tsv --by "A. Judge" --output my-suite-2
  anaphor suite build --corpus DiscoMT/EN --reference human=DiscoMT/FR --pair en-fr --output my-suite
  anaphor suite check my-suite
  anaphor suite export my-suite --protest my-suite.db
  anaphor suite import my-suite.db --output my-suite-3"""

_JOBS = {
    "evaluate": suite_evaluate,
    "check": suite_check,
    "show": suite_show,
    "shipped": suite_shipped,
    "approve": suite_approve,
    "build": suite_build,
    "import": suite_import,
    "export": suite_export,
}


def configure(parser: argparse.ArgumentParser) -> None:
    add_jobs(parser, _JOBS)


def run(options: argparse.Namespace) -> None:
    run_job(options)
