"""Training: the network of torch beside that of NumPy, what it learns, and that a seed gives it again."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'anaphor[neural]'")

from anaphor.core import LanguagePair, TaskSegment, UserError  # noqa: E402
from anaphor.predict.anaphor2.encoding import TrainingCorpus, encode  # noqa: E402
from anaphor.predict.anaphor2.inference import slot_probabilities  # noqa: E402
from anaphor.predict.anaphor2.joint import class_numbers, task_of  # noqa: E402
from anaphor.predict.anaphor2.model import FAMILY  # noqa: E402
from anaphor.predict.anaphor2.network import NumpyNetwork  # noqa: E402
from anaphor.predict.anaphor2.subwords import Subwords  # noqa: E402
from anaphor.predict.anaphor2.torch_network import TorchNetwork, as_numpy  # noqa: E402
from anaphor.predict.anaphor2.training import Phase, Trainer, orthogonal, train_network  # noqa: E402
from anaphor.predict.anaphor2.windows import InputBatch, InputView  # noqa: E402
from anaphor.predict.families import load_model  # noqa: E402
from anaphor.task import task_classes  # noqa: E402

EN_FR = LanguagePair("en", "fr")

CLASSES = task_classes(LanguagePair("en", "fr"), year=2016)
TINY = {"pieces": 120, "width": 64, "layers": 1, "batch": 8, "device": "cpu"}


def corpus_from(segments: list[TaskSegment], pieces: tuple[str, ...]) -> TrainingCorpus:
    encoded = encode(segments, Subwords(pieces), class_numbers("en-fr"), pair=EN_FR, forms=True)
    return TrainingCorpus(encoded, np.tile(np.array([0, 1, 2], dtype=np.int32), (len(segments), 1)))


class TorchScorer:
    """The network of torch, as `slot_probabilities` takes it."""

    batch_places = 4096

    def __init__(self, network: TorchNetwork) -> None:
        self.network = network

    @torch.no_grad()
    def scores(
        self, batch: InputBatch, rows: NDArray[np.int64], places: NDArray[np.int64]
    ) -> NDArray[np.float32]:
        tensors = InputBatch(*(torch.from_numpy(np.ascontiguousarray(part)) for part in batch))
        states = self.network(tensors)[torch.from_numpy(rows), torch.from_numpy(places)]
        scores: NDArray[np.float32] = self.network.classes(states).numpy()
        return scores


def test_numpy_gives_what_torch_gives(
    segments: list[TaskSegment], pieces: tuple[str, ...], network: NumpyNetwork
) -> None:
    torch.manual_seed(1)
    twin = TorchNetwork(network.shape).eval()
    corpus = corpus_from(segments, pieces)
    found = [
        slot_probabilities(scorer, corpus.encoded, task_of("en-fr"), [InputView()])
        for scorer in (TorchScorer(twin), as_numpy(twin, network.shape))
    ]
    assert np.abs(found[0] - found[1]).max() < 1e-5


def test_twenty_examples_are_learned_by_heart(
    segments: list[TaskSegment], pieces: tuple[str, ...], network: NumpyNetwork
) -> None:
    corpus = corpus_from(segments, pieces)
    phase = Phase(steps=80, batch=20, rate=0.01, hidden=0.0, hidden_pronouns=0.0, alone=1.0)
    learned = train_network(network.shape, corpus, phase, pieces=pieces, device="cpu", seed=1, progress=None)
    found = slot_probabilities(learned, corpus.encoded, task_of("en-fr"), [InputView(0, 0)])
    assert found.argmax(axis=1).tolist() == corpus.encoded.labels.tolist()


def test_a_recipe_trains_and_is_calibrated(segments: list[TaskSegment], tmp_path: Path) -> None:
    predictor = FAMILY.build({"name": "tiny", "options": {**TINY, "steps": 2}})
    told: list[float] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # six classes never occur
        model = predictor.fit(
            segments, classes=CLASSES, dev=segments, progress=lambda _, share: told.append(share)
        )
    model.save(tmp_path / "model")
    assert model.card.trained_on["train"]["slots"] == 20
    assert list(load_model(tmp_path / "model").predict(segments)) != []


@pytest.mark.parametrize(
    ("options", "what"), [({"width": 100}, "width"), ({"steps": 0}, "steps"), ({"steep": 1}, "steep")]
)
def test_a_recipe_with_impossible_options_is_refused(options: dict[str, int], what: str) -> None:
    with pytest.raises(UserError, match=what):
        FAMILY.build({"name": "tiny", "options": options})


def test_a_seed_gives_the_same_network_again(
    segments: list[TaskSegment], pieces: tuple[str, ...], network: NumpyNetwork
) -> None:
    corpus = corpus_from(segments, pieces)

    def trained(seed: int) -> NumpyNetwork:
        phase = Phase(steps=3, batch=8)
        return train_network(
            network.shape, corpus, phase, pieces=pieces, device="cpu", seed=seed, progress=None
        )

    first, again, other = trained(1), trained(1), trained(2)
    same = [np.array_equal(first.weights[name], again.weights[name]) for name in first.weights]
    assert all(same)
    assert not np.array_equal(first.weights["classes.weight"], other.weights["classes.weight"])


def test_gradients_flow_through_every_part(
    segments: list[TaskSegment], pieces: tuple[str, ...], network: NumpyNetwork
) -> None:
    torch.manual_seed(1)
    twin = TorchNetwork(network.shape)
    before = {name: value.clone() for name, value in twin.state_dict().items()}
    trainer = Trainer(twin, corpus_from(segments, pieces), pieces=pieces, device="cpu", seed=1)
    trainer.run(Phase(steps=2, batch=8))
    still = [name for name, value in twin.state_dict().items() if torch.equal(value, before[name])]
    assert still == []


def test_steps_of_muon_are_nearly_orthogonal() -> None:
    torch.manual_seed(1)
    values = torch.linalg.svdvals(orthogonal(torch.randn(3, 16, 8)))
    assert float(values.min()) > 0.5
    assert float(values.max()) < 1.5
