"""The compiled network beside NumPy."""

from __future__ import annotations

import subprocess
import sys
import zlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from anaphor.core import LanguagePair, TaskSegment
from anaphor.core.array_types import Floats
from anaphor.core.engine import has_native
from anaphor.predict.anaphor2 import inference
from anaphor.predict.anaphor2.encoding import EncodedSegments, encode
from anaphor.predict.anaphor2.inference import SlotScorer, slot_probabilities
from anaphor.predict.anaphor2.joint import task_of
from anaphor.predict.anaphor2.model import Anaphor2Model
from anaphor.predict.anaphor2.network import NumpyNetwork, Shape, expected_shapes
from anaphor.predict.anaphor2.subwords import PAD, Subwords
from anaphor.predict.anaphor2.windows import InputView
from anaphor.predict.shipped import find_model
from anaphor.task import read_task
from tests.support.networks import random_batch, random_network

EN_FR = LanguagePair("en", "fr")

needs_native = pytest.mark.skipif(not has_native(), reason="the compiled network was not built here")


def probabilities(scorer: SlotScorer, encoded: EncodedSegments) -> Floats:
    return slot_probabilities(scorer, encoded, task_of("en-fr"), [InputView()])


@pytest.fixture(scope="module")
def encoded(segments: list[TaskSegment], pieces: tuple[str, ...]) -> EncodedSegments:
    hidden = [replace(one, slots=tuple(replace(slot, label=None) for slot in one.slots)) for one in segments]
    return encode(hidden, Subwords(pieces), {}, pair=EN_FR, forms=True)


@needs_native
@pytest.mark.parametrize(("width", "heads", "layers"), [(256, 4, 2), (64, 1, 2), (16, 2, 1), (8, 1, 1)])
def test_scores_are_near_those_of_numpy(width: int, heads: int, layers: int) -> None:
    from anaphor.predict.anaphor2.inference import NativeNetwork

    network = random_network(width=width, heads=heads, layers=layers)
    batch, rows, places = random_batch(9, 40), np.array([0, 3, 3, 8, 5]), np.array([1, 7, 0, 19, 2])
    expected = network.scores(batch, rows, places)
    found = NativeNetwork(network).scores(batch, rows, places)
    # Measured: 0.01 to 0.05 of the spread of scores.
    assert np.abs(found - expected).max() < 0.1 * expected.std()


@needs_native
def test_scores_are_the_same_on_every_machine() -> None:
    """The compiler fuses no products and sums: that would change the last bits on some processors."""
    from anaphor.predict.anaphor2.inference import NativeNetwork

    shape = Shape(pieces=120, classes=12, width=64, layers=3, heads=4)
    rng = np.random.default_rng(5)
    # Whole numbers, whose stream does not depend on a mathematical library.
    weights = {
        name: rng.integers(-127, 128, size).astype(np.float32) * np.float32(0.002)
        for name, size in expected_shapes(shape).items()
    }
    batch, rows, places = random_batch(9, 40), np.arange(9), np.full(9, 1)
    scores = NativeNetwork(NumpyNetwork(shape, weights)).scores(batch, rows, places)
    assert zlib.crc32(scores.astype("<f4").tobytes()) == 1214042967


@needs_native
def test_padding_within_a_window_is_not_seen() -> None:
    from anaphor.predict.anaphor2.inference import NativeNetwork

    network = random_network(width=32, heads=2, layers=2)
    batch, rows, places = random_batch(1, 20), np.array([0]), np.array([4])
    batch.pieces[0, 7:9] = PAD
    expected = network.scores(batch, rows, places)
    assert np.abs(NativeNetwork(network).scores(batch, rows, places) - expected).max() < 0.1 * expected.std()


