"""What the jobs of `anaphor suite` share: the suite and its texts, and how candidates are linked to it."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from anaphor.core import LanguagePair
    from anaphor.suite import EvaluationOptions, LoadedSuite


def add_suite(parser: argparse.ArgumentParser) -> None:
    """The suite, and where its texts lie."""
    parser.add_argument("suite", metavar="SUITE", help="folder with suite.toml, or its file of items")
    parser.add_argument(
        "--documents", metavar="FOLDER", help="the texts, where they are not in the folder of the suite"
    )


def add_linking(parser: argparse.ArgumentParser) -> argparse._ArgumentGroup:
    """How a candidate's words for an item are found, and what is accepted."""
    group = parser.add_argument_group("how")
    add = group.add_argument
    add("--tokenized", action="store_true", help="the texts are tokenised: keep their tokens")
    add("--aligner", default="anaphor", metavar="NAME", help="makes the alignments that are not given")
    add("--symmetrize", default="", metavar="WAY", help="how it joins both directions, if not in its own way")
    add("--priors", default="built-in", metavar="FILE", help="of the aligner: built-in, none or a file")
    add(
        "--references-only",
        action="store_true",
        help="accept no approved alternatives: figures that others can compare with theirs",
    )
    add("--level", type=float, default=0.95, metavar="P", help="of the intervals (default 0.95)")
    return group


def load(options: argparse.Namespace) -> LoadedSuite:
    from anaphor.suite import load_suite

    return load_suite(options.suite, documents=options.documents)


def settings_of(options: argparse.Namespace, pair: LanguagePair) -> EvaluationOptions:
    from anaphor.align import AlignerChoice
    from anaphor.suite import EvaluationOptions

    return EvaluationOptions(
        aligner=AlignerChoice(
            pair=pair,
            name=options.aligner,
            symmetrization=options.symmetrize,
            priors=options.priors,
        ),
        tokenised=options.tokenized,
        alternatives=not options.references_only,
        level=options.level,
    )
