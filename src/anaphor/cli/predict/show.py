"""`anaphor predict show`: one recipe in full."""

from __future__ import annotations

import argparse

from anaphor.cli.output import add_output, print_result
from anaphor.cli.predict.options import RECIPE

EXAMPLES = """examples:
  anaphor predict show uedin-2016
  anaphor predict show my-recipe.toml --json"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("recipe", metavar="RECIPE", help=RECIPE)
    add_output(parser)


def run(options: argparse.Namespace) -> None:
    from anaphor.predict.recipe import load_recipe

    print_result(options, load_recipe(options.recipe))
