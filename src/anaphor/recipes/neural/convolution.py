"""UU-Hardmeier 2017: convolutions over this sentence and the preceding one, in both languages.

discomt17-findings, section 5.4: the context of the placeholder in the target and of the aligned pronoun in
the source, in the current and in the preceding sentence, each through a convolutional layer and max-pooling,
then a softmax. The submission was an ensemble of configurations and training snapshots with a source-aware
n-gram model; the recipe builds it by interpolation. A convolution does not know its position, so words near
the pronoun are marked with their distance.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from anaphor.recipes.neural.network import WordNetwork, embedding
from anaphor.recipes.neural.options import ConvolutionOptions
from anaphor.recipes.neural.tensors import ContextTensors, PaddedSpans, Side, SlotBatch
from anaphor.recipes.neural.vocabulary import Vocabularies

_NEAR = 8  # distances that are distinguished


class Convolution(WordNetwork):
    """Max-pooled convolutions over four regions."""

    def __init__(self, vocabularies: Vocabularies, classes: int, options: ConvolutionOptions) -> None:
        super().__init__(vocabularies, width=options.embedding, dropout=options.dropout)
        self.options, width = options, options.embedding
        self.distance = nn.Embedding(2 * _NEAR + 1, width)
        nn.init.normal_(self.distance.weight, std=width**-0.5)
        self.filters = nn.ModuleDict(
            {
                f"{region}_{size}": nn.Conv1d(width, options.filters, size)
                for region in ("source", "target", "source_before", "target_before")
                for size in options.sizes
            }
        )
        self.pronoun = embedding(vocabularies, "source.word", width)
        self.output = nn.Linear(len(self.filters) * options.filters + width, classes)

    def forward(self, contexts: ContextTensors, batch: SlotBatch) -> Tensor:
        window = self.options.window
        pooled = [self.pronoun(contexts.fields["source.word"][contexts.source[batch.slots]])]  # [B, E]
        sides: tuple[tuple[Side, Tensor], ...] = (("source", contexts.source), ("target", contexts.target))
        for side, pronoun in sides:
            here = contexts.span("around", side, window, batch)
            before = contexts.span("previous", side, 2 * window, batch)
            steps = (here.positions - pronoun[batch.slots][:, None]).clamp(-_NEAR, _NEAR) + _NEAR
            distances = self.distance(steps) * here.mask[:, :, None]  # [B, W, E]
            pooled.append(self._pooled(side, self.words(side, contexts, here) + distances, here))
            pooled.append(self._pooled(f"{side}_before", self.words(side, contexts, before), before))
        return torch.log_softmax(self.output(self.dropout(torch.cat(pooled, dim=1))).float(), dim=1)

    def _pooled(self, region: str, words: Tensor, span: PaddedSpans) -> Tensor:
        """[B, sizes × filters]: the maximum of every filter; zeros if there are no words."""
        maxima = []
        for size in self.options.sizes:
            # Padded to [B, E, W + size - 1], so that there is a value per word.
            padded = functional.pad(words.transpose(1, 2), (size // 2, (size - 1) // 2))
            filtered = self.filters[f"{region}_{size}"](padded).float()  # [B, filters, W]
            maxima.append(torch.relu(filtered.masked_fill(~span.mask[:, None], -1e4).amax(dim=2)))
        return torch.cat(maxima, dim=1)
