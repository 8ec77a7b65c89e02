"""`anaphor predict run`: a model fills the placeholders of a file."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from anaphor.cli.predict.options import add_asked

if TYPE_CHECKING:
    from anaphor.core import Prediction
    from anaphor.predict.contract import Model
    from anaphor.task import TaskClasses
    from anaphor.task.files import TaskLines

#: Lines that show whether a file has word forms or lemmas.
_FIRST = 1000
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
    from anaphor.cli.predict.data import check_asked, documents_of
    from anaphor.cli.terminal import Progress
    from anaphor.predict.shipped import find_model
    from anaphor.task.files import read_task_lines
    from anaphor.task.streams import write_pieces

    with Progress() as progress:
        progress("reading the model")
        model = find_model(options.model, pair=options.pair, year=options.year, careful=options.careful)
        classes = check_asked(options, model)
        progress("reading")
        text = read_task_lines(options.file, documents=options.documents or documents_of(options.file))
        progress("predicting")
        pieces = _answers(options.format, model, classes, text)
        if options.output:
            write_pieces(options.output, pieces)
            return
        found = b"".join(pieces)
    print(found.decode(), end="")


def _answers(layout: str, model: Model, classes: TaskClasses, text: TaskLines) -> Iterator[bytes]:
    """What is written, some lines at a time; several processes read and answer a long text."""
    from anaphor.cli.predict.data import fitting
    from anaphor.predict.parallel import parts_of, pieces_of, processes_for, reach_of, run_parallel

    first = tuple(text.segments(range(min(len(text), _FIRST))))
    model = fitting(model, classes=classes, segments=first)
    said = partial(_as_json, classes=model.card.classes) if layout == "json" else _labels
    reach = reach_of(model)

    def answered(places: range, _: object) -> list[str]:
        return [*map(said, model.predict(tuple(text.segments(places, reach=reach))))]

    processes = processes_for(len(text), family=model.card.family)
    if reach is None:
        parts = parts_of(text.documents, text.placeholders, count=processes)
    else:
        parts = pieces_of(text.documents, processes=processes)
    # Lines are put together here: answers alone travel from one process to another.
    for places, answers in zip(parts, run_parallel(answered, parts, processes=processes), strict=True):
        if layout == "task":
            yield from text.answered(places, answers)
        else:
            yield "".join(f"{answer}\n" for answer in answers).encode()


def _labels(predictions: Sequence[Prediction]) -> str:
    return " ".join([prediction.label for prediction in predictions]) if predictions else ""


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
