"""What several jobs of `anaphor predict` do with files and scores."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from anaphor.cli.terminal import Progress
from anaphor.core import InputError, LanguagePair, MismatchError, Settings, TaskSegment
from anaphor.predict.contract import Model, ModelCard
from anaphor.predict.data import check_fit, has_forms, sample_documents
from anaphor.predict.shipped import in_style
from anaphor.task import TaskClasses, read_task, task_classes
from anaphor.task.files import documents_beside
from anaphor.task.streams import STDIN
from anaphor.task.systems import GoldLabels

if TYPE_CHECKING:
    from anaphor.task.systems import Systems, TaskResult


def classes_of(options: argparse.Namespace) -> TaskClasses:
    """The sub-task that `--pair` and `--year` name."""
    return task_classes(LanguagePair.parse(options.pair), year=options.year, folder=_packs(options))


def classes_of_model(card: ModelCard, options: argparse.Namespace) -> TaskClasses:
    """The sub-task that a model was trained for."""
    return task_classes(LanguagePair.parse(card.pair), year=card.year, folder=_packs(options))


def _packs(options: argparse.Namespace) -> Path | None:
    return None if options.packs is None else Path(options.packs)


def read_segments(
    path: str, *, classes: TaskClasses | None, documents: str | None = None
) -> tuple[TaskSegment, ...]:
    """The segments of a file, with the documents that are named or lie beside it."""
    return tuple(read_task(path, classes=classes, documents=documents or documents_of(path)))


def documents_of(path: str) -> str | None:
    """The file of document ids that lies beside a file, if there is one."""
    beside = documents_beside(Path(path))
    return str(beside) if path != STDIN and beside.is_file() else None


def read_training(
    options: argparse.Namespace, classes: TaskClasses, progress: Progress
) -> tuple[tuple[TaskSegment, ...], tuple[TaskSegment, ...]]:
    """The segments of training and of development."""
    progress("reading the training data")
    train = read_segments(options.train, classes=classes)
    if options.slots is not None:
        train = sample_documents(train, slots=options.slots, seed=options.train_seed)
    dev = read_segments(options.dev, classes=classes) if options.dev else ()
    return train, dev


def check_asked(options: argparse.Namespace, model: Model) -> TaskClasses:
    """The sub-task of a model; another one in the options is an error."""
    if options.pair is not None and options.pair != model.card.pair:
        raise MismatchError(
            f"the model is for {model.card.pair}, not for {options.pair}",
            where=options.model,
            fix="use a model that was trained for the pair of the file",
        )
    if options.year is not None and options.year != model.card.year:
        raise MismatchError(
            f"the model has the classes of {model.card.year}, not of {options.year}",
            where=options.model,
            fix="leave --year out, or use a model that was trained for it",
        )
    return classes_of_model(model.card, options)


def read_asked(
    options: argparse.Namespace, model: Model, *, labels: bool
) -> tuple[Model, tuple[TaskSegment, ...]]:
    """The segments that a model is asked about, and the model in their style.

    Segments that it cannot know are an error. With `labels` they are checked; without, whatever stands in the
    first column is left alone.
    """
    classes = check_asked(options, model)
    known = classes if labels else None
    segments = read_segments(options.file, classes=known, documents=options.documents)
    return fitting(model, classes=classes, segments=segments), segments


def fitting(model: Model, *, classes: TaskClasses, segments: Sequence[TaskSegment]) -> Model:
    """The model in the style of some segments; an error where it does not know the like of them."""
    found = in_style(model, forms=has_forms(segments))
    check_fit(found.card, classes=classes, segments=segments)
    return found


def gold_of(path: str, segments: Sequence[TaskSegment]) -> GoldLabels:
    """The right answers in segments; one that is withheld, or none at all, is an error."""
    labels = tuple(tuple(slot.label for slot in segment.slots if slot.label) for segment in segments)
    wanted = [len(segment.slots) for segment in segments]
    if [len(given) for given in labels] != wanted or not sum(wanted):
        raise InputError(
            "labels are withheld, or there is no placeholder",
            where=path,
            fix="give a file with pronouns hidden and their classes in the first column",
        )
    ids = tuple(segment.document for segment in segments if segment.document is not None)
    return GoldLabels(path, labels, ids if len(ids) == len(segments) else None)


def statistics_of(options: argparse.Namespace, *, pair: str, paired: bool) -> Settings:
    """How scores are resampled, checked before anything is read; no resamples, no paired tests."""
    return Settings(
        pair=pair,
        paired=paired and options.samples > 0,
        samples=options.samples,
        level=options.level,
        seed=options.seed,
    )


def scored(systems: Systems, options: argparse.Namespace, settings: Settings) -> TaskResult:
    """Scores with intervals, and with tests against the first system where settings ask for them."""
    from anaphor.task.systems import score_systems

    metrics = tuple(dict.fromkeys(options.metric)) or ("macro-recall", "accuracy")
    return score_systems(systems, metrics, settings)


def shares(progress: Progress, what: str) -> Callable[[float, str], None]:
    """A listener for predictors that shows their shares on the terminal."""
    return lambda share, step: progress(f"{what}: {step} {share:.0%}")
