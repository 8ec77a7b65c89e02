"""The tool that learns Spanish nouns from texts: plurals, singulars, and a few lines that show genders."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from anaphor.analyse.nouns import Masks

TOOLS = Path(__file__).resolve().parents[2] / "tools"
TEXT = [
    "La reforma de la fábrica y de la fábrica vieja.",
    "En el tejado y sobre el tejado.",
    "Unos gatos negros y unas gatas negras; un gato negro, una gata negra, otros gatos negros.",
    "No la llama; de la nube, una nube.",
    "Un artista y un artista.",
]


@pytest.fixture
def tool(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(TOOLS))
    yield import_module("spanish_nouns")
    sys.modules.pop("spanish_nouns")


@pytest.mark.parametrize(
    ("one", "many"),
    [
        ("casa", "casas"),
        ("café", "cafés"),
        ("voz", "voces"),
        ("nación", "naciones"),
        ("inglés", "ingleses"),
        ("país", "países"),
        ("baúl", "baúles"),
        ("imagen", "imágenes"),
        ("plan", "planes"),
        ("ley", "leyes"),
        ("mes", "meses"),
        ("crisis", "crisis"),
        ("lunes", "lunes"),
        ("robot", "robots"),
        ("rubí", "rubíes"),
    ],
)
def test_plurals_are_formed(tool: Any, one: str, many: str) -> None:
    assert tool.plural(one, {}) == many
    assert tool.plural(one, {one: "others"}) == "others"


@pytest.mark.parametrize(
    ("many", "known", "one"),
    [
        ("voces", (), "voz"),
        ("dulces", ("dulce",), "dulce"),
        ("naciones", (), "nación"),
        ("planes", ("plan",), "plan"),
        ("ciudades", (), "ciudad"),
        ("detalles", ("detalle",), "detalle"),
        ("casas", (), "casa"),
    ],
)
def test_singulars_are_formed(tool: Any, many: str, known: tuple[str, ...], one: str) -> None:
    assert tool.singular(many, known) == one


def test_nouns_and_adjectives_are_learned_from_what_stands_beside_them(tool: Any) -> None:
    masks = Masks(cases=False)
    nouns, adjectives, endings = tool.spanish(TEXT, masks, TOOLS / "spanish_nouns.toml")
    found = {
        word: masks.format(nouns[word]) for word in ("fábrica", "fábricas", "tejado", "gatos", "artistas")
    }
    assert found == {
        "fábrica": "fs",
        "fábricas": "fp",
        "tejado": "ms",
        "gatos": "mp",
        "artistas": "mp fp",
    }
    assert adjectives["negras"] == masks.parse("fp")
    assert endings["ciones"] == masks.parse("fp")
    # Written by hand: *el agua* is feminine.
    assert (nouns["agua"], nouns["mano"], nouns["día"]) == (2, 2, 1)
    # One determiner is not enough.
    assert "reforma" not in nouns
