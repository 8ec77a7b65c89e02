"""Options that the jobs of `anaphor predict` share, without any heavy import."""

from __future__ import annotations

import argparse

from anaphor.cli.task.options import add_task

RECIPE = "name of a recipe (`anaphor predict list`), or a file of your own that ends in .toml"
_SEED = 12345


def add_training(parser: argparse.ArgumentParser) -> None:
    """What is learned from, and how much of it."""
    task = parser.add_argument_group("task")
    add_task(task)
    task.add_argument("--packs", metavar="FOLDER", help="language packs of your own")
    add = parser.add_argument_group("data").add_argument
    add("--train", required=True, metavar="FILE", help="five-column file with labels to learn from")
    add("--dev", metavar="FILE", help="the same for choosing settings; some recipes need it")
    add("--slots", type=int, metavar="N", help="learn from a sample of documents with N placeholders")
    add("--train-seed", type=int, default=1, metavar="N", help="of learning and sampling (default 1)")


def add_asked(parser: argparse.ArgumentParser, what: str) -> None:
    """A trained model and the file that it is asked about."""
    add = parser.add_argument_group("files").add_argument
    add("model", metavar="MODEL", help="folder of a trained model, or the name of one that ships")
    add("file", metavar="FILE", help=what)
    add("--pair", metavar="SRC-TGT", help="of FILE; a model for another pair is refused")
    add("--year", type=int, metavar="YYYY", help="whose classes, of a model that knows several years")
    add("--documents", metavar="FILE", help="ids of documents, if not in FILE's .doc-ids beside it")
    add("--packs", metavar="FOLDER", help="language packs of your own")
    add("--careful", action="store_true", help="anaphor-1: all its networks, nine readings; slow, better")


def add_statistics(parser: argparse.ArgumentParser) -> None:
    """How scores are averaged and resampled."""
    add = parser.add_argument_group("statistics").add_argument
    add(
        "--metric",
        nargs="+",
        default=[],
        choices=("macro-recall", "macro-f1", "macro-precision", "accuracy"),
        help="what to show with intervals, if not macro-recall and accuracy",
    )
    add("--average", choices=("present", "all"), default="present", help="classes in macro averages")
    add("--samples", type=int, default=1000, metavar="N", help="resamples, 0 for none (default 1000)")
    add("--level", type=float, default=0.95, metavar="P", help="of the intervals (default 0.95)")
    add("--seed", type=int, default=_SEED, metavar="N", help="of the resamples (default 12345)")


def add_parts(group: argparse._ArgumentGroup) -> None:
    """What is shown of every system."""
    group.add_argument(
        "--by",
        nargs="+",
        choices=("class", "matrix"),
        default=["matrix", "class"],
        help="parts to show below the scores (default: matrix class)",
    )
