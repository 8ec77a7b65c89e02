"""`anaphor task lm fill` and `tune`: placeholders filled by a language model."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from anaphor.cli.task.lm_options import add_json, add_model, add_task
from anaphor.core.text import LanguagePair

if TYPE_CHECKING:
    from anaphor.cli.terminal import Progress
    from anaphor.core import TaskSegment
    from anaphor.legacy.baseline import Baseline
    from anaphor.predict.lm.fill import Filler, PenaltyTrial
    from anaphor.predict.lm.language_model import LanguageModel
    from anaphor.task import TaskClasses

_METRICS = ("macro-recall", "accuracy", "macro-f1")
_SHOW_EVERY = 50

T = TypeVar("T")


def configure_fill(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="a task file with five columns; .gz is decompressed")
    add_task(parser)
    add_model(parser)
    add = parser.add_argument_group("how to fill").add_argument
    add(
        "--penalty", type=float, default=0.0, metavar="X", help="for filling nothing, 0 or less (default 0.0)"
    )
    add("--legacy-prune", action="store_true", help="search as the released script did, not exactly")
    output = parser.add_argument_group("output").add_argument
    output("--output", metavar="FILE", help="write to FILE and not to the standard output")
    output(
        "--format",
        choices=("task", "replace", "predicted", "both", "compare", "scores"),
        default="task",
        help="task keeps the file as it is but for labels and words; the others are those of the released "
        "script, with its classes (default task)",
    )


def configure_tune(parser: argparse.ArgumentParser) -> None:
    # The search starts without a penalty, and it is always exact.
    parser.set_defaults(penalty=0.0, legacy_prune=False)
    add_task(parser)
    add_model(parser)
    add = parser.add_argument_group("development data").add_argument
    add("--dev", required=True, metavar="FILE", help="a task file with labels")
    add("--metric", choices=_METRICS, default=_METRICS[0], help="to choose by (default macro-recall)")
    add(
        "--average",
        choices=("present", "all"),
        default="present",
        help="macro averages over the classes that occur, or over all (default present)",
    )
    add_json(parser)


def fill(options: argparse.Namespace) -> None:
    from anaphor.cli.terminal import Progress
    from anaphor.task.streams import write_lines

    with Progress() as progress:
        lines = _filled(options, progress)
        if options.output:
            write_lines(options.output, lines)
        else:
            lines = iter(list(lines))
    if not options.output:
        for line in lines:
            print(line)


def _filled(options: argparse.Namespace, progress: Progress) -> Iterator[str]:
    """The lines of the output."""
    from anaphor.legacy.baseline import run_baseline
    from anaphor.task import format_segment, read_task
    from anaphor.task.streams import read_lines

    classes = _classes(options)
    if options.format == "task":
        segments = _shown(read_task(options.file), progress)
        return (format_segment(segment) for segment in _with_words(options, segments, classes))
    lines = _shown(read_lines(options.file), progress)
    baseline = _baseline(options, classes, _model(options))
    return run_baseline(lines, baseline, layout=options.format, path=options.file)


def _shown(entries: Iterable[T], progress: Progress) -> Iterator[T]:
    """The same, with the progress on the terminal."""
    for number, entry in enumerate(entries, start=1):
        if number % _SHOW_EVERY == 1:
            progress(f"filling segment {number}")
        yield entry


def _with_words(
    options: argparse.Namespace, segments: Iterable[TaskSegment], classes: TaskClasses
) -> Iterator[TaskSegment]:
    """The segments with the predicted classes and words in their slots."""
    from anaphor.predict.lm.fill import class_of_filler, filler_text

    filler = _filler(options, classes)
    pruned = _baseline(options, classes, filler.model)
    for segment in segments:
        words = pruned.best(filler.parts(segment)) if options.legacy_prune else filler.fill(segment).words
        slots = (
            replace(slot, label=class_of_filler(word, classes), word=filler_text(word))
            for slot, word in zip(segment.slots, words, strict=True)
        )
        yield replace(segment, slots=tuple(slots))


def _classes(options: argparse.Namespace) -> TaskClasses:
    from anaphor.task import task_classes

    folder = None if options.packs is None else Path(options.packs)
    return task_classes(LanguagePair.parse(options.pair), year=options.year, folder=folder)


def _model(options: argparse.Namespace) -> LanguageModel:
    """The model, in double precision for the released search where that can be had.

    The outputs of the released script that we have were made in it; kenlm has single precision.
    """
    from anaphor.predict.lm.language_model import load_lm

    scorer = "own" if options.legacy_prune and options.scorer == "auto" else options.scorer
    return load_lm(options.model, scorer=scorer, double=options.legacy_prune)


def _filler(options: argparse.Namespace, classes: TaskClasses) -> Filler:
    from anaphor.predict.lm.fill import Filler, filler_options

    return Filler(
        _model(options),
        filler_options(classes),
        penalty=options.penalty,
        strip_tags=options.strip_tags,
        lower=options.lower,
    )


def _baseline(options: argparse.Namespace, classes: TaskClasses, model: LanguageModel) -> Baseline:
    from anaphor.legacy.baseline import Baseline

    return Baseline(
        model,
        classes.fillers,
        classes.other_fillers,
        penalty=options.penalty,
        strip_tags=options.strip_tags,
        lower=options.lower,
        prune=options.legacy_prune,
    )


def tune(options: argparse.Namespace) -> None:
    from anaphor.cli.terminal import Progress
    from anaphor.predict.lm.fill import best_trial, try_penalties
    from anaphor.task import read_task

    classes = _classes(options)
    with Progress() as progress:
        progress("reading")
        segments = list(read_task(options.dev, classes=classes))
        filler = _filler(options, classes)
        trials = try_penalties(filler, segments, classes, average=options.average, progress=progress)
    best = best_trial(trials, metric=options.metric)
    print(_as_json(trials, best, options) if options.json else _as_text(trials, best))


def _as_text(trials: list[PenaltyTrial], best: PenaltyTrial) -> str:
    from anaphor.cli.terminal import paint
    from anaphor.report.table import table

    rows = [["penalty", *_METRICS]]
    for trial in trials:
        values = (f"{100 * trial.score.value(metric):.2f}" for metric in _METRICS)
        rows.append([f"{trial.penalty:g}", *values])
    choice = f"best: --penalty {best.penalty:g}, on {best.score.slots} placeholders"
    return f"{table(rows, paint=paint())}\n\n{choice}"


def _as_json(trials: list[PenaltyTrial], best: PenaltyTrial, options: argparse.Namespace) -> str:
    import json

    content = {
        "pair": options.pair,
        "year": options.year,
        "metric": options.metric,
        "average": options.average,
        "slots": best.score.slots,
        "best": best.penalty,
        "trials": [
            {"penalty": trial.penalty, **{metric: trial.score.value(metric) for metric in _METRICS}}
            for trial in trials
        ],
    }
    return json.dumps(content)
