"""Options that several steps of `anaphor task lm` share."""

from __future__ import annotations

import argparse

from anaphor.cli.task import options as task_options


def add_model(parser: argparse.ArgumentParser) -> None:
    """The model, and who scores with it."""
    group = parser.add_argument_group("model")
    group.add_argument("--model", required=True, metavar="FILE", help="an ARPA file, or .lm of `train`")
    group.add_argument(
        "--scorer",
        choices=("auto", "own", "kenlm"),
        default="auto",
        help="auto is kenlm where it is installed and can read the file (default auto)",
    )


def add_task(parser: argparse.ArgumentParser) -> None:
    """The sub-task, and what its target looks like."""
    group = parser.add_argument_group("task")
    task_options.add_task(group)
    group.add_argument("--packs", metavar="FOLDER", help="language packs of your own")
    group.add_argument("--strip-tags", action="store_true", help="remove |TAG from the words of the target")
    group.add_argument("--lower", action="store_true", help="read the target in lower case, like the model")


def add_json(parser: argparse.ArgumentParser) -> None:
    """Figures for programs."""
    parser.add_argument("--json", action="store_true", help="print JSON")
