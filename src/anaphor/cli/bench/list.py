"""`anaphor bench list`: the public test sets that can be read, and where to get them."""

from __future__ import annotations

import argparse

from anaphor.cli.output import add_output

EXAMPLES = """examples:
  anaphor bench list
  anaphor bench list ctxpro-formality"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", nargs="?", default="", metavar="NAME", help="show one set with its versions")
    add_output(parser)


def run(options: argparse.Namespace) -> None:
    from anaphor.bench import list_sets
    from anaphor.cli.output import print_result

    print_result(options, list_sets(options.name))
