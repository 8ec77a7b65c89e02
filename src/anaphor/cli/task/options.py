"""Options that the jobs of `anaphor task` share, without any heavy import."""

from __future__ import annotations

import argparse


def add_systems(parser: argparse.ArgumentParser) -> None:
    """The arguments that name files, sub-task and average."""
    files = parser.add_argument_group("files")
    files.add_argument("gold", metavar="GOLD", help="five-column file with labels")
    files.add_argument(
        "predictions", nargs="+", metavar="PRED", help="predicted labels: first column, or the only one"
    )
    files.add_argument("--packs", metavar="FOLDER", help="language packs of your own")
    group = parser.add_argument_group("what is scored, and how")
    add_task(group)
    group.add_argument(
        "--average",
        choices=("present", "all"),
        default="present",
        help="classes in macro averages: those in gold as in the papers, or all as in the released scorer "
        "(default present)",
    )


def add_task(group: argparse._ArgumentGroup) -> None:
    """The options that name a sub-task."""
    group.add_argument("--pair", required=True, metavar="SRC-TGT", help="language pair, such as en-fr")
    group.add_argument(
        "--year", type=int, default=2017, choices=(2015, 2016, 2017), help="of the classes (default 2017)"
    )
