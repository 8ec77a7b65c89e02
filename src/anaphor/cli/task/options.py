"""Options that several jobs of `anaphor task` share."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from anaphor.cli.options import named, packs_of

if TYPE_CHECKING:
    from anaphor.task.systems import Systems


def add_systems(parser: argparse.ArgumentParser) -> None:
    """The arguments that name files, sub-task and average."""
    files = parser.add_argument_group("files")
    files.add_argument("gold", metavar="GOLD", help="five-column file with labels")
    files.add_argument(
        "predictions", nargs="+", metavar="PRED", help="predicted labels: first column, or the only one"
    )
    files.add_argument("--packs", metavar="FOLDER", help="folder with language packs of your own")
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
        "--year",
        type=int,
        default=2017,
        choices=(2015, 2016, 2017),
        help="year of the classes (default 2017)",
    )


def read_systems(options: argparse.Namespace, *, documents: str | None = None) -> Systems:
    """The files that the options of `add_systems` name."""
    from anaphor.core import LanguagePair
    from anaphor.task import systems, task_classes

    folder = packs_of(options)
    classes = task_classes(LanguagePair.parse(options.pair), year=options.year, folder=folder)
    predictions = map(named, options.predictions)
    return systems.read_systems(
        options.gold, predictions, classes=classes, average=options.average, documents=documents
    )
