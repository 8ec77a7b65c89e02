"""Slot contexts on a device: everything is moved there once, and batches are selected by position.

No selection needs a copy between CPU and GPU, because the lengths that decide the width are kept here, too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from anaphor.predict.neural.contexts import NO_SEGMENT, ContextArrays, Ints, TokenArrays
from anaphor.predict.neural.vocabulary import CHARACTERS, FIELDS, Vocabularies, lettered, numbered


class PaddedSpans(NamedTuple):
    """Spans of a batch, padded at the end: positions [B, W] (0: none), and lengths [B]."""

    positions: Tensor
    lengths: Tensor

    @property
    def mask(self) -> Tensor:
        """[B, W]: where there is a token."""
        return self.positions > 0


class SlotBatch(NamedTuple):
    """Numbers of slots, in NumPy and on the device."""

    numbers: Ints
    slots: Tensor


@dataclass(frozen=True, slots=True, eq=False)
class TokenSpans:
    """One span of tokens per slot, on the device; `widths` are its lengths in NumPy.

    A backward span is read from its end, so that a network ends beside the pronoun.
    """

    starts: Tensor
    lengths: Tensor
    widths: Ints
    backward: bool = False

    def padded(self, batch: SlotBatch) -> PaddedSpans:
        width = max(1, int(self.widths[batch.numbers].max()))
        starts, lengths = self.starts[batch.slots], self.lengths[batch.slots]
        steps = torch.arange(width, device=starts.device)
        inside = steps < lengths[:, None]
        offsets = (lengths - 1)[:, None] - steps if self.backward else steps
        return PaddedSpans((starts[:, None] + offsets) * inside, lengths)


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
        self._spans: dict[tuple[str, str, int], TokenSpans] = {}
        self._beside: dict[tuple[str, int], Tensor] = {}

    def batch(self, numbers: Ints) -> SlotBatch:
        return SlotBatch(numbers, self._moved(numbers))

    def before(self, side: str, size: int) -> TokenSpans:
        """At most `size` words before the pronoun in its sentence."""
        return self._span("before", side, size)

    def after(self, side: str, size: int) -> TokenSpans:
        """At most `size` words after it, the farthest first."""
        return self._span("after", side, size)

    def following(self, side: str, size: int) -> TokenSpans:
        """At most `size` words after it, the nearest first."""
        return self._span("following", side, size)

    def around(self, side: str, size: int) -> TokenSpans:
        """The pronoun and at most `size` words on each side of it."""
        return self._span("around", side, size)

    def previous(self, side: str, size: int) -> TokenSpans:
        """The last words of the preceding sentence."""
        return self._span("previous", side, size)

    def beside(self, side: str, size: int) -> Tensor:
        """[slots, 2 size]: positions of the nearest words before and after; 0 beyond the sentence."""
        if (side, size) not in self._beside:
            steps = np.array([*range(-size, 0), *range(1, size + 1)])
            positions = self._pronouns(side)[:, None] + steps
            segment, starts = self.contexts.slots.segment, self._text(side).starts
            inside = (positions >= starts[segment][:, None]) & (positions < starts[segment + 1][:, None])
            self._beside[side, size] = self._moved(positions * inside)
        return self._beside[side, size]

    def _pronouns(self, side: str) -> Ints:
        return self.contexts.slots.source if side == "source" else self.contexts.slots.target

    def _text(self, side: str) -> TokenArrays:
        return self.contexts.source if side == "source" else self.contexts.target

    def _span(self, kind: str, side: str, size: int) -> TokenSpans:
        key = (kind, side, size)
        if key not in self._spans:
            starts, ends = _limits(kind, self.contexts, self._text(side), self._pronouns(side), size)
            lengths = ends - starts
            self._spans[key] = TokenSpans(
                self._moved(starts), self._moved(lengths), lengths, backward=kind == "after"
            )
        return self._spans[key]

    def _moved(self, array: Ints) -> Tensor:
        return torch.from_numpy(np.ascontiguousarray(array)).to(self.device)


def _limits(
    kind: str, contexts: ContextArrays, text: TokenArrays, pronoun: Ints, size: int
) -> tuple[Ints, Ints]:
    """Start and end of a span for every slot; `pronoun` are the positions of the pronouns."""
    segment = contexts.slots.segment
    if kind == "previous":
        before = contexts.previous[segment]
        starts = np.maximum(text.starts[before], text.starts[before + 1] - size)
        absent = before == NO_SEGMENT
        return np.where(absent, 0, starts), np.where(absent, 0, text.starts[before + 1])
    first, last = text.starts[segment], text.starts[segment + 1]
    start = pronoun + 1 if kind in ("after", "following") else np.maximum(first, pronoun - size)
    end = pronoun if kind == "before" else np.minimum(last, pronoun + size + 1)
    return start, end
