"""UKYOTO 2016: recurrent encoders with attention over the source and over the context of the pronoun.

wmt16-findings, section 5.7: "a simple Recurrent Neural Network system with an attention mechanism which
encodes both the source sentence and the context of the pronoun". One bidirectional GRU reads the source, one
the target with its placeholder. The states at the pronoun and at the placeholder attend to both sides; the
context vectors predict the class.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from anaphor.recipes.neural.network import AdditiveAttention, BidirectionalRNN, WordNetwork, state_at
from anaphor.recipes.neural.options import UkyotoOptions
from anaphor.recipes.neural.tensors import ContextTensors, SlotBatch
from anaphor.recipes.neural.vocabulary import Vocabularies


class Ukyoto(WordNetwork):
    """Bidirectional GRUs with attention over source and target."""

    def __init__(self, vocabularies: Vocabularies, classes: int, options: UkyotoOptions) -> None:
        super().__init__(vocabularies, width=options.embedding, dropout=options.dropout)
        self.window, width, hidden = options.window, options.embedding, options.hidden
        self.read_source = BidirectionalRNN(nn.GRU, width, hidden, layers=1)
        self.read_target = BidirectionalRNN(nn.GRU, width, hidden, layers=1)
        self.ask_source = AdditiveAttention(4 * hidden, 2 * hidden, hidden)
        self.ask_target = AdditiveAttention(4 * hidden, 2 * hidden, hidden)
        self.hidden = nn.Linear(8 * hidden, hidden)
        self.output = nn.Linear(hidden, classes)

    def forward(self, contexts: ContextTensors, batch: SlotBatch) -> Tensor:
        source = contexts.span("around", "source", self.window, batch)
        target = contexts.span("around", "target", self.window, batch)
        source_states = self.read_source(self.words("source", contexts, source), source.lengths)  # [B, W, 2H]
        target_states = self.read_target(self.words("target", contexts, target), target.lengths)
        pronoun = state_at(source_states, source, contexts.source[batch.slots])  # [B, 2H]
        gap = state_at(target_states, target, contexts.target[batch.slots])  # [B, 2H]
        query = torch.cat([pronoun, gap], dim=1)[:, None]  # [B, 1, 4H]
        attended = [
            self.ask_source(query, source_states, source.mask)[:, 0],  # [B, 2H]
            self.ask_target(query, target_states, target.mask)[:, 0],  # [B, 2H]
        ]
        mixed = torch.tanh(self.hidden(self.dropout(torch.cat([*attended, query[:, 0]], dim=1))))  # [B, H]
        return torch.log_softmax(self.output(self.dropout(mixed)).float(), dim=1)
