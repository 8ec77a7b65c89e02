"""TurkuNLP 2016 and 2017: eight sequences around the pronoun, each read by a two-layer GRU.

wmt16-findings, section 5.4; discomt17-findings, section 5.1. The sequences are target words, their tags,
words joined with tags, and source lemmas, before and after the pronoun, at most 50 tokens or to the end of
the sentence. What follows is read backwards, so that both readers of a field end beside the pronoun.

In 2017 the embeddings were pretrained on the task itself, by skip-gram whose contexts include the hidden
pronouns: besides the words around it, a word predicts "all target sequence pronouns" of its sentence, as
word2vecf allows. Negative examples are sampled by frequency to the power of 3/4.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from anaphor.predict.neural.contexts import NO_SEGMENT, Ints
from anaphor.predict.neural.network import SlotNetwork, embedding, last_state, run_rnn
from anaphor.predict.neural.tensors import ContextTensors, SlotBatch
from anaphor.predict.neural.vocabulary import PADDING, Vocabularies

_WINDOW = 5
_NEIGHBOURS = 4  # contexts sampled per word, besides one pronoun of its sentence
_NEGATIVE = 5
_WORDS = 16384  # words per step, at most four times the length of the text
_RATE = 0.01
_FIELDS = ("target.word", "target.tag", "target.word+tag", "source.lemma")


@dataclass(frozen=True, slots=True, kw_only=True)
class TurkuOptions:
    """`pretraining` is the number of skip-gram passes over the training text; 0 is the system of 2016."""

    window: int = 50
    embedding: int = 90
    hidden: int = 90
    pronoun: int = 30
    dropout: float = 0.3
    pretraining: int = 0


class Turku(SlotNetwork):
    """Eight GRUs whose last states are concatenated."""

    fields = (*_FIELDS, "source.word")

    def __init__(self, vocabularies: Vocabularies, classes: int, options: TurkuOptions) -> None:
        super().__init__()
        self.options, width, hidden = options, options.embedding, options.hidden
        self.embeddings = nn.ModuleDict({_key(f): embedding(vocabularies, f, width) for f in _FIELDS})
        self.readers = nn.ModuleDict(
            {
                f"{_key(field)}_{side}": nn.GRU(width, hidden, num_layers=2, batch_first=True)
                for field in _FIELDS
                for side in ("before", "after")
            }
        )
        self.pronoun = embedding(vocabularies, "source.word", options.pronoun)
        self.dropout = nn.Dropout(options.dropout)
        self.output = nn.Linear(len(self.readers) * hidden + options.pronoun, classes)

    def forward(self, contexts: ContextTensors, batch: SlotBatch) -> Tensor:
        parts = [
            self._read(field, side, contexts, batch) for field in _FIELDS for side in ("before", "after")
        ]
        aligned = contexts.fields["source.word"][contexts.source[batch.slots]]  # [B]
        seen = torch.cat([*parts, self.pronoun(aligned)], dim=1)  # [B, 8 H + pronoun]
        return torch.log_softmax(self.output(self.dropout(seen)).float(), dim=1)

    def _read(self, field: str, side: str, contexts: ContextTensors, batch: SlotBatch) -> Tensor:
        """[B, H]: the state of one reader after its last word."""
        language = field.partition(".")[0]
        span = getattr(contexts, side)(language, self.options.window).padded(batch)
        words = self.embeddings[_key(field)](contexts.fields[field][span.positions])  # [B, W, E]
        states = run_rnn(self.readers[f"{_key(field)}_{side}"], self.dropout(words))  # [B, W, H]
        return last_state(states, span.lengths)

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
    """A field as the name of a module; torch does not allow a full stop in it."""
    return field.replace(".", "_").replace("+", "_")


def pretrained(contexts: ContextTensors, field: str, *, width: int, passes: int, seed: int) -> Tensor:
    """A vector for every number of a field in the training text, [numbers, width]."""
    tokens = contexts.fields[field]
    words = int(tokens.max()) + 1
    outputs = words + int(contexts.labels.max()) + 1  # words, then the classes of pronouns
    text = contexts.contexts.source if field.startswith("source") else contexts.contexts.target
    sampler = _ContextSampler.of(contexts, tokens, text.starts, words)
    generator = torch.Generator(device=tokens.device).manual_seed(seed)
    table = nn.Embedding(words, width, device=tokens.device)
    outer = nn.Embedding(outputs, width, device=tokens.device)
    with torch.no_grad():
        table.weight.normal_(std=width**-0.5, generator=generator)
        outer.weight.zero_()
    optimizer = torch.optim.Adam([*table.parameters(), *outer.parameters()], lr=_RATE)
    for _ in range(passes * max(1, len(tokens) // sampler.size)):
        optimizer.zero_grad(set_to_none=True)
        _loss(sampler, table, outer, generator).backward()  # type: ignore[no-untyped-call]
        optimizer.step()
    vectors = table.weight.detach()
    scaled: Tensor = vectors / vectors.std() * width**-0.5  # scaled like fresh embeddings
    return scaled


@dataclass(frozen=True, slots=True, eq=False)
class _ContextSampler:
    """Samples words with their contexts; holds tokens and sentence per position, pronouns per sentence."""

    tokens: Tensor
    sentence: Tensor
    first: Tensor
    count: Tensor
    pronouns: Tensor
    frequency: Tensor
    size: int

    @classmethod
    def of(cls, contexts: ContextTensors, tokens: Tensor, starts: Ints, words: int) -> _ContextSampler:
        device = tokens.device
        sentence = np.repeat(np.arange(-1, len(starts) - 1), np.diff(starts, prepend=0))
        segment = contexts.contexts.slots.segment
        count = np.bincount(segment, minlength=len(starts) - 1)
        weight = np.diff(starts)[segment] / count[segment]  # number of words with each slot as context
        frequency = np.bincount(contexts.contexts.slots.label + words, weights=weight, minlength=words)
        frequency[:words] = np.bincount(tokens.cpu().numpy(), minlength=words) * _NEIGHBOURS
        frequency[0] = 0
        return cls(
            tokens=tokens,
            sentence=torch.from_numpy(sentence).to(device),
            first=torch.from_numpy(np.cumsum(count) - count).to(device),
            count=torch.from_numpy(count).to(device),
            pronouns=contexts.labels + words,
            frequency=torch.from_numpy(frequency**0.75).float().to(device),
            size=min(_WORDS, 4 * len(tokens)),
        )

    def sample(self, generator: torch.Generator) -> tuple[Tensor, Tensor, Tensor]:
        """Words [N], contexts [N, neighbours + 1] and which of these exist."""
        device = self.tokens.device
        place = torch.randint(1, len(self.tokens), (self.size,), generator=generator, device=device)
        steps = torch.randint(1, _WINDOW + 1, (self.size, _NEIGHBOURS), generator=generator, device=device)
        side = torch.randint(0, 2, steps.shape, generator=generator, device=device) * 2 - 1
        near = (place[:, None] + steps * side).clamp(0, len(self.tokens) - 1)
        there = self.sentence[near] == self.sentence[place][:, None]
        sentence = self.sentence[place]
        which = torch.rand(self.size, generator=generator, device=device) * self.count[sentence]
        slot = (self.first[sentence] + which.long()).clamp(max=len(self.pronouns) - 1)
        contexts = torch.cat([self.tokens[near], self.pronouns[slot][:, None]], dim=1)
        real = torch.cat([there, (self.count[sentence] > 0)[:, None]], dim=1)
        return self.tokens[place], contexts, real & (sentence != NO_SEGMENT)[:, None]

    def negative(self, generator: torch.Generator) -> Tensor:
        """Contexts sampled by frequency, [N, negative]."""
        sampled = torch.multinomial(
            self.frequency, self.size * _NEGATIVE, replacement=True, generator=generator
        )
        return sampled.view(self.size, _NEGATIVE)


def _loss(
    sampler: _ContextSampler, table: nn.Embedding, outer: nn.Embedding, generator: torch.Generator
) -> Tensor:
    words, contexts, real = sampler.sample(generator)
    inner = table(words)[:, :, None]  # [N, E, 1]
    good = (outer(contexts) @ inner).squeeze(2)  # [N, neighbours + 1]
    bad = (outer(sampler.negative(generator)) @ inner).squeeze(2)  # [N, negative]
    return -((functional.logsigmoid(good) * real).sum() + functional.logsigmoid(-bad).sum()) / len(words)
