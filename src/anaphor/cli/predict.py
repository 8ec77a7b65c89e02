"""`anaphor predict`: the published systems of pronoun prediction, and ours, trained, run and compared."""

from __future__ import annotations

import argparse

from anaphor.cli import (
    predict_compare,
    predict_ensemble,
    predict_evaluate,
    predict_explain,
    predict_list,
    predict_postedit,
    predict_run,
    predict_show,
    predict_train,
)
from anaphor.cli.jobs import add_jobs, run_job

SUMMARY = "train, run, evaluate, compare and explain systems that predict pronouns"
EXAMPLES = """examples:
  anaphor predict list --pair en-de
  anaphor predict show uu-stymne-2016
  anaphor predict train uu-stymne-2016 --pair en-fr --train train.tsv.gz --dev dev.tsv.gz --output stymne
  anaphor predict evaluate stymne test.tsv.gz
  anaphor predict postedit --source src.en --candidate mt.fr --documents docs
  anaphor predict compare --pair en-fr --recipes baseline uhelsinki-2016 uu-stymne-2016 \\
      --train train.tsv.gz --dev dev.tsv.gz --test test.tsv.gz

`anaphor predict JOB --help` has examples of each job; docs/systems/ has a page for every recipe."""

_JOBS = {
    "list": predict_list,
    "show": predict_show,
    "train": predict_train,
    "run": predict_run,
    "evaluate": predict_evaluate,
    "compare": predict_compare,
    "ensemble": predict_ensemble,
    "explain": predict_explain,
    "postedit": predict_postedit,
}


def configure(parser: argparse.ArgumentParser) -> None:
    add_jobs(parser, _JOBS)


def run(options: argparse.Namespace) -> int | None:
    return run_job(options)
