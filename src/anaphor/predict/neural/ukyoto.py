"""UKYOTO 2016: recurrent encoders with attention over the source and over the context of the pronoun.

wmt16-findings, section 5.7: "a simple Recurrent Neural Network system with an attention mechanism which
encodes both the source sentence and the context of the pronoun". One two-way GRU reads the source, one the
target with its placeholder. The state at the placeholder asks both for what matters; the answers predict the
class.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from anaphor.predict.neural.network import Attention, BothWays, Network, at_place, embedding
from anaphor.predict.neural.tensors import Batch, SceneTensors
from anaphor.predict.neural.vocabulary import Vocabularies


@dataclass(frozen=True, slots=True, kw_only=True)
class UkyotoOptions:
    """Words are read at most `window` to each side of the pronoun."""

    window: int = 50
    embedding: int = 100
    hidden: int = 100
    dropout: float = 0.3


class Ukyoto(Network):
    fields = ("source.word", "target.word", "target.tag")

    def __init__(self, vocabularies: Vocabularies, classes: int, options: UkyotoOptions) -> None:
        super().__init__()
        self.window, width, hidden = options.window, options.embedding, options.hidden
        self.source = embedding(vocabularies, "source.word", width)
        self.target = embedding(vocabularies, "target.word", width)
        self.tag = embedding(vocabularies, "target.tag", width)
        self.read_source = BothWays(nn.GRU, width, hidden, layers=1)
        self.read_target = BothWays(nn.GRU, width, hidden, layers=1)
        self.ask_source = Attention(4 * hidden, 2 * hidden, hidden)
        self.ask_target = Attention(4 * hidden, 2 * hidden, hidden)
        self.dropout = nn.Dropout(options.dropout)
        self.hidden = nn.Linear(8 * hidden, hidden)
        self.output = nn.Linear(hidden, classes)

    def forward(self, scenes: SceneTensors, batch: Batch) -> Tensor:
        source = scenes.around("source", self.window).of(batch)
        target = scenes.around("target", self.window).of(batch)
        words = self.source(scenes.fields["source.word"][source.at])  # [B, W, E]
        there = self.target(scenes.fields["target.word"][target.at])
        there = there + self.tag(scenes.fields["target.tag"][target.at])  # [B, W', E]
        heard = self.read_source(self.dropout(words), source.lengths)  # [B, W, 2H]
        said = self.read_target(self.dropout(there), target.lengths)  # [B, W', 2H]
        pronoun = at_place(heard, source, scenes.source[batch.slots])  # [B, 2H]
        gap = at_place(said, target, scenes.target[batch.slots])  # [B, 2H]
        query = torch.cat([pronoun, gap], dim=1)[:, None]  # [B, 1, 4H]
        answers = [
            self.ask_source(query, heard, source.mask)[:, 0],  # [B, 2H]
            self.ask_target(query, said, target.mask)[:, 0],  # [B, 2H]
        ]
        mixed = torch.tanh(self.hidden(self.dropout(torch.cat([*answers, query[:, 0]], dim=1))))  # [B, H]
        return torch.log_softmax(self.output(self.dropout(mixed)).float(), dim=1)
