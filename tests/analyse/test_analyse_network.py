"""AnalyserModel files: written and read again the same, and refused when anything in them is wrong."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from anaphor.analyse import load_analyser
from anaphor.analyse.builtin import BuiltInAnalyser, build, built_in_languages
from anaphor.analyse.modelfile import AnalyserModel, read_model, write_model
from anaphor.analyse.network import GAP, NEAR, WIDE, TaggerNetwork, finder, multiplied
from anaphor.analyse.wordforms import Lemmas, Rewriting
from anaphor.core import InputError
from anaphor.core.engine import has_native
from anaphor.files.arrays import read_arrays, write_arrays

Arrays = dict[str, NDArray[Any]]


def small_model() -> AnalyserModel:
    """A model of two tags with random weights, every table of another size."""
    rng = np.random.default_rng(7)
    sizes = {
        "near": ((2 * NEAR + 1) * 3, 4),
        "near_bias": (4,),
        "squeeze": (4, 2),
        "squeeze_bias": (2,),
        "wide": ((2 * WIDE + 1) * 2, 5),
        "wide_bias": (5,),
        "from_near": (4, 7),
        "from_wide": (5, 7),
        "bias": (7,),
    }
    network = TaggerNetwork(
        *(rng.standard_normal(sizes[field.name]).astype(np.float32) for field in fields(TaggerNetwork))
    )
    lemmas = Lemmas({("VERB", "s"): Rewriting("", 1, "")}, {("VERB", "is"): "be"}, frozenset({"NOUN"}))
    table, vectors, project = (rng.standard_normal(s).astype(np.float32) for s in ((4, 3), (2, 6), (6, 3)))
    return AnalyserModel(
        "en", ("NOUN", "VERB"), ("w:is", "2:is"), table, ("is",), vectors, project, network, lemmas
    )


@pytest.fixture
def stored(tmp_path: Path) -> Path:
    path = tmp_path / "en.model"
    write_model(path, small_model())
    return path


def test_a_model_is_read_as_it_was_written(stored: Path) -> None:
    wrote, read = small_model(), read_model(stored)
    assert (read.language, read.tags, read.features, read.words) == (
        wrote.language,
        wrote.tags,
        wrote.features,
        wrote.words,
    )
    assert (read.lemmas.rules, read.lemmas.exceptions, read.lemmas.titled) == (
        wrote.lemmas.rules,
        wrote.lemmas.exceptions,
        wrote.lemmas.titled,
    )
    # 8 bits hold a table to half a step of 1/127 of its largest number.
    np.testing.assert_allclose(read.table, wrote.table, atol=np.abs(wrote.table).max() / 250)
    np.testing.assert_allclose(read.network.wide, wrote.network.wide, rtol=1e-3)
    assert [path.name for path in stored.parent.iterdir()] == ["en.model"]


def test_the_same_model_is_the_same_file(stored: Path, tmp_path: Path) -> None:
    write_model(tmp_path / "again.model", small_model())
    assert (tmp_path / "again.model").read_bytes() == stored.read_bytes()


def test_a_full_memory_of_words_starts_anew(stored: Path) -> None:
    model = read_model(stored)
    sentences = [[f"w{number}", "is", f"v{number}"] for number in range(3000)]
    roomy = BuiltInAnalyser(model, hash_of_model="x")
    tight = BuiltInAnalyser(model, hash_of_model="x", most_types=16)
    assert list(tight.analyse(sentences)) == list(roomy.analyse(sentences))


def rewritten(path: Path, change: Callable[[Arrays], None]) -> None:
    content = read_arrays(path)
    arrays = dict(content.arrays)
    change(arrays)
    write_arrays(path, arrays, metadata=content.metadata)


def without(name: str) -> Callable[[Arrays], None]:
    return lambda arrays: arrays.__delitem__(name)


def holding(name: str, value: NDArray[Any]) -> Callable[[Arrays], None]:
    return lambda arrays: arrays.__setitem__(name, value)


def text(value: str) -> NDArray[np.uint8]:
    return np.frombuffer(value.encode(), np.uint8)


@pytest.mark.parametrize(
    "change",
    [
        without("facts"),
        without("table.scale"),
        without("network.wide"),
        holding("facts", text("999\nen\nNOUN VERB\n")),
        holding("facts", text("1\nen")),
        holding("facts", text("1\nen\nNOUN VERB ADJ\n")),
        holding("features", text("w:is")),
        holding("features", np.frombuffer(b"\xff\xfe", np.uint8)),
        holding("rules", text("VERB\ts\tone")),
        holding("rules", text("VERB\ts\t\tmany\t")),
        holding("exceptions", text("VERB")),
        holding("table", np.zeros((0, 0), np.int8)),
        holding("table", np.zeros(4, np.int8)),
        holding("network.near", np.zeros((2, 2), np.float16)),
        holding("network.bias", np.full(7, np.nan, np.float16)),
        holding("network.bias", np.zeros((), np.float16)),
        holding("words", np.zeros(2)),
        holding("other", np.zeros(2)),
    ],
)
def test_a_part_that_does_not_fit_is_refused(stored: Path, change: Callable[[Arrays], None]) -> None:
    rewritten(stored, change)
    with pytest.raises(InputError, match="the analyser model is inconsistent"):
        read_model(stored)


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.9, 0.99])
def test_a_file_cut_short_is_refused(stored: Path, share: float) -> None:
    data = stored.read_bytes()
    stored.write_bytes(data[: int(len(data) * share)])
    with pytest.raises(InputError, match=r"damaged|broken or incomplete"):
        load_analyser("built-in", language="en", model=str(stored))


def test_a_changed_byte_is_noticed(stored: Path) -> None:
    data = bytearray(stored.read_bytes())
    data[len(data) // 3] ^= 0xFF
    stored.write_bytes(bytes(data))
    with pytest.raises(InputError, match=r"damaged|broken or incomplete"):
        read_model(stored)


def test_a_missing_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot read the analyser model"):
        load_analyser("built-in", language="en", model=str(tmp_path / "none.model"))


def test_a_model_is_not_changed_by_use(stored: Path) -> None:
    model = read_model(stored)
    before = replace(model, table=model.table.copy())
    list(BuiltInAnalyser(model, hash_of_model="x").analyse([["is", "new"]]))
    np.testing.assert_array_equal(before.table, model.table)


@pytest.mark.parametrize("places", [9, 10, 17, 18, 100])
def test_layers_are_products_with_windows(places: int) -> None:
    """The scores of the network against one product for each place, as its drawing says."""
    network = small_model().network
    draw = np.random.default_rng(places)
    types = draw.integers(1, 5, places)
    types[[*range(GAP), *range(-GAP, 0)]] = 0
    products = [draw.normal(size=(5, len(network.near_bias))).astype(np.float32) for _ in network.places]
    real = types > 0
    padded = np.zeros((places, network.squeeze.shape[1]), np.float32)
    first = {}
    for at in range(NEAR, places - NEAR):
        total = sum(product[types[at - NEAR + near]] for near, product in enumerate(products))
        first[at] = np.maximum(total + network.near_bias, 0)
        padded[at] = np.maximum(first[at] @ network.squeeze + network.squeeze_bias, 0) * real[at]
    expected = []
    for at in range(GAP, places - GAP):
        window = padded[at - WIDE : at + WIDE + 1].reshape(-1)
        second = np.maximum(window @ network.wide + network.wide_bias, 0)
        expected.append(first[at] @ network.from_near + second @ network.from_wide + network.bias)
    found = network.scores(products, types, real)
    np.testing.assert_allclose(found, np.array(expected), rtol=1e-4, atol=1e-5)


# Where anything was compiled this was too, so that a missing module is a failure and not a reason to skip.
needs_native = pytest.mark.skipif(not has_native(), reason="nothing was compiled")

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


@needs_native
@pytest.mark.parametrize("places", [9, 10, 40, 264, 265, 1000])
@pytest.mark.parametrize("near", [7, 64])
def test_answers_are_those_of_whole_products(places: int, near: int) -> None:
    draw = np.random.default_rng(places)
    of, table, types = network(draw, near=near), products(draw, near=near), words(draw, places)
    expected = multiplied(of, HEADS, table, types)
    found = finder(of, HEADS)(table, types)
    real = types[GAP : places - GAP] > 0
    assert [one.tolist() for one in found] == [np.where(real, one, 0).tolist() for one in expected]


@needs_native
@pytest.mark.parametrize("language", built_in_languages())
def test_models_that_ship_say_the_same(language: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """On the README, cut at blanks: nobody's language, so that all kinds of words are met."""
    sentences = [line.split() for line in (Path(__file__).parents[2] / "README.md").read_text().split("\n")]
    compiled = list(build(language, None).analyse(sentences))
    monkeypatch.setattr("anaphor.analyse.network.native", None)
    assert compiled == list(build(language, None).analyse(sentences))


