"""What cutting a document gives: a stretch of the text for every source segment, and what fits no segment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from anaphor.core import Span
from anaphor.core.table import JsonFields


@dataclass(frozen=True, slots=True)
class Boundary(JsonFields):
    """Where the stretch of one source segment ends and that of the next one may begin.

    `second` is the most probable other position (None if no other one is worth mentioning); confidences are
    posterior probabilities.
    """

    position: int
    confidence: float
    second: int | None = None
    second_confidence: float = 0.0


@dataclass(frozen=True, slots=True)
class Omission(JsonFields):
    """A source segment that the text does not translate."""

    segment: int
    confidence: float


@dataclass(frozen=True, slots=True)
class Addition(JsonFields):
    """A stretch of the text that translates no source segment.

    `repeats` is the source segment whose translation stands here again, if it does.
    """

    span: Span
    confidence: float
    repeats: int | None = None


@dataclass(frozen=True, slots=True)
class Move(JsonFields):
    """A source segment whose translation stands elsewhere than its neighbours' suggest."""

    segment: int
    confidence: float


@dataclass(frozen=True, slots=True)
class Segmentation(JsonFields):
    """A text cut into one stretch for each source segment.

    Stretches and additions together are the whole text, each character once; white space belongs to what it
    follows. An omitted segment has an empty stretch where it would be expected. `boundaries[k]` is between
    segments k and k + 1. `second` has the stretches with every boundary in its second best position, None
    where no boundary has one.
    """

    text: str
    stretches: tuple[Span, ...]
    boundaries: tuple[Boundary, ...]
    omissions: tuple[Omission, ...] = ()
    additions: tuple[Addition, ...] = ()
    moves: tuple[Move, ...] = ()
    second: tuple[Span, ...] | None = None

    json_keys: ClassVar = {"text": None}
    json_extra: ClassVar[Sequence[str]] = ("segments",)

    @property
    def segments(self) -> tuple[str, ...]:
        """The translation of each source segment, without white space around it."""
        return self.cut(self.stretches)

    def cut(self, stretches: Sequence[Span]) -> tuple[str, ...]:
        """The text of these stretches, without white space around each: for `second`."""
        return tuple(self.text[start:end].strip() for start, end in stretches)

    @property
    def pieces(self) -> tuple[tuple[Span, int | None], ...]:
        """All pieces in the order of the text, each with its segment, or None for an addition."""
        all_pieces: list[tuple[Span, int | None]] = [
            *((span, segment) for segment, span in enumerate(self.stretches) if span.end > span.start),
            *((addition.span, None) for addition in self.additions),
        ]
        return tuple(sorted(all_pieces, key=lambda piece: piece[0]))
