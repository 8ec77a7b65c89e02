"""`anaphor predict run`: predicts the placeholders of a file with a trained model."""

from __future__ import annotations

import argparse

from anaphor.cli.predict.options import add_model_and_file, find_model

EXAMPLES = """examples:
  anaphor predict run model test.tsv --output predictions.tsv
  anaphor predict run model test.tsv --format labels | head
  anaphor predict run model test.tsv --format json > probabilities.jsonl

Labels in FILE are never read. `anaphor task score` scores the output."""


def configure(parser: argparse.ArgumentParser) -> None:
    add_model_and_file(parser, "five-column file; labels are not needed")
    add = parser.add_argument_group("output").add_argument
    add("--output", metavar="FILE", help="write to FILE instead of standard output")
    add(
        "--format",
        choices=("task", "labels", "json"),
        default="task",
        help="five columns; labels only; or one line of JSON per segment, with probabilities (default task)",
    )
    add("--json", action="store_const", dest="format", const="json", help="same as --format json")


def run(options: argparse.Namespace) -> None:
    from anaphor.cli.terminal import Progress
    from anaphor.predict.data import document_ids_beside
    from anaphor.predict.prediction import predict_lines
    from anaphor.task.files import read_task_lines
    from anaphor.task.streams import write_pieces

    with Progress(quiet=options.quiet) as progress:
        progress("reading the model")
        model, classes = find_model(options)
        progress("reading")
        text = read_task_lines(options.file, documents=options.documents or document_ids_beside(options.file))
        progress("predicting")
        pieces = predict_lines(model, text, classes=classes, layout=options.format)
        if options.output:
            write_pieces(options.output, pieces)
            return
        found = b"".join(pieces)
    print(found.decode(), end="")
