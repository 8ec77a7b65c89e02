"""`anaphor predict show`: the components of a recipe and its published scores."""

from __future__ import annotations

import argparse

from anaphor.cli.commands import CommandParser
from anaphor.cli.output import add_output, print_result
from anaphor.cli.predict import options as shared

EXAMPLES = """examples:
  anaphor predict show uedin-2016
  anaphor predict show my-recipe.toml --json"""


def configure(parser: CommandParser) -> None:
    parser.add_argument("recipe", metavar="RECIPE", help=shared.RECIPE)
    add_output(parser)


def run(options: argparse.Namespace) -> None:
    from anaphor.recipes.recipe import load_recipe

    print_result(options, load_recipe(options.recipe))
