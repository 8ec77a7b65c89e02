"""The training loop of every architecture: sampling, batches, early stopping, snapshots, checkpoints.

Every epoch uses a random generator derived from seed and epoch, so an interrupted and resumed run ends in the
same weights as an uninterrupted one.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from anaphor.core import InputError, MismatchError
from anaphor.core.array_types import Doubles, Longs
from anaphor.core.progress import ShareProgress
from anaphor.files.arrays import read_arrays, write_arrays
from anaphor.predict.device import mixed_precision
from anaphor.predict.distributions import class_weights
from anaphor.predict.network_training import dev_score, ordered_batches, shuffled_batches
from anaphor.recipes.neural.contexts import ContextArrays
from anaphor.recipes.neural.network import SlotNetwork
from anaphor.recipes.neural.options import NetworkOptions
from anaphor.recipes.neural.tensors import ContextTensors

Weights = dict[str, NDArray[Any]]

_LARGEST_GRADIENT = 1.0
_PREDICTION_BATCH = {"cpu": 64, "cuda": 256}
_MIXTURE_STEPS = 100
_CHECKPOINT = "training.safetensors"


def sentence_lengths(contexts: ContextArrays) -> Longs:
    """For every slot the length of its sentence on the longer side."""
    segment = contexts.slots.segment
    return np.maximum(*(np.diff(text.starts)[segment] for text in (contexts.source, contexts.target)))


def class_shares(labels: Longs, classes: int) -> Doubles:
    """The relative frequency of each class."""
    shares: Doubles = np.bincount(labels, minlength=classes) / max(1, len(labels))
    return shares


def sampled_slots(
    labels: Longs, wanted: Doubles, options: NetworkOptions, generator: np.random.Generator
) -> Longs:
    """The slots of one epoch in random order; `wanted` are the class shares of proportional sampling.

    A class with too few slots for its share contributes all of them (discomt17-findings, section 5.2: "as
    long as there are enough instances").
    """
    if options.sampling == "all":
        every: Longs = generator.permutation(len(labels))
        return every[: max(1, round(options.share * len(labels)))]
    present = np.unique(labels)
    shares = wanted[present] if options.sampling == "proportional" else np.ones(len(present))
    shares = shares / shares.sum()
    size = options.share * len(labels)
    sample = [
        generator.permutation(np.flatnonzero(labels == label))[: max(1, round(size * share))]
        for label, share in zip(present, shares, strict=True)
        if share > 0
    ]
    mixed: Longs = generator.permutation(np.concatenate(sample))
    return mixed


def below(prefix: str, arrays: Mapping[str, NDArray[Any]]) -> Weights:
    """The arrays whose names begin with a prefix, keyed by the rest of the name."""
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}


def weights_of(network: SlotNetwork) -> Weights:
    """A copy of all weights as arrays."""
    return {name: _array(tensor) for name, tensor in network.state_dict().items()}


def set_weights(network: SlotNetwork, weights: Weights) -> None:
    """Load weights into a network of the same shape; a `RuntimeError` lists mismatches."""
    network.load_state_dict({name: torch.from_numpy(np.array(array)) for name, array in weights.items()})


def _array(tensor: torch.Tensor) -> NDArray[Any]:
    copied: NDArray[Any] = tensor.detach().cpu().numpy().copy()
    return copied


@dataclass(slots=True)
class TrainingState:
    """Finished epochs, epochs since the best one, and the best weights with their scores, best first."""

    epoch: int = 0
    waited: int = 0
    best: list[tuple[float, Weights]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """An interrupted training in one file; `run` identifies recipe, data and seed, which must be the same."""

    folder: Path
    run: str

    def save(self, network: SlotNetwork, optimizer: torch.optim.Optimizer, state: TrainingState) -> None:
        """Save, replacing the state saved after the previous epoch."""
        arrays = {f"network/{name}": array for name, array in weights_of(network).items()}
        for rank, (_, weights) in enumerate(state.best):
            arrays |= {f"best/{rank}/{name}": array for name, array in weights.items()}
        for number, values in optimizer.state_dict()["state"].items():
            arrays |= {f"optimizer/{number}/{key}": _array(value) for key, value in values.items()}
        facts = {"epoch": state.epoch, "waited": state.waited, "scores": [score for score, _ in state.best]}
        self.folder.mkdir(parents=True, exist_ok=True)
        write_arrays(
            self.folder / _CHECKPOINT, arrays, metadata={"run": self.run, "state": json.dumps(facts)}
        )

    def load(self, network: SlotNetwork, optimizer: torch.optim.Optimizer) -> TrainingState | None:
        """Restore weights and optimizer; None if nothing was saved."""
        path = self.folder / _CHECKPOINT
        if not path.is_file():
            return None
        stored = read_arrays(path, what="safetensors file")
        if stored.metadata.get("run") != self.run:
            raise MismatchError(
                "the folder has an interrupted training run with a different recipe, data or seed",
                where=str(path),
                fix="remove the folder to start again, or continue with the same recipe, data and seed",
            )
        try:
            facts = json.loads(stored.metadata["state"])
            set_weights(network, below("network/", stored.arrays))
            inside: dict[int, dict[str, torch.Tensor]] = {}
            for name, array in below("optimizer/", stored.arrays).items():
                number, _, key = name.partition("/")
                inside.setdefault(int(number), {})[key] = torch.from_numpy(np.array(array))
            groups = optimizer.state_dict()["param_groups"]
            optimizer.load_state_dict({"state": inside, "param_groups": groups})
            best = [
                (float(score), below(f"best/{rank}/", stored.arrays))
                for rank, score in enumerate(facts["scores"])
            ]
            return TrainingState(int(facts["epoch"]), int(facts["waited"]), best)
        except (KeyError, ValueError, TypeError, AttributeError, RuntimeError, OverflowError) as error:
            raise InputError(
                f"the interrupted training cannot be resumed: {error}",
                where=str(path),
                fix="remove the folder and start again",
            ) from None

    def remove(self) -> None:
        """Delete the file at the end of training."""
        (self.folder / _CHECKPOINT).unlink(missing_ok=True)


@dataclass(slots=True, kw_only=True)
class NetworkTrainer:
    """Everything that one training run needs; `deadline` is a time of `clock`, or None."""

    network: SlotNetwork
    train: ContextTensors
    dev: ContextTensors | None
    classes: int
    options: NetworkOptions
    seed: int
    deadline: float | None = None
    checkpoint: Checkpoint | None = None
    progress: ShareProgress | None = None
    clock: Callable[[], float] = field(default=time.monotonic)

    def run(self) -> list[Weights]:
        """The weights of the best epochs on development data, best first; without it, the last ones."""
        options = self.options
        torch.manual_seed(self.seed)
        optimizer = torch.optim.Adam(self.network.parameters(), lr=options.rate)
        state = self.checkpoint.load(self.network, optimizer) if self.checkpoint else None
        if state is None:
            self.network.prepare(self.train, self.seed)
            state = TrainingState()
        while state.epoch < options.epochs and state.waited < options.patience and not self._is_late():
            if self.progress is not None:
                best = f", {state.best[0][0]:.3f} so far" if state.best and self.dev is not None else ""
                self.progress(f"epoch {state.epoch + 1}{best}", state.epoch / options.epochs)
            self._run_epoch(state.epoch, optimizer)
            self._evaluate(state)
            if self.checkpoint:
                self.checkpoint.save(self.network, optimizer, state)
        if self.checkpoint:
            self.checkpoint.remove()
        return [weights for _, weights in state.best] or [weights_of(self.network)]

    def _run_epoch(self, epoch: int, optimizer: torch.optim.Optimizer) -> None:
        # A seed for each epoch: a training that was interrupted goes on as if it had not been.
        torch.manual_seed(self.seed * 100_003 + epoch)
        generator = np.random.default_rng([self.seed, epoch])
        labels, device = self.train.contexts.slots.label, self.train.device
        known = self.train if self.dev is None else self.dev
        wanted = class_shares(known.contexts.slots.label, self.classes)
        weights = class_weights(labels, self.classes, self.options.balance)
        weight = torch.tensor(weights, dtype=torch.float32, device=device) if self.options.balance else None
        slots = sampled_slots(labels, wanted, self.options, generator)
        self.network.train()
        lengths = sentence_lengths(self.train.contexts)
        for numbers in shuffled_batches(slots, lengths, self.options.batch, generator):
            optimizer.zero_grad(set_to_none=True)
            with mixed_precision(device):
                loss = self.network.loss(self.train, self.train.batch(numbers), weight)
            loss.backward()  # type: ignore[no-untyped-call]
            # Recurrent networks have rare gradients that are far too large (Pascanu et al. 2013).
            torch.nn.utils.clip_grad_norm_(self.network.parameters(), _LARGEST_GRADIENT)
            optimizer.step()
            if self._is_late():
                return

    def _evaluate(self, state: TrainingState) -> None:
        """Keep the weights if they are among the best, and count the epochs without a gain."""
        # Without development data a later epoch counts as better.
        score = float(state.epoch)
        if self.dev is not None:
            predicted = probabilities(self.network, self.dev)
            score = dev_score(predicted, self.dev.contexts.slots.label, self.options.metric)
        better = not state.best or score > state.best[0][0]
        # Sorting is stable: of epochs with equal scores the earlier one stays ahead.
        state.best.append((score, weights_of(self.network)))
        state.best.sort(key=lambda entry: -entry[0])
        del state.best[self.options.snapshots :]
        state.waited = 0 if better else state.waited + 1
        state.epoch += 1

    def _is_late(self) -> bool:
        return self.deadline is not None and self.clock() > self.deadline


def probabilities(network: SlotNetwork, tensors: ContextTensors) -> Doubles:
    """The probabilities of all slots, [slots, classes], in order."""
    network.train(mode=False)
    rows, order = [], []
    with torch.inference_mode(), mixed_precision(tensors.device):
        size = _PREDICTION_BATCH[tensors.device.type]
        slots = np.arange(len(tensors.contexts.slots))
        for numbers in ordered_batches(slots, sentence_lengths(tensors.contexts), size):
            rows.append(network(tensors, tensors.batch(numbers)).float())
            order.append(numbers)
    # Networks give logarithms in single precision, whose sum is a little off 1.
    table = torch.cat(rows).exp().double().cpu().numpy()
    result = np.empty_like(table)
    result[np.concatenate(order)] = table / table.sum(axis=1, keepdims=True)
    return result


def mixture_shares(right: Sequence[Doubles]) -> Doubles:
    """Mixture weights, summing to 1, from each member's probabilities of the correct classes.

    Expectation maximization from equal weights: the likelihood rises with every step.
    """
    # No member may be certain that a correct class is impossible.
    given = np.stack(right, axis=1) + 1e-12  # [slots, members]
    shares: Doubles = np.full(given.shape[1], 1 / given.shape[1])
    for _ in range(_MIXTURE_STEPS):
        posterior = given * shares
        shares = (posterior / posterior.sum(axis=1, keepdims=True)).mean(axis=0)
    return shares
