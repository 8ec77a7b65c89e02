"""The encoder with a layer of ours over the state at the mask, and how batches go through it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from anaphor.predict.hub.encoder import Encoder
from anaphor.predict.hub.windows import HubWindow
from anaphor.predict.neural.device import mixed_precision

Floats = NDArray[np.float64]
_DROPPED = 0.1
_AT_ONCE = 64


class HubNetwork(nn.Module):
    """Scores of classes at the mask of every window. Shapes: B windows, W pieces, H width, C classes."""

    def __init__(self, encoder: Encoder, classes: int) -> None:
        super().__init__()
        self.encoder = encoder.network
        self.padding = encoder.marks.padding
        self.drop = nn.Dropout(_DROPPED)
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
        states = self.encoder(input_ids=pieces.to(device), attention_mask=seen.to(device)).last_hidden_state
        at_mask = states[torch.arange(len(windows), device=device), places]  # [B, W, H] -> [B, H]
        scores: Tensor = self.head(self.drop(at_mask.to(self.head.weight.dtype)))
        return scores


def probabilities(network: HubNetwork, windows: Sequence[HubWindow], present: Sequence[int]) -> Floats:
    """[windows, classes] in the order of the windows; classes that training never had are impossible."""
    classes = network.head.out_features
    found: Floats = np.zeros((len(windows), classes))
    network.train(mode=False)
    with torch.inference_mode(), mixed_precision(network.head.weight.device):
        for numbers in alike(windows, range(len(windows)), _AT_ONCE):
            scores = network([windows[number] for number in numbers]).double().cpu()
            shares = torch.softmax(scores[:, list(present)], dim=1).numpy()
            found[np.ix_(numbers, list(present))] = shares
    return found


def alike(windows: Sequence[HubWindow], numbers: Sequence[int], size: int) -> Iterator[list[int]]:
    """Numbers of windows in batches, short ones first, so that little is padding."""
    ordered = sorted(numbers, key=lambda number: len(windows[number].pieces))
    for start in range(0, len(ordered), size):
        yield ordered[start : start + size]
