"""Verbs that are a group of jobs, such as `anaphor task score`.

A job is a module with SUMMARY, `configure(parser)`, `run(options)`, and EXAMPLES unless its group shows them.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from types import ModuleType


def add_jobs(parser: argparse.ArgumentParser, modules: Mapping[str, ModuleType]) -> None:
    """One parser below the verb's for every job."""
    jobs = parser.add_subparsers(dest="job", metavar="JOB", required=True)
    for name, module in modules.items():
        job = jobs.add_parser(
            name,
            help=module.SUMMARY,
            description=module.SUMMARY[0].upper() + module.SUMMARY[1:] + ".",
            epilog=getattr(module, "EXAMPLES", None),
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        module.configure(job)
        job.set_defaults(run_job=module.run)


def run_job(options: argparse.Namespace) -> int | None:
    """Run the job that the options name; its exit code, if it has one of its own."""
    code: int | None = options.run_job(options)
    return code
