"""The tables of systems, written from recipes, results and published tables: no figure is typed by hand.

Usage: python benchmarks/predict-classic/pages.py [--write]

docs/systems has one table of all systems, the details of every recipe, and a reference of feature groups and
families; README.md here has all results, with intervals. Results are all JSON files of
benchmarks/predict-*/results with a list of runs (README.md has the format). Without --write it prints which
pages would change.
"""

from __future__ import annotations

import argparse
import inspect
import json
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tables import ROOT, UNITS, ablation_tables, overview, read_runs, same_test, summary, table

from anaphor.predict.families import FAMILIES
from anaphor.predict.options import OptionInfo, Options, option_table
from anaphor.recipes.features.groups import group_table
from anaphor.recipes.recipe import Recipe, known_recipes, load_recipe

FOLDER = ROOT / "docs" / "systems"
README = ROOT / "benchmarks" / "predict-classic" / "README.md"
REMARKS = README.with_name("remarks.toml")
TABLES = ("<!-- tables: python benchmarks/predict-classic/pages.py --write -->", "<!-- end of tables -->")
ABLATIONS = ("<!-- ablations -->", "<!-- end of ablations -->")
GENERATED = "This page is generated: `python benchmarks/predict-classic/pages.py --write`."
#: Where the families of the reference are; the neural ones are described by their recipes.
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
    remarks = tomllib.loads(REMARKS.read_text(encoding="utf-8"))
    results = filled(README.read_text(encoding="utf-8"), TABLES, f"{overview(plain)}\n\n{seen(remarks)}")
    system_table = f"{summary(same_test(plain)[0])}\n\n{UNITS}"
    systems = FOLDER / "README.md"
    return {
        systems: filled(systems.read_text(encoding="utf-8"), TABLES, system_table),
        FOLDER / "recipes.md": recipes_page(),
        FOLDER / "features.md": features_page(),
        README: filled(results, ABLATIONS, ablation_tables(runs)),
    }


def filled(page: str, marks: tuple[str, str], text: str) -> str:
    """The page with the text between the marks replaced; the rest is written by people."""
    start, end = marks
    head, _, rest = page.partition(start)
    return f"{head}{start}\n\n{text}\n\n{end}{rest.partition(end)[2]}"


def seen(remarks: Mapping[str, str]) -> str:
    """What the results show, recipe by recipe."""
    rows = [[f"`{name}`", " ".join(text.split())] for name, text in remarks.items()]
    return f"### What the results show\n\n{table(['system', 'remarks'], rows)}"


def recipes_page() -> str:
    """Idea, paper and deviations of every recipe."""
    shown: dict[str, str] = {}
    blocks = [
        "# Recipes",
        "This page describes every recipe: its idea, its paper, and how it differs from the\n"
        "original. `anaphor predict show NAME` lists its features and options. Unless stated otherwise,\n"
        "recipes are trained on all prepared data for the pair, and the originals were trained on the\n"
        f"task's data. {GENERATED}",
        *(recipe_section(load_recipe(name), shown) for name in known_recipes()),
        NOT_REPRODUCED,
    ]
    return "\n\n".join(blocks) + "\n"


#: Said once, at the head of the page.
USUAL = (
    "all prepared data for the pair",
    "all prepared data for the pair; the original used only the task's data",
)


def recipe_section(recipe: Recipe, shown: dict[str, str]) -> str:
    """A recipe; lines that an earlier recipe has as well (`shown`, by line) are replaced by its name."""
    lines = [f"- Paper: {recipe.paper}."]
    if recipe.training not in USUAL:
        lines.append(f"- Training data: {recipe.training}.")
    lines += [
        f"- Original: {_ended(entry.original)} Here: {_ended(entry.here)} Reason: {_ended(entry.why)}"
        for entry in recipe.differs
    ]
    lines += [f"- Not specified: {_ended(c.question)} Here: {_ended(c.choice)}" for c in recipe.open_choices]
    repeated = Counter(shown[line] for line in lines if line in shown)
    new = [line for line in lines if line not in shown]
    for name, count in repeated.items():
        entries, applies = ("entry", "applies") if count == 1 else ("entries", "apply")
        new.append(f"- {count} {entries} of [`{name}`](#{name}) also {applies}.")
    shown |= {line: shown.get(line, recipe.name) for line in lines}
    title = recipe.title[0].upper() + recipe.title[1:]
    return f"## {recipe.name}\n\n{_ended(title)} {recipe.idea}\n\n" + "\n".join(new)


def _ended(text: str) -> str:
    return text if text.endswith((".", "?")) else f"{text}."


NOT_REPRODUCED = """## Submissions without a recipe

The papers list results of three contrastive submissions without saying how they differ from the teams'
primary submissions: Idiap-contrastive of 2016 (wmt16-findings, Table 9), and TurkuNLP-contrastive and
UU-Hardmeier-contrastive of 2017 (discomt17-findings, Tables 5 to 8). A recipe would be a guess, so we provide
none; [`anaphor task published`](../task/published.md) shows their scores. Idiap's rules are not published
either: [`idiap-2016`](#idiap-2016) reproduces its language model and adds two of our own rules."""


def features_page() -> str:
    """All feature groups and families with their options."""
    blocks = [
        "# Feature groups and families",
        "A [recipe](README.md#your-own-recipes) combines these parts. It names feature groups under\n"
        "`[features.NAME]`, the family (the learner) under `family`, and the family's options under\n"
        "`[options]`. The prefix of a feature shows its group. The [recipes](recipes.md) describe the\n"
        "neural families.\n"
        f"{GENERATED}",
        "## Feature groups",
        *(_described(group.name, group.about, group.options) for group in group_table()),
        "## Families",
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
    rows = [f"- option `{row.name}`: {row.help} (default `{_value(row.default)}`)" for row in options]
    return f"### {name}\n\n{about or ''}\n\n" + ("\n".join(rows) or "No options.")


def _value(value: Any) -> str:
    return json.dumps(value) if isinstance(value, bool | list | tuple) else str(value)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="write the pages")
    options = parser.parse_args()
    for path, text in pages().items():
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            print(path.relative_to(ROOT))
            if options.write:
                path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
