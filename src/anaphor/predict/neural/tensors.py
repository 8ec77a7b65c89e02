"""Scenes on a device: everything is moved there once, and a batch is cut out of it by places.

Cutting needs no copy between processor and graphics card: widths are known from the lengths kept here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from anaphor.predict.neural.scenes import NO_SEGMENT, Ints, Scenes, Text
from anaphor.predict.neural.vocabulary import CHARACTERS, FIELDS, Vocabularies, lettered, numbered


class Places(NamedTuple):
    """Stretches of a batch, filled up at the end: places [B, W] (0: none), and the lengths [B]."""

    at: Tensor
    lengths: Tensor

    @property
    def mask(self) -> Tensor:
        """[B, W]: where there is a token."""
        return self.at > 0


@dataclass(frozen=True, slots=True, eq=False)
class Stretches:
    """One stretch of tokens for every slot, on the device; `widths` are the lengths on this side.

    A backward stretch is read from its end, so that a network ends beside the pronoun.
    """

    starts: Tensor
    lengths: Tensor
    widths: Ints
    backward: bool = False

    def of(self, batch: Batch) -> Places:
        width = max(1, int(self.widths[batch.numbers].max()))
        starts, lengths = self.starts[batch.slots], self.lengths[batch.slots]
        steps = torch.arange(width, device=starts.device)
        inside = steps < lengths[:, None]
        there = (lengths - 1)[:, None] - steps if self.backward else steps
        return Places((starts[:, None] + there) * inside, lengths)


class Batch(NamedTuple):
    """Numbers of slots, here and on the device."""

    numbers: Ints
    slots: Tensor


class SceneTensors:
    """Scenes with numbers for words, on a device. Stretches are made when first asked for, and kept."""

    def __init__(self, scenes: Scenes, vocabularies: Vocabularies, device: torch.device) -> None:
        self.scenes, self.device = scenes, device
        self.fields: Mapping[str, Tensor] = {
            name: self._moved(numbered(self._text(FIELDS[name][0]), name, vocabulary))
            for name, vocabulary in vocabularies.items()
            if name != CHARACTERS
        }
        table = scenes.slots
        self.source, self.target, self.head = map(self._moved, (table.source, table.target, table.head))
        self.labels, self.candidates = self._moved(table.label), self._moved(table.candidates)
        self.source_start = self._moved(scenes.source.starts[table.segment])
        if CHARACTERS in vocabularies:
            self.types = self._moved(scenes.source.tokens)
            self.letters = self._moved(lettered(scenes.source, vocabularies[CHARACTERS]))
        self._stretches: dict[tuple[str, str, int], Stretches] = {}
        self._beside: dict[tuple[str, int], Tensor] = {}

    def batch(self, numbers: Ints) -> Batch:
        return Batch(numbers, self._moved(numbers))

    def before(self, side: str, size: int) -> Stretches:
        """The words before the pronoun in its sentence, at most so many."""
        return self._stretch("before", side, size)

    def after(self, side: str, size: int) -> Stretches:
        """The words after it, the farthest first."""
        return self._stretch("after", side, size)

    def following(self, side: str, size: int) -> Stretches:
        """The words after it, the nearest first."""
        return self._stretch("following", side, size)

    def around(self, side: str, size: int) -> Stretches:
        """The pronoun and at most so many words on both sides of it."""
        return self._stretch("around", side, size)

    def previous(self, side: str, size: int) -> Stretches:
        """The last words of the sentence before."""
        return self._stretch("previous", side, size)

    def beside(self, side: str, size: int) -> Tensor:
        """[slots, 2 size]: the places of the nearest words before and after; 0 beyond the sentence."""
        if (side, size) not in self._beside:
            self._beside[side, size] = self._moved(self._windows(side, size))
        return self._beside[side, size]

    def _windows(self, side: str, size: int) -> Ints:
        steps = np.array([*range(-size, 0), *range(1, size + 1)])
        places = self._pronouns(side)[:, None] + steps
        segment, starts = self.scenes.slots.segment, self._text(side).starts
        inside = (places >= starts[segment][:, None]) & (places < starts[segment + 1][:, None])
        windows: Ints = places * inside
        return windows

    def _pronouns(self, side: str) -> Ints:
        return self.scenes.slots.source if side == "source" else self.scenes.slots.target

    def _text(self, side: str) -> Text:
        return self.scenes.source if side == "source" else self.scenes.target

    def _stretch(self, kind: str, side: str, size: int) -> Stretches:
        key = (kind, side, size)
        if key not in self._stretches:
            starts, ends = _limits(kind, self.scenes, self._text(side), self._pronouns(side), size)
            lengths = ends - starts
            self._stretches[key] = Stretches(
                self._moved(starts), self._moved(lengths), lengths, backward=kind == "after"
            )
        return self._stretches[key]

    def _moved(self, array: Ints) -> Tensor:
        return torch.from_numpy(np.ascontiguousarray(array)).to(self.device)


def _limits(kind: str, scenes: Scenes, text: Text, place: Ints, size: int) -> tuple[Ints, Ints]:
    """Start and end of a stretch for every slot, its pronoun standing at `place`."""
    segment = scenes.slots.segment
    if kind == "previous":
        before = scenes.previous[segment]
        starts = np.maximum(text.starts[before], text.starts[before + 1] - size)
        absent = before == NO_SEGMENT
        return np.where(absent, 0, starts), np.where(absent, 0, text.starts[before + 1])
    first, last = text.starts[segment], text.starts[segment + 1]
    start = place + 1 if kind in ("after", "following") else np.maximum(first, place - size)
    end = place if kind == "before" else np.minimum(last, place + size + 1)
    return start, end
