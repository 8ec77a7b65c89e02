"""`anaphor task score`: predictions against a gold file."""

from __future__ import annotations

import argparse
import sys

from anaphor.cli.output import add_width
from anaphor.cli.task.options import add_systems, read_systems
from anaphor.core.errors import OptionError

EXAMPLES = """examples:
  anaphor task score dev.tsv predictions.tsv --pair en-fr
  anaphor task score dev.tsv a.tsv b.tsv --pair en-fr --documents dev.doc-ids --paired
  anaphor task score dev.tsv predictions.tsv --pair en-fr --year 2015 --json
  anaphor task score dev.tsv predictions.tsv --pair en-fr --legacy    (the official scorer's text)

A file of predictions has one line per segment: the labels of its placeholders, in the first column or alone.
Systems are named after their files; NAME=PATH gives another name. The first is the baseline of --paired.
Scores are percent in tables, 0 to 1 in JSON."""

_SAMPLES, _LEVEL, _SEED = 1000, 0.95, 12345


def configure(parser: argparse.ArgumentParser) -> None:
    add_systems(parser)
    add = parser.add_argument_group("statistics").add_argument
    add("--documents", metavar="FILE", help="resample documents: one id per line of GOLD, or start lines")
    add(
        "--metric",
        nargs="+",
        default=[],
        choices=("macro-recall", "macro-f1", "macro-precision", "accuracy"),
        help="metrics to show with intervals (default: the official one of the year, and accuracy)",
    )
    add("--paired", action="store_true", help="test every system against the first")
    add(
        "--samples",
        type=int,
        default=_SAMPLES,
        metavar="N",
        help="bootstrap resamples, 0 for none (default 1000)",
    )
    add("--level", type=float, default=_LEVEL, metavar="P", help="confidence level (default 0.95)")
    add("--seed", type=int, default=_SEED, metavar="N", help="random seed (default 12345)")
    output = parser.add_argument_group("output")
    output.add_argument(
        "--by",
        nargs="+",
        choices=("class", "matrix"),
        default=["matrix", "class"],
        help="parts to show below the scores (default: matrix class)",
    )
    printed = output.add_mutually_exclusive_group()
    printed.add_argument("--json", action="store_true", help="print JSON")
    printed.add_argument("--legacy", action="store_true", help="print the output of the official scorer")
    add_width(output)


def run(options: argparse.Namespace) -> int:
    if options.legacy:
        return _run_legacy(options)
    from dataclasses import replace

    from anaphor.cli.output import print_result
    from anaphor.cli.terminal import Progress, collected_notes
    from anaphor.core import Settings
    from anaphor.task.scoring import official_metric
    from anaphor.task.systems import score_systems

    settings = Settings(
        pair=options.pair,
        paired=options.paired,
        samples=options.samples,
        level=options.level,
        seed=options.seed,
    )
    metrics = tuple(dict.fromkeys(options.metric)) or (official_metric(options.year), "accuracy")
    with collected_notes() as notes, Progress(quiet=options.quiet) as progress:
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
        "resampling": (options.samples, options.level, options.seed) != (_SAMPLES, _LEVEL, _SEED),
        "a --pair other than en-fr": options.year == 2015 and options.pair != "en-fr",
    }
    if surplus := [name for name, used in given.items() if used]:
        raise OptionError(
            f"the official scorer does not support {surplus[0]}",
            where="--legacy",
            fix="leave one of the two out; without --legacy there are more options",
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
