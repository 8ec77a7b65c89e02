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
from anaphor.analyse.builtin import BuiltInAnalyser
from anaphor.analyse.modelfile import AnalyserModel, read_model, write_model
from anaphor.analyse.network import GAP, NEAR, WIDE, TaggerNetwork
from anaphor.analyse.wordforms import Lemmas, Rewriting
from anaphor.core import InputError
from anaphor.corpus.arrays import read_arrays, write_arrays
from tests.corpus.old_array_files import old_archive

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
    path = tmp_path / "en.npz"
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
    assert [path.name for path in stored.parent.iterdir()] == ["en.npz"]


def test_the_same_model_is_the_same_file(stored: Path, tmp_path: Path) -> None:
    write_model(tmp_path / "again.npz", small_model())
    assert (tmp_path / "again.npz").read_bytes() == stored.read_bytes()


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
    with pytest.raises(InputError, match="the analyser model does not fit together"):
        read_model(stored)


def test_an_archive_of_an_earlier_version_is_read(stored: Path) -> None:
    new = read_model(stored)
    stored.write_bytes(old_archive(read_arrays(stored).arrays))
    old = read_model(stored)
    assert np.array_equal(old.table, new.table)
    assert np.array_equal(old.network.wide, new.network.wide)
    assert (old.language, old.tags, old.words, old.lemmas.rules) == (
        new.language,
        new.tags,
        new.words,
        new.lemmas.rules,
    )


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.9, 0.99])
def test_a_file_cut_short_is_refused(stored: Path, share: float) -> None:
    data = stored.read_bytes()
    stored.write_bytes(data[: int(len(data) * share)])
    with pytest.raises(InputError, match="damaged"):
        load_analyser("built-in", language="en", model=str(stored))


def test_a_changed_byte_is_noticed(stored: Path) -> None:
    data = bytearray(stored.read_bytes())
    data[len(data) // 3] ^= 0xFF
    stored.write_bytes(bytes(data))
    with pytest.raises(InputError, match="damaged"):
        read_model(stored)


def test_a_missing_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot read the analyser model"):
        load_analyser("built-in", language="en", model=str(tmp_path / "none.npz"))


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
