"""`anaphor predict evaluate`: a model predicts a file whose answers are known."""

from __future__ import annotations

import argparse

from anaphor.cli.predict.options import add_asked, add_parts, add_statistics

EXAMPLES = """examples:
  anaphor predict evaluate model test.tsv.gz
  anaphor predict evaluate model dev.tsv --documents dev.doc-ids --by class
  anaphor predict evaluate model test.tsv --metric macro-f1 --json

Intervals resample documents where these are known, and segments otherwise."""


def configure(parser: argparse.ArgumentParser) -> None:
    add_asked(parser, "five-column file with labels")
    add_statistics(parser)
    group = parser.add_argument_group("output")
    add_parts(group)
    group.add_argument("--json", action="store_true", help="print JSON")


def run(options: argparse.Namespace) -> None:
    from dataclasses import replace

    from anaphor.cli.output import print_result
    from anaphor.cli.predict.data import classes_of_model, gold_of, read_asked, scored, statistics_of
    from anaphor.cli.terminal import Progress, collected_notes
    from anaphor.predict.comparison import predicted_labels
    from anaphor.predict.shipped import find_model
    from anaphor.task.systems import Systems

    with collected_notes() as notes, Progress() as progress:
        progress("reading the model")
        model = find_model(options.model, pair=options.pair, year=options.year, careful=options.careful)
        settings = statistics_of(options, pair=model.card.pair, paired=False)
        progress("reading")
        model, segments = read_asked(options, model, labels=True)
        gold = gold_of(options.file, segments)
        progress("predicting")
        predicted = {model.card.recipe: predicted_labels(model, segments)}
        progress("scoring")
        classes = classes_of_model(model.card, options)
        result = scored(Systems(classes, gold, predicted, options.average), options, settings)
    print_result(options, replace(result, parts=tuple(options.by), notes=tuple(notes)))
