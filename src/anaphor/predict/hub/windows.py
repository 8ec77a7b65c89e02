"""What an encoder reads for a slot: source with the pronoun marked, target with a mask where it is hidden.

<first> The lamp is old . * It * works . <between> La lampe est vieille . <mask> marche . <between>
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from anaphor.core import Slot, TaskSegment
from anaphor.predict.hub.encoder import Encoder
from anaphor.predict.hub.settings import HubOptions

#: Around the pronoun that is asked about, and in place of other hidden ones.
_ASKED, _OTHER = "*", "_"
_MARKS = 3


@dataclass(frozen=True, slots=True)
class HubWindow:
    """Numbers of pieces, and the place of the mask among them."""

    pieces: tuple[int, ...]
    place: int


@dataclass(frozen=True, slots=True, eq=False)
class WindowReader:
    """Makes windows for one encoder; of lemmas with tags, which are no `forms`, the tags are left out."""

    encoder: Encoder
    options: HubOptions
    forms: bool
    _known: dict[str, tuple[int, ...]] = field(default_factory=dict)

    def windows(self, segments: Sequence[TaskSegment]) -> Iterator[HubWindow]:
        """One window for each slot, in order."""
        for number, segment in enumerate(segments):
            for slot in segment.slots:
                yield self._window(segments, number, slot)

    def _window(self, segments: Sequence[TaskSegment], number: int, slot: Slot) -> HubWindow:
        first, last = self._bounds(segments, number)
        source: list[int] = []
        target: list[int] = []
        pronoun = hidden = 0
        for place in range(first, last):
            asked = slot if place == number else None
            if asked is not None:
                pronoun = len(source) + self._size(segments[place].source[: asked.source])
                hidden = len(target) + len(self._target(segments[place], None, upto=asked.target))
            source += self._source(segments[place], asked)
            target += self._target(segments[place], asked)
        return self._joined(source, pronoun, target, hidden)

    def _bounds(self, segments: Sequence[TaskSegment], number: int) -> tuple[int, int]:
        """The first sentence of the window and the one behind the last, all of one document."""
        document = segments[number].document
        first, last = number, number + 1
        if document is None:
            return first, last
        while first > max(0, number - self.options.before) and segments[first - 1].document == document:
            first -= 1
        end = min(len(segments), number + self.options.after + 1)
        while last < end and segments[last].document == document:
            last += 1
        return first, last

    def _joined(self, source: list[int], pronoun: int, target: list[int], hidden: int) -> HubWindow:
        """Both sides, each cut to half of the window around what is asked where the whole does not fit."""
        marks = self.encoder.marks
        room = min(self.options.longest, self.encoder.longest) - _MARKS
        if len(source) + len(target) > room:
            source, _ = _cut(source, pronoun, max(room // 2, room - len(target)))
            target, hidden = _cut(target, hidden, room - len(source))
        pieces = (marks.first, *source, marks.between, *target, marks.between)
        return HubWindow(pieces, len(source) + 2 + hidden)

    def _source(self, segment: TaskSegment, asked: Slot | None) -> Iterator[int]:
        for place, word in enumerate(segment.source):
            if asked is not None and place == asked.source:
                yield from (*self._pieces(_ASKED), *self._pieces(word), *self._pieces(_ASKED))
            else:
                yield from self._pieces(word)

    def _target(self, segment: TaskSegment, asked: Slot | None, *, upto: int | None = None) -> list[int]:
        hidden = {slot.target for slot in segment.slots}
        pieces: list[int] = []
        for place, token in enumerate(segment.target[:upto]):
            if asked is not None and place == asked.target:
                pieces.append(self.encoder.marks.mask)
            elif place in hidden:
                pieces += self._pieces(_OTHER)
            else:
                pieces += self._pieces(token if self.forms else token.rpartition("|")[0] or token)
        return pieces

    def _size(self, words: Sequence[str]) -> int:
        return sum(len(self._pieces(word)) for word in words)

    def _pieces(self, word: str) -> tuple[int, ...]:
        """The pieces of a word; one that spells a mark of the encoder is unknown, and never that mark."""
        found = self._known.get(word)
        if found is None:
            marks = self.encoder.marks
            numbers = self.encoder.tokenizer(f" {word}", add_special_tokens=False)["input_ids"]
            found = tuple(marks.unknown if number in marks.special else number for number in numbers)
            self._known[word] = found
        return found


def _cut(pieces: list[int], place: int, most: int) -> tuple[list[int], int]:
    """At most so many pieces around a place, and where the place is among them."""
    start = max(0, min(place - most // 2, len(pieces) - most))
    return pieces[start : start + most], place - start
