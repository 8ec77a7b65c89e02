"""Fine-tuning: AdamW, a rate that rises and falls, the best epoch on development data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from anaphor.predict.contract import Progress
from anaphor.predict.hub.network import HubNetwork, alike, probabilities
from anaphor.predict.hub.settings import HubOptions
from anaphor.predict.hub.windows import HubWindow
from anaphor.predict.neural.batching import class_weights
from anaphor.predict.neural.device import mixed_precision
from anaphor.predict.neural.learning import dev_score

_LARGEST_GRADIENT = 1.0
_DECAY = 0.01
#: The layer over the encoder is new and may learn faster than what it stands on.
_HEAD_RATE = 10.0
#: Batches whose windows are sorted by length together: alike in length, and still mixed.
_POOL = 50

Labels = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Examples:
    """Windows and the numbers of their classes."""

    windows: Sequence[HubWindow]
    labels: Labels


def fine_tune(
    network: HubNetwork,
    train: Examples,
    dev: Examples | None,
    *,
    options: HubOptions,
    seed: int,
    progress: Progress | None = None,
) -> None:
    """Train the network in place; it ends with the weights of the best epoch, without `dev` of the last."""
    device = network.head.weight.device
    weights = class_weights(train.labels, network.head.out_features, options.balance)
    weight = torch.tensor(weights, dtype=torch.float32, device=device)
    optimiser = _optimiser(network, options.rate)
    steps = options.epochs * -(-len(train.windows) // options.batch)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: _share(step, steps, options.warm))
    present = sorted(set(train.labels.tolist()))
    best: tuple[float, dict[str, Tensor]] | None = None
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    for epoch in range(options.epochs):
        _tell(progress, epoch, options.epochs, best)
        network.train()
        for numbers in _mixed(train.windows, options.batch, rng):
            _step(network, optimiser, train, numbers, weight)
            schedule.step()
        if dev is not None:
            found = dev_score(probabilities(network, dev.windows, present), dev.labels, "macro-recall")
            if best is None or found > best[0]:
                best = found, {name: one.cpu().clone() for name, one in network.state_dict().items()}
    if best is not None:
        network.load_state_dict(best[1])


def _optimiser(network: HubNetwork, rate: float) -> torch.optim.Optimizer:
    groups = [
        {"params": list(network.encoder.parameters()), "lr": rate},
        {"params": list(network.head.parameters()), "lr": rate * _HEAD_RATE},
    ]
    return torch.optim.AdamW(groups, weight_decay=_DECAY)


def _share(step: int, steps: int, warm: float) -> float:
    """Of the rate: from 0 to 1 in the first steps, then back to 0."""
    rising = max(1.0, warm * steps)
    return min((step + 1) / rising, max(0.0, (steps - step) / max(1.0, steps - rising)))


def _step(
    network: HubNetwork,
    optimiser: torch.optim.Optimizer,
    train: Examples,
    numbers: Sequence[int],
    weight: Tensor,
) -> None:
    device = weight.device
    optimiser.zero_grad(set_to_none=True)
    with mixed_precision(device):
        scores = network([train.windows[number] for number in numbers])
    wanted = torch.from_numpy(train.labels[list(numbers)]).to(device)
    loss = functional.cross_entropy(scores.float(), wanted, weight=weight)
    torch.autograd.backward(loss)
    torch.nn.utils.clip_grad_norm_(network.parameters(), _LARGEST_GRADIENT)
    optimiser.step()


def _mixed(windows: Sequence[HubWindow], size: int, rng: np.random.Generator) -> Iterator[list[int]]:
    """Batches of windows of about the same length, in random order."""
    order = rng.permutation(len(windows)).tolist()
    pools = (order[start : start + size * _POOL] for start in range(0, len(order), size * _POOL))
    batches = [batch for pool in pools for batch in alike(windows, pool, size)]
    for number in rng.permutation(len(batches)).tolist():
        yield batches[number]


def _tell(
    progress: Progress | None, epoch: int, epochs: int, best: tuple[float, dict[str, Tensor]] | None
) -> None:
    if progress is not None:
        so_far = "" if best is None else f", {best[0]:.3f} so far"
        progress(epoch / epochs, f"epoch {epoch + 1}{so_far}")
