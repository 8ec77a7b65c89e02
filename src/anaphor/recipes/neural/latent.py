"""UU-Hardmeier 2016: a feed-forward network with the antecedent as a latent variable.

wmt16-findings, section 5.10, after Hardmeier et al. (2013). The network sees the source pronoun, source
words, target words and target tags in a window of 3 to both sides, and a list of antecedent candidates. One
part scores how likely each candidate is the antecedent, another which class follows from each; the
probability of a class is the sum over all candidates, including "none". Training does not say which candidate
is right.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from anaphor.recipes.neural.network import SlotNetwork, embedding
from anaphor.recipes.neural.options import LatentOptions
from anaphor.recipes.neural.tensors import ContextTensors, SlotBatch
from anaphor.recipes.neural.vocabulary import Vocabularies

_FEATURES = 3  # of a candidate: whether it exists, whether it is in this sentence, its distance


class Latent(SlotNetwork):
    """A mixture over antecedent candidates."""

    fields = ("source.word", "source.role", "target.word", "target.tag")

    def __init__(self, vocabularies: Vocabularies, classes: int, options: LatentOptions) -> None:
        super().__init__()
        self.window, word, tag, hidden = options.window, options.word, options.tag, options.hidden
        self.pronoun = embedding(vocabularies, "source.word", word)
        self.source = embedding(vocabularies, "source.word", word)
        self.target = embedding(vocabularies, "target.word", word)
        self.tag = embedding(vocabularies, "target.tag", tag)
        self.role = embedding(vocabularies, "source.role", tag)
        self.absent = nn.Parameter(torch.zeros(2 * word + tag + _FEATURES))  # the candidate "none"
        context = word + 2 * self.window * (2 * word + tag)
        candidate = 2 * word + tag + _FEATURES
        self.link = nn.Sequential(nn.Linear(word + candidate, hidden), nn.Tanh(), nn.Linear(hidden, 1))
        self.of_context = nn.Linear(context, hidden)
        self.of_candidate = nn.Linear(candidate, hidden, bias=False)
        self.dropout = nn.Dropout(options.dropout)
        self.output = nn.Linear(hidden, classes)

    def forward(self, contexts: ContextTensors, batch: SlotBatch) -> Tensor:
        pronoun = self.pronoun(contexts.fields["source.word"][contexts.source[batch.slots]])  # [B, E]
        candidates, exists = self._candidates(contexts, batch)  # [B, K + 1, F], [B, K + 1]
        pairs = torch.cat([pronoun[:, None].expand(-1, candidates.shape[1], -1), candidates], dim=2)
        links = self.link(pairs).squeeze(2).float().masked_fill(~exists, -1e4)  # [B, K + 1]
        context = self.of_context(self.dropout(self._context(contexts, batch, pronoun)))  # [B, H]
        hidden = torch.tanh(context[:, None] + self.of_candidate(self.dropout(candidates)))  # [B, K + 1, H]
        given = torch.log_softmax(self.output(self.dropout(hidden)).float(), dim=2)  # [B, K + 1, C]
        return torch.logsumexp(torch.log_softmax(links, dim=1)[:, :, None] + given, dim=1)  # [B, C]

    def _context(self, contexts: ContextTensors, batch: SlotBatch, pronoun: Tensor) -> Tensor:
        """[B, E + 2 window (2 E + tag)]: the words in a fixed window, each with its own weights."""
        source = contexts.beside("source", self.window)[batch.slots]  # [B, 2 window]
        target = contexts.beside("target", self.window)[batch.slots]
        words = [
            self.source(contexts.fields["source.word"][source]),
            self.target(contexts.fields["target.word"][target]),
            self.tag(contexts.fields["target.tag"][target]),
        ]
        return torch.cat([pronoun, *(part.flatten(1) for part in words)], dim=1)

    def _candidates(self, contexts: ContextTensors, batch: SlotBatch) -> tuple[Tensor, Tensor]:
        """Words, role and features of the candidates with "none" at the end, and which of them exist."""
        positions = contexts.candidates[batch.slots]  # [B, K, 2]
        source, target = positions[..., 0], positions[..., 1]
        exists = source > 0  # [B, K]
        here = source >= contexts.source_start[batch.slots][:, None]
        distance = torch.log1p((contexts.source[batch.slots][:, None] - source).float()) / 4
        features = torch.stack([exists, here & exists, distance * exists], dim=2).to(self.absent.dtype)
        parts = [
            self.source(contexts.fields["source.word"][source]),
            self.target(contexts.fields["target.word"][target]),
            self.role(contexts.fields["source.role"][source]),
            features,
        ]
        none = self.absent.expand(len(positions), 1, -1)
        always = torch.ones_like(exists[:, :1])
        return torch.cat([torch.cat(parts, dim=2), none], dim=1), torch.cat([exists, always], dim=1)
