"""What the jobs of `anaphor meta` share on the command line, without any heavy import."""

from __future__ import annotations

import argparse


def numbers(text: str) -> tuple[float, ...]:
    """Numbers with commas between them."""
    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(f"not numbers with commas between them: {text!r}") from None


def add_judgements(group: argparse._ArgumentGroup, *, required: bool) -> None:
    """The two files that belong together: what the metric said, and what people said."""
    group.add_argument(
        "--items", required=required, metavar="FILE", help="what `anaphor score --items` wrote"
    )
    group.add_argument(
        "--judgements", required=required, metavar="FILE", help="what people said: TSV or JSON lines"
    )


def add_score_output(parser: argparse.ArgumentParser) -> None:
    """Where the scores that people gave to systems go, for `anaphor meta correlate --human`."""
    group = parser.add_argument_group("output")
    group.add_argument("--output", metavar="FILE", help="write the human score of every system as TSV")
    group.add_argument("--json", action="store_true", help="print JSON")
