"""The fine-tuned encoder: network, training, prediction, saving and loading.

Letters in the comments on shapes: B windows, W subwords, H hidden size, C classes.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from anaphor.core import Prediction, TaskSegment
from anaphor.core.array_types import Doubles
from anaphor.core.progress import ShareProgress
from anaphor.files.arrays import read_arrays, write_arrays
from anaphor.predict.base import BaseModel
from anaphor.predict.device import mixed_precision
from anaphor.predict.distributions import class_weights
from anaphor.predict.hub.encoder import HubWindow, PretrainedEncoder, WindowReader, load_encoder, third_party
from anaphor.predict.hub.options import HubOptions
from anaphor.predict.model_folder import ModelFolder, Writer, damaged, save_model
from anaphor.predict.network_training import dev_score, ordered_batches, shuffled_batches

_HEAD = "head.safetensors"
#: Files of an encoder that are saved; none of them can run.
_SUFFIXES = (".json", ".safetensors", ".txt", ".model")
_DROPOUT = 0.1
_PREDICTION_BATCH = 64
_LARGEST_GRADIENT = 1.0
_WEIGHT_DECAY = 0.01
#: The new layer learns faster than the encoder below it, which is nearly there already.
_HEAD_RATE = 10.0


class HubNetwork(nn.Module):
    """Class scores at the mask of every window."""

    def __init__(self, encoder: PretrainedEncoder, classes: int) -> None:
        super().__init__()
        self.encoder = encoder.network
        self.padding = encoder.special.padding
        self.drop = nn.Dropout(_DROPOUT)
        self.head = nn.Linear(int(encoder.network.config.hidden_size), classes)

    def forward(self, windows: Sequence[HubWindow]) -> Tensor:
        """[B, C], before the softmax."""
        device = self.head.weight.device
        width = max(len(window.pieces) for window in windows)
        pieces = torch.full((len(windows), width), self.padding, dtype=torch.long)  # [B, W]
        seen = torch.zeros((len(windows), width), dtype=torch.long)  # [B, W]
        for row, window in enumerate(windows):
            pieces[row, : len(window.pieces)] = torch.tensor(window.pieces)
            seen[row, : len(window.pieces)] = 1
        places = torch.tensor([window.place for window in windows], device=device)
        with third_party("network"):
            states = self.encoder(
                input_ids=pieces.to(device), attention_mask=seen.to(device)
            ).last_hidden_state
        at_mask = states[torch.arange(len(windows), device=device), places]  # [B, W, H] -> [B, H]
        scores: Tensor = self.head(self.drop(at_mask.to(self.head.weight.dtype)))
        return scores


def probabilities(network: HubNetwork, windows: Sequence[HubWindow], present: Sequence[int]) -> Doubles:
    """[windows, classes] in the order of the windows; classes that never occurred in training get 0."""
    table: Doubles = np.zeros((len(windows), network.head.out_features))
    network.train(mode=False)
    with torch.inference_mode(), mixed_precision(network.head.weight.device):
        for numbers in ordered_batches(np.arange(len(windows)), _lengths(windows), _PREDICTION_BATCH):
            scores = network([windows[number] for number in numbers]).double().cpu()
            shares = torch.softmax(scores[:, list(present)], dim=1).numpy()
            table[numbers[:, None], list(present)] = shares
    return table


def _lengths(windows: Sequence[HubWindow]) -> NDArray[np.int64]:
    return np.array([len(window.pieces) for window in windows], np.int64)


@dataclass(frozen=True, slots=True)
class LabelledWindows:
    """Windows and the numbers of their classes."""

    windows: Sequence[HubWindow]
    labels: NDArray[np.int64]

    @classmethod
    def of(
        cls, reader: WindowReader, segments: Sequence[TaskSegment], classes: Sequence[str]
    ) -> LabelledWindows:
        labels = [classes.index(str(slot.label)) for segment in segments for slot in segment.slots]
        return cls(list(reader.windows(segments)), np.array(labels, dtype=np.int64))


def fine_tune(
    network: HubNetwork,
    train: LabelledWindows,
    dev: LabelledWindows | None,
    *,
    options: HubOptions,
    seed: int,
    progress: ShareProgress | None = None,
) -> None:
    """Train the network in place; keep the weights of the best epoch, or of the last without `dev`."""
    device = network.head.weight.device
    weights = class_weights(train.labels, network.head.out_features, options.balance)
    weight = torch.tensor(weights, dtype=torch.float32, device=device)
    groups = [
        {"params": list(network.encoder.parameters()), "lr": options.rate},
        {"params": list(network.head.parameters()), "lr": options.rate * _HEAD_RATE},
    ]
    optimizer = torch.optim.AdamW(groups, weight_decay=_WEIGHT_DECAY)
    steps = options.epochs * -(-len(train.windows) // options.batch)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: rate_share(step, steps, options.warm)
    )
    present = sorted(set(train.labels.tolist()))
    best: tuple[float, dict[str, Tensor]] | None = None
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    for epoch in range(options.epochs):
        if progress is not None:
            so_far = "" if best is None else f", {best[0]:.3f} so far"
            progress(f"epoch {epoch + 1}{so_far}", epoch / options.epochs)
        network.train()
        order = rng.permutation(len(train.windows))
        for numbers in shuffled_batches(order, _lengths(train.windows), options.batch, rng):
            optimizer.zero_grad(set_to_none=True)
            with mixed_precision(device):
                scores = network([train.windows[number] for number in numbers])
            wanted = torch.from_numpy(train.labels[numbers]).to(device)
            torch.autograd.backward(functional.cross_entropy(scores.float(), wanted, weight=weight))
            torch.nn.utils.clip_grad_norm_(network.parameters(), _LARGEST_GRADIENT)
            optimizer.step()
            schedule.step()
        if dev is not None:
            score = dev_score(probabilities(network, dev.windows, present), dev.labels, "macro-recall")
            if best is None or score > best[0]:
                best = score, {name: tensor.cpu().clone() for name, tensor in network.state_dict().items()}
    if best is not None:
        network.load_state_dict(best[1])


def rate_share(step: int, steps: int, warm: float) -> float:
    """Share of the peak learning rate at a step: a linear rise from 0 to 1, then a linear fall to 0."""
    rising = max(1.0, warm * steps)
    return min((step + 1) / rising, max(0.0, (steps - step) / max(1.0, steps - rising)))


@dataclass(frozen=True, slots=True, eq=False)
class HubModel(BaseModel):
    """An encoder with its classification layer; `present` are the numbers of the classes seen in training."""

    encoder: PretrainedEncoder
    network: HubNetwork
    present: tuple[int, ...]
    options: HubOptions

    def predict_slots(self, segments: Sequence[TaskSegment]) -> Iterator[Prediction]:
        """One prediction per slot; the surrounding sentences of its document are context."""
        reader = WindowReader(self.encoder, self.options, self.card.forms)
        for row in probabilities(self.network, list(reader.windows(segments)), self.present).tolist():
            yield Prediction(self.card.classes[int(np.argmax(row))], tuple(row))

    def save(self, folder: Path) -> None:
        """The encoder and its tokenizer in the format of transformers, with our layer."""
        with tempfile.TemporaryDirectory() as temporary:
            self.encoder.network.save_pretrained(temporary)
            self.encoder.tokenizer.save_pretrained(temporary)
            paths = sorted(path for path in Path(temporary).iterdir() if path.suffix in _SUFFIXES)
            files: dict[str, Writer] = {path.name: partial(shutil.copyfile, path) for path in paths}
            arrays = {
                "weight": self.network.head.weight.detach().cpu().numpy(),
                "bias": self.network.head.bias.detach().cpu().numpy(),
                "present": np.array(self.present, np.int64),
            }
            files[_HEAD] = lambda path: write_arrays(path, arrays)
            save_model(folder, self.card, files)


def load_hub(folder: ModelFolder, options: HubOptions, device: torch.device) -> HubModel:
    """The model in a folder; nothing is looked up anywhere else."""
    card, path = folder.card, folder.file(_HEAD)
    encoder = load_encoder(str(folder.path), download=False, recipe=card.recipe)
    network = HubNetwork(encoder, len(card.classes))
    head = read_arrays(path, what="safetensors file").arrays
    try:
        weights = {name: torch.from_numpy(np.array(head[name])) for name in ("weight", "bias")}
        network.head.load_state_dict(weights)
        present = tuple(int(number) for number in head["present"])
    except (KeyError, RuntimeError, TypeError, ValueError):
        raise damaged(path, "the classification layer does not fit") from None
    if not present or not set(present) <= set(range(len(card.classes))):
        raise damaged(path, "the list of trained classes is invalid")
    return HubModel(card, encoder, network.to(device), present, options)
