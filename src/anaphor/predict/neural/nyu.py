"""NYU 2017: neural translation with attention, also over the source sentence before; classes scored in place.

discomt17-findings, section 5.3: an attention-based translation model and three variants in which the
preceding source sentence is an auxiliary input with an encoder and an attention of its own; words alone, no
tags, no alignments. The model learns to write the whole target sentence, hidden words as symbols of their
classes. To predict, each class is put in its place and scored with the words that follow.

The decoder is a GRU; its states ask the encoders after all of them are known, so that a sentence is one call
and not one for every word.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from anaphor.predict.neural.network import BothWays, Network, embedding, read
from anaphor.predict.neural.tensors import Batch, Places, SceneTensors
from anaphor.predict.neural.vocabulary import PADDING, Vocabularies

CONTEXTS = ("none", "attention", "source-attention", "gate")


@dataclass(frozen=True, slots=True, kw_only=True)
class NyuOptions:
    """`context` is how the sentence before is used.

    - `none`: not at all;
    - `attention`: asked by the state of the decoder;
    - `source-attention`: asked by that state and by what the source answered;
    - `gate`: as `attention`, and a gate decides how much of the answer is let in.

    `lookahead` words after the gap are part of the score of a class.
    """

    context: str = "none"
    window: int = 40
    embedding: int = 128
    hidden: int = 192
    lookahead: int = 8
    dropout: float = 0.2


class Nyu(Network):
    fields = ("source.word", "target.word")

    def __init__(self, vocabularies: Vocabularies, classes: int, options: NyuOptions) -> None:
        super().__init__()
        self.options, width, hidden = options, options.embedding, options.hidden
        self.words, self.classes = len(vocabularies["target.word"]), classes
        self.start = self.words + classes  # what the decoder reads before the first word
        self.source = embedding(vocabularies, "source.word", width)
        self.target = nn.Embedding(self.start + 1, width, padding_idx=PADDING)
        # Large vectors: with small ones it learns for epochs no more than how frequent words are.
        for table in (self.source, self.target):
            nn.init.normal_(table.weight[PADDING + 1 :])
        self.read_source = BothWays(nn.GRU, width, hidden, layers=1)
        self.begin = nn.Linear(2 * hidden, hidden)
        self.decoder = nn.GRU(width, hidden, batch_first=True)
        self.ask_source = nn.Linear(hidden, 2 * hidden)
        seen = 3 * hidden
        if options.context != "none":
            self.read_before = BothWays(nn.GRU, width, hidden, layers=1)
            query = 3 * hidden if options.context == "source-attention" else hidden
            self.ask_before = nn.Linear(query, 2 * hidden)
            seen += 2 * hidden
        if options.context == "gate":
            self.gate = nn.Linear(5 * hidden, 2 * hidden)
        self.readout = nn.Linear(seen, width)
        self.dropout = nn.Dropout(options.dropout)
        self.output = nn.Linear(width, self.start)

    def loss(self, scenes: SceneTensors, batch: Batch, weight: Tensor | None) -> Tensor:
        """Cross-entropy of every word of the target; `weight` is for the hidden one."""
        places = scenes.around("target", self.options.window).of(batch)
        labels = scenes.labels[batch.slots]  # [B]
        hidden = places.at == scenes.target[batch.slots][:, None]  # [B, T]
        words = torch.where(hidden, self.words + labels[:, None], scenes.fields["target.word"][places.at])
        memory = self._encode(scenes, batch)
        states = read(
            self.decoder, self.dropout(self.target(self._shifted(words))), memory.first
        )  # [B, T, H]
        losses = -_likelihood(self._scores(states, memory), words) * places.mask  # [B, T]
        if weight is not None:
            losses = torch.where(hidden, losses * weight[labels][:, None], losses)
        return losses.sum() / places.mask.sum()

    def forward(self, scenes: SceneTensors, batch: Batch) -> Tensor:
        before = scenes.before("target", self.options.window).of(batch)
        memory = self._encode(scenes, batch)
        read_so_far = self._shifted(scenes.fields["target.word"][before.at], keep=True)  # [B, P + 1]
        states = read(self.decoder, self.target(read_so_far), memory.first)  # [B, P + 1, H]
        place = before.lengths[:, None, None].expand(-1, 1, states.shape[2])
        state = states.gather(1, place)  # [B, 1, H]: all words before the gap are read
        here = torch.log_softmax(self._scores(state, memory)[:, 0].float(), dim=1)  # [B, words]
        score = here[:, self.words :] + self._after(scenes, batch, state, memory)  # [B, C]
        return torch.log_softmax(score, dim=1)

    def _after(self, scenes: SceneTensors, batch: Batch, state: Tensor, memory: _Memory) -> Tensor:
        """[B, C]: the words after the gap, given that each class stands in it."""
        size, classes = len(batch.slots), self.classes
        places = scenes.following("target", self.options.lookahead).of(batch)
        words = scenes.fields["target.word"][places.at]  # [B, L]
        symbols = torch.arange(self.words, self.start, device=words.device)  # [C]
        inputs = torch.cat(
            [symbols.expand(size, -1)[:, :, None], words[:, None, :-1].expand(-1, classes, -1)], dim=2
        ).flatten(0, 1)  # [B C, L]
        first = state.repeat_interleave(classes, dim=0).transpose(0, 1)  # [1, B C, H]
        states = read(self.decoder, self.target(inputs), first)  # [B C, L, H]
        scores = self._scores(states, memory.repeated(classes))  # [B C, L, words]
        found = _likelihood(scores, words.repeat_interleave(classes, dim=0)).view(size, classes, -1)
        return (found * places.mask[:, None]).sum(dim=2)

    def _encode(self, scenes: SceneTensors, batch: Batch) -> _Memory:
        window = self.options.window
        source = scenes.around("source", window).of(batch)
        heard = self._read(self.read_source, scenes, source)  # [B, W, 2H]
        mean = heard.sum(dim=1) / source.lengths[:, None]  # [B, 2H]
        first = torch.tanh(self.begin(mean))[None]  # [1, B, H]
        if self.options.context == "none":
            return _Memory(heard, source.mask, first)
        before = scenes.previous("source", window).of(batch)
        return _Memory(heard, source.mask, first, self._read(self.read_before, scenes, before), before.mask)

    def _read(self, reader: nn.Module, scenes: SceneTensors, places: Places) -> Tensor:
        words = self.dropout(self.source(scenes.fields["source.word"][places.at]))  # [B, W, E]
        states: Tensor = reader(words, places.lengths) * places.mask[:, :, None]
        return states

    def _shifted(self, words: Tensor, *, keep: bool = False) -> Tensor:
        """[B, T] with the start before it; the last word is kept or makes room."""
        start = torch.full_like(words[:, :1], self.start)
        return torch.cat([start, words if keep else words[:, :-1]], dim=1)

    def _scores(self, states: Tensor, memory: _Memory) -> Tensor:
        """[B, T, H] -> [B, T, words and classes]."""
        answer = _asked(self.ask_source(states), memory.heard, memory.mask)  # [B, T, 2H]
        seen = [states, answer]
        if memory.before is not None and memory.before_mask is not None:
            asking = torch.cat(seen, dim=2) if self.options.context == "source-attention" else states
            extra = _asked(self.ask_before(asking), memory.before, memory.before_mask)  # [B, T, 2H]
            if self.options.context == "gate":
                extra = extra * torch.sigmoid(self.gate(torch.cat([*seen, extra], dim=2)))
            seen.append(extra)
        said = torch.tanh(self.readout(torch.cat(seen, dim=2)))  # [B, T, E]
        scores: Tensor = self.output(self.dropout(said))
        return scores


@dataclass(frozen=True, slots=True, eq=False)
class _Memory:
    """What the encoders say: states [B, W, 2H] with masks, and the decoder's first state [1, B, H]."""

    heard: Tensor
    mask: Tensor
    first: Tensor
    before: Tensor | None = None
    before_mask: Tensor | None = None

    def repeated(self, times: int) -> _Memory:
        """Each slot so many times in a row."""
        return _Memory(
            self.heard.repeat_interleave(times, dim=0),
            self.mask.repeat_interleave(times, dim=0),
            self.first.repeat_interleave(times, dim=1),
            None if self.before is None else self.before.repeat_interleave(times, dim=0),
            None if self.before_mask is None else self.before_mask.repeat_interleave(times, dim=0),
        )


def _likelihood(scores: Tensor, words: Tensor) -> Tensor:
    """[B, T, words], [B, T] -> [B, T]: the logarithm of the probability of each word."""
    right = scores.gather(2, words[:, :, None]).squeeze(2).float()
    return right - torch.logsumexp(scores.float(), dim=2)


def _asked(query: Tensor, states: Tensor, mask: Tensor) -> Tensor:
    """Attention by products: [B, T, E], [B, W, E], [B, W] -> [B, T, E]; zeros where there is nothing."""
    scores = (query @ states.to(query.dtype).transpose(1, 2)).float() * query.shape[2] ** -0.5  # [B, T, W]
    shares = torch.softmax(scores.masked_fill(~mask[:, None], -1e4), dim=2)
    shares = shares * mask.any(dim=1)[:, None, None]
    return shares.to(states.dtype) @ states
