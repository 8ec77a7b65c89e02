"""TurkuNLP 2016 and 2017: eight sequences around the pronoun, each read by two layers of GRU.

wmt16-findings, section 5.4; discomt17-findings, section 5.1. The sequences are target words, their tags,
words joined with tags, and source lemmas, before and after the pronoun, at most 50 tokens or to the end of
the sentence. What follows is read backwards, so that both readers of a field end beside the pronoun. In 2017
the embeddings were trained beforehand on the task itself (`skipgram`).
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from anaphor.predict.neural.network import Network, embedding, last_state, read
from anaphor.predict.neural.skipgram import pretrained
from anaphor.predict.neural.tensors import Batch, SceneTensors
from anaphor.predict.neural.vocabulary import PADDING, Vocabularies

_FIELDS = ("target.word", "target.tag", "target.word+tag", "source.lemma")


@dataclass(frozen=True, slots=True, kw_only=True)
class TurkuOptions:
    """`pretraining` counts the passes of skip-gram over the training text; 0 is the system of 2016."""

    window: int = 50
    embedding: int = 90
    hidden: int = 90
    pronoun: int = 30
    dropout: float = 0.3
    pretraining: int = 0


class Turku(Network):
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

    def forward(self, scenes: SceneTensors, batch: Batch) -> Tensor:
        parts = [self._read(field, side, scenes, batch) for field in _FIELDS for side in ("before", "after")]
        aligned = scenes.fields["source.word"][scenes.source[batch.slots]]  # [B]
        seen = torch.cat([*parts, self.pronoun(aligned)], dim=1)  # [B, 8 H + pronoun]
        return torch.log_softmax(self.output(self.dropout(seen)).float(), dim=1)

    def _read(self, field: str, side: str, scenes: SceneTensors, batch: Batch) -> Tensor:
        """[B, H]: the state of one reader after its last word."""
        language = field.partition(".")[0]
        stretches = getattr(scenes, side)(language, self.options.window)
        places = stretches.of(batch)
        words = self.embeddings[_key(field)](scenes.fields[field][places.at])  # [B, W, E]
        states = read(self.readers[f"{_key(field)}_{side}"], self.dropout(words))  # [B, W, H]
        return last_state(states, places.lengths)

    def prepare(self, scenes: SceneTensors, seed: int) -> None:
        if self.options.pretraining:
            for field in ("target.word", "target.word+tag", "source.lemma"):
                vectors = pretrained(
                    scenes, field, width=self.options.embedding, passes=self.options.pretraining, seed=seed
                )
                table = self.get_parameter(f"embeddings.{_key(field)}.weight")
                with torch.no_grad():
                    table[PADDING + 1 : len(vectors)] = vectors[PADDING + 1 :]


def _key(field: str) -> str:
    """A field as the name of a part; torch allows no full stop in it."""
    return field.replace(".", "_").replace("+", "_")
