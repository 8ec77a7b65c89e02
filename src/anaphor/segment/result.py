"""The result of cutting a document: a piece of the text for every source segment, and additions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from anaphor.core import Span
from anaphor.core.table import JsonFields


@dataclass(frozen=True, slots=True)
class Boundary(JsonFields):
    """A gap where the piece of one source segment may end and that of the next begin.

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

    `repeats` is the source segment whose translation is repeated here, if any.
    """

    span: Span
    confidence: float
    repeats: int | None = None


@dataclass(frozen=True, slots=True)
class Move(JsonFields):
    """A source segment whose translation is not where its neighbours suggest."""

    segment: int
    confidence: float


@dataclass(frozen=True, slots=True)
class Segmentation(JsonFields):
    """A text cut into one stretch for each source segment.

    Together, pieces and additions cover the whole text, each character once; white space belongs to the
    following piece. An omitted segment has an empty piece at its expected position. `boundaries[k]` is
    between segments k and k + 1. `second` has the pieces with every boundary in its second-best position,
    None if no boundary has one.
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
        """The text of these stretches (or of those in `second`), each stripped of surrounding white space."""
        return tuple(self.text[start:end].strip() for start, end in stretches)

    @property
    def pieces(self) -> tuple[tuple[Span, int | None], ...]:
        """All pieces in text order, each with its segment, or None for an addition."""
        all_pieces: list[tuple[Span, int | None]] = [
            *((span, segment) for segment, span in enumerate(self.stretches) if span.end > span.start),
            *((addition.span, None) for addition in self.additions),
        ]
        return tuple(sorted(all_pieces, key=lambda piece: piece[0]))
