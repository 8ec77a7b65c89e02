"""The slots of task files as detector windows: each slot is predicted with all others left out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from anaphor.core import Alignment, LanguagePair, TaskSegment
from anaphor.predict.anaphor2.encoding import language_numbers
from anaphor.predict.anaphor2.subwords import Subwords
from anaphor.predict.data import document_window
from anaphor.predict.detector.windows import (
    AFTER,
    BEFORE,
    LineEncoder,
    PieceLine,
    PieceMark,
    Window,
    window_of,
)


@dataclass(frozen=True, slots=True)
class OpenSegment:
    """A segment without its placeholders, and their original positions.

    The network was trained on texts with one hidden pronoun. Other hidden pronouns are treated like dropped
    subjects, and links to them are removed as well.
    """

    words: tuple[str, ...]
    links: Alignment
    gaps: tuple[int, ...]

    @classmethod
    def of(cls, segment: TaskSegment) -> OpenSegment:
        hidden = {slot.target for slot in segment.slots}
        #: The new position of every word.
        places, words = [], list[str]()
        for position, word in enumerate(segment.target):
            places.append(len(words))
            if position not in hidden:
                words.append(word)
        given = segment.alignment
        kept = [
            (source, places[target])
            for source, target in zip(given.sources, given.targets, strict=True)
            if target not in hidden
        ]
        links = Alignment(tuple(source for source, _ in kept), tuple(target for _, target in kept))
        return cls(tuple(words), links, tuple(places[slot.target] for slot in segment.slots))


def slot_windows(segments: Sequence[TaskSegment], subwords: Subwords, pair: LanguagePair) -> Iterator[Window]:
    """The window of every slot, in order, within its document."""
    encoder, languages = LineEncoder(subwords, pair), language_numbers(pair)
    lines: dict[int, tuple[PieceLine, PieceLine]] = {}
    opened: dict[int, OpenSegment] = {}
    for number, segment in enumerate(segments):
        if not segment.slots:
            continue
        first, end = document_window(segments, number, before=BEFORE, after=AFTER)
        for place in range(first, end):
            if place not in lines:
                opened[place] = OpenSegment.of(segments[place])
                lines[place] = encoder.lines(segments[place].source, opened[place].words, opened[place].links)
        sides = [[lines[place][side] for place in range(first, end)] for side in (0, 1)]
        source, target = lines[number]
        for slot, gap in zip(segment.slots, opened[number].gaps, strict=True):
            span = source.starts[slot.source], source.starts[slot.source + 1]
            mark = PieceMark(span, (target.starts[gap], target.starts[gap]))
            yield window_of(sides[0], sides[1], number - first, mark, languages, hidden=True)
