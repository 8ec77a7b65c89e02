"""`anaphor predict train`: a recipe and data become a model."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from anaphor.cli.predict.options import RECIPE, add_training

if TYPE_CHECKING:
    from anaphor.predict.contract import ModelCard
    from anaphor.predict.recipe import Recipe

EXAMPLES = """examples:
  anaphor predict train uhelsinki-2016 --pair en-fr --train train.tsv.gz --output model
  anaphor predict train baseline-tuned --pair en-de --train train.tsv --dev dev.tsv --output model
  anaphor predict train uedin-2016 --pair en-fr --year 2016 --train train.tsv --slots 60000 --output model
  anaphor predict train turku-2016 --pair en-fr --train train.tsv --dev dev.tsv --device cuda --output model

Data is prepared by `anaphor task prepare`; ids of documents are read from the .doc-ids file beside it.
A model is a folder of plain files with hashes; nothing in it is ever executed."""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("recipe", metavar="RECIPE", help=RECIPE)
    add_training(parser)
    network = parser.add_argument_group("networks").add_argument
    network(
        "--device", choices=("auto", "cpu", "cuda"), help="where networks learn (auto: a GPU if it is there)"
    )
    network("--minutes", type=float, metavar="N", help="stop learning after this time, with what there is")
    network("--checkpoint", metavar="FOLDER", help="go on from here after an interruption")
    encoder = parser.add_argument_group("encoders of others (recipes of the family hub)").add_argument
    encoder("--encoder", metavar="FOLDER", help="folder of an encoder, or its name in a hub")
    encoder("--allow-download", action="store_true", help="fetch the encoder from its hub if it is not here")
    add = parser.add_argument_group("output").add_argument
    add("--output", required=True, metavar="FOLDER", help="where the model goes")
    add("--json", action="store_true", help="print JSON")


def run(options: argparse.Namespace) -> None:
    import time

    from anaphor.cli.predict.data import classes_of, read_training, shares
    from anaphor.cli.terminal import Progress
    from anaphor.predict.comparison import check_recipes
    from anaphor.predict.families import build_predictor
    from anaphor.predict.model_folder import check_output
    from anaphor.predict.recipe import load_recipe

    recipe = _running(_with_encoder(load_recipe(options.recipe), options), options)
    classes = classes_of(options)
    check_recipes([recipe], classes)
    check_output(Path(options.output))
    with Progress() as progress:
        train, dev = read_training(options, classes, progress)
        start = time.perf_counter()
        model = build_predictor(recipe.settings).fit(
            train, classes=classes, dev=dev, seed=options.train_seed, progress=shares(progress, recipe.name)
        )
        seconds = time.perf_counter() - start
        model.save(Path(options.output))
    print((_as_json if options.json else _as_text)(model.card, options.output, seconds))


def _with_encoder(recipe: Recipe, options: argparse.Namespace) -> Recipe:
    """The recipe with the encoder that was named, on the device; recipes without an encoder refuse it."""
    from anaphor.predict.hub.family import NAME, with_encoder

    if recipe.family != NAME and options.encoder is None and not options.allow_download:
        return recipe
    from dataclasses import replace

    settings = with_encoder(
        recipe.settings,
        encoder=options.encoder,
        download=options.allow_download,
        device=options.device,
    )
    return replace(recipe, settings=settings)


def _running(recipe: Recipe, options: argparse.Namespace) -> Recipe:
    """The recipe with the options for networks that were given; other recipes refuse them."""
    # An encoder of others knows its device already, and has no other of these options.
    names = ("minutes", "checkpoint") if recipe.family == "hub" else ("device", "minutes", "checkpoint")
    given = {name: getattr(options, name) for name in names}
    given = {name: value for name, value in given.items() if value is not None}
    if not given:
        return recipe
    from dataclasses import replace

    from anaphor.predict.neural.families import RunOptions, with_run_options

    return replace(recipe, settings=with_run_options(recipe.settings, RunOptions(**given)))


def _as_text(card: ModelCard, output: str, seconds: float) -> str:
    style = "word forms" if card.forms else "lemmas with tags"
    lines = [f"{output}: {card.recipe} for {card.pair} {card.year}, {style}, trained in {seconds:.1f} s"]
    lines += [f"{part}: {_counts(found)}" for part, found in card.trained_on.items()]
    return "\n".join(lines)


def _counts(found: object) -> str:
    if isinstance(found, dict):
        return ", ".join(f"{key} {value}" for key, value in found.items())
    return str(found)


def _as_json(card: ModelCard, output: str, seconds: float) -> str:
    import json
    from dataclasses import asdict

    return json.dumps({"output": output, "seconds": seconds, **asdict(card)}, ensure_ascii=False, indent=2)
