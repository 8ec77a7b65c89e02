"""What every architecture is, and the layers that several of them share.

Letters in the comments on shapes: B slots of a batch, W words of a stretch, E width of an embedding, H width
of a hidden state, C classes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

import torch
from torch import Tensor, nn
from torch.nn import functional

from anaphor.predict.neural.tensors import Batch, Places, SceneTensors
from anaphor.predict.neural.vocabulary import PADDING, Vocabularies


class Network(nn.Module, ABC):
    """From slots to logarithms of probabilities; a class attribute says which fields of tokens it reads."""

    fields: ClassVar[tuple[str, ...]]

    @abstractmethod
    def forward(self, scenes: SceneTensors, batch: Batch) -> Tensor:
        """Logarithms of the probabilities of the classes, [B, C]."""

    def loss(self, scenes: SceneTensors, batch: Batch, weight: Tensor | None) -> Tensor:
        """What training makes small; `weight` [C] is what a slot of each class counts."""
        scores = self(scenes, batch)
        return functional.nll_loss(scores.float(), scenes.labels[batch.slots], weight=weight)

    def prepare(self, scenes: SceneTensors, seed: int) -> None:
        """Called once with the training data before the first epoch: the place of pre-training."""


def embedding(vocabularies: Vocabularies, name: str, width: int) -> nn.Embedding:
    """The table of a field, [numbers, width]; no token is a row of zeros."""
    table = nn.Embedding(len(vocabularies[name]), width, padding_idx=PADDING)
    nn.init.normal_(table.weight, std=width**-0.5)
    with torch.no_grad():
        table.weight[PADDING].zero_()
    return table


def flipped(states: Tensor, lengths: Tensor) -> Tensor:
    """[B, W, E] with the first `lengths` places of every row in reverse order; the rest stays."""
    steps = torch.arange(states.shape[1], device=states.device)[None, :]  # [1, W]
    turned = torch.where(steps < lengths[:, None], lengths[:, None] - 1 - steps, steps)  # [B, W]
    return states.gather(1, turned[:, :, None].expand_as(states))


def last_state(states: Tensor, lengths: Tensor) -> Tensor:
    """[B, W, H] -> [B, H]: the state after the last word; zeros where there is no word."""
    place = (lengths - 1).clamp(min=0)[:, None, None].expand(-1, 1, states.shape[2])
    return states.gather(1, place).squeeze(1) * (lengths > 0)[:, None]


def at_place(states: Tensor, places: Places, wanted: Tensor) -> Tensor:
    """[B, W, H] -> [B, H]: the state of the token at a place of the text; zeros where it is not inside."""
    offset = wanted - places.at[:, 0]  # [B]; a stretch is a run of neighbouring places
    inside = (offset >= 0) & (offset < places.lengths)
    place = (offset * inside)[:, None, None].expand(-1, 1, states.shape[2])
    return states.gather(1, place).squeeze(1) * inside[:, None]


def read(reader: nn.Module, states: Tensor, first: Tensor | None = None) -> Tensor:
    """[B, W, E] -> [B, W, H] by a GRU or an LSTM, in full precision: not every cuDNN has them in bfloat16.

    `first` is the state of a GRU before the first word, [1, B, H].
    """
    with torch.autocast(states.device.type, enabled=False):
        found: Tensor = reader(states.float(), None if first is None else first.float().contiguous())[0]
        return found


class BothWays(nn.Module):
    """A recurrent network that reads both ways, layer over layer.

    Each direction is a network of its own and begins at a real word, so that what fills up a batch is never
    read before a word and cannot change its state.
    """

    def __init__(self, kind: type[nn.GRU] | type[nn.LSTM], width: int, hidden: int, *, layers: int) -> None:
        super().__init__()
        widths = [width] + [2 * hidden] * (layers - 1)
        self.onward = nn.ModuleList(kind(n, hidden, batch_first=True) for n in widths)
        self.backward_ = nn.ModuleList(kind(n, hidden, batch_first=True) for n in widths)

    def forward(self, states: Tensor, lengths: Tensor) -> Tensor:
        """[B, W, E] -> [B, W, 2H]."""
        for onward, back in zip(self.onward, self.backward_, strict=True):
            ahead = read(onward, states)  # [B, W, H]
            behind = read(back, flipped(states, lengths))  # [B, W, H]
            states = torch.cat([ahead, flipped(behind, lengths)], dim=2)
        return states


class Attention(nn.Module):
    """Additive attention: which of W states matter for a query."""

    def __init__(self, query: int, width: int, hidden: int) -> None:
        super().__init__()
        self.of_query, self.of_state = nn.Linear(query, hidden), nn.Linear(width, hidden, bias=False)
        self.score = nn.Linear(hidden, 1, bias=False)

    def forward(self, query: Tensor, states: Tensor, mask: Tensor) -> Tensor:
        """Queries [B, Q, ·], states [B, W, E], mask [B, W] -> [B, Q, E]; zeros where there is no state."""
        mixed = torch.tanh(self.of_query(query)[:, :, None] + self.of_state(states)[:, None])  # [B, Q, W, H]
        scores = self.score(mixed).squeeze(3).float()  # [B, Q, W]
        scores = scores.masked_fill(~mask[:, None], -1e4)
        shares = torch.softmax(scores, dim=2) * mask.any(dim=1)[:, None, None]
        return shares.to(states.dtype) @ states
