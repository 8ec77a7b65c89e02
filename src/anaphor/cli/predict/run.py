"""`anaphor predict run`: the pronouns of a file, predicted by a trained model."""

from __future__ import annotations

import argparse

from anaphor.cli.commands import CommandParser
from anaphor.cli.predict import options as shared
from anaphor.cli.terminal import TerminalProgress

EXAMPLES = """examples:
  anaphor predict run model test.tsv --output predictions.tsv
  anaphor predict run model test.tsv --format labels | head
  anaphor predict run model test.tsv --format json > probabilities.jsonl
  anaphor predict run llama test.tsv --dry-run

Labels in FILE are never read. `anaphor task score` scores the output."""


def configure(parser: CommandParser) -> None:
    shared.add_model_and_file(parser, "five-column file; labels are not needed")
    shared.add_limit(parser)
    add = parser.add_argument_group("output").add_argument
    add("--output", metavar="FILE", help="write to FILE instead of standard output")
    add(
        "--format",
        choices=("task", "labels", "json"),
        default="task",
        help="five columns; labels only; or one line of JSON per segment, with probabilities (default task)",
    )
    add("--json", action="store_const", dest="format", const="json", help="same as --format json")
    add(
        "--dry-run",
        action="store_true",
        help="for a model behind a server: print the first prompt and send nothing",
    )


def run(options: argparse.Namespace) -> None:
    from anaphor.predict.data import document_ids_beside
    from anaphor.predict.prediction import fit_to_data, predict_lines
    from anaphor.task.files import read_task_lines
    from anaphor.task.streams import write_pieces

    shared.check_limit(options)
    with TerminalProgress(quiet=options.quiet) as progress:
        progress("reading the model")
        model, classes = shared.find_model(options, progress)
        progress("reading")
        text = read_task_lines(options.file, documents=options.documents or document_ids_beside(options.file))
        if options.limit is not None:
            text = text.head(options.limit)
        if options.dry_run:
            from anaphor.predict.server.model import first_prompt

            segments = tuple(text.segments(range(len(text))))
            print(first_prompt(fit_to_data(model, segments, classes=classes), segments))
            return
        progress("predicting")
        pieces = predict_lines(model, text, classes=classes, layout=options.format)
        if options.output:
            write_pieces(options.output, pieces)
            return
        output = b"".join(pieces)
    print(output.decode(), end="")
