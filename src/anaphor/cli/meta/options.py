"""Options that the commands of `anaphor meta` and `anaphor estimate` share, without any heavy import."""

from __future__ import annotations

import argparse

from anaphor.cli.output import add_output


def numbers(text: str) -> tuple[float, ...]:
    """Numbers with commas between them."""
    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(f"not numbers with commas between them: {text!r}") from None


def add_judgements(group: argparse._ArgumentGroup, *, required: bool) -> None:
    """The two files that belong together: the cases of the metric, and the judgements of annotators."""
    group.add_argument(
        "--items", required=required, metavar="FILE", help="what `anaphor score --items` wrote"
    )
    group.add_argument(
        "--judgements", required=required, metavar="FILE", help="human judgements: TSV or JSON lines"
    )


def add_level(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--level", type=float, default=0.95, metavar="SHARE", help="confidence level (default 0.95)"
    )


def add_score_output(parser: argparse.ArgumentParser) -> None:
    """The output of commands whose human scores `anaphor meta correlate --human` can read."""
    group = parser.add_argument_group("output")
    group.add_argument("--output", metavar="FILE", help="write the human score of every system as TSV")
    add_output(group)
