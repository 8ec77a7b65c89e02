"""Options shared by `anaphor predict` commands, and the objects they name. Heavy imports come late."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from anaphor.cli.commands import CommandParser
from anaphor.cli.options import add_resampling
from anaphor.cli.task import add_average, add_metric, add_task, classes_of
from anaphor.core.errors import MismatchError, OptionError

if TYPE_CHECKING:
    from anaphor.cli.terminal import TerminalProgress
    from anaphor.core import ShareProgress, TaskSegment
    from anaphor.predict.contract import Model
    from anaphor.task import TaskClasses

RECIPE = "recipe name (`anaphor predict list`), or your own .toml file"


def add_training(parser: CommandParser) -> None:
    """Training data, and how much of it to use."""
    task = parser.add_argument_group("task")
    add_task(task)
    task.add_argument("--packs", rare=True, metavar="FOLDER", help="folder with your own language packs")
    add = parser.add_argument_group("data").add_argument
    add("--train", required=True, metavar="FILE", help="five-column training file with labels")
    add("--dev", metavar="FILE", help="five-column development file with labels; some recipes need it")
    add("--slots", type=int, metavar="N", help="train on a sample of documents with N placeholders")
    add("--train-seed", type=int, default=1, metavar="N", help="seed of training and sampling (default 1)")


def add_model_and_file(parser: CommandParser, what: str) -> None:
    """A trained model and the file that it reads."""
    add = parser.add_argument_group("files").add_argument
    add("model", metavar="MODEL", help="folder of a trained model, or name of a shipped one")
    add("file", metavar="FILE", help=what)
    add("--pair", metavar="SRC-TGT", help="language pair of FILE; needed unless the model is for one pair")
    add("--year", type=int, metavar="YYYY", help="task year, for a model trained for several years")
    add("--documents", metavar="FILE", help="document ids (default: the .doc-ids file next to FILE)")
    add("--packs", rare=True, metavar="FOLDER", help="folder with your own language packs")
    add(
        "--ensemble",
        action="store_true",
        help="anaphor-2: ensemble of all networks and nine readings; slower, more accurate",
    )


def add_limit(parser: CommandParser) -> None:
    """Options for the part of the file to predict."""
    add = parser.add_argument_group("part of the file").add_argument
    add("--limit", type=int, metavar="N", help="read only the first N lines of FILE")


def check_limit(options: argparse.Namespace) -> None:
    if options.limit is not None and options.limit < 1:
        raise OptionError(f"--limit cannot be {options.limit}", where="--limit", fix="use 1 or more")


def add_statistics(parser: CommandParser) -> None:
    """Options for averaging and resampling scores."""
    group = parser.add_argument_group("statistics")
    add_metric(group, default="macro-recall accuracy")
    add_average(group)
    add_resampling(group)


def read_training(
    options: argparse.Namespace, classes: TaskClasses, progress: TerminalProgress
) -> tuple[tuple[TaskSegment, ...], tuple[TaskSegment, ...]]:
    """The segments of training and development data."""
    from anaphor.predict.data import read_segments, sample_documents

    progress("reading the training data")
    train = read_segments(options.train, classes=classes)
    if options.slots is not None:
        train = sample_documents(train, slots=options.slots, seed=options.train_seed)
    dev = read_segments(options.dev, classes=classes) if options.dev else ()
    return train, dev


def check_trained(name: str) -> None:
    """Raise an error with the training command if a recipe is named instead of a model."""
    from pathlib import Path

    from anaphor.predict.shipped import shipped_models
    from anaphor.recipes.recipe import known_recipes

    if name in known_recipes() and name not in shipped_models() and not Path(name).is_dir():
        raise OptionError(
            f"the recipe {name} has no shipped model",
            where="MODEL",
            fix=f"train one: anaphor predict train {name} --pair ... --train ... --output {name}",
        )


def find_model(options: argparse.Namespace, progress: TerminalProgress) -> tuple[Model, TaskClasses]:
    """The model from `add_model_and_file` and its sub-task; contradicting options are an error."""
    from dataclasses import replace

    from anaphor.predict import shipped

    check_trained(options.model)
    model = shipped.find_model(options.model, pair=options.pair, year=options.year, ensemble=options.ensemble)
    card = model.card
    for verb, of, own, wanted in (
        ("is", "for", card.pair, options.pair),
        ("has the classes", "of", card.year, options.year),
    ):
        if wanted not in (None, own):
            raise MismatchError(
                f"the model {verb} {of} {own}, not {of} {wanted}",
                where=options.model,
                fix="use a model that was trained for this pair and year, or leave the option out",
            )
    if card.family == "server":
        from anaphor.predict.server.model import ServerModel

        if isinstance(model, ServerModel):  # a server takes minutes where other models take seconds
            model = replace(model, progress=shown_on(progress))
    return model, classes_of(options, card)


def read_model_and_file(
    options: argparse.Namespace, progress: TerminalProgress, *, labels: bool
) -> tuple[Model, TaskClasses, tuple[TaskSegment, ...]]:
    """The model for the target format of FILE, its sub-task, and the segments of FILE.

    With `labels` these are checked; otherwise the first column is ignored.
    """
    from anaphor.predict.data import read_segments
    from anaphor.predict.prediction import fit_to_data

    progress("reading the model")
    model, classes = find_model(options, progress)
    progress("reading")
    segments = read_segments(options.file, classes=classes if labels else None, documents=options.documents)
    return fit_to_data(model, segments, classes=classes), classes, segments


def shown_on(progress: TerminalProgress, prefix: str = "") -> ShareProgress:
    """A listener for predictors that shows what is done, in percent, on the terminal."""
    return lambda step, share: progress(f"{prefix}{step} {share:.0%}")
