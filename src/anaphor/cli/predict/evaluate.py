"""`anaphor predict evaluate`: the scores of a trained model on a file with labels."""

from __future__ import annotations

import argparse
from dataclasses import replace

from anaphor.cli.commands import CommandParser
from anaphor.cli.output import add_output, print_result
from anaphor.cli.predict import options as shared
from anaphor.cli.task import add_parts, metrics_of, statistics_of
from anaphor.cli.terminal import TerminalProgress, collected_notes

EXAMPLES = """examples:
  anaphor predict evaluate model test.tsv.gz
  anaphor predict evaluate model dev.tsv --documents dev.doc-ids --by class
  anaphor predict evaluate model test.tsv --metric macro-f1 --json

Intervals resample documents if their ids are known, and segments otherwise."""


def configure(parser: CommandParser) -> None:
    shared.add_model_and_file(parser, "five-column file with labels")
    shared.add_limit(parser)
    shared.add_statistics(parser)
    group = parser.add_argument_group("output")
    add_parts(group)
    add_output(group)


def run(options: argparse.Namespace) -> None:
    from anaphor.predict.prediction import evaluate_model

    statistics_of(options, pair="en-fr", paired=False)  # wrong options are an error before anything is read
    shared.check_limit(options)
    with collected_notes() as notes, TerminalProgress(quiet=options.quiet) as progress:
        model, classes, segments = shared.read_model_and_file(options, progress, labels=True)
        segments = segments[: options.limit]
        progress("predicting")
        result = evaluate_model(
            model,
            segments,
            path=options.file,
            classes=classes,
            settings=statistics_of(options, pair=model.card.pair, paired=False),
            metrics=metrics_of(options, default="macro-recall"),
            average=options.average,
        )
    print_result(options, replace(result, parts=tuple(options.by), notes=tuple(notes)))
