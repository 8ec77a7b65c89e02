"""Uppsala 2017: two-layer BiLSTMs over source and target, and a perceptron over three of their states.

discomt17-findings, section 5.2. A source token is its word, its letters (read by a one-layer BiLSTM), its
tag and its dependency label; a target token its lemma and tag. The perceptron sees the states of the
placeholder, of the source pronoun and of the pronoun's head (not in Spanish, whose subject is left out), and
the embedding of the source pronoun once more.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from anaphor.predict.neural.network import BothWays, Network, at_place, embedding, last_state
from anaphor.predict.neural.tensors import Batch, Places, SceneTensors
from anaphor.predict.neural.vocabulary import CHARACTERS, PADDING, Vocabularies


@dataclass(frozen=True, slots=True, kw_only=True)
class UppsalaOptions:
    """`head` says whether the head of the source pronoun is looked at."""

    window: int = 50
    word: int = 100
    tag: int = 20
    letter: int = 24
    hidden: int = 100
    perceptron: int = 100
    dropout: float = 0.3
    head: bool = True


class Uppsala(Network):
    fields = ("source.word", "source.tag", "source.role", "target.word", "target.tag", CHARACTERS)

    def __init__(self, vocabularies: Vocabularies, classes: int, options: UppsalaOptions) -> None:
        super().__init__()
        self.options, word, tag = options, options.word, options.tag
        self.source = embedding(vocabularies, "source.word", word)
        self.source_tag = embedding(vocabularies, "source.tag", tag)
        self.role = embedding(vocabularies, "source.role", tag)
        self.target = embedding(vocabularies, "target.word", word)
        self.target_tag = embedding(vocabularies, "target.tag", tag)
        self.letter = embedding(vocabularies, CHARACTERS, options.letter)
        self.spell = BothWays(nn.LSTM, options.letter, options.letter, layers=1)
        width = word + 2 * tag + 2 * options.letter
        self.read_source = BothWays(nn.LSTM, width, options.hidden, layers=2)
        self.read_target = BothWays(nn.LSTM, word + tag, options.hidden, layers=2)
        self.dropout = nn.Dropout(options.dropout)
        seen = (3 if options.head else 2) * 2 * options.hidden + word
        self.hidden = nn.Linear(seen, options.perceptron)
        self.output = nn.Linear(options.perceptron, classes)

    def forward(self, scenes: SceneTensors, batch: Batch) -> Tensor:
        window = self.options.window
        source = scenes.around("source", window).of(batch)
        target = scenes.around("target", window).of(batch)
        heard = self.read_source(self._source_words(scenes, source), source.lengths)  # [B, W, 2H]
        said = self.read_target(self._target_words(scenes, target), target.lengths)  # [B, W', 2H]
        place = scenes.source[batch.slots]  # [B]
        seen = [
            at_place(said, target, scenes.target[batch.slots]),  # [B, 2H]
            at_place(heard, source, place),  # [B, 2H]
            self.source(scenes.fields["source.word"][place]),  # [B, E]
        ]
        if self.options.head:
            seen.append(at_place(heard, source, scenes.head[batch.slots]))  # [B, 2H]
        mixed = torch.tanh(self.hidden(self.dropout(torch.cat(seen, dim=1))))  # [B, perceptron]
        return torch.log_softmax(self.output(mixed).float(), dim=1)

    def _source_words(self, scenes: SceneTensors, places: Places) -> Tensor:
        """[B, W, word + 2 tags + 2 letters]."""
        fields, index = scenes.fields, places.at
        parts = [
            self.source(fields["source.word"][index]),
            self.source_tag(fields["source.tag"][index]),
            self.role(fields["source.role"][index]),
            self._spelled(scenes, scenes.types[index]),
        ]
        words: Tensor = self.dropout(torch.cat(parts, dim=2))
        return words

    def _target_words(self, scenes: SceneTensors, places: Places) -> Tensor:
        """[B, W', word + tag]."""
        lemmas = self.target(scenes.fields["target.word"][places.at])
        tags = self.target_tag(scenes.fields["target.tag"][places.at])
        words: Tensor = self.dropout(torch.cat([lemmas, tags], dim=2))
        return words

    def _spelled(self, scenes: SceneTensors, types: Tensor) -> Tensor:
        """Types [B, W] -> [B, W, 2 letters]; each different type of the batch is spelled once."""
        once, where = torch.unique(types, return_inverse=True)  # [N], [B, W]
        letters = scenes.letters[once]  # [N, LETTERS]
        lengths = (letters != PADDING).sum(dim=1)  # [N]
        states = self.spell(self.letter(letters), lengths)  # [N, LETTERS, 2 letters]
        half = states.shape[2] // 2
        onward, back = last_state(states[..., :half], lengths), states[:, 0, half:]  # each at its own end
        spelled = torch.cat([onward, back * (lengths > 0)[:, None]], dim=1)  # [N, 2 letters]
        return spelled[where]
