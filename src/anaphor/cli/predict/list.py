"""`anaphor predict list`: the recipes, and the shipped models."""

from __future__ import annotations

import argparse

from anaphor.cli.commands import CommandParser
from anaphor.cli.output import add_output, print_result

EXAMPLES = """examples:
  anaphor predict list
  anaphor predict list --pair es-en
  anaphor predict list --json"""


def configure(parser: CommandParser) -> None:
    parser.add_argument("--pair", metavar="SRC-TGT", help="list only recipes for this pair")
    add_output(parser)


def run(options: argparse.Namespace) -> None:
    from anaphor.predict.shipped import shipped_models
    from anaphor.recipes.recipe import recipe_list

    print_result(options, recipe_list(options.pair, shipped_models()))
