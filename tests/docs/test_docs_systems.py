"""The pages of systems are made from recipes, code and results: none is missing, no figure is typed."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

from anaphor.predict.recipe import known_recipes

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
def test_every_recipe_has_a_page(name: str) -> None:
    text = (FOLDER / f"{name}.md").read_text(encoding="utf-8")
    assert text.startswith(f"# `{name}`: ")


def test_pages_say_what_recipes_code_and_results_say(writer: ModuleType) -> None:
    for path, text in writer.pages().items():
        assert path.read_text(encoding="utf-8") == text, "run benchmarks/predict-classic/pages.py --write"
