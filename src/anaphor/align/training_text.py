"""What training asks of a text, and the answers of one that is in memory as a whole.

`anaphor.scale` has another text, which is spread over files and asks workers; training is the same for both.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from anaphor.align.model import (
    LONGEST,
    Bitext,
    Engine,
    Floats,
    HmmModel,
    HmmOptions,
    Longs,
    PassCounts,
    Rows,
    Tell,
)

JUMP_SAMPLE = 4096
"""Jumps are counted in about this many sentence pairs."""


class TrainingText(Protocol):
    """Sentence pairs as word numbers, wherever they are; `sources`, `targets`: sizes of vocabularies."""

    @property
    def words(self) -> int:
        """How many words the source sentences have."""

    def occurrences(self, *, sources: int, targets: int) -> tuple[Longs, Longs]:
        """How often each source word occurs, and each target word."""

    def candidates(
        self, options: HmmOptions, *, sources: int, targets: int, tell: Tell | None
    ) -> tuple[Rows, Floats]:
        """Rows of word pairs worth a probability, and the Dice coefficient of each."""

    def expect(self, model: HmmModel, options: HmmOptions, *, hmm: bool, tell: Tell | None) -> PassCounts:
        """Expected counts of one pass over the text."""


@dataclass(frozen=True, slots=True, eq=False)
class WholeText:
    """A text in memory, and the engine that works on it."""

    text: Bitext
    engine: Engine

    @property
    def words(self) -> int:
        return len(self.text.source)

    def occurrences(self, *, sources: int, targets: int) -> tuple[Longs, Longs]:
        source, target = self.text.source, self.text.target
        return np.bincount(source, minlength=sources), np.bincount(target, minlength=targets)

    def candidates(
        self, options: HmmOptions, *, sources: int, targets: int, tell: Tell | None
    ) -> tuple[Rows, Floats]:
        pieces = in_pieces(self.text)
        return self.engine.candidates(pieces, options, sources=sources, targets=targets, tell=tell)

    def expect(self, model: HmmModel, options: HmmOptions, *, hmm: bool, tell: Tell | None) -> PassCounts:
        index = self.engine.index(model.rows, threads=options.threads)
        stride = jump_stride(len(self.text))
        return self.engine.expect(self.text, index, model, options, hmm=hmm, jump_stride=stride, tell=tell)


def jump_stride(pairs: int) -> int:
    """Every how many-th pair of a text counts jumps."""
    return max(1, pairs // JUMP_SAMPLE)


def in_pieces(text: Bitext) -> Bitext:
    """The text with sentence pairs over LONGEST words cut into pieces along the diagonal.

    Words far from it are never linked, so that they should not count as occurring together either.
    """
    lengths = np.diff(text.source_start), np.diff(text.target_start)
    pieces = np.maximum(-(-np.maximum(*lengths) // LONGEST), 1)
    if pieces.max(initial=1) == 1:
        return text
    pair = np.repeat(np.arange(len(text)), pieces)
    number = np.arange(len(pair)) - np.repeat(np.cumsum(pieces) - pieces, pieces)
    source_start, target_start = (
        np.append(start[pair] + length[pair] * number // pieces[pair], start[-1])
        for start, length in zip((text.source_start, text.target_start), lengths, strict=True)
    )
    return Bitext(text.source, source_start, text.target, target_start)
