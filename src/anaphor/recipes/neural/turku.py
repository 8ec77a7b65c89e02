"""TurkuNLP 2016 and 2017: eight sequences around the pronoun, each read by a two-layer GRU.

wmt16-findings, section 5.4; discomt17-findings, section 5.1. The sequences are target words, their tags,
words joined with tags, and source lemmas, before and after the pronoun, at most 50 tokens or to the end of
the sentence. The following context is read backwards, so both readers of a field end next to the pronoun.

In 2017 the embeddings were pretrained on the task itself, by skip-gram whose contexts include the hidden
pronouns: in addition to the words around it, a word predicts "all target sequence pronouns" of its sentence,
as word2vecf allows. Negative examples are sampled by frequency to the power of 3/4.
"""

from __future__ import annotations

from itertools import product

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from anaphor.recipes.neural.contexts import NO_SEGMENT
from anaphor.recipes.neural.network import SlotNetwork, embedding, last_state, run_rnn
from anaphor.recipes.neural.options import TurkuOptions
from anaphor.recipes.neural.tensors import ContextTensors, Side, SlotBatch, SpanKind
from anaphor.recipes.neural.vocabulary import PADDING, Vocabularies

_WINDOW = 5
_NEIGHBOURS = 4  # contexts sampled per word, besides one pronoun of its sentence
_NEGATIVE = 5
_WORDS = 16384  # words per step, at most four times the length of the text
_RATE = 0.01
_FIELDS = ("target.word", "target.tag", "target.word+tag", "source.lemma")
_KINDS: tuple[SpanKind, ...] = ("before", "after")
_SEQUENCES = tuple(product(_FIELDS, _KINDS))


class Turku(SlotNetwork):
    """Eight GRUs whose last states are concatenated."""

    fields = (*_FIELDS, "source.word")

    def __init__(self, vocabularies: Vocabularies, classes: int, options: TurkuOptions) -> None:
        super().__init__()
        self.options, width, hidden = options, options.embedding, options.hidden
        self.embeddings = nn.ModuleDict({_key(f): embedding(vocabularies, f, width) for f in _FIELDS})
        self.readers = nn.ModuleDict(
            {
                f"{_key(field)}_{kind}": nn.GRU(width, hidden, num_layers=2, batch_first=True)
                for field, kind in _SEQUENCES
            }
        )
        self.pronoun = embedding(vocabularies, "source.word", options.pronoun)
        self.dropout = nn.Dropout(options.dropout)
        self.output = nn.Linear(len(self.readers) * hidden + options.pronoun, classes)

    def forward(self, contexts: ContextTensors, batch: SlotBatch) -> Tensor:
        parts = []
        for field, kind in _SEQUENCES:
            side: Side = "source" if field.startswith("source") else "target"
            span = contexts.span(kind, side, self.options.window, batch)
            words = self.embeddings[_key(field)](contexts.fields[field][span.positions])  # [B, W, E]
            states = run_rnn(self.readers[f"{_key(field)}_{kind}"], self.dropout(words))  # [B, W, H]
            parts.append(last_state(states, span.lengths))  # [B, H]
        aligned = contexts.fields["source.word"][contexts.source[batch.slots]]  # [B]
        seen = torch.cat([*parts, self.pronoun(aligned)], dim=1)  # [B, 8 H + pronoun]
        return torch.log_softmax(self.output(self.dropout(seen)).float(), dim=1)

    def prepare(self, contexts: ContextTensors, seed: int) -> None:
        if self.options.pretraining:
            for field in ("target.word", "target.word+tag", "source.lemma"):
                vectors = pretrained(
                    contexts, field, width=self.options.embedding, passes=self.options.pretraining, seed=seed
                )
                table = self.get_parameter(f"embeddings.{_key(field)}.weight")
                with torch.no_grad():
                    table[PADDING + 1 : len(vectors)] = vectors[PADDING + 1 :]


def _key(field: str) -> str:
    """A field as a module name; torch does not allow full stops in it."""
    return field.replace(".", "_").replace("+", "_")


