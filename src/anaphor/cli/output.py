"""The output options of a command, and printing its result in the format that they name."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from anaphor.cli.commands import CommandParser, OptionGroup

if TYPE_CHECKING:
    from anaphor.core.table import Emittable
    from anaphor.report.emit import Format

_HELP = {
    "json": "print JSON",
    "markdown": "print Markdown tables",
    "latex": "print a LaTeX table",
    "tsv": "print tab-separated values",
}


def add_output(parser: CommandParser | OptionGroup, formats: Sequence[Format] = ("json",)) -> OptionGroup:
    """Add `--json` or the other formats, which are mutually exclusive; return the group "output".

    A group instead of a parser receives the options directly, without a group "output".
    """
    group = parser.add_argument_group("output") if isinstance(parser, CommandParser) else parser
    target = group.add_mutually_exclusive_group() if len(formats) > 1 else group
    for name in formats:
        target.add_argument(f"--{name}", action="store_true", help=_HELP[name])
    add_width(group)
    return group


def add_width(group: CommandParser | OptionGroup) -> None:
    """The option for the width of tables."""
    group.add_argument(
        "--width",
        rare=True,
        type=whole_number,
        metavar="N",
        help="break tables after N characters, 0 for never (default: the width of the terminal, if any)",
    )


def whole_number(text: str) -> int:
    """The type of options for a number from 0 up."""
    from anaphor.core import records

    if (value := records.whole_number(text)) is None:
        raise argparse.ArgumentTypeError(f"not a whole number of at least 0: {text!r}")
    return value


def add_signature(parser: CommandParser) -> None:
    """The option for full signatures below the table; result files always have them in full."""
    parser.add_argument(
        "--signature",
        rare=True,
        choices=("short", "full"),
        default="short",
        help="signatures below the table, short or with every field and hash (default short)",
    )


def chosen_format(options: argparse.Namespace) -> Format:
    """The format chosen by the options of `add_output`; text by default."""
    formats: tuple[Format, ...] = ("json", "markdown", "latex", "tsv")
    return next((name for name in formats if getattr(options, name, False) is True), "text")


def print_result(options: argparse.Namespace, result: Emittable) -> None:
    """Print the result on standard output, coloured on a terminal."""
    from anaphor.cli.terminal import paint
    from anaphor.report.emit import emit

    print(emit(result, chosen_format(options), paint=paint(options)))
