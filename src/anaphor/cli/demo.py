"""`anaphor demo`: the main job on built-in documents."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from anaphor.cli.commands import CommandParser
from anaphor.cli.output import add_signature, add_width, whole_number

if TYPE_CHECKING:
    from anaphor.core.table import Block
    from anaphor.report.html import ReportView

EXAMPLES = """examples:
  anaphor demo
  anaphor demo --examples 3
  anaphor demo --output demo     (the files of the demo, to try other commands on)"""

#: The page that the demo writes unless told otherwise.
REPORT = "anaphor-demo.html"


def configure(parser: CommandParser) -> None:
    parser.add_argument(
        "--output", metavar="FOLDER", help="only write the files of the demo, to a new folder"
    )
    parser.add_argument(
        "--report",
        default=REPORT,
        metavar="FILE",
        help=f"HTML report to write (default {REPORT})",
    )
    parser.add_argument("--json", action="store_true", help="print the scores with a reference as JSON")
    parser.add_argument(
        "--examples",
        type=whole_number,
        default=1,
        metavar="N",
        help="number of pronouns to show with their verdicts (default 1)",
    )
    add_signature(parser)
    add_width(parser)


def run(options: argparse.Namespace) -> None:
    if options.output:
        from anaphor.demo import write_files

        print(f"{options.output}: {', '.join(write_files(options.output))}")
        return
    from dataclasses import replace

    from anaphor.cli.terminal import TerminalProgress, paint
    from anaphor.core.table import Paragraph
    from anaphor.demo import WITH_REFERENCE, WITHOUT_REFERENCE
    from anaphor.files.writing import write_atomically
    from anaphor.report.emit import render
    from anaphor.report.html import ReportView, page_date, report_page
    from anaphor.scoring.demo import score_demo

    with TerminalProgress(quiet=options.quiet) as progress:
        if options.json:
            print(score_demo(WITH_REFERENCE, progress).to_json(), end="")
            return
        without, compared = (
            replace(score_demo(settings, progress), full_signature=options.signature == "full")
            for settings in (WITHOUT_REFERENCE, WITH_REFERENCE)
        )
    title = "anaphor demo"
    colours = paint(options)
    blocks = [
        Paragraph(["Without a reference: which pronouns would a careful reader accept?"], style="bold"),
        *without.tables(),
        *_examples(ReportView.of([without.stored()], title=title), options.examples),
        Paragraph(["With a reference:"], style="bold"),
        *compared.tables(),
    ]
    print(render(blocks, paint=colours))
    view = ReportView.of([compared.stored()], title=title, date=page_date())
    write_atomically(options.report, report_page(view))
    print(f"\nreport: {options.report}")


def _examples(view: ReportView, number: int) -> list[Block]:
    """The pronouns that divide the systems most, with verdicts and reasons; words with marks in brackets."""
    from anaphor.core.table import Paragraph
    from anaphor.report.html.divided import card_lines, divided_pronouns

    blocks: list[Block] = []
    for card in divided_pronouns(view)[:number]:
        pairs = (line.split(": ", 1) for line in card_lines(card))
        lines = (f"  {name:<10} {text}" for name, text in pairs)
        blocks.append(Paragraph([f"line {card.segment + 1}", *lines]))
    return blocks
