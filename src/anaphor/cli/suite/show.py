"""`anaphor suite show`: what a suite consists of, or single items in their text."""

from __future__ import annotations

import argparse

from anaphor.cli.output import add_output
from anaphor.cli.suite.options import add_suite, load


def configure(parser: argparse.ArgumentParser) -> None:
    add_suite(parser)
    parser.add_argument("--item", nargs="+", default=[], metavar="ID", help="show these items")
    add_output(parser)


def run(options: argparse.Namespace) -> None:
    from anaphor.cli.output import print_result
    from anaphor.suite import read_suite
    from anaphor.suite.overview import item_overview, suite_overview

    if options.item:
        print_result(options, item_overview(load(options), options.item))
    else:
        print_result(options, suite_overview(read_suite(options.suite)))