def pretrained(contexts: ContextTensors, field: str, *, width: int, passes: int, seed: int) -> Tensor:
    """A vector for every number of a field in the training text, [numbers, width]."""
    tokens = contexts.fields[field]
    words = int(tokens.max()) + 1
    outputs = words + int(contexts.labels.max()) + 1  # words, then the classes of pronouns
    generator = torch.Generator(device=tokens.device).manual_seed(seed)
    sampler = _ContextSampler(contexts, field, words, generator)
    table = nn.Embedding(words, width, device=tokens.device)
    outer = nn.Embedding(outputs, width, device=tokens.device)
    with torch.no_grad():
        table.weight.normal_(std=width**-0.5, generator=generator)
        outer.weight.zero_()
    optimizer = torch.optim.Adam([*table.parameters(), *outer.parameters()], lr=_RATE)
    for _ in range(passes * max(1, len(tokens) // sampler.size)):
        optimizer.zero_grad(set_to_none=True)
        sample, near, real = sampler.sample()
        inner = table(sample)[:, :, None]  # [N, E, 1]
        good = functional.logsigmoid((outer(near) @ inner).squeeze(2)) * real  # [N, neighbours + 1]
        bad = functional.logsigmoid(-(outer(sampler.negative()) @ inner).squeeze(2))  # [N, negative]
        torch.autograd.backward(-(good.sum() + bad.sum()) / len(sample))
        optimizer.step()
    vectors = table.weight.detach()
    scaled: Tensor = vectors / vectors.std() * width**-0.5  # scaled like fresh embeddings
    return scaled


class _ContextSampler:
    """Samples words with their contexts; holds tokens and sentence per position, pronouns per sentence."""

    def __init__(self, contexts: ContextTensors, field: str, words: int, generator: torch.Generator) -> None:
        arrays, tokens = contexts.contexts, contexts.fields[field]
        starts = (arrays.source if field.startswith("source") else arrays.target).starts
        segment = arrays.slots.segment
        count = np.bincount(segment, minlength=len(starts) - 1)
        weight = np.diff(starts)[segment] / count[segment]  # number of words with each slot as context
        frequency = np.bincount(arrays.slots.label + words, weights=weight, minlength=words)
        frequency[:words] = np.bincount(tokens.cpu().numpy(), minlength=words) * _NEIGHBOURS
        frequency[0] = 0
        sentence = np.repeat(np.arange(-1, len(starts) - 1), np.diff(starts, prepend=0))
        self.tokens, self.pronouns, self._generator = tokens, contexts.labels + words, generator
        self.sentence, self.first, self.count, self.frequency = (
            torch.from_numpy(array).to(tokens.device)
            for array in (sentence, np.cumsum(count) - count, count, (frequency**0.75).astype(np.float32))
        )
        self.size = min(_WORDS, 4 * len(tokens))

    def sample(self) -> tuple[Tensor, Tensor, Tensor]:
        """Words [N], contexts [N, neighbours + 1] and which of these exist."""
        place = self._random(1, len(self.tokens), self.size)
        steps = self._random(1, _WINDOW + 1, self.size, _NEIGHBOURS)
        side = self._random(0, 2, self.size, _NEIGHBOURS) * 2 - 1
        near = (place[:, None] + steps * side).clamp(0, len(self.tokens) - 1)
        sentence = self.sentence[place]
        there = self.sentence[near] == sentence[:, None]
        which = torch.rand(self.size, generator=self._generator, device=place.device) * self.count[sentence]
        slot = (self.first[sentence] + which.long()).clamp(max=len(self.pronouns) - 1)
        contexts = torch.cat([self.tokens[near], self.pronouns[slot][:, None]], dim=1)
        real = torch.cat([there, (self.count[sentence] > 0)[:, None]], dim=1)
        return self.tokens[place], contexts, real & (sentence != NO_SEGMENT)[:, None]

    def negative(self) -> Tensor:
        """Contexts sampled by frequency, [N, negative]."""
        count = self.size * _NEGATIVE
        sampled = torch.multinomial(self.frequency, count, replacement=True, generator=self._generator)
        return sampled.view(self.size, _NEGATIVE)

    def _random(self, least: int, end: int, *shape: int) -> Tensor:
        return torch.randint(least, end, shape, generator=self._generator, device=self.tokens.device)
