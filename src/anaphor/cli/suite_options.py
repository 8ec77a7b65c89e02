"""Options shared by several `anaphor suite` commands: the suite, the candidates, and their alignment."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from anaphor.cli.commands import CommandParser, OptionGroup
from anaphor.cli.options import add_whole_documents, named, packs_of, whole_documents_of
from anaphor.core.errors import OptionError

if TYPE_CHECKING:
    from anaphor.align import AlignerChoice
    from anaphor.core import LanguagePair
    from anaphor.corpus import Text
    from anaphor.segment.candidate import SegmentedCandidate
    from anaphor.suite import EvaluationOptions, GivenLinks, LoadedSuite


def add_suite(parser: CommandParser) -> None:
    """The suite, and the folder of its texts."""
    parser.add_argument("suite", metavar="SUITE", help="suite folder, or the suite's items file")
    parser.add_argument("--documents", metavar="FOLDER", help="folder of the texts (default: the suite's)")


def add_systems(
    group: OptionGroup,
    *,
    required: bool = True,
    source: str = "tokenized source of --alignment, if it differs from the suite's",
) -> None:
    """The candidates, and their alignments; `read_systems` reads both."""
    add = group.add_argument
    add(
        "--candidate",
        nargs="+",
        required=required,
        default=None if required else [],
        metavar="[NAME=]PATH",
        help="translations of all documents in order, or folders with a DOCUMENT.txt for each",
    )
    add_whole_documents(group)
    add(
        "--alignment",
        nargs="+",
        default=[],
        metavar="FILE",
        help="word alignment of each candidate, between space-separated tokens (default: computed)",
    )
    add("--source", metavar="FILE", help=source)


def add_aligner(group: OptionGroup) -> None:
    """Options for tokenization and alignment."""
    add = group.add_argument
    add("--tokenized", action="store_true", help="the texts are already tokenized: keep their tokens")
    add("--aligner", default="anaphor", metavar="NAME", help="word aligner, if no alignment is given")
    add(
        "--symmetrize",
        rare=True,
        default="",
        metavar="METHOD",
        help="symmetrization method (default: the aligner's)",
    )
    add(
        "--priors",
        rare=True,
        default="built-in",
        metavar="FILE",
        help="priors of the aligner: built-in, none or a file",
    )
    add("--packs", rare=True, metavar="FOLDER", help="folder with your own language packs")


def aligner_of(options: argparse.Namespace, pair: LanguagePair) -> AlignerChoice:
    from anaphor.align import AlignerChoice

    return AlignerChoice(
        pair=pair,
        name=options.aligner,
        symmetrization=options.symmetrize,
        priors=options.priors,
        packs=packs_of(options),
    )


def add_linking(parser: CommandParser) -> None:
    """Options for finding the candidate's words for an item, and for accepted translations."""
    group = parser.add_argument_group("how")
    add_aligner(group)
    add = group.add_argument
    add(
        "--references-only",
        action="store_true",
        help="do not accept approved alternatives, for comparability with published scores",
    )


def load(options: argparse.Namespace) -> LoadedSuite:
    from anaphor.suite import load_suite

    return load_suite(options.suite, documents=options.documents)


def read_systems(
    options: argparse.Namespace, loaded: LoadedSuite
) -> tuple[dict[str, Text], GivenLinks | None, dict[str, SegmentedCandidate]]:
    """The candidates, their alignments if `--alignment` is given, and how they were cut."""
    from anaphor.corpus import read_text
    from anaphor.segment.inputs import check_whole
    from anaphor.suite import read_links, read_whole_candidates

    files, whole = [*map(named, options.candidate)], whole_documents_of(options)
    if whole:
        check_whole(whole, dict(files), aligned=bool(options.alignment))
    candidates, segmentations = read_whole_candidates(loaded, files, whole)
    if not options.alignment:
        if options.source and not getattr(options, "pair", None):
            what = "a tokenized source only applies to given alignments"
            fix = "use both, or leave the source out: the suite has its own"
            raise OptionError(what, where="--source, --alignment", fix=fix)
        return candidates, None, segmentations
    source = read_text(options.source) if options.source else None
    return candidates, read_links(loaded, candidates, options.alignment, source=source), segmentations


def options_of(options: argparse.Namespace, pair: LanguagePair) -> EvaluationOptions:
    from anaphor.suite import EvaluationOptions

    return EvaluationOptions(
        aligner=aligner_of(options, pair),
        tokenized=options.tokenized,
        alternatives=not options.references_only,
    )
