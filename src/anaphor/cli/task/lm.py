"""`anaphor task lm`: the language-model baseline, from text to predictions."""

from __future__ import annotations

import argparse
import math
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from anaphor.cli.commands import CommandParser
from anaphor.cli.options import packs_of
from anaphor.cli.output import add_output, print_result
from anaphor.cli.task import add_average, add_task, classes_of
from anaphor.core.errors import OptionError

if TYPE_CHECKING:
    from anaphor.cli.terminal import TerminalProgress
    from anaphor.recipes.lm.fill import Filler
    from anaphor.task import TaskClasses

EXAMPLES = """examples:
  anaphor task lm train --text europarl.fr.gz --tokenize fr --lower --output fr.lm
  anaphor task lm train --text lemmas.fr.gz --order 5 --memory 2G --output fr.arpa.gz
  anaphor task lm tune --pair en-fr --year 2015 --model fr.lm --lower --dev dev.tsv
  anaphor task lm fill --pair en-fr --year 2015 --model fr.lm --lower --penalty -1.5 dev.tsv --output pred.tsv
  anaphor task lm fill --pair en-fr --model fr.arpa --strip-tags --legacy-prune --format scores dev.tsv
  anaphor task lm perplexity --model fr.lm --text held-out.fr
  anaphor task lm convert --model fr.arpa.gz --output fr.lm

A model is an ARPA file, or a file in our own format (.lm) that loads instantly."""

_UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
_METRICS = ("macro-recall", "accuracy", "macro-f1")
_SHOW_EVERY = 50

T = TypeVar("T")


def configure(parser: CommandParser) -> None:
    steps = parser.add_subparsers(dest="step", metavar="STEP")

    train = steps.add_parser("train", help="estimate a model from text and write it")
    _add_text(train, several=True)
    add = train.add_argument_group("model").add_argument
    add(
        "--output",
        required=True,
        metavar="FILE",
        help="ARPA file (.gz: compressed), or .lm, which loads fast",
    )
    add("--order", type=int, default=5, metavar="N", help="length of the longest n-grams, 2 to 6 (default 5)")
    add(
        "--prune",
        type=int,
        nargs="+",
        default=[],
        metavar="N",
        help="drop n-grams that occur at most N times; one N per length",
    )
    add("--discount-fallback", action="store_true", help="use fixed discounts if the text is too small")
    add("--memory", type=_bytes, default="512M", metavar="SIZE", help="memory for sorting (default 512M)")
    add(
        "--temporary",
        metavar="FOLDER",
        help="folder for temporary files, which take 150 bytes per word of text",
    )
    add_output(train)

    fill = steps.add_parser("fill", help="fill the placeholders of a task file")
    fill.add_argument("file", metavar="FILE", help="five-column task file; .gz is decompressed")
    _add_subtask(fill)
    _add_model(fill)
    add = fill.add_argument_group("how to fill").add_argument
    add(
        "--penalty",
        type=float,
        default=0.0,
        metavar="X",
        help="penalty for empty gaps, 0 or less (default 0.0)",
    )
    add(
        "--legacy-prune",
        action="store_true",
        help="prune like the released script, which makes the search inexact",
    )
    add = fill.add_argument_group("output").add_argument
    add("--output", metavar="FILE", help="write to FILE instead of standard output")
    add(
        "--format",
        choices=("task", "replace", "predicted", "both", "compare", "scores"),
        default="task",
        help="task: the file with predicted labels and words; the other formats match the released script "
        "and its classes (default task)",
    )

    tune = steps.add_parser("tune", help="choose the penalty on development data")
    # The search starts without a penalty, and it is always exact.
    tune.set_defaults(penalty=0.0, legacy_prune=False)
    _add_subtask(tune)
    _add_model(tune)
    group = tune.add_argument_group("development data")
    add = group.add_argument
    add("--dev", required=True, metavar="FILE", help="five-column task file with labels")
    add("--metric", choices=_METRICS, default=_METRICS[0], help="metric to maximize (default macro-recall)")
    add_average(group)
    add_output(tune)

    perplexity = steps.add_parser("perplexity", help="measure how well a model predicts a text")
    _add_model(perplexity)
    _add_text(perplexity, several=False)
    add_output(perplexity)

    convert = steps.add_parser("convert", help="convert an ARPA file into one that loads instantly")
    convert.add_argument("--model", required=True, metavar="FILE", help="ARPA file")
    convert.add_argument("--output", required=True, metavar="FILE", help="file to write, such as fr.lm")


def _add_text(parser: CommandParser, *, several: bool) -> None:
    add = parser.add_argument_group("text").add_argument
    add(
        "--text",
        required=True,
        nargs="+" if several else 1,
        metavar="FILE",
        help="one sentence per line, words separated by spaces; .gz is decompressed",
    )
    add("--tokenize", metavar="LANGUAGE", help="tokenize the text for a language, such as fr")
    add("--packs", rare=True, metavar="FOLDER", help="folder with your own language packs, for --tokenize")
    add("--lower", action="store_true", help="lower-case the text")


def _add_model(parser: CommandParser) -> None:
    add = parser.add_argument_group("model").add_argument
    add("--model", required=True, metavar="FILE", help="ARPA file, or .lm file written by `train`")
    add(
        "--scorer",
        choices=("auto", "own", "kenlm"),
        default="auto",
        help="auto: kenlm if it is installed and can read the file (default auto)",
    )


def _add_subtask(parser: CommandParser) -> None:
    group = parser.add_argument_group("task")
    add_task(group)
    group.add_argument("--packs", rare=True, metavar="FOLDER", help="folder with your own language packs")
    group.add_argument("--strip-tags", action="store_true", help="remove |TAG from target words")
    group.add_argument(
        "--lower", action="store_true", help="lower-case the target, if the model is lower-cased"
    )


