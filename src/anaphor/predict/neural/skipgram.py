"""Embeddings trained on the task before the task: skip-gram whose contexts include the hidden pronouns.

discomt17-findings, section 5.1: beside the words around it, a word predicts "all target sequence pronouns"
of its sentence, as word2vecf allows. Negative examples are drawn by frequency to the power of 3/4.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from anaphor.predict.neural.scenes import NO_SEGMENT, Ints
from anaphor.predict.neural.tensors import SceneTensors

_WINDOW = 5
_NEIGHBOURS = 4  # contexts drawn for a word each time, beside one pronoun of its sentence
_NEGATIVE = 5
_WORDS = 16384  # words of a step, at most four times all there are
_RATE = 0.01


def pretrained(scenes: SceneTensors, field: str, *, width: int, passes: int, seed: int) -> Tensor:
    """A vector for every number of a field that the training text has, [numbers, width]."""
    tokens = scenes.fields[field]
    words = int(tokens.max()) + 1
    contexts = words + int(scenes.labels.max()) + 1  # words, then the classes of pronouns
    text = scenes.scenes.source if field.startswith("source") else scenes.scenes.target
    drawer = _Drawer.of(scenes, tokens, text.starts, words)
    generator = torch.Generator(device=tokens.device).manual_seed(seed)
    table = nn.Embedding(words, width, device=tokens.device)
    outer = nn.Embedding(contexts, width, device=tokens.device)
    with torch.no_grad():
        table.weight.normal_(std=width**-0.5, generator=generator)
        outer.weight.zero_()
    optimizer = torch.optim.Adam([*table.parameters(), *outer.parameters()], lr=_RATE)
    for _ in range(passes * max(1, len(tokens) // drawer.size)):
        optimizer.zero_grad(set_to_none=True)
        _loss(drawer, table, outer, generator).backward()  # type: ignore[no-untyped-call]
        optimizer.step()
    vectors = table.weight.detach()
    scaled: Tensor = vectors / vectors.std() * width**-0.5  # as wide as fresh embeddings
    return scaled


@dataclass(frozen=True, slots=True, eq=False)
class _Drawer:
    """Draws words with their contexts: tokens and sentence of every place, pronouns of every sentence."""

    tokens: Tensor
    sentence: Tensor
    first: Tensor
    count: Tensor
    pronouns: Tensor
    frequency: Tensor
    size: int

    @classmethod
    def of(cls, scenes: SceneTensors, tokens: Tensor, starts: Ints, words: int) -> _Drawer:
        device = tokens.device
        sentence = np.repeat(np.arange(-1, len(starts) - 1), np.diff(starts, prepend=0))
        segment = scenes.scenes.slots.segment
        count = np.bincount(segment, minlength=len(starts) - 1)
        told = np.diff(starts)[segment] / count[segment]  # words to which each slot is a context
        frequency = np.bincount(scenes.scenes.slots.label + words, weights=told, minlength=words)
        frequency[:words] = np.bincount(tokens.cpu().numpy(), minlength=words) * _NEIGHBOURS
        frequency[0] = 0
        return cls(
            tokens=tokens,
            sentence=torch.from_numpy(sentence).to(device),
            first=torch.from_numpy(np.cumsum(count) - count).to(device),
            count=torch.from_numpy(count).to(device),
            pronouns=scenes.labels + words,
            frequency=torch.from_numpy(frequency**0.75).float().to(device),
            size=min(_WORDS, 4 * len(tokens)),
        )

    def draw(self, generator: torch.Generator) -> tuple[Tensor, Tensor, Tensor]:
        """Words [N], contexts [N, neighbours + 1] and which of these there are."""
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
        """Contexts drawn by their frequency, [N, negative]."""
        drawn = torch.multinomial(
            self.frequency, self.size * _NEGATIVE, replacement=True, generator=generator
        )
        return drawn.view(self.size, _NEGATIVE)


def _loss(drawer: _Drawer, table: nn.Embedding, outer: nn.Embedding, generator: torch.Generator) -> Tensor:
    words, contexts, real = drawer.draw(generator)
    inner = table(words)[:, :, None]  # [N, E, 1]
    good = (outer(contexts) @ inner).squeeze(2)  # [N, neighbours + 1]
    bad = (outer(drawer.negative(generator)) @ inner).squeeze(2)  # [N, negative]
    return -((functional.logsigmoid(good) * real).sum() + functional.logsigmoid(-bad).sum()) / len(words)
