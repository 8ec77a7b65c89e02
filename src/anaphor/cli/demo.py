"""`anaphor demo`: the main job on built-in documents."""

from __future__ import annotations

import argparse

from anaphor.cli.commands import CommandParser
from anaphor.cli.output import add_signature, add_width, whole_number

EXAMPLES = """examples:
  anaphor demo
  anaphor demo --examples 1
  anaphor demo --output demo     (the files of the demo, to try other commands on)"""


def configure(parser: CommandParser) -> None:
    parser.add_argument(
        "--output", metavar="FOLDER", help="write the files of the demo to a new folder instead"
    )
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    parser.add_argument(
        "--examples",
        type=whole_number,
        default=5,
        metavar="N",
        help="number of examples to show (default 5)",
    )
    add_signature(parser)
    add_width(parser)


def run(options: argparse.Namespace) -> None:
    if options.output:
        from anaphor.demo import write_files

        print(f"{options.output}: {', '.join(write_files(options.output))}")
        return
    from anaphor.cli.terminal import Progress, paint
    from anaphor.core.table import Paragraph
    from anaphor.demo import SETTINGS, files
    from anaphor.evaluation.experiment import Experiment
    from anaphor.evaluation.pipeline import evaluate_experiment
    from anaphor.report.emit import render
    from anaphor.report.result_file import result_json
    from anaphor.report.result_tables import example_blocks, result_blocks

    with Progress(quiet=options.quiet) as progress:
        experiment = Experiment.read(files(), SETTINGS, progress)
        result = evaluate_experiment(experiment, progress)
    if options.json:
        print(result_json(result, files()), end="")
        return
    colours = paint(options)
    blocks = result_blocks(result, ("case", "pronoun"), full_signature=options.signature == "full")
    blocks.append(Paragraph(["Where the systems differ:"], style="bold"))
    blocks += example_blocks(experiment, result, examples=options.examples, brackets=not colours.enabled)
    print(render(blocks, paint=colours))
