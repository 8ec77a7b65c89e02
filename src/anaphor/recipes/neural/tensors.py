"""Slot contexts on a device: everything is moved there once, and batches are selected by position.

No selection needs a copy between CPU and GPU, because the lengths that decide the width are kept here, too.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

import numpy as np
import torch
from torch import Tensor

from anaphor.core.array_types import Longs
from anaphor.recipes.neural.contexts import NO_SEGMENT, ContextArrays, TokenArrays
from anaphor.recipes.neural.vocabulary import CHARACTERS, FIELDS, Vocabularies, lettered, numbered

Side = Literal["source", "target"]
SpanKind = Literal["before", "after", "following", "around", "previous"]


class PaddedSpans(NamedTuple):
    """Spans of a batch, padded at the end: positions [B, W] (0: none), and lengths [B]."""

    positions: Tensor
    lengths: Tensor

    @property
    def mask(self) -> Tensor:
        """[B, W]: if there is a token."""
        return self.positions > 0


class SlotBatch(NamedTuple):
    """Numbers of slots, in NumPy and on the device."""

    numbers: Longs
    slots: Tensor


class ContextTensors:
    """Slot contexts with numbers for words, on a device. Spans are made when first needed, and cached."""

    def __init__(self, contexts: ContextArrays, vocabularies: Vocabularies, device: torch.device) -> None:
        self.contexts, self.device = contexts, device
        self.fields: Mapping[str, Tensor] = {
            name: self._moved(numbered(self._text(FIELDS[name][0]), name, vocabulary))
            for name, vocabulary in vocabularies.items()
            if name != CHARACTERS
        }
        table = contexts.slots
        self.source, self.target, self.head = map(self._moved, (table.source, table.target, table.head))
        self.labels, self.candidates = self._moved(table.label), self._moved(table.candidates)
        self.source_start = self._moved(contexts.source.starts[table.segment])
        if CHARACTERS in vocabularies:
            self.types = self._moved(contexts.source.tokens)
            self.letters = self._moved(lettered(contexts.source, vocabularies[CHARACTERS]))
        # For every span used so far: starts and lengths on the device, and the lengths in NumPy.
        self._spans: dict[tuple[SpanKind, Side, int], tuple[Tensor, Tensor, Longs]] = {}
        self._beside: dict[tuple[Side, int], Tensor] = {}

    def batch(self, numbers: Longs) -> SlotBatch:
        return SlotBatch(numbers, self._moved(numbers))

    def span(self, kind: SpanKind, side: Side, size: int, batch: SlotBatch) -> PaddedSpans:
        """Words of each slot's sentence, or of the one before it.

        - `before`: at most `size` words before the pronoun;
        - `after`: at most `size` words after it, farthest first, so a network ends next to the pronoun;
        - `following`: the same, the nearest first;
        - `around`: the pronoun and at most `size` words on each side of it;
        - `previous`: the last `size` words of the preceding sentence.
        """
        if (kind, side, size) not in self._spans:
            first, end = self._limits(kind, side, size)
            widths = end - first
            self._spans[kind, side, size] = self._moved(first), self._moved(widths), widths
        all_starts, all_lengths, widths = self._spans[kind, side, size]
        starts, lengths = all_starts[batch.slots], all_lengths[batch.slots]
        steps = torch.arange(max(1, int(widths[batch.numbers].max())), device=self.device)
        offsets = (lengths - 1)[:, None] - steps if kind == "after" else steps
        return PaddedSpans((starts[:, None] + offsets) * (steps < lengths[:, None]), lengths)

    def beside(self, side: Side, size: int) -> Tensor:
        """[slots, 2 size]: positions of the nearest words before and after; 0 beyond the sentence."""
        if (side, size) not in self._beside:
            steps = np.array([*range(-size, 0), *range(1, size + 1)])
            positions = self._pronouns(side)[:, None] + steps
            segment, starts = self.contexts.slots.segment, self._text(side).starts
            inside = (positions >= starts[segment][:, None]) & (positions < starts[segment + 1][:, None])
            self._beside[side, size] = self._moved(positions * inside)
        return self._beside[side, size]

    def _pronouns(self, side: str) -> Longs:
        return self.contexts.slots.source if side == "source" else self.contexts.slots.target

    def _text(self, side: str) -> TokenArrays:
        return self.contexts.source if side == "source" else self.contexts.target

    def _limits(self, kind: SpanKind, side: Side, size: int) -> tuple[Longs, Longs]:
        """The start of a span and its end (exclusive), for every slot."""
        segment, starts, pronoun = self.contexts.slots.segment, self._text(side).starts, self._pronouns(side)
        if kind == "previous":
            before = self.contexts.previous[segment]
            first = np.maximum(starts[before], starts[before + 1] - size)
            absent = before == NO_SEGMENT
            return np.where(absent, 0, first), np.where(absent, 0, starts[before + 1])
        first = np.maximum(starts[segment], pronoun - size)
        end = np.minimum(starts[segment + 1], pronoun + size + 1)
        return (
            pronoun + 1 if kind in ("after", "following") else first,
            pronoun if kind == "before" else end,
        )

    def _moved(self, array: Longs) -> Tensor:
        return torch.from_numpy(np.ascontiguousarray(array)).to(self.device)
