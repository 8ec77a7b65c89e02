"""`anaphor annotate`: people judge pronouns in the browser. Each job is a module of its own."""

from __future__ import annotations

import argparse

from anaphor.cli import (
    annotate_annotator,
    annotate_approve,
    annotate_backup,
    annotate_check,
    annotate_export,
    annotate_import,
    annotate_init,
    annotate_lead,
    annotate_link,
    annotate_merge,
    annotate_serve,
    annotate_status,
)
from anaphor.cli.jobs import add_jobs, run_job
from anaphor.core.errors import UserError

SUMMARY = "people judge pronouns: make a campaign, serve its page, merge, export, approve"
EXAMPLES = """examples:
  anaphor annotate init campaign.db --suite my-suite --candidate old.fr new.fr --annotators ann bob
  anaphor annotate lead campaign.db --add "C. Lead"
  anaphor annotate link campaign.db --add ann bob
  anaphor annotate serve campaign.db
  anaphor annotate status campaign.db
  anaphor annotate export campaign.db --format judgements --output judgements.tsv
  anaphor annotate approve campaign.db --suite my-suite --output my-suite-2
  anaphor annotate backup campaign.db --output campaign-friday.db

DATABASE is a file, or the address of a PostgreSQL database: postgresql://USER@HOST/DATABASE"""

_JOBS = {
    "init": annotate_init,
    "serve": annotate_serve,
    "link": annotate_link,
    "annotator": annotate_annotator,
    "lead": annotate_lead,
    "status": annotate_status,
    "export": annotate_export,
    "import": annotate_import,
    "merge": annotate_merge,
    "approve": annotate_approve,
    "backup": annotate_backup,
    "check": annotate_check,
}
_EXTRA = ("sqlalchemy", "argon2", "litestar", "uvicorn", "jinja2", "psycopg")


def configure(parser: argparse.ArgumentParser) -> None:
    add_jobs(parser, _JOBS)


def run(options: argparse.Namespace) -> int | None:
    try:
        return run_job(options)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.split(".")[0] not in _EXTRA:
            raise
        raise UserError(
            f"annotation needs the package {error.name}, which is not installed",
            where="anaphor annotate",
            fix='install it: pip install "anaphor[annotate]"',
        ) from error
