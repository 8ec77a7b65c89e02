"""`anaphor predict compare`: several recipes on the same data, in one table."""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from anaphor.cli.predict.options import RECIPE, add_parts, add_statistics, add_training
from anaphor.core.errors import MismatchError

if TYPE_CHECKING:
    from anaphor.cli.predict.compare_tables import Compared
    from anaphor.cli.terminal import Progress
    from anaphor.core import TaskSegment
    from anaphor.predict.comparison import Course
    from anaphor.predict.recipe import Recipe
    from anaphor.task import TaskClasses
    from anaphor.task.systems import Labels

    Segments = Sequence[TaskSegment]

EXAMPLES = """examples:
  anaphor predict compare --pair en-fr --recipes baseline uhelsinki-2016 uu-stymne-2016 \\
      --train train.tsv.gz --dev dev.tsv.gz --test test.tsv.gz
  anaphor predict compare --pair en-de --recipes all --train train.tsv.gz --dev dev.tsv.gz \\
      --test ted.tsv.gz europarl.tsv.gz --markdown > systems.md

The first recipe is the one that the others are tested against; `all` are those submitted for the pair.
Models are kept in the cache by the hash of recipe, data and versions, so that nothing is trained twice."""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--recipes", nargs="+", required=True, metavar="RECIPE", help=f"all, or: {RECIPE}")
    add_training(parser)
    parser.add_argument("--test", nargs="+", required=True, metavar="FILE", help="files with labels to score")
    parser.add_argument("--cache", metavar="FOLDER", help="where trained models are kept (~/.cache/anaphor)")
    add_statistics(parser)
    group = parser.add_argument_group("output")
    add_parts(group)
    printed = group.add_mutually_exclusive_group()
    printed.add_argument("--json", action="store_true", help="print JSON")
    printed.add_argument("--markdown", action="store_true", help="print Markdown")


def run(options: argparse.Namespace) -> None:
    from anaphor.cli.predict.compare_tables import compared_json, compared_markdown, compared_text
    from anaphor.cli.predict.data import classes_of
    from anaphor.cli.terminal import Progress, collected_notes, paint
    from anaphor.predict.comparison import check_recipes

    classes = classes_of(options)
    recipes = _recipes(options)
    with collected_notes() as notes, Progress() as progress:
        check_recipes(recipes, classes)
        compared = _compared(recipes, classes, options, progress)
    if options.json:
        print(compared_json(compared, notes))
    elif options.markdown:
        print(compared_markdown(compared))
    else:
        print(compared_text(compared, paint=paint(), parts=tuple(options.by)))


def _recipes(options: argparse.Namespace) -> list[Recipe]:
    from anaphor.predict.recipe import known_recipes, load_recipe

    if options.recipes == ["all"]:
        every = [load_recipe(name) for name in known_recipes()]
        # An encoder of others has to be fetched by hand, so its recipe is compared where it is named.
        return [recipe for recipe in every if options.pair in recipe.pairs and recipe.family != "hub"]
    return [load_recipe(name) for name in options.recipes]


def _compared(
    recipes: Sequence[Recipe], classes: TaskClasses, options: argparse.Namespace, progress: Progress
) -> Compared:
    """Every recipe in turn: trained, asked about all tests, and forgotten, since models are large."""
    from anaphor.cli.predict.compare_tables import Compared
    from anaphor.cli.predict.data import gold_of, read_segments, scored, shares, statistics_of
    from anaphor.predict.comparison import predicted_labels
    from anaphor.task.systems import Systems

    settings = statistics_of(options, pair=options.pair, paired=len(recipes) > 1)
    tests = {path: read_segments(path, classes=classes) for path in options.test}
    gold = {path: gold_of(path, segments) for path, segments in tests.items()}
    course = _course(classes, options, tests, progress)
    trainings, predicting = [], {}
    predicted: dict[str, dict[str, Labels]] = {path: {} for path in tests}
    for number, recipe in enumerate(recipes, start=1):
        what = f"{recipe.name} ({number} of {len(recipes)})"
        model, training = course.model_of(recipe, shares(progress, what))
        trainings.append(training)
        for path, segments in tests.items():
            progress(f"{what}: predicting {Path(path).name}")
            start = time.perf_counter()
            predicted[path][recipe.name] = predicted_labels(model, segments)
            predicting[recipe.name, path] = time.perf_counter() - start
    systems = (Systems(classes, gold[path], predicted[path], options.average) for path in tests)
    results = tuple(scored(each, options, settings) for each in systems)
    return Compared(tuple(trainings), results, predicting)


def _course(
    classes: TaskClasses, options: argparse.Namespace, tests: Mapping[str, Segments], progress: Progress
) -> Course:
    from anaphor.cli.predict.data import read_training
    from anaphor.predict.comparison import Course, Lesson

    train, dev = read_training(options, classes, progress)
    _check_styles({options.train: train, **({options.dev: dev} if dev else {}), **tests})
    lesson = Lesson(classes=classes, train=train, dev=dev, seed=options.train_seed)
    return Course(lesson, _cache(options.cache))


def _check_styles(files: Mapping[str, Segments]) -> None:
    """Files with word forms and files with lemmas do not go together; the first is that of training."""
    from anaphor.predict.data import has_forms

    styles = {path: "word forms" if has_forms(found) else "lemmas with tags" for path, found in files.items()}
    first = next(iter(styles))
    for path, style in styles.items():
        if style != styles[first]:
            raise MismatchError(
                f"the file has {style}, {first} has {styles[first]}",
                where=path,
                fix="prepare all files in the same style",
            )


def _cache(folder: str | None) -> Path:
    if folder is not None:
        return Path(folder)
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "anaphor" / "predict"
