"""The pages of systems are made from recipes, code and results: none is missing, no figure is typed."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

from anaphor.recipes.recipe import known_recipes

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs" / "systems"


@pytest.fixture(scope="module")
def writer() -> ModuleType:
    """The script that writes the pages; it lies beside the results."""
    sys.path.insert(0, str(ROOT / "benchmarks" / "predict-classic"))
    try:
        return import_module("pages")
    finally:
        sys.path.pop(0)


@pytest.mark.parametrize("name", known_recipes())
def test_every_recipe_is_in_the_table_and_has_its_details(name: str) -> None:
    assert f"\n| [`{name}`](recipes.md#{name}) |" in (FOLDER / "README.md").read_text(encoding="utf-8")
    assert f"\n## {name}\n" in (FOLDER / "recipes.md").read_text(encoding="utf-8")


def test_pages_say_what_recipes_code_and_results_say(writer: ModuleType) -> None:
    pages = list(writer.pages().items())
    assert pages
    for path, text in pages:
        assert path.read_text(encoding="utf-8") == text, "run benchmarks/predict-classic/pages.py --write"


@pytest.fixture(scope="module")
def tables(writer: ModuleType) -> ModuleType:
    """The module that the script makes its tables with; `writer` has imported it."""
    return import_module("tables")


def run_of(recipe: str, right: int, wrong: int, **more: object) -> dict[str, object]:
    """A run on a test of two classes, of which the second is never predicted right."""
    score = right / (right + wrong)
    run = {"recipe": recipe, "variant": "", "pair": "en-fr", "style": 2016, "test": "test", "seed": 1}
    counts = {"matrix": [[right, 0], [wrong, 0]], "macro_recall": score, "accuracy": score}
    return {**run, **counts, "intervals": None, "train_slots": 50, **more}


def test_runs_on_an_earlier_test_set_are_left_out(tables: ModuleType) -> None:
    """Other placeholders, other figures: they are named below the table and are not in it."""
    runs = [run_of("majority", 4, 6), run_of("limsi-2016", 6, 4), run_of("idiap-2016", 90, 10)]
    now, earlier = tables.same_test(runs)
    assert ([run["recipe"] for run in now], earlier) == (["majority", "limsi-2016"], [runs[2]])
    page = tables.overview([*runs, run_of("majority", 4, 6, test="teddev")])
    held_out = page.partition("### en-fr, held-out debates")[2].partition("###")[0]
    assert "are not listed: `idiap-2016`." in held_out
    assert "| 90.0" not in held_out


def test_the_best_system_is_named_by_each_measure(tables: ModuleType) -> None:
    runs = [
        run_of("limsi-2016", 5, 5, macro_recall=0.9, accuracy=0.2),
        run_of("uedin-2016", 5, 5, macro_recall=0.4, accuracy=0.8),
        run_of("anaphor-linear", 5, 5, macro_recall=1.0, accuracy=1.0),  # ours, not rebuilt
    ]
    row = tables.best_table(runs).splitlines()[-1]
    assert "| `limsi-2016` 90.0 / 20.0 | `uedin-2016` 40.0 / 80.0" in row


def test_orders_are_compared_within_a_year(tables: ModuleType) -> None:
    names = ["turku-2016", "ukyoto-2016", "uedin-2016", "limsi-2016", "uhelsinki-2016"]  # as published
    runs = [run_of(name, 50 - n, 50 + n) for n, name in enumerate(names)]
    runs += [run_of("turku-2017", 1, 99)]  # one of 2017 alone has no order
    rows = tables.order_table(runs).splitlines()[2:]
    assert [row.split(" | ")[:5] for row in rows] == [
        ["| en-fr", "held-out debates", "2016", "5", "1.00"],
    ]


@pytest.mark.parametrize(
    ("recipe", "text"),
    [
        ("uedin-2016", "50 + it + genders"),
        ("uuppsala-2016", "50 + it"),
        ("anaphor-2", "50 + all pairs"),
        ("anaphor-local", "50"),
    ],
)
def test_trained_on_names_all_data_of_a_system(tables: ModuleType, recipe: str, text: str) -> None:
    assert tables.trained_on(run_of(recipe, 1, 1)) == text
