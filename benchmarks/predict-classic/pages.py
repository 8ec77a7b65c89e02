"""The pages of docs/systems, written from recipes, results and published tables: no figure is typed by hand.

Usage: python benchmarks/predict-classic/pages.py [--write]

Results are all JSON files of benchmarks/predict-*/results with a list of runs (README.md has the format).
Without --write it says which pages would change. What stands between the marks of remarks is kept.
"""

from __future__ import annotations

import argparse
import inspect
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tables import (
    PARTS,
    ROOT,
    UNITS,
    Run,
    ablation_tables,
    above_baseline,
    learned,
    ordered,
    overview,
    published,
    read_runs,
    same_test,
    scores,
    table,
)

from anaphor.predict.families import FAMILIES
from anaphor.predict.options import OptionInfo, Options, option_table
from anaphor.recipes.features.groups import group_table
from anaphor.recipes.recipe import Recipe, known_recipes, load_recipe

FOLDER = ROOT / "docs" / "systems"
REMARKS = ("<!-- remarks -->", "<!-- end of remarks -->")
TABLES = ("<!-- tables: python benchmarks/predict-classic/pages.py --write -->", "<!-- end of tables -->")
#: Where the families of families.md are; the neural ones are described by their recipes.
DESCRIBED = (
    "anaphor.recipes.classic.",
    "anaphor.predict.ensemble.",
    "anaphor.predict.hub.",
    "anaphor.predict.server.",
)
Pages = dict[Path, str]


def pages() -> Pages:
    """Every page with the text that it should have."""
    runs = read_runs()
    plain = [run for run in runs if not run["variant"]]
    names = [name for name in known_recipes() if _is_ours(FOLDER / f"{name}.md")]
    current, _ = same_test(plain)
    found = {FOLDER / f"{name}.md": recipe_page(load_recipe(name), current) for name in names}
    found[FOLDER / "features.md"] = features_page()
    found[FOLDER / "families.md"] = families_page()
    found[FOLDER / "README.md"] = filled(FOLDER / "README.md", TABLES, overview(plain))
    found[FOLDER / "ablations.md"] = filled(FOLDER / "ablations.md", TABLES, ablation_tables(runs))
    return found


def _is_ours(page: Path) -> bool:
    """Whether a page may be written: it is not there, or it has the marks of remarks."""
    return not page.is_file() or REMARKS[0] in page.read_text(encoding="utf-8")


def filled(path: Path, marks: tuple[str, str], text: str) -> str:
    """The page with the text between the marks replaced; the rest is written by people."""
    start, end = marks
    old = path.read_text(encoding="utf-8") if path.is_file() else f"# {path.stem}\n\n{start}\n{end}\n"
    head, _, rest = old.partition(start)
    return f"{head}{start}\n\n{text}\n\n{end}{rest.partition(end)[2]}"


def recipe_page(recipe: Recipe, runs: Sequence[Run]) -> str:
    """Idea, features, deviations, figures; remarks of people are kept."""
    blocks = [
        f"# `{recipe.name}`: {recipe.title}",
        recipe.idea,
        f"Paper: {recipe.paper}. Training: {recipe.training}.",
        f"## Features and learner\n\n{_settings(recipe.settings)}",
    ]
    if recipe.differs:
        rows = [[entry.original, entry.here, entry.why] for entry in recipe.differs]
        blocks.append(f"## What differs\n\n{table(['original', 'here', 'why'], rows)}")
    if recipe.open_choices:
        rows = [[entry.question, entry.choice] for entry in recipe.open_choices]
        blocks.append(f"## What the papers leave open\n\n{table(['question', 'choice'], rows)}")
    blocks.append(f"## Figures\n\n{_figures(recipe, runs)}")
    blocks.append(f"## What we see\n\n{REMARKS[0]}\n{_remarks(FOLDER / f'{recipe.name}.md')}{REMARKS[1]}")
    return "\n\n".join(blocks) + "\n"


def _remarks(path: Path) -> str:
    old = path.read_text(encoding="utf-8") if path.is_file() else ""
    match = re.search(f"{REMARKS[0]}\n(.*?){REMARKS[1]}", old, re.DOTALL)
    return match[1] if match else ""


def _settings(settings: Any, level: str = "") -> str:
    lines = [f"{level}- family `{settings['family']}`{_options(settings.get('options', {}))}"]
    for name, options in settings.get("features", {}).items():
        lines.append(f"{level}- [`{name}`](features.md#{name}){_options(options)}")
    inside = {key: settings[key] for key in ("first", "second") if key in settings}
    inside |= {f"member {i}": member for i, member in enumerate(settings.get("members", []), start=1)}
    for name, recipe in inside.items():
        lines += [f"{level}- {name}:", _settings(recipe, level + "  ")]
    return "\n".join(lines)


def _options(options: Any) -> str:
    return "" if not options else ": " + ", ".join(f"`{key} = {_value(v)}`" for key, v in options.items())


def _value(value: Any) -> str:
    return json.dumps(value) if isinstance(value, bool | list | tuple) else str(value)


def _figures(recipe: Recipe, runs: Sequence[Run]) -> str:
    own = [run for run in runs if run["recipe"] == recipe.name]
    rows = []
    for run in ordered(own):
        past = published(recipe, run["pair"]) if run["pair"] in recipe.submitted else ""
        row = [f"{run['pair']} {run['style']}", PARTS[run["test"]], *scores(run)]
        rows.append([*row, above_baseline(run, runs), learned(run), past])
    absent = [pair for pair in recipe.submitted if pair not in {run["pair"] for run in own}]
    rows += [[pair, "", "", "", "", "", published(recipe, pair)] for pair in absent]
    if not rows:
        return "No results yet."
    head = ["data", "test", "macro-recall", "accuracy", "above `baseline-tuned`", "learned from"]
    return f"{table([*head, 'published: macro-recall / accuracy'], rows)}\n\n{UNITS}"


def features_page() -> str:
    """All feature groups with their options."""
    blocks = [
        "# Features",
        "Feature groups that recipes name under `[features.NAME]`, each with its options. The prefix of a "
        "feature shows its group.\nThis page is generated from the code: "
        "`python benchmarks/predict-classic/pages.py --write`.",
    ]
    blocks += [_described(group.name, group.about, group.options) for group in group_table()]
    return "\n\n".join(blocks) + "\n"


def families_page() -> str:
    """The families and their options."""
    blocks = [
        "# Families",
        "Families that recipes name by `family`, with their `[options]`. The neural families are "
        "described by their recipes.\nThis page is generated from the code: "
        "`python benchmarks/predict-classic/pages.py --write`.",
    ]
    for name in FAMILIES:
        if FAMILIES.target(name).startswith(DESCRIBED):
            family = FAMILIES.get(name)
            options = getattr(family, "options", Options)
            rows = option_table(options)
            # A family without options describes itself.
            blocks.append(_described(name, inspect.getdoc(options if rows else family), rows))
    return "\n\n".join(blocks) + "\n"


def _described(name: str, about: str | None, options: Sequence[OptionInfo]) -> str:
    rows = [[f"`{row.name}`", f"`{_value(row.default)}`", row.help] for row in options]
    shown = table(["option", "default", "meaning"], rows) if rows else "No options."
    return f"## {name}\n\n{about or ''}\n\n{shown}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="write the pages")
    options = parser.parse_args()
    FOLDER.mkdir(exist_ok=True)
    for path, text in pages().items():
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            print(path.relative_to(ROOT))
            if options.write:
                path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