@needs_native
@pytest.mark.parametrize("places", [0, 5, 8])
def test_too_few_words_have_no_place_between_them(places: int) -> None:
    draw = np.random.default_rng(1)
    found = finder(network(draw), HEADS)(products(draw), np.zeros(places, np.int64))
    assert [one.tolist() for one in found] == [[], [], []]


@needs_native
@pytest.mark.parametrize("kind", [-1, TYPES, 2**62])
def test_a_type_without_products_is_refused(kind: int) -> None:
    draw = np.random.default_rng(1)
    with pytest.raises(IndexError, match="without products"):
        finder(network(draw), HEADS)(products(draw), np.array([0, 1, kind, 3, 4, 5]))


@needs_native
@pytest.mark.parametrize("changed", [{"rows": 49}, {"near": 8}])
def test_products_of_two_sizes_are_refused(changed: dict[str, int]) -> None:
    draw = np.random.default_rng(1)
    mixed = [*products(draw)[:4], *products(draw, **changed)[4:]]
    with pytest.raises(ValueError, match="do not fit"):
        finder(network(draw), HEADS)(mixed, np.zeros(9, np.int64))


@needs_native
def test_heads_that_the_network_does_not_have_are_refused() -> None:
    with pytest.raises(ValueError, match="do not fit"):
        finder(network(np.random.default_rng(1)), (5, 3))
