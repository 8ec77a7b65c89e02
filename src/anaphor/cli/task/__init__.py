"""`anaphor task`: the shared task of pronoun prediction, from parallel text to scores."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

from anaphor.cli.commands import Command, CommandParser, OptionGroup
from anaphor.cli.options import LEVEL, SAMPLES, SEED, add_resampling, named, packs_of
from anaphor.cli.output import add_output, add_width, print_result
from anaphor.cli.terminal import TerminalProgress, collected_notes
from anaphor.core.errors import OptionError

if TYPE_CHECKING:
    from anaphor.core import Settings
    from anaphor.predict.contract import ModelCard
    from anaphor.task import TaskClasses
    from anaphor.task.systems import Systems

EXAMPLES = """examples:
  anaphor task score dev.tsv predictions.tsv --pair en-fr
  anaphor task score dev.tsv a.tsv b.tsv --pair en-fr --paired --documents dev.doc-ids
  anaphor task published --pair en-de --year 2017
  anaphor task compare dev.tsv predictions.tsv --pair en-fr --year 2017

docs/task/ describes the files, the scorer and the
results."""


def add_systems(parser: CommandParser) -> None:
    """The arguments for files, sub-task and averaging."""
    files = parser.add_argument_group("files")
    files.add_argument("gold", metavar="GOLD", help="five-column file with labels")
    files.add_argument(
        "predictions",
        nargs="+",
        metavar="PRED",
        help="files with predicted labels, in the first or only column",
    )
    files.add_argument("--packs", rare=True, metavar="FOLDER", help="folder with your own language packs")
    group = parser.add_argument_group("what is scored, and how")
    add_task(group)
    add_average(group)


def add_task(group: OptionGroup) -> None:
    """The options for a sub-task."""
    group.add_argument("--pair", required=True, metavar="SRC-TGT", help="language pair, such as en-fr")
    group.add_argument(
        "--year",
        type=int,
        default=2017,
        choices=(2015, 2016, 2017),
        help="year of the task (default 2017)",
    )


def add_average(group: OptionGroup) -> None:
    """Which classes are averaged."""
    group.add_argument(
        "--average",
        rare=True,
        choices=("present", "all"),
        default="present",
        help="classes in macro averages: those that occur in the gold labels, as in the papers, or all, "
        "as in the released scorer (default present)",
    )


def add_metric(group: OptionGroup, *, default: str) -> None:
    """The metrics of predicted classes; `default` describes which are shown by default."""
    group.add_argument(
        "--metric",
        nargs="+",
        default=[],
        choices=("macro-recall", "macro-f1", "macro-precision", "accuracy"),
        help=f"metrics to show with intervals (default: {default})",
    )


def metrics_of(options: argparse.Namespace, *, default: str) -> tuple[str, ...]:
    """The metrics of `--metric`, each once; without any, `default` and the accuracy."""
    return tuple(dict.fromkeys(options.metric)) or (default, "accuracy")


def add_parts(group: OptionGroup) -> None:
    """The tables of every system."""
    group.add_argument(
        "--by",
        nargs="+",
        choices=("class", "matrix"),
        default=["matrix", "class"],
        help="breakdowns to show below the scores (default: matrix class)",
    )


def statistics_of(options: argparse.Namespace, *, pair: str, paired: bool) -> Settings:
    """The settings from the options of `add_resampling`."""
    from anaphor.core import Settings

    return Settings.of(
        pair=pair, paired=paired, samples=options.samples, level=options.level, seed=options.seed
    )


def classes_of(options: argparse.Namespace, card: ModelCard | None = None) -> TaskClasses:
    """The sub-task that `--pair` and `--year` name, or the one that a model was trained for."""
    from anaphor.core import LanguagePair
    from anaphor.task import task_classes

    pair, year = (options.pair, options.year) if card is None else (card.pair, card.year)
    return task_classes(LanguagePair.parse(pair), year=year, folder=packs_of(options))


def read_systems(options: argparse.Namespace, *, documents: str | None = None) -> Systems:
    """The files that the options of `add_systems` name."""
    from anaphor.task import systems

    return systems.read_systems(
        options.gold,
        map(named, options.predictions),
        classes=classes_of(options),
        average=options.average,
        documents=documents,
    )


SCORE_EXAMPLES = """examples:
  anaphor task score dev.tsv predictions.tsv --pair en-fr
  anaphor task score dev.tsv a.tsv b.tsv --pair en-fr --documents dev.doc-ids --paired
  anaphor task score dev.tsv predictions.tsv --pair en-fr --year 2015 --json
  anaphor task score dev.tsv predictions.tsv --pair en-fr --legacy    (the official scorer's text)

Each line of a prediction file has the labels of one segment's placeholders, alone or in the first column.
Systems are named after their files; NAME=PATH gives another name. The first is the baseline of --paired."""


def configure_score(parser: CommandParser) -> None:
    add_systems(parser)
    group = parser.add_argument_group("statistics")
    add = group.add_argument
    add("--documents", metavar="FILE", help="resample documents: one id per line of GOLD, or start lines")
    add_metric(group, default="the official metric of the year, and accuracy")
    add("--paired", action="store_true", help="test every system against the first")
    add_resampling(group)
    output = parser.add_argument_group("output")
    add_parts(output)
    printed = output.add_mutually_exclusive_group()
    printed.add_argument("--json", action="store_true", help="print JSON")
    printed.add_argument("--legacy", action="store_true", help="print the output of the official scorer")
    add_width(output)


def run_score(options: argparse.Namespace) -> int:
    if options.legacy:
        return _run_legacy(options)
    from anaphor.task.scoring import official_metric
    from anaphor.task.systems import score_systems

    settings = statistics_of(options, pair=options.pair, paired=options.paired)
    metrics = metrics_of(options, default=official_metric(options.year))
    with collected_notes() as notes, TerminalProgress(quiet=options.quiet) as progress:
        progress("reading")
        systems = read_systems(options, documents=options.documents)
        progress("scoring")
        result = score_systems(systems, metrics, settings)
    print_result(options, replace(result, parts=tuple(options.by), notes=tuple(notes)))
    return 0


def _run_legacy(options: argparse.Namespace) -> int:
    from anaphor.legacy import run_discomt15, run_wmt16

    # Options that the official scorer does not have.
    given = {
        "a second PRED": len(options.predictions) > 1,
        "--documents": options.documents is not None,
        "--packs": options.packs is not None,
        "--average": options.average != "present",
        "--metric": bool(options.metric),
        "--paired": options.paired,
        "resampling": (options.samples, options.level, options.seed) != (SAMPLES, LEVEL, SEED),
        "a --pair other than en-fr": options.year == 2015 and options.pair != "en-fr",
    }
    if surplus := [name for name, used in given.items() if used]:
        raise OptionError(
            f"the official scorer does not support {surplus[0]}",
            where="--legacy",
            fix="omit one of the two; without --legacy there are more options",
        )
    predicted = options.predictions[0]
    if options.year == 2015:
        finished = run_discomt15(options.gold, predicted)
    else:
        finished = run_wmt16(options.gold, predicted, options.pair)
    # Bytes, because the scorer of 2015 writes Latin-1; text where stdout takes no bytes.
    sys.stdout.flush()
    if hasattr(sys.stdout, "buffer"):
        sys.stdout.buffer.write(finished.output)
    else:
        sys.stdout.write(finished.output.decode("latin-1"))
    sys.stderr.write(finished.messages.decode("utf-8", "backslashreplace"))
    return finished.code


PUBLISHED_EXAMPLES = """examples:
  anaphor task published --pair en-de --year 2017
  anaphor task published --pair fr-en --year 2016 --json

2016 had en-fr, fr-en, en-de and de-en; 2017 had en-fr, en-de, de-en and es-en."""


def configure_published(parser: CommandParser) -> None:
    add_task(parser.add_argument_group("which results"))
    add_output(parser)


def run_published(options: argparse.Namespace) -> int:
    from anaphor.core import LanguagePair
    from anaphor.task.published import published_results

    print_result(options, published_results(LanguagePair.parse(options.pair), year=options.year))
    return 0


COMPARE_EXAMPLES = """examples:
  anaphor task compare test.tsv predictions.tsv --pair en-fr --year 2017
  anaphor task compare test.tsv mine=a.tsv other=b.tsv --pair en-de --year 2016 --json

A fair comparison needs the test sets of the shared tasks; the output says what differs."""


def configure_compare(parser: CommandParser) -> None:
    add_systems(parser)
    add_output(parser)


def run_compare(options: argparse.Namespace) -> int:
    from anaphor.core import LanguagePair
    from anaphor.task.published import published_results, rank_with_published

    published = published_results(LanguagePair.parse(options.pair), year=options.year)
    with TerminalProgress(quiet=options.quiet) as progress:
        progress("reading")
        systems = read_systems(options)
    print_result(options, rank_with_published(systems.scores(), published))
    return 0


COMMANDS = {
    "prepare": "turn parallel text into a file for the prediction task",
    "lm": "train an n-gram language model and predict pronouns with it, as the official baseline did",
    "score": Command(
        "score predicted classes: confusion matrix, accuracy, precision, recall and F1",
        configure_score,
        run_score,
        SCORE_EXAMPLES,
    ),
    "published": Command(
        "show the published results of a sub-task", configure_published, run_published, PUBLISHED_EXAMPLES
    ),
    "compare": Command(
        "compare your scores with the published results of a sub-task",
        configure_compare,
        run_compare,
        COMPARE_EXAMPLES,
    ),
}
