"""Uppsala 2017: two-layer BiLSTMs over source and target, and a perceptron over three of their states.

discomt17-findings, section 5.2. A source token is its word, its letters (read by a one-layer BiLSTM), its
tag and its dependency label; a target token its lemma and tag. The perceptron gets the states of the
placeholder, of the source pronoun and of the pronoun's head (not for Spanish, whose subjects are dropped),
and once more the embedding of the source pronoun.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from anaphor.recipes.neural.network import BidirectionalRNN, SlotNetwork, embedding, last_state, state_at
from anaphor.recipes.neural.options import UppsalaOptions
from anaphor.recipes.neural.tensors import ContextTensors, PaddedSpans, SlotBatch
from anaphor.recipes.neural.vocabulary import CHARACTERS, PADDING, Vocabularies


class Uppsala(SlotNetwork):
    """Two-layer BiLSTMs on both sides, and a perceptron over three of their states."""

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
        self.spell = BidirectionalRNN(nn.LSTM, options.letter, options.letter, layers=1)
        width = word + 2 * tag + 2 * options.letter
        self.read_source = BidirectionalRNN(nn.LSTM, width, options.hidden, layers=2)
        self.read_target = BidirectionalRNN(nn.LSTM, word + tag, options.hidden, layers=2)
        self.dropout = nn.Dropout(options.dropout)
        seen = (3 if options.head else 2) * 2 * options.hidden + word
        self.hidden = nn.Linear(seen, options.perceptron)
        self.output = nn.Linear(options.perceptron, classes)

    def forward(self, contexts: ContextTensors, batch: SlotBatch) -> Tensor:
        window = self.options.window
        source = contexts.span("around", "source", window, batch)
        target = contexts.span("around", "target", window, batch)
        source_states = self.read_source(self._source_words(contexts, source), source.lengths)  # [B, W, 2H]
        lemmas = self.target(contexts.fields["target.word"][target.positions])
        tags = self.target_tag(contexts.fields["target.tag"][target.positions])
        target_words = self.dropout(torch.cat([lemmas, tags], dim=2))  # [B, W', word + tag]
        target_states = self.read_target(target_words, target.lengths)  # [B, W', 2H]
        place = contexts.source[batch.slots]  # [B]
        seen = [
            state_at(target_states, target, contexts.target[batch.slots]),  # [B, 2H]
            state_at(source_states, source, place),  # [B, 2H]
            self.source(contexts.fields["source.word"][place]),  # [B, E]
        ]
        if self.options.head:
            seen.append(state_at(source_states, source, contexts.head[batch.slots]))  # [B, 2H]
        mixed = torch.tanh(self.hidden(self.dropout(torch.cat(seen, dim=1))))  # [B, perceptron]
        return torch.log_softmax(self.output(mixed).float(), dim=1)

    def _source_words(self, contexts: ContextTensors, span: PaddedSpans) -> Tensor:
        """[B, W, word + 2 tags + 2 letters]."""
        fields, index = contexts.fields, span.positions
        parts = [
            self.source(fields["source.word"][index]),
            self.source_tag(fields["source.tag"][index]),
            self.role(fields["source.role"][index]),
            self._spelled(contexts, contexts.types[index]),
        ]
        words: Tensor = self.dropout(torch.cat(parts, dim=2))
        return words

    def _spelled(self, contexts: ContextTensors, types: Tensor) -> Tensor:
        """Types [B, W] -> [B, W, 2 letters]; each distinct type of the batch is spelled once."""
        once, where = torch.unique(types, return_inverse=True)  # [N], [B, W]
        letters = contexts.letters[once]  # [N, LETTERS]
        lengths = (letters != PADDING).sum(dim=1)  # [N]
        states = self.spell(self.letter(letters), lengths)  # [N, LETTERS, 2 letters]
        half = states.shape[2] // 2
        forward, backward = last_state(states[..., :half], lengths), states[:, 0, half:]  # each at its end
        spelled = torch.cat([forward, backward * (lengths > 0)[:, None]], dim=1)  # [N, 2 letters]
        return spelled[where]
