"""`anaphor predict ensemble`: combine several trained models into one."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from anaphor.cli.commands import CommandParser
from anaphor.cli.output import add_output, print_result
from anaphor.cli.predict import options as shared
from anaphor.cli.task import classes_of
from anaphor.cli.terminal import TerminalProgress
from anaphor.core.errors import OptionError

if TYPE_CHECKING:
    from anaphor.core import TaskSegment

EXAMPLES = """examples:
  anaphor predict ensemble anaphor-2-small stymne turku --pair en-fr --dev dev.tsv.gz --output three
  anaphor predict ensemble stymne turku --dev dev.tsv --dev-documents ids.txt --metric accuracy --output two
  anaphor predict ensemble seed-1 seed-2 seed-3 --equal --means geometric --output seeds

The result is an ordinary model that contains its members: `anaphor predict run three test.tsv`."""

#: Names of the means on the command line, and in a mixture: the geometric mean is that of the logarithms.
_MEANS = {"linear": "linear", "geometric": "log"}


def configure(parser: CommandParser) -> None:
    add = parser.add_argument_group("models").add_argument
    add("models", nargs="+", metavar="MODEL", help="folder of a trained model, or name of a shipped one")
    add("--pair", metavar="SRC-TGT", help="language pair; needed if a member covers several")
    add("--year", type=int, metavar="YYYY", help="task year, for a model trained for several years")
    weights = parser.add_argument_group("weights").add_argument
    weights("--dev", metavar="FILE", help="five-column file with labels to tune the weights on")
    weights(
        "--dev-documents", metavar="FILE", help="its document ids (default: the .doc-ids file next to it)"
    )
    weights(
        "--metric",
        choices=("macro-recall", "accuracy"),
        default="macro-recall",
        help="metric to tune the weights for (default macro-recall)",
    )
    weights(
        "--means",
        choices=tuple(_MEANS),
        default="linear",
        help="how probabilities are averaged (default linear)",
    )
    weights("--equal", action="store_true", help="use equal weights; needs no --dev")
    weights("--packs", rare=True, metavar="FOLDER", help="folder with your own language packs")
    output = parser.add_argument_group("output")
    output.add_argument("--output", required=True, metavar="FOLDER", help="where to write the model")
    add_output(output)


def run(options: argparse.Namespace) -> None:
    from anaphor.predict.data import check_fit, read_segments
    from anaphor.predict.ensemble.mixture import EnsembleOptions
    from anaphor.predict.ensemble.model import build_ensemble, check_members, find_members
    from anaphor.predict.model_folder import check_output

    check_output(Path(options.output))
    if options.dev is None and not options.equal:
        raise OptionError(
            "no development data to tune the weights on",
            where="--dev",
            fix="pass a file with labels, or --equal for equal weights",
        )
    if twice := [name for name in options.models if options.models.count(name) > 1]:
        raise OptionError(f"duplicate model: {twice[0]}", where="MODEL", fix="give each model once")
    with TerminalProgress(quiet=options.quiet) as progress:
        progress("reading the models")
        for name in options.models:
            shared.check_trained(name)
        members = find_members(options.models, pair=options.pair, year=options.year)
        check_members(members)
        dev: tuple[TaskSegment, ...] = ()
        if options.dev is not None:
            card = members[options.models[0]].card
            classes = classes_of(options, card)
            dev = read_segments(options.dev, classes=classes, documents=options.dev_documents)
            check_fit(card, classes=classes, segments=dev)
        progress("predicting the development data")
        tuning = EnsembleOptions(metric=options.metric, means=_MEANS[options.means])
        ensemble = build_ensemble(members, dev=dev, options=tuning, equal=options.equal)
        ensemble.model.save(Path(options.output))
    tuned_on = None if options.equal else options.dev
    print_result(options, replace(ensemble, output=options.output, tuned_on=tuned_on))