@needs_native
def test_neither_threads_nor_batches_change_a_bit(network: NumpyNetwork, encoded: EncodedSegments) -> None:
    from anaphor.predict.anaphor2.inference import NativeNetwork

    one = probabilities(NativeNetwork(network, threads=1), encoded)
    for threads, places in ((2, 4096), (7, 4096), (2, 1)):
        other = NativeNetwork(network, threads=threads)
        other.batch_places = places
        assert np.array_equal(one, probabilities(other, encoded))


def test_batches_do_not_change_the_scores_of_numpy(network: NumpyNetwork, encoded: EncodedSegments) -> None:
    together, alone = (probabilities(replace(network, batch_places=places), encoded) for places in (4096, 1))
    assert np.allclose(together, alone, atol=1e-5)


@needs_native
@pytest.mark.parametrize(
    ("row", "place", "piece", "error"),
    [(9, 0, 1, ValueError), (0, 40, 1, ValueError), (-1, 0, 1, ValueError), (0, 0, 120, IndexError)],
    ids=["no such window", "no such place", "before the first", "no such piece"],
)
def test_indices_outside_of_a_batch_or_table_are_refused(
    row: int, place: int, piece: int, error: type[Exception]
) -> None:
    from anaphor.predict.anaphor2.inference import NativeNetwork

    batch = random_batch(9, 40)
    batch.pieces[0, 0] = piece
    with pytest.raises(error):
        NativeNetwork(random_network(width=16, heads=2, layers=1)).scores(
            batch, np.array([row]), np.array([place])
        )


@needs_native
def test_weights_that_contradict_each_other_are_refused() -> None:
    from anaphor.predict.anaphor2.inference import NativeNetwork

    network = random_network(width=16, heads=2, layers=1)
    wrong = {**network.weights, "blocks.0.up.weight": network.weights["blocks.0.down.weight"]}
    with pytest.raises(ValueError, match="another size"):
        NativeNetwork(replace(network, weights=wrong))


@needs_native
def test_ctrl_c_interrupts_a_native_call() -> None:
    program = (
        "import numpy as np, signal, threading, time\n"
        "from tests.support.networks import random_batch, random_network\n"
        "from anaphor.predict.anaphor2.inference import NativeNetwork\n"
        "network = NativeNetwork(random_network(width=256, heads=4, layers=6))\n"
        "batch = random_batch(20_000, 200)\n"
        "begin = time.monotonic()\n"
        "try:\n"
        "    threading.Timer(0.5, signal.raise_signal, [signal.SIGINT]).start()\n"
        "    network.scores(batch, np.array([0]), np.array([0]))\n"
        "except KeyboardInterrupt:\n"
        "    print(time.monotonic() - begin)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=240, check=True
    )
    assert 0.4 < float(done.stdout) < 60  # never early; all of it takes minutes


def test_numpy_is_used_without_a_compiled_extension(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inference, "has_native", lambda: False)
    assert not inference.is_native(Shape(pieces=20, classes=3))
    network = random_network(width=16, heads=2, layers=1)
    assert inference.fastest_scorer(network) is network


def test_heads_of_an_odd_width_are_left_to_numpy() -> None:
    assert not inference.is_native(Shape(pieces=20, classes=3, width=24, heads=2))


@needs_native
@pytest.mark.slow
def test_the_shipped_model_gives_the_labels_of_numpy(data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    talks = data_dir / "discomt2015-task"
    # The beginning: the NumPy engine takes minutes for all talks. These have 81 slots.
    segments = tuple(read_task(talks / "teddev.tsv", documents=talks / "teddev.doc-ids"))[:200]
    model = find_model("anaphor-2-small", pair="en-fr")
    assert isinstance(model, Anaphor2Model)
    found = model.probabilities(segments)
    monkeypatch.setattr(inference, "has_native", lambda: False)
    plain = find_model("anaphor-2-small", pair="en-fr")
    assert isinstance(plain, Anaphor2Model)
    expected = plain.probabilities(segments)
    assert np.abs(found - expected).max() < 0.1
    assert np.mean(found.argmax(axis=1) == expected.argmax(axis=1)) >= 0.99
