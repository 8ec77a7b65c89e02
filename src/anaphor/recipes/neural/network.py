"""The base class of all architectures, and the layers that several of them share.

Letters in the comments on shapes: B slots of a batch, W words of a span, E width of an embedding, H width of
a hidden state, C classes. Attributes that hold parameters are part of the format of saved models: renaming
one makes old models unreadable.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

import torch
from torch import Tensor, nn
from torch.nn import functional

from anaphor.recipes.neural.tensors import ContextTensors, PaddedSpans, Side, SlotBatch
from anaphor.recipes.neural.vocabulary import PADDING, Vocabularies


class SlotNetwork(nn.Module, ABC):
    """From slots to log-probabilities of classes; `fields` are the fields of tokens that it reads."""

    fields: ClassVar[tuple[str, ...]]

    @abstractmethod
    def forward(self, contexts: ContextTensors, batch: SlotBatch) -> Tensor:
        """Log-probabilities of the classes, [B, C]."""

    def loss(self, contexts: ContextTensors, batch: SlotBatch, weight: Tensor | None) -> Tensor:
        """The training loss; `weight` [C] is the weight of each class."""
        scores = self(contexts, batch)
        return functional.nll_loss(scores.float(), contexts.labels[batch.slots], weight=weight)

    def prepare(self, contexts: ContextTensors, seed: int) -> None:
        """Called once with the training data before the first epoch, for pretraining."""


def embedding(vocabularies: Vocabularies, name: str, width: int) -> nn.Embedding:
    """The embedding table of a field, [numbers, width]; padding is a row of zeros."""
    table = nn.Embedding(len(vocabularies[name]), width, padding_idx=PADDING)
    nn.init.normal_(table.weight, std=width**-0.5)
    with torch.no_grad():
        table.weight[PADDING].zero_()
    return table


class WordNetwork(SlotNetwork):
    """A network that reads the words of both sides, with tags on the target side."""

    fields = ("source.word", "target.word", "target.tag")

    def __init__(self, vocabularies: Vocabularies, *, width: int, dropout: float) -> None:
        super().__init__()
        self.source = embedding(vocabularies, "source.word", width)
        self.target = embedding(vocabularies, "target.word", width)
        self.tag = embedding(vocabularies, "target.tag", width)
        self.dropout = nn.Dropout(dropout)

    def words(self, side: Side, contexts: ContextTensors, span: PaddedSpans) -> Tensor:
        """[B, W, E]: the embedded words of a span."""
        embedded = getattr(self, side)(contexts.fields[f"{side}.word"][span.positions])
        if side == "target":
            embedded = embedded + self.tag(contexts.fields["target.tag"][span.positions])
        dropped: Tensor = self.dropout(embedded)
        return dropped


def flipped(states: Tensor, lengths: Tensor) -> Tensor:
    """[B, W, E] with the first `lengths` positions of every row reversed; the padding stays."""
    steps = torch.arange(states.shape[1], device=states.device)[None, :]  # [1, W]
    turned = torch.where(steps < lengths[:, None], lengths[:, None] - 1 - steps, steps)  # [B, W]
    return states.gather(1, turned[:, :, None].expand_as(states))


def last_state(states: Tensor, lengths: Tensor) -> Tensor:
    """[B, W, H] -> [B, H]: the state after the last word; zeros if there is no word."""
    place = (lengths - 1).clamp(min=0)[:, None, None].expand(-1, 1, states.shape[2])
    return states.gather(1, place).squeeze(1) * (lengths > 0)[:, None]


def state_at(states: Tensor, spans: PaddedSpans, position: Tensor) -> Tensor:
    """[B, W, H] -> [B, H]: the state of the token at a text position; zeros if it is outside the span."""
    offset = position - spans.positions[:, 0]  # [B]; the positions of a span are consecutive
    inside = (offset >= 0) & (offset < spans.lengths)
    place = (offset * inside)[:, None, None].expand(-1, 1, states.shape[2])
    return states.gather(1, place).squeeze(1) * inside[:, None]


def run_rnn(rnn: nn.Module, states: Tensor, first: Tensor | None = None) -> Tensor:
    """[B, W, E] -> [B, W, H] by a GRU or an LSTM, in full precision: not every cuDNN has them in bfloat16.

    `first` is the initial state of a GRU, [B, H].
    """
    with torch.autocast(states.device.type, enabled=False):
        outputs: Tensor = rnn(states.float(), None if first is None else first.float()[None].contiguous())[0]
        return outputs


class BidirectionalRNN(nn.Module):
    """A recurrent network that reads in both directions, layer over layer.

    Unlike torch's own, each direction is a separate network that begins at a real word, so padding is never
    read before a word and cannot change its state.
    """

    def __init__(self, kind: type[nn.GRU] | type[nn.LSTM], width: int, hidden: int, *, layers: int) -> None:
        super().__init__()
        widths = [width] + [2 * hidden] * (layers - 1)
        self.onward = nn.ModuleList(kind(n, hidden, batch_first=True) for n in widths)
        self.backward_ = nn.ModuleList(kind(n, hidden, batch_first=True) for n in widths)

    def forward(self, states: Tensor, lengths: Tensor) -> Tensor:
        """[B, W, E] -> [B, W, 2H]."""
        for forward, backward in zip(self.onward, self.backward_, strict=True):
            ahead = run_rnn(forward, states)  # [B, W, H]
            behind = run_rnn(backward, flipped(states, lengths))  # [B, W, H]
            states = torch.cat([ahead, flipped(behind, lengths)], dim=2)
        return states


class AdditiveAttention(nn.Module):
    """Attention of queries to W states, scored by a small perceptron (Bahdanau et al. 2015)."""

    def __init__(self, query: int, width: int, hidden: int) -> None:
        super().__init__()
        self.of_query, self.of_state = nn.Linear(query, hidden), nn.Linear(width, hidden, bias=False)
        self.score = nn.Linear(hidden, 1, bias=False)

    def forward(self, query: Tensor, states: Tensor, mask: Tensor) -> Tensor:
        """Queries [B, Q, ·], states [B, W, E], mask [B, W] -> [B, Q, E]; zeros if there is no state."""
        mixed = torch.tanh(self.of_query(query)[:, :, None] + self.of_state(states)[:, None])  # [B, Q, W, H]
        return attend(self.score(mixed).squeeze(3), states, mask)


def dot_product_attention(query: Tensor, states: Tensor, mask: Tensor) -> Tensor:
    """[B, T, E], [B, W, E], [B, W] -> [B, T, E]; zeros if there is no state."""
    scores = (query @ states.to(query.dtype).transpose(1, 2)).float() * query.shape[2] ** -0.5  # [B, T, W]
    return attend(scores, states, mask)


def attend(scores: Tensor, states: Tensor, mask: Tensor) -> Tensor:
    """The mean of states weighted by the softmax of their scores [B, Q, W]; zeros if there is no state."""
    shares = torch.softmax(scores.float().masked_fill(~mask[:, None], -1e4), dim=2)
    shares = shares * mask.any(dim=1)[:, None, None]
    return shares.to(states.dtype) @ states
