"""`anaphor predict compare`: train and score several recipes on the same data."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from anaphor.cli.commands import CommandParser
from anaphor.cli.output import add_output, print_result
from anaphor.cli.predict import options as shared
from anaphor.cli.task import add_parts, classes_of, metrics_of, statistics_of
from anaphor.cli.terminal import TerminalProgress, collected_notes

EXAMPLES = """examples:
  anaphor predict compare --pair en-fr --recipes baseline uhelsinki-2016 uu-stymne-2016 \\
      --train train.tsv.gz --dev dev.tsv.gz --test test.tsv.gz
  anaphor predict compare --pair en-de --recipes all --train train.tsv.gz --dev dev.tsv.gz \\
      --test ted.tsv.gz europarl.tsv.gz --markdown > systems.md

All other recipes are tested against the first; `all` means all recipes for the pair.
Models are cached under a hash of recipe, data and versions, so nothing is trained twice."""


def configure(parser: CommandParser) -> None:
    parser.add_argument(
        "--recipes",
        nargs="+",
        required=True,
        metavar="RECIPE",
        help="all, or recipe names (`anaphor predict list`), or your own .toml files",
    )
    shared.add_training(parser)
    parser.add_argument("--test", nargs="+", required=True, metavar="FILE", help="test files with labels")
    parser.add_argument("--cache", metavar="FOLDER", help="model cache (default ~/.cache/anaphor)")
    shared.add_statistics(parser)
    group = parser.add_argument_group("output")
    add_parts(group)
    add_output(group, ("json", "markdown"))


def run(options: argparse.Namespace) -> None:
    from anaphor.predict.data import read_segments
    from anaphor.predict.model_folder import default_cache
    from anaphor.recipes.comparison import check_formats, compare_recipes
    from anaphor.recipes.recipe import load_recipe, recipes_for
    from anaphor.recipes.training import ModelCache, check_recipes

    classes = classes_of(options)
    if options.recipes == ["all"]:
        # A pretrained encoder must be downloaded, and a server named: such recipes are compared if named.
        recipes = [recipe for recipe in recipes_for(options.pair) if recipe.family not in ("hub", "server")]
    else:
        recipes = [load_recipe(name) for name in options.recipes]
    with collected_notes() as notes, TerminalProgress(quiet=options.quiet) as progress:
        check_recipes(recipes, classes)
        paired = len(recipes) > 1 and options.samples > 0
        settings = statistics_of(options, pair=options.pair, paired=paired)
        tests = {path: read_segments(path, classes=classes) for path in options.test}
        train, dev = shared.read_training(options, classes, progress)
        check_formats({options.train: train, **({options.dev: dev} if dev else {}), **tests})
        folder = Path(options.cache) if options.cache is not None else default_cache("predict")
        comparison = compare_recipes(
            recipes,
            ModelCache(folder, train, classes=classes, dev=dev, seed=options.train_seed),
            tests,
            classes=classes,
            settings=settings,
            metrics=metrics_of(options, default="macro-recall"),
            average=options.average,
            progress=shared.shown_on(progress),
        )
    print_result(options, replace(comparison, parts=tuple(options.by), notes=tuple(notes)))
