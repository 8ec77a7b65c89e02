"""Training on disk: where it stands after an epoch, so that an interrupted run can be taken up again."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from anaphor.core import InputError, MismatchError
from anaphor.predict.neural.network import Network
from anaphor.predict.neural.tensorfile import Tensors, read_tensors, write_tensors

Weights = dict[str, NDArray[Any]]

_FILE = "training.safetensors"


@dataclass(slots=True)
class State:
    """Epochs done, epochs since the best one, and the best weights with their scores, best first."""

    epoch: int = 0
    waited: int = 0
    best: list[tuple[float, Weights]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """One file in a folder; `run` names recipe, data and seed, so that no other run goes on from it."""

    folder: Path
    run: str

    def save(self, network: Network, optimizer: torch.optim.Optimizer, state: State) -> None:
        """Replace what was saved after the epoch before."""
        arrays = {f"network/{name}": array for name, array in weights_of(network).items()}
        for rank, (_, weights) in enumerate(state.best):
            arrays |= {f"best/{rank}/{name}": array for name, array in weights.items()}
        for number, values in optimizer.state_dict()["state"].items():
            arrays |= {f"optimizer/{number}/{key}": _array(value) for key, value in values.items()}
        facts = {"epoch": state.epoch, "waited": state.waited, "scores": [score for score, _ in state.best]}
        self.folder.mkdir(parents=True, exist_ok=True)
        write_tensors(self.folder / _FILE, arrays, metadata={"run": self.run, "state": json.dumps(facts)})

    def load(self, network: Network, optimizer: torch.optim.Optimizer) -> State | None:
        """Put weights and optimizer back to where they were; None where nothing was saved."""
        path = self.folder / _FILE
        if not path.is_file():
            return None
        stored = read_tensors(path)
        if stored.metadata.get("run") != self.run:
            raise MismatchError(
                "the folder has an interrupted training of another recipe, other data or another seed",
                where=str(path),
                fix="remove the folder to begin anew, or go on with what it was begun with",
            )
        try:
            return _restored(stored, network, optimizer)
        except (KeyError, ValueError, TypeError, RuntimeError) as error:
            raise InputError(
                f"the interrupted training cannot be taken up: {error}",
                where=str(path),
                fix="remove the folder and begin anew",
            ) from None

    def remove(self) -> None:
        """Training has ended: nothing is left to take up."""
        (self.folder / _FILE).unlink(missing_ok=True)


def weights_of(network: Network) -> Weights:
    """A copy of all weights as arrays."""
    return {name: _array(tensor) for name, tensor in network.state_dict().items()}


def set_weights(network: Network, weights: Weights) -> None:
    """Put weights into a network of the same shape; a `RuntimeError` says what does not fit."""
    network.load_state_dict({name: torch.from_numpy(np.array(array)) for name, array in weights.items()})


def _array(tensor: torch.Tensor) -> NDArray[Any]:
    copied: NDArray[Any] = tensor.detach().cpu().numpy().copy()
    return copied


def _restored(stored: Tensors, network: Network, optimizer: torch.optim.Optimizer) -> State:
    facts = json.loads(stored.metadata["state"])
    set_weights(network, _below(stored, "network/"))
    inside: dict[int, dict[str, torch.Tensor]] = {}
    for name, array in _below(stored, "optimizer/").items():
        number, _, key = name.partition("/")
        inside.setdefault(int(number), {})[key] = torch.from_numpy(np.array(array))
    groups = optimizer.state_dict()["param_groups"]
    optimizer.load_state_dict({"state": inside, "param_groups": groups})
    best = [(float(score), _below(stored, f"best/{rank}/")) for rank, score in enumerate(facts["scores"])]
    return State(int(facts["epoch"]), int(facts["waited"]), best)


def _below(stored: Tensors, prefix: str) -> Weights:
    return {
        name.removeprefix(prefix): array for name, array in stored.arrays.items() if name.startswith(prefix)
    }
