"""`anaphor predict train`: train a model from a recipe."""

from __future__ import annotations

import argparse
from pathlib import Path

from anaphor.cli.commands import CommandParser
from anaphor.cli.output import add_output, print_result
from anaphor.cli.predict import options as shared
from anaphor.cli.task import classes_of
from anaphor.cli.terminal import TerminalProgress

EXAMPLES = """examples:
  anaphor predict train uhelsinki-2016 --pair en-fr --train train.tsv.gz --output model
  anaphor predict train baseline-tuned --pair en-de --train train.tsv --dev dev.tsv --output model
  anaphor predict train uedin-2016 --pair en-fr --year 2016 --train train.tsv --slots 60000 --output model
  anaphor predict train turku-2016 --pair en-fr --train train.tsv --dev dev.tsv --device cuda --output model

`anaphor task prepare` prepares the data; document ids are read from the .doc-ids file next to it.
A model is a folder of plain files with hashes; nothing in it is ever executed."""


def configure(parser: CommandParser) -> None:
    parser.add_argument("recipe", metavar="RECIPE", help=shared.RECIPE)
    shared.add_training(parser)
    network = parser.add_argument_group("neural networks").add_argument
    network(
        "--device",
        rare=True,
        choices=("auto", "cpu", "cuda"),
        help="training device (auto: a GPU if there is one)",
    )
    network(
        "--minutes",
        rare=True,
        type=float,
        metavar="N",
        help="stop after N minutes and keep the best model so far",
    )
    network(
        "--checkpoint",
        rare=True,
        metavar="FOLDER",
        help="checkpoint from which to resume after an interruption",
    )
    encoder = parser.add_argument_group("pretrained encoders (recipes of the family hub)").add_argument
    encoder("--encoder", metavar="FOLDER", help="folder of an encoder, or its name on a model hub")
    encoder(
        "--allow-download", rare=True, action="store_true", help="download the encoder if it is not cached"
    )
    output = parser.add_argument_group("output")
    output.add_argument("--output", required=True, metavar="FOLDER", help="folder for the model")
    add_output(output)


def run(options: argparse.Namespace) -> None:
    from anaphor.predict.model_folder import check_output
    from anaphor.recipes.recipe import load_recipe
    from anaphor.recipes.training import check_recipes, train_recipe, with_run_options

    recipe = with_run_options(
        load_recipe(options.recipe),
        device=options.device,
        minutes=options.minutes,
        checkpoint=options.checkpoint,
        encoder=options.encoder,
        download=options.allow_download,
    )
    classes = classes_of(options)
    check_recipes([recipe], classes)
    check_output(Path(options.output))
    with TerminalProgress(quiet=options.quiet) as progress:
        train, dev = shared.read_training(options, classes, progress)
        report = train_recipe(
            recipe,
            train,
            options.output,
            classes=classes,
            dev=dev,
            seed=options.train_seed,
            progress=shared.shown_on(progress, f"{recipe.name}: "),
        )
    print_result(options, report)
