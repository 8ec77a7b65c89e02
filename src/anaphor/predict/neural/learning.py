"""The loop that trains every architecture: epochs, early stopping, snapshots, resuming.

Every epoch draws from a generator of its own, made of seed and number, so that a run which was interrupted
and taken up again ends in the same weights as one that was not.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import torch

from anaphor.predict.contract import Progress
from anaphor.predict.neural.batching import (
    Floats,
    class_shares,
    class_weights,
    drawn_slots,
    mixed_batches,
    ordered_batches,
    sentence_lengths,
)
from anaphor.predict.neural.checkpoint import Checkpoint, State, Weights, weights_of
from anaphor.predict.neural.device import mixed_precision
from anaphor.predict.neural.network import Network
from anaphor.predict.neural.settings import TrainingOptions
from anaphor.predict.neural.tensors import SceneTensors

_LARGEST_GRADIENT = 1.0
_PREDICTED_AT_ONCE = {"cpu": 64, "cuda": 256}


@dataclass(slots=True, kw_only=True)
class Lesson:
    """All that one training needs; `deadline` is a time of `time.monotonic`, or None."""

    network: Network
    train: SceneTensors
    dev: SceneTensors | None
    classes: int
    options: TrainingOptions
    seed: int
    deadline: float | None = None
    checkpoint: Checkpoint | None = None
    progress: Progress | None = None
    clock: Callable[[], float] = field(default=time.monotonic)

    def learn(self) -> list[Weights]:
        """The weights of the best epochs on development data, best first; without such data the last ones."""
        torch.manual_seed(self.seed)
        optimizer = torch.optim.Adam(self.network.parameters(), lr=self.options.rate)
        state = self.checkpoint.load(self.network, optimizer) if self.checkpoint else None
        if state is None:
            self.network.prepare(self.train, self.seed)
            state = State()
        while (
            state.epoch < self.options.epochs and state.waited < self.options.patience and not self._is_late()
        ):
            self._tell(state)
            self._epoch(state.epoch, optimizer)
            self._judge(state)
            if self.checkpoint:
                self.checkpoint.save(self.network, optimizer, state)
        if self.checkpoint:
            self.checkpoint.remove()
        return [weights for _, weights in state.best] or [weights_of(self.network)]

    def _epoch(self, epoch: int, optimizer: torch.optim.Optimizer) -> None:
        torch.manual_seed(self.seed * 100_003 + epoch)
        generator = np.random.default_rng([self.seed, epoch])
        labels, device = self.train.scenes.slots.label, self.train.device
        known = self.train if self.dev is None else self.dev
        wanted = class_shares(known.scenes.slots.label, self.classes)
        weights = class_weights(labels, self.classes, self.options.balance)
        weight = torch.tensor(weights, dtype=torch.float32, device=device) if self.options.balance else None
        slots = drawn_slots(labels, wanted, self.options, generator)
        self.network.train()
        lengths = sentence_lengths(self.train.scenes)
        for numbers in mixed_batches(slots, lengths, self.options.batch, generator):
            optimizer.zero_grad(set_to_none=True)
            with mixed_precision(device):
                loss = self.network.loss(self.train, self.train.batch(numbers), weight)
            loss.backward()  # type: ignore[no-untyped-call]
            torch.nn.utils.clip_grad_norm_(self.network.parameters(), _LARGEST_GRADIENT)
            optimizer.step()
            if self._is_late():
                return

    def _judge(self, state: State) -> None:
        """Keep the weights if they are among the best, and count how long nothing was better."""
        score = float(state.epoch) if self.dev is None else self._dev_score(self.dev)
        better = not state.best or score > state.best[0][0]
        state.best.append((score, weights_of(self.network)))
        state.best.sort(key=lambda entry: -entry[0])
        del state.best[self.options.snapshots :]
        state.waited = 0 if better else state.waited + 1
        state.epoch += 1

    def _dev_score(self, dev: SceneTensors) -> float:
        found = probabilities(self.network, dev)
        return dev_score(found, dev.scenes.slots.label, self.options.metric)

    def _is_late(self) -> bool:
        return self.deadline is not None and self.clock() > self.deadline

    def _tell(self, state: State) -> None:
        if self.progress is not None:
            best = f", {state.best[0][0]:.3f} so far" if state.best and self.dev is not None else ""
            self.progress(state.epoch / self.options.epochs, f"epoch {state.epoch + 1}{best}")


def probabilities(network: Network, scenes: SceneTensors) -> Floats:
    """The probabilities of all slots, [slots, classes], in their order."""
    network.train(mode=False)
    count = len(scenes.scenes.slots)
    rows, order = [], []
    with torch.inference_mode(), mixed_precision(scenes.device):
        size = _PREDICTED_AT_ONCE[scenes.device.type]
        for numbers in ordered_batches(np.arange(count), sentence_lengths(scenes.scenes), size):
            rows.append(network(scenes, scenes.batch(numbers)).float())
            order.append(numbers)
    found = torch.cat(rows).exp().double().cpu().numpy()
    result = np.empty_like(found)
    result[np.concatenate(order)] = found / found.sum(axis=1, keepdims=True)
    return result


def dev_score(found: Floats, labels: np.ndarray[tuple[int], np.dtype[np.int64]], metric: str) -> float:
    """One of `METRICS` of the most likely classes; the likelihood is that of the right ones, per slot."""
    if metric == "likelihood":
        return float(np.log(found[np.arange(len(labels)), labels] + 1e-12).mean())
    right = found.argmax(axis=1) == labels
    if metric == "accuracy":
        return float(right.mean())
    return float(np.mean([right[labels == label].mean() for label in np.unique(labels)]))
