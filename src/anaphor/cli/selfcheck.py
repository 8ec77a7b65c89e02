"""`anaphor selfcheck`: check that every metric gives the reference full marks."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING

from anaphor.cli.commands import CommandParser
from anaphor.cli.options import add_files, add_settings, files_of, packs_of, settings_of
from anaphor.cli.output import add_output, print_result

if TYPE_CHECKING:
    from anaphor.scoring.selfcheck import CheckFinding, SelfCheckReport

EXAMPLES = """examples:
  anaphor selfcheck                                   (built-in packs and the demo documents)
  anaphor selfcheck --pair en-fr --packs my-packs     (your own pair)
  anaphor selfcheck --pair en-fr --source src.en --reference ref.fr
  anaphor selfcheck --suite my-suite                  (a test suite)"""


def configure(parser: CommandParser) -> None:
    add_files(parser, candidates=False)
    add_settings(parser, pair_required=False)
    parser.add_argument("--suite", metavar="SUITE", help="check only this test suite")
    add_output(parser)


def run(options: argparse.Namespace) -> None:
    from anaphor.scoring.selfcheck import SelfCheckReport

    where = options.suite or options.set or options.source or options.pair or "built-in packs and demo"
    print_checks(options, SelfCheckReport(tuple(_findings(options)), where))


def print_checks(options: argparse.Namespace, report: SelfCheckReport) -> None:
    """Print the findings, and raise if any check failed."""
    print_result(options, report)
    report.require()


def _findings(options: argparse.Namespace) -> Iterator[CheckFinding]:
    from anaphor.core import LanguagePair, OptionError
    from anaphor.languages import load_pair
    from anaphor.scoring.selfcheck import check_built_in, check_files, check_pack, check_suite
    from anaphor.suite import EvaluationOptions, load_suite

    files = files_of(options)
    folder = packs_of(options)
    if options.suite is not None:
        from anaphor.align import AlignerChoice

        if options.pair is not None or files.paths():
            what = "a suite contains its own pair and texts"
            fix = "leave out --pair and all other files; `anaphor suite check` has options for suites"
            raise OptionError(what, where="--suite", fix=fix)
        loaded = load_suite(options.suite)
        choice = AlignerChoice(
            pair=loaded.suite.pair, name=options.aligner, symmetrization=options.symmetrize, packs=folder
        )
        yield from check_suite(loaded, EvaluationOptions(aligner=choice, tokenized=options.tokenized))
    elif options.pair is not None:
        yield from check_pack(load_pair(LanguagePair.parse(options.pair), folder=folder))
        if files.paths():
            yield from check_files(files, settings_of(options))
    elif files.paths():
        raise OptionError(
            "no language pair is given for these files",
            where="--pair",
            fix="add it, for example --pair en-fr",
        )
    else:
        yield from check_built_in(folder)
