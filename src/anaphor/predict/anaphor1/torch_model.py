"""From a trained network of torch to scores and to NumPy, and the whole training of one network."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray

from anaphor.predict.anaphor1.material import Corpus
from anaphor.predict.anaphor1.network import Network, Shape
from anaphor.predict.anaphor1.tasks import TASKS
from anaphor.predict.anaphor1.torch_network import TorchNetwork
from anaphor.predict.anaphor1.training import Phase, Trainer
from anaphor.predict.anaphor1.windows import Batch
from anaphor.predict.contract import Progress
from anaphor.predict.neural.device import chosen_device


class TorchScorer:
    """A trained network as something that `reading.slot_probabilities` can ask."""

    def __init__(self, network: TorchNetwork, device: str) -> None:
        self._network, self._device = network, device

    @torch.no_grad()
    def scores(self, batch: Batch, rows: NDArray[np.int64], places: NDArray[np.int64]) -> NDArray[np.float32]:
        """Scores at places, as `Network.scores`."""
        moved = Batch(*(torch.from_numpy(np.ascontiguousarray(part)).to(self._device) for part in batch))
        states = self._network(moved)[torch.from_numpy(rows), torch.from_numpy(places)]
        found: NDArray[np.float32] = self._network.classes(states).float().cpu().numpy()
        return found


def network_of(
    shape: Shape,
    corpus: Corpus,
    phase: Phase,
    *,
    pronouns: Sequence[int],
    device: str,
    seed: int,
    progress: Progress | None,
) -> Network:
    """A network trained for one phase, as NumPy reads it."""
    torch.manual_seed(seed)
    network = TorchNetwork(shape)
    groups = [range(task.classes.start, task.classes.stop) for task in TASKS]
    where = chosen_device(device).type
    trainer = Trainer(network, corpus, groups=groups, pronouns=pronouns, device=where, seed=seed)

    def watch(step: int, pieces: float, slots: float) -> None:
        if progress is not None:
            progress(step / phase.steps, f"loss {pieces:.2f} of words, {slots:.2f} of pronouns")

    trainer.run(phase, watch)
    return as_numpy(network, shape)


def as_numpy(network: TorchNetwork, shape: Shape) -> Network:
    """The same network without torch."""
    state = network.state_dict()
    return Network(shape, {name: value.detach().float().cpu().numpy() for name, value in state.items()})
