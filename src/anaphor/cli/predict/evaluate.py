"""`anaphor predict evaluate`: scores a trained model on a file with labels."""

from __future__ import annotations

import argparse

from anaphor.cli.output import add_output, print_result
from anaphor.cli.predict.options import (
    add_model_and_file,
    add_parts,
    add_statistics,
    metrics_of,
    read_model_and_file,
    statistics_of,
)

EXAMPLES = """examples:
  anaphor predict evaluate model test.tsv.gz
  anaphor predict evaluate model dev.tsv --documents dev.doc-ids --by class
  anaphor predict evaluate model test.tsv --metric macro-f1 --json

Intervals resample documents if their ids are known, and segments otherwise."""


def configure(parser: argparse.ArgumentParser) -> None:
    add_model_and_file(parser, "five-column file with labels")
    add_statistics(parser)
    group = parser.add_argument_group("output")
    add_parts(group)
    add_output(group)


def run(options: argparse.Namespace) -> None:
    from dataclasses import replace

    from anaphor.cli.terminal import Progress, collected_notes
    from anaphor.predict.comparison import evaluate_model

    statistics_of(options, pair="en-fr")  # wrong options are an error before anything is read
    with collected_notes() as notes, Progress() as progress:
        model, classes, segments = read_model_and_file(options, progress, labels=True)
        progress("predicting")
        result = evaluate_model(
            model,
            segments,
            path=options.file,
            classes=classes,
            settings=statistics_of(options, pair=model.card.pair),
            metrics=metrics_of(options),
            average=options.average,
        )
    print_result(options, replace(result, parts=tuple(options.by), notes=tuple(notes)))
