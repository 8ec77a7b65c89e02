"""The model without torch: its contract, its files, its probabilities."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from anaphor.core import InputError, OptionError, TaskSegment
from anaphor.files.arrays import read_arrays, write_arrays
from anaphor.predict.anaphor2.inference import within_reach
from anaphor.predict.anaphor2.joint import ENSEMBLE_VIEWS, DecodingConfig, JointNetworks, class_factors
from anaphor.predict.anaphor2.model import Anaphor2Model, best_temperature, calibrated
from anaphor.predict.anaphor2.network import NumpyNetwork, read_network, rounded, write_network
from anaphor.predict.anaphor2.windows import InputView
from anaphor.predict.families import load_model
from tests.support.slots import segment


def test_probabilities_are_of_every_slot_and_sum_to_one(
    model: Anaphor2Model, segments: list[TaskSegment]
) -> None:
    predicted = list(model.predict(segments))
    assert [len(one) for one in predicted] == [1] * len(segments)
    for (prediction,) in predicted:
        assert sum(prediction.probabilities) == pytest.approx(1)
        assert prediction.label == model.card.classes[int(np.argmax(prediction.probabilities))]


def test_a_favoured_class_is_chosen_and_probabilities_stay(
    model: Anaphor2Model, segments: list[TaskSegment]
) -> None:
    # Nine classes of 2015; the fifth is "il".
    favoured = model.with_config(DecodingConfig(class_factors=(1.0,) * 4 + (1e9,) + (1.0,) * 4))
    assert {one.label for (one,) in favoured.predict(segments)} == {"il"}
    assert np.array_equal(favoured.probabilities(segments), model.probabilities(segments))
    with pytest.raises(OptionError, match="9 classes but 2 class factors"):
        model.with_config(DecodingConfig(class_factors=(1.0, 2.0)))


def test_rare_classes_are_favoured_and_unseen_ones_left_alone() -> None:
    # 4 ** 0.5 = 2: the second class is four times rarer; nobody has the third.
    assert class_factors(np.array([0, 0, 0, 0, 1], dtype=np.int32), 3, 0.5) == (1.0, 2.0, 1.0)


def test_labels_are_never_read(model: Anaphor2Model, segments: list[TaskSegment]) -> None:
    hidden = [replace(one, slots=tuple(replace(slot, label="ce") for slot in one.slots)) for one in segments]
    assert list(model.predict(hidden)) == list(model.predict(segments))


def test_a_saved_model_predicts_the_same(
    model: Anaphor2Model, segments: list[TaskSegment], tmp_path: Path
) -> None:
    model.save(tmp_path / "model")
    first = load_model(tmp_path / "model")
    first.save(tmp_path / "again")
    second = load_model(tmp_path / "again")
    assert list(first.predict(segments)) == list(second.predict(segments))
    # Bytes with a scale a row are not quite the numbers they came from.
    found = [one[0].probabilities for one in first.predict(segments)]
    assert np.allclose(found, model.probabilities(segments), atol=0.1)


def test_rounding_stays_within_half_a_step() -> None:
    weight = np.random.default_rng(2).normal(size=(5, 7)).astype(np.float32)
    whole, scale = rounded(weight)
    assert np.all(np.abs(whole * scale - weight) <= scale / 2 + 1e-7)


def test_without_context_a_segment_is_read_as_if_alone(
    model: Anaphor2Model, segments: list[TaskSegment]
) -> None:
    together = model.probabilities(segments)
    alone = np.concatenate(
        [model.with_config(DecodingConfig((InputView(0, 0),))).probabilities([one]) for one in segments]
    )
    without = model.with_config(DecodingConfig((InputView(0, 0),))).probabilities(segments)
    assert np.allclose(alone, without, atol=1e-5)
    assert not np.allclose(together, without, atol=1e-3)  # context does


def test_only_segments_within_reach_of_a_window_are_encoded(segments: list[TaskSegment]) -> None:
    bare = [replace(one, slots=()) for one in segments[:12]]
    text = [*bare[:6], segments[6], *bare[7:]]
    found = list(within_reach(text, (InputView(3, 1), InputView(0, 2))))
    assert [number for number, one in enumerate(found) if one.target] == [3, 4, 5, 6, 7, 8]
    assert [one.document for one in found] == [one.document for one in text]


def test_several_readings_are_averaged(model: Anaphor2Model, segments: list[TaskSegment]) -> None:
    readings = (InputView(), InputView(0, 0, 2))
    each = [model.with_config(DecodingConfig((one,))).probabilities(segments) for one in readings]
    assert np.allclose(
        model.with_config(DecodingConfig(readings)).probabilities(segments), np.mean(each, axis=0), atol=1e-6
    )


def test_an_ensemble_is_all_networks_with_nine_views(
    model: Anaphor2Model, network: NumpyNetwork, pieces: tuple[str, ...], segments: list[TaskSegment]
) -> None:
    other = NumpyNetwork(network.shape, {name: -weight for name, weight in network.weights.items()})
    config = DecodingConfig(temperature=2.0, ensemble_temperature=1.0)

    def of(*networks: NumpyNetwork) -> Anaphor2Model:
        return Anaphor2Model(model.card, JointNetworks(pieces, networks, {"en-fr forms": config}))

    both = of(network, other)
    assert list(both.predict(segments)) == list(of(network).predict(segments))  # by default the first alone
    assert len(set(ENSEMBLE_VIEWS)) == 9
    each = [
        of(one).with_config(DecodingConfig((reading,))).probabilities(segments)
        for one in (network, other)
        for reading in ENSEMBLE_VIEWS
    ]
    careful = both.ensemble()
    assert np.allclose(careful.probabilities(segments), np.mean(each, axis=0), atol=1e-5)
    asked_again = careful.for_task("en-fr", year=2016, forms=True)
    assert np.array_equal(asked_again.probabilities(segments), careful.probabilities(segments))


def test_only_an_ensemble_reads_more_than_the_first_network(
    model: Anaphor2Model,
    network: NumpyNetwork,
    pieces: tuple[str, ...],
    segments: list[TaskSegment],
    tmp_path: Path,
) -> None:
    joint = JointNetworks(pieces, (network, network), {"en-fr forms": DecodingConfig()})
    Anaphor2Model(model.card, joint).save(tmp_path / "model")
    first, second = (load_model(tmp_path / "model") for _ in range(2))
    assert isinstance(first, Anaphor2Model)
    assert isinstance(second, Anaphor2Model)
    careful = first.ensemble()
    (tmp_path / "model" / "network-1.safetensors").unlink()
    assert list(second.predict(segments)) == list(first.predict(segments))
    assert len(careful.probabilities(segments)) == len(segments)
    with pytest.raises(InputError, match="network-1"):
        second.ensemble()


def test_2015_tells_apart_what_2016_counts_together(
    model: Anaphor2Model, segments: list[TaskSegment]
) -> None:
    finer = model.for_task("en-fr", year=2015, forms=True)
    merged = finer.probabilities(segments)
    labels = list(finer.card.classes)
    both = merged[:, labels.index("cela")] + merged[:, labels.index("ça")]
    assert np.allclose(both, model.probabilities(segments)[:, model.card.classes.index("cela")], atol=1e-6)


def test_another_trained_pair_is_supported(model: Anaphor2Model, segments: list[TaskSegment]) -> None:
    german = model.for_task("en-de", year=2016, forms=True)
    assert german.card.classes == ("er", "sie", "es", "man", "OTHER")
    assert german.probabilities(segments).shape == (20, 5)


def test_by_default_the_target_format_stays_if_the_pair_has_it(
    model: Anaphor2Model, network: NumpyNetwork, pieces: tuple[str, ...]
) -> None:
    names = ("en-fr forms", "en-fr lemmas", "es-en lemmas")
    joint = JointNetworks(pieces, (network,), dict.fromkeys(names, DecodingConfig()))
    both = Anaphor2Model(model.card, joint)
    assert both.for_task("en-fr", year=2015).card.forms
    assert not both.for_task("es-en", year=2017).card.forms


@pytest.mark.parametrize(("pair", "forms"), [("en-de", False), ("es-en", True)])
def test_an_untrained_sub_task_is_refused(model: Anaphor2Model, pair: str, forms: bool) -> None:
    with pytest.raises(OptionError, match="was not trained for"):
        model.for_task(pair, year=2016, forms=forms)


@pytest.mark.parametrize(
    "text",
    [
        [],
        [segment("Hello .", "Bonjour .")],
        [segment("it", "REPLACE_0", document=None)],
        [segment("жж it", "ЖЖ REPLACE_1")],
        [segment("old " * 2000 + "it", "vieux " * 2000 + "REPLACE_2000")],
    ],
    ids=["nothing", "no slot", "no context", "unknown letters", "2,000 words"],
)
def test_odd_text_is_handled(model: Anaphor2Model, text: list[TaskSegment]) -> None:
    predicted = list(model.predict(text))
    assert [len(one) for one in predicted] == [len(one.slots) for one in text]


@pytest.mark.parametrize("name", ["networks.json", "network-0.safetensors"])
def test_a_changed_file_is_an_error(model: Anaphor2Model, tmp_path: Path, name: str) -> None:
    model.save(tmp_path / "model")
    path = tmp_path / "model" / name
    path.write_bytes(path.read_bytes()[:-1] + b"x")
    with pytest.raises(InputError, match="damaged or was changed"):
        load_model(tmp_path / "model")


@pytest.mark.parametrize(
    ("name", "damage"),
    [
        ("norm.weight", lambda array: array * np.inf),
        ("norm.weight", lambda array: array.astype(np.float64)),
        ("blocks.0.up.weight.scale", lambda array: array * np.nan),
        ("blocks.0.up.weight", lambda array: array.astype(np.int32)),
        ("blocks.1.down.weight", lambda array: array[:, 1:]),
    ],
    ids=["endless", "doubles", "no number", "wider numbers", "a column short"],
)
def test_weights_of_another_kind_are_refused(
    network: NumpyNetwork, tmp_path: Path, name: str, damage: Callable[[NDArray[Any]], NDArray[Any]]
) -> None:
    path = tmp_path / "network"
    write_network(path, network)
    arrays = dict(read_arrays(path).arrays)
    arrays[name] = damage(arrays[name])
    write_arrays(path, arrays)
    with pytest.raises(InputError, match="damaged or was changed"):
        read_network(path, network.shape)


@pytest.mark.parametrize(
    ("config", "why"),
    [
        (DecodingConfig(temperature=0.0), "a temperature is not positive"),
        (DecodingConfig(ensemble_temperature=float("inf")), "not a finite number, or too large: Infinity"),
        (DecodingConfig(class_factors=(0.0,) * 9), "a class factor is not positive"),
    ],
)
def test_invalid_configurations_are_refused(
    model: Anaphor2Model,
    network: NumpyNetwork,
    pieces: tuple[str, ...],
    tmp_path: Path,
    config: DecodingConfig,
    why: str,
) -> None:
    joint = JointNetworks(pieces, (network,), {"en-fr forms": config})
    Anaphor2Model(model.card, joint).save(tmp_path / "model")
    with pytest.raises(InputError, match=why):
        load_model(tmp_path / "model")


def test_a_temperature_flattens_or_sharpens() -> None:
    sure = np.array([[0.9, 0.1]])
    assert calibrated(sure, 2.0)[0, 0] < 0.9 < calibrated(sure, 0.5)[0, 0]
    assert calibrated(sure, 1.0)[0] == pytest.approx([0.9, 0.1])


def test_the_temperature_makes_an_overconfident_model_honest() -> None:
    # 0.99 sure, right three times of four: the flattened probability must come near 0.75.
    found = np.tile([0.99, 0.01], (400, 1))
    gold = np.array([0, 0, 0, 1] * 100)
    assert calibrated(found, best_temperature(found, gold))[0, 0] == pytest.approx(0.82, abs=0.03)
