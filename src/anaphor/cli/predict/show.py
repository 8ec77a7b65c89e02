"""`anaphor predict show`: one recipe in full."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from anaphor.cli.predict.options import RECIPE

if TYPE_CHECKING:
    from anaphor.predict.recipe import Recipe

EXAMPLES = """examples:
  anaphor predict show uedin-2016
  anaphor predict show my-recipe.toml --json"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("recipe", metavar="RECIPE", help=RECIPE)
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(options: argparse.Namespace) -> None:
    from anaphor.predict.recipe import load_recipe

    recipe = load_recipe(options.recipe)
    print(_as_json(recipe) if options.json else "\n\n".join(_blocks(recipe)))


def _blocks(recipe: Recipe) -> Iterator[str]:
    yield f"{recipe.name}: {recipe.title}\n{recipe.idea}"
    yield "\n".join(
        [
            f"paper     {recipe.paper}",
            f"family    {recipe.family}",
            f"pairs     {', '.join(recipe.pairs)}",
            f"training  {recipe.training}",
            f"digest    {recipe.digest}",
        ]
    )
    yield "\n".join(_settings(recipe.settings))
    for difference in recipe.differs:
        yield f"differs: {difference.original}\n   here: {difference.here}\n    why: {difference.why}"
    for entry in recipe.open_choices:
        yield f"open:    {entry.question}\n chosen: {entry.choice}"
    if recipe.submitted:
        yield _published(recipe)


def _settings(settings: Mapping[str, Any], indent: str = "") -> Iterator[str]:
    """Features and options, a line each; the recipes inside a recipe stand below it."""
    for name, options in settings.get("features", {}).items():
        yield f"{indent}feature   {name} {_pairs(options)}".rstrip()
    if settings.get("options"):
        yield f"{indent}options   {_pairs(settings['options'])}"
    inside = {key: settings[key] for key in ("first", "second") if key in settings}
    inside |= {f"member {i}": member for i, member in enumerate(settings.get("members", ()), start=1)}
    for key, recipe in inside.items():
        yield f"{indent}{key}: {recipe.get('family')}"
        yield from _settings(recipe, indent + "  ")


def _pairs(options: Mapping[str, Any]) -> str:
    return ", ".join(f"{key} = {value}" for key, value in options.items())


def _published(recipe: Recipe) -> str:
    from anaphor.cli.terminal import paint
    from anaphor.core.table import format_percent
    from anaphor.report.table import table

    rows = [["published", "year", "system", "macro-recall", "accuracy"]]
    for pair, submission in recipe.submitted.items():
        found = _row(pair, submission.year, submission.system)
        rows.append(
            [pair, str(submission.year), submission.system, *(format_percent(share, 2) for share in found)]
        )
    return table(rows, paint=paint())


def _row(pair: str, year: int, system: str) -> tuple[float, float]:
    """Macro-averaged recall and accuracy of a published system."""
    from anaphor.core import LanguagePair
    from anaphor.task.published import published_results

    systems = published_results(LanguagePair.parse(pair), year=year).systems
    found = next(row for row in systems if row.name == system)
    return found.macro_recall, found.accuracy


def _as_json(recipe: Recipe) -> str:
    import json
    from dataclasses import asdict

    content = asdict(recipe)
    for pair, submission in content["submitted"].items():
        recall, accuracy = _row(pair, submission["year"], submission["system"])
        submission |= {"macro-recall": recall, "accuracy": accuracy}
    return json.dumps(content, ensure_ascii=False, indent=2)
