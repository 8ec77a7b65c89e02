"""NYU 2017: neural translation with attention, also over the preceding source sentence.

discomt17-findings, section 5.3: an attention-based translation model and three variants in which the
preceding source sentence is an auxiliary input with its own encoder and attention; words only, no tags, no
alignments. The model learns to generate the whole target sentence, with class symbols for hidden words. To
predict, each class is inserted and scored together with the following words.

The decoder is a GRU whose states attend to the encoders after the whole sentence is read, so a sentence takes
one call rather than one per word.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn

from anaphor.recipes.neural.network import (
    BidirectionalRNN,
    SlotNetwork,
    dot_product_attention,
    embedding,
    run_rnn,
)
from anaphor.recipes.neural.options import NyuOptions
from anaphor.recipes.neural.tensors import ContextTensors, PaddedSpans, SlotBatch
from anaphor.recipes.neural.vocabulary import PADDING, Vocabularies


class _EncoderStates(NamedTuple):
    """Encoder states [B, W, 2H] with masks [B, W], and the initial state of the decoder [B, H]."""

    states: Tensor
    mask: Tensor
    first: Tensor
    before: Tensor | None = None
    before_mask: Tensor | None = None

    def repeated(self, times: int) -> _EncoderStates:
        """Each slot `times` times in a row."""
        return _EncoderStates._make(
            part if part is None else part.repeat_interleave(times, 0) for part in self
        )


class Nyu(SlotNetwork):
    """An attentional translation model whose vocabulary includes the classes."""

    fields = ("source.word", "target.word")

    def __init__(self, vocabularies: Vocabularies, classes: int, options: NyuOptions) -> None:
        super().__init__()
        self.options, width, hidden = options, options.embedding, options.hidden
        self.words, self.classes = len(vocabularies["target.word"]), classes
        self.start = self.words + classes  # the start symbol of the decoder
        self.source = embedding(vocabularies, "source.word", width)
        self.target = nn.Embedding(self.start + 1, width, padding_idx=PADDING)
        # Large vectors: with small ones it learns only word frequencies for several epochs.
        for table in (self.source, self.target):
            nn.init.normal_(table.weight[PADDING + 1 :])
        self.read_source = BidirectionalRNN(nn.GRU, width, hidden, layers=1)
        self.begin = nn.Linear(2 * hidden, hidden)
        self.decoder = nn.GRU(width, hidden, batch_first=True)
        self.ask_source = nn.Linear(hidden, 2 * hidden)
        seen = 3 * hidden
        if options.context != "none":
            self.read_before = BidirectionalRNN(nn.GRU, width, hidden, layers=1)
            query = 3 * hidden if options.context == "source-attention" else hidden
            self.ask_before = nn.Linear(query, 2 * hidden)
            seen += 2 * hidden
        if options.context == "gate":
            self.gate = nn.Linear(5 * hidden, 2 * hidden)
        self.readout = nn.Linear(seen, width)
        self.dropout = nn.Dropout(options.dropout)
        self.output = nn.Linear(width, self.start)

    def loss(self, contexts: ContextTensors, batch: SlotBatch, weight: Tensor | None) -> Tensor:
        """Cross-entropy of every target word; `weight` applies to the hidden one."""
        span = contexts.span("around", "target", self.options.window, batch)
        labels = contexts.labels[batch.slots]  # [B]
        hidden = span.positions == contexts.target[batch.slots][:, None]  # [B, T]
        words = contexts.fields["target.word"][span.positions]  # [B, T]
        words = torch.where(hidden, self.words + labels[:, None], words)
        memory = self._encode(contexts, batch)
        inputs = self.dropout(self.target(self._shifted(words)))  # [B, T, E]
        states = run_rnn(self.decoder, inputs, memory.first)  # [B, T, H]
        losses = -_log_likelihood(self._scores(states, memory), words) * span.mask  # [B, T]
        if weight is not None:
            losses = torch.where(hidden, losses * weight[labels][:, None], losses)
        return losses.sum() / span.mask.sum()

    def forward(self, contexts: ContextTensors, batch: SlotBatch) -> Tensor:
        before = contexts.span("before", "target", self.options.window, batch)
        memory = self._encode(contexts, batch)
        read_so_far = self._shifted(contexts.fields["target.word"][before.positions], keep=True)  # [B, P + 1]
        states = run_rnn(self.decoder, self.target(read_so_far), memory.first)  # [B, P + 1, H]
        place = before.lengths[:, None, None].expand(-1, 1, states.shape[2])
        state = states.gather(1, place)  # [B, 1, H]: all words before the slot are read
        here = torch.log_softmax(self._scores(state, memory)[:, 0].float(), dim=1)  # [B, words]
        score = here[:, self.words :] + self._after(contexts, batch, state, memory)  # [B, C]
        return torch.log_softmax(score, dim=1)

    def _after(
        self, contexts: ContextTensors, batch: SlotBatch, state: Tensor, memory: _EncoderStates
    ) -> Tensor:
        """[B, C]: log-probability of the words after the slot, given each class in it."""
        size, classes = len(batch.slots), self.classes
        span = contexts.span("following", "target", self.options.lookahead, batch)
        words = contexts.fields["target.word"][span.positions]  # [B, L]
        symbols = torch.arange(self.words, self.start, device=words.device)  # [C]
        filled = symbols.expand(size, -1)[:, :, None]  # [B, C, 1]
        inputs = torch.cat([filled, words[:, None, :-1].expand(-1, classes, -1)], dim=2).flatten(0, 1)
        first = state[:, 0].repeat_interleave(classes, dim=0)  # [B C, H]
        states = run_rnn(self.decoder, self.target(inputs), first)  # [B C, L] -> [B C, L, H]
        scores = self._scores(states, memory.repeated(classes))  # [B C, L, words]
        likelihoods = _log_likelihood(scores, words.repeat_interleave(classes, dim=0)).view(size, classes, -1)
        return (likelihoods * span.mask[:, None]).sum(dim=2)

    def _encode(self, contexts: ContextTensors, batch: SlotBatch) -> _EncoderStates:
        window = self.options.window
        source = contexts.span("around", "source", window, batch)
        states = self._read(self.read_source, contexts, source)  # [B, W, 2H]
        mean = states.sum(dim=1) / source.lengths[:, None]  # [B, 2H]
        first = torch.tanh(self.begin(mean))  # [B, H]
        if self.options.context == "none":
            return _EncoderStates(states, source.mask, first)
        span = contexts.span("previous", "source", window, batch)
        before = self._read(self.read_before, contexts, span)  # [B, W', 2H]
        return _EncoderStates(states, source.mask, first, before, span.mask)

    def _read(self, reader: nn.Module, contexts: ContextTensors, span: PaddedSpans) -> Tensor:
        words = self.dropout(self.source(contexts.fields["source.word"][span.positions]))  # [B, W, E]
        states: Tensor = reader(words, span.lengths) * span.mask[:, :, None]
        return states

    def _shifted(self, words: Tensor, *, keep: bool = False) -> Tensor:
        """[B, T] with the start symbol before it; the last word is dropped unless `keep`."""
        start = torch.full_like(words[:, :1], self.start)
        return torch.cat([start, words if keep else words[:, :-1]], dim=1)

    def _scores(self, states: Tensor, memory: _EncoderStates) -> Tensor:
        """[B, T, H] -> [B, T, words and classes]."""
        attended = dot_product_attention(self.ask_source(states), memory.states, memory.mask)  # [B, T, 2H]
        seen = [states, attended]
        if memory.before is not None and memory.before_mask is not None:
            query = torch.cat(seen, dim=2) if self.options.context == "source-attention" else states
            query = self.ask_before(query)
            extra = dot_product_attention(query, memory.before, memory.before_mask)  # [B, T, 2H]
            if self.options.context == "gate":
                extra = extra * torch.sigmoid(self.gate(torch.cat([*seen, extra], dim=2)))
            seen.append(extra)
        output = torch.tanh(self.readout(torch.cat(seen, dim=2)))  # [B, T, E]
        scores: Tensor = self.output(self.dropout(output))
        return scores


def _log_likelihood(scores: Tensor, words: Tensor) -> Tensor:
    """[B, T, words], [B, T] -> [B, T]: the log-probability of each word."""
    right = scores.gather(2, words[:, :, None]).squeeze(2).float()
    return right - torch.logsumexp(scores.float(), dim=2)
