"""`anaphor predict run`: a model fills the placeholders of a file."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from anaphor.cli.predict_options import add_asked

if TYPE_CHECKING:
    from anaphor.core import Prediction, TaskSegment
    from anaphor.predict.contract import Model

SUMMARY = "predict the pronouns of a file with a trained model"
EXAMPLES = """examples:
  anaphor predict run model test.tsv --output predictions.tsv
  anaphor predict run model test.tsv --format labels | head
  anaphor predict run model test.tsv --format json > probabilities.jsonl

Labels in FILE are never looked at. `anaphor task score` scores what comes out."""


def configure(parser: argparse.ArgumentParser) -> None:
    add_asked(parser, "five-column file; labels are not needed")
    add = parser.add_argument_group("output").add_argument
    add("--output", metavar="FILE", help="write to FILE and not to the standard output")
    add(
        "--format",
        choices=("task", "labels", "json"),
        default="task",
        help="five columns; labels alone; or a line of JSON a segment, with probabilities (default task)",
    )
    add("--json", action="store_const", dest="format", const="json", help="the same as --format json")


def run(options: argparse.Namespace) -> None:
    from anaphor.cli.predict_data import read_asked
    from anaphor.cli.terminal import Progress
    from anaphor.predict.shipped import find_model
    from anaphor.task.streams import write_lines

    with Progress() as progress:
        progress("reading the model")
        model = find_model(options.model, pair=options.pair, year=options.year)
        progress("reading")
        segments = read_asked(options, model, labels=False)
        progress("predicting")
        lines = list(_lines(options.format, model, segments))
    if options.output:
        write_lines(options.output, lines)
    else:
        print("\n".join(lines))


def _lines(layout: str, model: Model, segments: Sequence[TaskSegment]) -> Iterator[str]:
    from anaphor.task import format_segment, with_labels

    for segment, predictions in zip(segments, model.predict(segments), strict=True):
        labels = tuple(prediction.label for prediction in predictions)
        if layout == "labels":
            yield " ".join(labels)
        elif layout == "json":
            yield _as_json(predictions, model.card.classes)
        else:
            yield from map(format_segment, with_labels([segment], [labels]))


def _as_json(predictions: Sequence[Prediction], classes: Sequence[str]) -> str:
    import json

    content = [
        {
            "label": prediction.label,
            "probabilities": dict(zip(classes, (round(p, 6) for p in prediction.probabilities), strict=True)),
        }
        for prediction in predictions
    ]
    return json.dumps(content, ensure_ascii=False)
