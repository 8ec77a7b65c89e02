"""`anaphor predict explain`: the features or words that decided one placeholder."""

from __future__ import annotations

import argparse

from anaphor.cli.commands import CommandParser
from anaphor.cli.output import add_output, print_result
from anaphor.cli.predict import options as shared
from anaphor.cli.terminal import TerminalProgress
from anaphor.core.errors import OptionError

EXAMPLES = """examples:
  anaphor predict explain anaphor-2-small test.tsv --pair en-de --segment 12
  anaphor predict explain model test.tsv --segment 12 --slot 2 --top 30 --json
  anaphor predict explain model test.tsv --segment 12 --by words --before 5

With --by features, a positive amount supports the chosen class, and a negative amount the runner-up. With
--by words, every word is hidden in turn; the amount says how far this lowers the probability of the chosen
class."""


def configure(parser: CommandParser) -> None:
    shared.add_model_and_file(parser, "five-column file; labels are not needed")
    add = parser.add_argument_group("which placeholder").add_argument
    add("--segment", type=int, required=True, metavar="N", help="line of FILE, counted from 1")
    add("--slot", type=int, default=1, metavar="N", help="which placeholder of the line (default 1)")
    how = parser.add_argument_group("how").add_argument
    how(
        "--by",
        choices=("features", "words"),
        help="what to show (default: features if the model has weights for them, else words)",
    )
    how(
        "--before",
        type=int,
        default=3,
        metavar="N",
        help="number of preceding sentences whose words are hidden (default 3)",
    )
    how(
        "--after",
        type=int,
        default=1,
        metavar="N",
        help="number of following sentences whose words are hidden (default 1)",
    )
    output = parser.add_argument_group("output")
    output.add_argument(
        "--top", type=int, metavar="N", help="how many to show (default: 15 features or 10 words)"
    )
    add_output(output)


def run(options: argparse.Namespace) -> None:
    from anaphor.predict.explain.occlusion import Reach
    from anaphor.predict.explain.slot import explain_slot

    with TerminalProgress(quiet=options.quiet) as progress:
        model, _, segments = shared.read_model_and_file(options, progress, labels=False)
        if not 1 <= options.segment <= len(segments):
            raise OptionError(
                f"there is no segment {options.segment}", where="--segment", fix=f"use 1 to {len(segments)}"
            )
        slots = len(segments[options.segment - 1].slots)
        if not 1 <= options.slot <= slots:
            raise OptionError(
                f"there is no placeholder {options.slot}: segment {options.segment} has {slots}",
                where="--slot",
                fix=f"use 1 to {slots}" if slots else "choose a segment with REPLACE_k in its target",
            )
        progress("explaining")
        explanation = explain_slot(
            model,
            segments,
            segment=options.segment - 1,
            slot=options.slot - 1,
            by=options.by,
            reach=Reach(options.before, options.after),
            top=options.top,
        )
    print_result(options, explanation)
