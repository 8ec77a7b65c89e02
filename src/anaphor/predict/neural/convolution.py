"""UU-Hardmeier 2017: convolutions over this sentence and the one before, in both languages.

discomt17-findings, section 5.4: the context of the placeholder in the target and of the aligned pronoun in
the source, in the current and in the preceding sentence, each through a convolutional layer and max-pooling,
then a softmax. The submission was an ensemble of configurations and training snapshots with a source-aware
n-gram model; the recipe makes it by interpolation. A convolution does not know where it stands, so words
near the pronoun carry their distance.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from anaphor.predict.neural.network import Network, embedding
from anaphor.predict.neural.tensors import Batch, Places, SceneTensors
from anaphor.predict.neural.vocabulary import Vocabularies

_NEAR = 8  # distances that are told apart


@dataclass(frozen=True, slots=True, kw_only=True)
class ConvolutionOptions:
    """`sizes` are the numbers of words a filter sees, `filters` how many filters each size has."""

    window: int = 30
    embedding: int = 80
    sizes: tuple[int, ...] = (2, 3, 4)
    filters: int = 60
    dropout: float = 0.4


class Convolution(Network):
    fields = ("source.word", "target.word", "target.tag")

    def __init__(self, vocabularies: Vocabularies, classes: int, options: ConvolutionOptions) -> None:
        super().__init__()
        self.options, width = options, options.embedding
        self.source = embedding(vocabularies, "source.word", width)
        self.target = embedding(vocabularies, "target.word", width)
        self.tag = embedding(vocabularies, "target.tag", width)
        self.distance = nn.Embedding(2 * _NEAR + 1, width)
        nn.init.normal_(self.distance.weight, std=width**-0.5)
        regions = ("source", "target", "source_before", "target_before")
        self.filters = nn.ModuleDict(
            {
                f"{name}_{size}": nn.Conv1d(width, options.filters, size)
                for name in regions
                for size in options.sizes
            }
        )
        self.pronoun = embedding(vocabularies, "source.word", width)
        self.dropout = nn.Dropout(options.dropout)
        self.output = nn.Linear(len(self.filters) * options.filters + width, classes)

    def forward(self, scenes: SceneTensors, batch: Batch) -> Tensor:
        window = self.options.window
        pooled = [self.pronoun(scenes.fields["source.word"][scenes.source[batch.slots]])]  # [B, E]
        for side, pronoun in (("source", scenes.source), ("target", scenes.target)):
            here = scenes.around(side, window).of(batch)
            before = scenes.previous(side, 2 * window).of(batch)
            words = self._words(side, scenes, here) + self._distances(here, pronoun[batch.slots])
            pooled.append(self._pooled(side, words, here))
            pooled.append(self._pooled(f"{side}_before", self._words(side, scenes, before), before))
        return torch.log_softmax(self.output(self.dropout(torch.cat(pooled, dim=1))).float(), dim=1)

    def _words(self, side: str, scenes: SceneTensors, places: Places) -> Tensor:
        """[B, W, E]."""
        if side == "source":
            words = self.source(scenes.fields["source.word"][places.at])
        else:
            words = self.target(scenes.fields["target.word"][places.at])
            words = words + self.tag(scenes.fields["target.tag"][places.at])
        found: Tensor = self.dropout(words)
        return found

    def _distances(self, places: Places, pronoun: Tensor) -> Tensor:
        """[B, W, E]: how far from the pronoun each word stands."""
        steps = (places.at - pronoun[:, None]).clamp(-_NEAR, _NEAR) + _NEAR
        distances: Tensor = self.distance(steps) * places.mask[:, :, None]
        return distances

    def _pooled(self, region: str, words: Tensor, places: Places) -> Tensor:
        """[B, sizes × filters]: the strongest answer of every filter; zeros where there are no words."""
        answers = []
        for size in self.options.sizes:
            padded = functional.pad(
                words.transpose(1, 2), (size // 2, (size - 1) // 2)
            )  # [B, E, W + size - 1]
            found = (
                self.filters[f"{region}_{size}"](padded).float().masked_fill(~places.mask[:, None], -1e4)
            )  # [B, filters, W]
            answers.append(torch.relu(found.amax(dim=2)))
        return torch.cat(answers, dim=1)
