"""UKYOTO 2016: recurrent encoders with attention over the source and over the context of the pronoun.

wmt16-findings, section 5.7: "a simple Recurrent Neural SlotNetwork system with an attention mechanism which
encodes both the source sentence and the context of the pronoun". One bidirectional GRU reads the source, one
the target with its placeholder. The states at the pronoun and at the placeholder attend to both sides; the
context vectors predict the class.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from anaphor.predict.neural.network import (
    AdditiveAttention,
    BidirectionalRNN,
    SlotNetwork,
    embedding,
    state_at,
)
from anaphor.predict.neural.tensors import ContextTensors, SlotBatch
from anaphor.predict.neural.vocabulary import Vocabularies


@dataclass(frozen=True, slots=True, kw_only=True)
class UkyotoOptions:
    """At most `window` words on each side of the pronoun are read."""

    window: int = 50
    embedding: int = 100
    hidden: int = 100
    dropout: float = 0.3


class Ukyoto(SlotNetwork):
    """Bidirectional GRUs with attention over source and target."""

    fields = ("source.word", "target.word", "target.tag")

    def __init__(self, vocabularies: Vocabularies, classes: int, options: UkyotoOptions) -> None:
        super().__init__()
        self.window, width, hidden = options.window, options.embedding, options.hidden
        self.source = embedding(vocabularies, "source.word", width)
        self.target = embedding(vocabularies, "target.word", width)
        self.tag = embedding(vocabularies, "target.tag", width)
        self.read_source = BidirectionalRNN(nn.GRU, width, hidden, layers=1)
        self.read_target = BidirectionalRNN(nn.GRU, width, hidden, layers=1)
        self.ask_source = AdditiveAttention(4 * hidden, 2 * hidden, hidden)
        self.ask_target = AdditiveAttention(4 * hidden, 2 * hidden, hidden)
        self.dropout = nn.Dropout(options.dropout)
        self.hidden = nn.Linear(8 * hidden, hidden)
        self.output = nn.Linear(hidden, classes)

    def forward(self, contexts: ContextTensors, batch: SlotBatch) -> Tensor:
        source = contexts.around("source", self.window).padded(batch)
        target = contexts.around("target", self.window).padded(batch)
        source_words = self.source(contexts.fields["source.word"][source.positions])  # [B, W, E]
        target_words = self.target(contexts.fields["target.word"][target.positions])
        target_words = target_words + self.tag(contexts.fields["target.tag"][target.positions])  # [B, W', E]
        source_states = self.read_source(self.dropout(source_words), source.lengths)  # [B, W, 2H]
        target_states = self.read_target(self.dropout(target_words), target.lengths)  # [B, W', 2H]
        pronoun = state_at(source_states, source, contexts.source[batch.slots])  # [B, 2H]
        gap = state_at(target_states, target, contexts.target[batch.slots])  # [B, 2H]
        query = torch.cat([pronoun, gap], dim=1)[:, None]  # [B, 1, 4H]
        attended = [
            self.ask_source(query, source_states, source.mask)[:, 0],  # [B, 2H]
            self.ask_target(query, target_states, target.mask)[:, 0],  # [B, 2H]
        ]
        mixed = torch.tanh(self.hidden(self.dropout(torch.cat([*attended, query[:, 0]], dim=1))))  # [B, H]
        return torch.log_softmax(self.output(self.dropout(mixed)).float(), dim=1)
