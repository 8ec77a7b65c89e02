"""`anaphor predict list`: the recipes and the models that ship."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from anaphor.predict.recipe import Recipe

EXAMPLES = """examples:
  anaphor predict list
  anaphor predict list --pair es-en
  anaphor predict list --json"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--pair", metavar="SRC-TGT", help="recipes for this pair alone")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(options: argparse.Namespace) -> None:
    from anaphor.predict.recipe import known_recipes, load_recipe
    from anaphor.predict.shipped import shipped_models

    recipes = [load_recipe(name) for name in known_recipes()]
    chosen = [recipe for recipe in recipes if options.pair is None or options.pair in recipe.pairs]
    print((_as_json if options.json else _as_text)(chosen, shipped_models()))


def _as_text(recipes: Sequence[Recipe], models: Sequence[str]) -> str:
    from anaphor.cli.terminal import paint

    rows = [("recipe", "family", "pairs", "system")]
    rows += [(recipe.name, recipe.family, " ".join(recipe.pairs), recipe.title) for recipe in recipes]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
    shown = "\n".join([paint().bold(lines[0]), *lines[1:]])
    return f"{shown}\n\ntrained models that ship: {', '.join(models) or 'none'}"


def _as_json(recipes: Sequence[Recipe], models: Sequence[str]) -> str:
    import json

    entries = [
        {"name": recipe.name, "family": recipe.family, "pairs": list(recipe.pairs), "title": recipe.title}
        for recipe in recipes
    ]
    return json.dumps({"recipes": entries, "models": list(models)}, ensure_ascii=False, indent=2)
