"""`anaphor pack`: packs for your own language pair: templates, what works, an alignment prior."""

from __future__ import annotations

import argparse
from pathlib import Path

from anaphor.cli.commands import Command, CommandParser
from anaphor.cli.options import packs_of
from anaphor.cli.output import add_output, print_result
from anaphor.cli.terminal import TerminalProgress
from anaphor.core.progress import in_percent
from anaphor.core.text import LanguagePair

EXAMPLES = """examples:
  anaphor pack new en-sv --output my-packs
  anaphor pack check en-sv --packs my-packs
  anaphor pack build en-sv --texts more.en.gz more.sv.gz --output my-packs"""


def configure_new(parser: CommandParser) -> None:
    _add_pair(parser)
    parser.add_argument("--output", default="packs", metavar="FOLDER", help="folder of packs (default packs)")


def run_new(options: argparse.Namespace) -> None:
    from anaphor.languages.template import write_template

    print("\n".join(write_template(LanguagePair.parse(options.pair), options.output)))


def configure_check(parser: CommandParser) -> None:
    _add_pair(parser)
    parser.add_argument("--packs", metavar="FOLDER", help="folder with your own language packs")
    add_output(parser)


def run_check(options: argparse.Namespace) -> None:
    from anaphor.scoring.pack_check import check_packs

    print_result(options, check_packs(LanguagePair.parse(options.pair), folder=packs_of(options)))


def configure_build(parser: CommandParser) -> None:
    _add_pair(parser)
    parser.add_argument(
        "--texts",
        nargs=2,
        action="append",
        required=True,
        metavar="FILE",
        help="a text and its translation, line by line; may be repeated",
    )
    parser.add_argument(
        "--output",
        required=True,
        metavar="FOLDER",
        help="folder of your packs",
    )
    add_output(parser)


def run_build(options: argparse.Namespace) -> None:
    from anaphor.align.prior_building import build_prior

    pair = LanguagePair.parse(options.pair)
    with TerminalProgress(quiet=options.quiet) as progress:
        texts = [(source, target) for source, target in options.texts]
        built = build_prior(pair, texts, Path(options.output), progress=in_percent(progress))
    print_result(options, built)


def _add_pair(parser: CommandParser) -> None:
    parser.add_argument("pair", metavar="SRC-TGT", help="language pair, such as en-sv")


COMMANDS = {
    "new": Command("write packs to fill in for a new language pair", configure_new, run_new),
    "check": Command(
        "say what works for a language pair, and what is missing",
        configure_check,
        run_check,
    ),
    "build": Command(
        "learn an alignment prior from parallel text",
        configure_build,
        run_build,
    ),
}
