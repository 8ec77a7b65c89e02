"""`anaphor align run`: the links of a text and its translation."""

from __future__ import annotations

import argparse
from pathlib import Path

from anaphor.cli.align import options as shared
from anaphor.core.errors import OptionError


def configure(parser: argparse.ArgumentParser) -> None:
    shared.add_texts(parser)
    shared.add_choice(shared.add_training(parser))
    group = parser.add_argument_group("output")
    group.add_argument("--output", metavar="FILE", help="write the links to FILE instead of standard output")
    group.add_argument(
        "--scores",
        metavar="FILE",
        help="also write the confidence of every link, 0 to 1, in the order of the links",
    )
    group.add_argument("--json", action="store_true", help="print the links with their confidences as JSON")


def run(options: argparse.Namespace) -> None:
    from anaphor.align.texts import align_texts
    from anaphor.cli.terminal import Progress
    from anaphor.core import LanguagePair
    from anaphor.corpus import write_atomically
    from anaphor.report.emit import to_json

    choice = shared.choice_of(options, LanguagePair.parse(options.pair))
    shared.check_standard_input(options, options.source, options.target)
    for path in filter(None, (options.output, options.scores)):
        shared.check_writable(path)
    if options.scores and options.output and Path(options.scores).resolve() == Path(options.output).resolve():
        raise OptionError(
            f"links and confidences would both be written to {options.output}",
            where="--output, --scores",
            fix="name two files",
        )
    if options.scores and not choice.has_confidences:
        raise OptionError(
            "only links from posteriors or from one direction have confidences",
            where="--scores",
            fix="omit it, or use the aligner anaphor with --symmetrize posterior, forward, reverse",
        )
    with Progress(quiet=options.quiet) as progress:
        found = align_texts(
            choice,
            (options.source, options.target),
            tokenized=options.tokenized,
            training=options.train,
            model=shared.model_of(options),
            tell=progress,
        )
    if options.output:
        write_atomically(options.output, found.links_text())
    if options.scores:
        write_atomically(options.scores, found.confidences_text())
    if options.json:
        print(to_json(found.to_dict(), indent=None))
    elif not options.output:
        print(found.links_text(), end="")
