"""The compiled network of the analyser, held against the NumPy that it stands in for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from anaphor.analyse.builtin import build, built_in_languages
from anaphor.analyse.network import GAP, NEAR, WIDE, TaggerNetwork, finder, multiplied
from anaphor.engine import has_native

# Where anything was compiled this was too, so that a missing module is a failure and not a reason to skip.
pytestmark = pytest.mark.skipif(not has_native(), reason="nothing was compiled")

HEADS = (5, 3, 2)
TYPES = 50


def floats(draw: Any, *shape: int) -> Any:
    return draw.normal(size=shape).astype(np.float32)


def network(
    draw: Any, near: int = 7, squeezed: int = 5, wide: int = 6, answers: int = sum(HEADS)
) -> TaggerNetwork:
    return TaggerNetwork(
        floats(draw, 0, near),
        floats(draw, near),
        floats(draw, near, squeezed),
        floats(draw, squeezed),
        floats(draw, (2 * WIDE + 1) * squeezed, wide),
        floats(draw, wide),
        floats(draw, near, answers),
        floats(draw, wide, answers),
        floats(draw, answers),
    )


def products(draw: Any, near: int = 7, rows: int = TYPES) -> list[Any]:
    return [floats(draw, rows, near) for _ in range(2 * NEAR + 1)]


def words(draw: Any, places: int) -> Any:
    """Types with empty places among them and at both ends."""
    types = draw.integers(0, TYPES, places) * (draw.random(places) > 0.2)
    types[[*range(GAP), *range(-GAP, 0)]] = 0
    return types


@pytest.mark.parametrize("places", [9, 10, 40, 264, 265, 1000])
@pytest.mark.parametrize("near", [7, 64])
def test_answers_are_those_of_whole_products(places: int, near: int) -> None:
    draw = np.random.default_rng(places)
    of, table, types = network(draw, near=near), products(draw, near=near), words(draw, places)
    expected = multiplied(of, HEADS, table, types)
    found = finder(of, HEADS)(table, types)
    real = types[GAP : places - GAP] > 0
    assert [one.tolist() for one in found] == [np.where(real, one, 0).tolist() for one in expected]


@pytest.mark.parametrize("language", built_in_languages())
def test_models_that_ship_say_the_same(language: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """On the README, cut at blanks: nobody's language, so that all kinds of words are met."""
    sentences = [line.split() for line in (Path(__file__).parents[2] / "README.md").read_text().split("\n")]
    compiled = list(build(language, None).analyse(sentences))
    monkeypatch.setattr("anaphor.analyse.network.native", None)
    assert compiled == list(build(language, None).analyse(sentences))


@pytest.mark.parametrize("places", [0, 5, 8])
def test_too_few_words_have_no_place_between_them(places: int) -> None:
    draw = np.random.default_rng(1)
    found = finder(network(draw), HEADS)(products(draw), np.zeros(places, np.int64))
    assert [one.tolist() for one in found] == [[], [], []]


@pytest.mark.parametrize("kind", [-1, TYPES, 2**62])
def test_a_type_without_products_is_refused(kind: int) -> None:
    draw = np.random.default_rng(1)
    with pytest.raises(IndexError, match="without products"):
        finder(network(draw), HEADS)(products(draw), np.array([0, 1, kind, 3, 4, 5]))


@pytest.mark.parametrize("changed", [{"rows": 49}, {"near": 8}])
def test_products_of_two_sizes_are_refused(changed: dict[str, int]) -> None:
    draw = np.random.default_rng(1)
    mixed = [*products(draw)[:4], *products(draw, **changed)[4:]]
    with pytest.raises(ValueError, match="do not fit"):
        finder(network(draw), HEADS)(mixed, np.zeros(9, np.int64))


def test_heads_that_the_network_does_not_have_are_refused() -> None:
    with pytest.raises(ValueError, match="do not fit"):
        finder(network(np.random.default_rng(1)), (5, 3))