def _bytes(text: str) -> int:
    match = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)([KMG]?)B?", text.strip().upper())
    size = float(match[1]) * _UNITS.get(match[2], 1) if match is not None else math.inf
    if not size < 2**63:
        raise argparse.ArgumentTypeError(f"not a size such as 512M or 2G: {text!r:.40}")
    return int(size)


def run(options: argparse.Namespace) -> int:
    steps = {"train": _train, "fill": _fill, "tune": _tune, "perplexity": _perplexity, "convert": _convert}
    steps[options.step](options)
    return 0


def _train(options: argparse.Namespace) -> None:
    from anaphor.cli.terminal import TerminalProgress
    from anaphor.recipes.lm.training import LmTrainingOptions, read_text_lines, train_lm

    training = LmTrainingOptions(
        order=options.order,
        memory=options.memory,
        prune=tuple(options.prune),
        fallback=options.discount_fallback,
        folder=None if options.temporary is None else Path(options.temporary),
    )
    _check_output(options.output)
    lines = read_text_lines(
        options.text, tokenize=options.tokenize, packs=packs_of(options), lower=options.lower
    )
    with TerminalProgress(quiet=options.quiet) as progress:
        report = train_lm(lines, options.output, training, progress=progress)
    print_result(options, report)


def _check_output(path: str) -> None:
    if Path(path).is_dir() or not Path(path).parent.is_dir():
        raise OptionError(
            "the file cannot be written (it is a folder, or its folder does not exist)",
            where=path,
            fix="choose a file in an existing folder that you may write to",
        )


def _fill(options: argparse.Namespace) -> None:
    from anaphor.cli.terminal import TerminalProgress
    from anaphor.task.streams import write_lines

    with TerminalProgress(quiet=options.quiet) as progress:
        lines = _filled(options, progress)
        if options.output:
            write_lines(options.output, lines)
            return
        complete = list(lines)
    for line in complete:
        print(line)


def _filled(options: argparse.Namespace, progress: TerminalProgress) -> Iterator[str]:
    """The lines of the output."""
    from anaphor.legacy.baseline import Baseline, run_baseline
    from anaphor.recipes.lm.fill import fill_segments
    from anaphor.task import format_segment, read_task
    from anaphor.task.streams import read_lines

    def shown(entries: Iterable[T]) -> Iterator[T]:
        for number, entry in enumerate(entries, start=1):
            if number % _SHOW_EVERY == 1:
                progress(f"filling segment {number}")
            yield entry

    classes = classes_of(options)
    filler = _filler(options, classes)
    baseline = Baseline(
        filler.model,
        classes.fillers,
        classes.other_fillers,
        penalty=options.penalty,
        strip_tags=options.strip_tags,
        lower=options.lower,
        prune=options.legacy_prune,
    )
    if options.format != "task":
        lines = shown(read_lines(options.file))
        return run_baseline(lines, baseline, layout=options.format, path=options.file)
    segments = shown(read_task(options.file))
    filled = fill_segments(segments, classes, lambda segment: baseline.best(filler.parts(segment)))
    return map(format_segment, filled)


def _filler(options: argparse.Namespace, classes: TaskClasses) -> Filler:
    from anaphor.recipes.lm.fill import Filler, filler_options
    from anaphor.recipes.lm.language_model import load_lm

    # The known outputs of the released script were made in double precision, which kenlm does not have.
    scorer = "own" if options.legacy_prune and options.scorer == "auto" else options.scorer
    return Filler(
        load_lm(options.model, scorer=scorer, double=options.legacy_prune),
        filler_options(classes),
        penalty=options.penalty,
        strip_tags=options.strip_tags,
        lower=options.lower,
    )


def _tune(options: argparse.Namespace) -> None:
    from anaphor.cli.terminal import TerminalProgress
    from anaphor.recipes.lm.fill import PenaltyTuning, try_penalties
    from anaphor.task import read_task

    classes = classes_of(options)
    with TerminalProgress(quiet=options.quiet) as progress:
        progress("reading")
        segments = list(read_task(options.dev, classes=classes))
        filler = _filler(options, classes)
        trials = try_penalties(filler, segments, classes, average=options.average, progress=progress)
    print_result(options, PenaltyTuning(trials, classes, options.metric, options.average))


def _perplexity(options: argparse.Namespace) -> None:
    from anaphor.cli.terminal import TerminalProgress
    from anaphor.recipes.lm.language_model import load_lm, perplexity
    from anaphor.recipes.lm.training import read_text_lines

    with TerminalProgress(quiet=options.quiet) as progress:
        progress("reading the model")
        model = load_lm(options.model, scorer=options.scorer)
        progress("scoring")
        lines = read_text_lines(
            options.text, tokenize=options.tokenize, packs=packs_of(options), lower=options.lower
        )
        # Split at ASCII white space, as in training.
        words = ([word.decode() for word in line.encode().split()] for _, line in lines)
        result = perplexity(model, words)
    print_result(options, result)


def _convert(options: argparse.Namespace) -> None:
    from anaphor.cli.terminal import TerminalProgress
    from anaphor.recipes.lm.arpa import read_arpa
    from anaphor.recipes.lm.model import SUFFIX, write_lm

    _check_output(options.output)
    if Path(options.output).suffix != SUFFIX:
        raise OptionError(
            f"the name does not end in {SUFFIX}",
            where="--output",
            fix=f"use a name such as fr{SUFFIX}",
        )
    with TerminalProgress(quiet=options.quiet) as progress:
        progress("reading the model")
        model = read_arpa(options.model)
        progress("writing")
        write_lm(Path(options.output), model)
    size = sum(len(level.key) for level in model.levels)
    print(f"{options.output}: {size} n-grams up to length {model.order}")
