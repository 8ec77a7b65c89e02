"""Segments of a task file as flat arrays: the pieces of all sentences, one after the other.

A window is then two stretches of these arrays, and nothing is copied before a batch is made.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anaphor.core import TaskSegment
from anaphor.predict.anaphor1.subwords import SLOT, Subwords

Numbers = NDArray[np.int32]
#: Languages have numbers from 1; 0 is for what belongs to none.
LANGUAGES = ("en", "fr", "de", "es")
#: Tags of lemma|TAG, universal and French ones; 0 for word forms, the last for any other.
TAGS = (
    *("", ".", "ADJ", "ADP", "ADV", "AUX", "CONJ", "CCONJ", "SCONJ", "DET", "INTJ", "NOUN", "NUM", "PART"),
    *("PRON", "PROPN", "PUNCT", "SYM", "VERB", "PRT", "X"),
)
#: Slots are linked to their source pronoun by a number from 1; in a window with more, numbers come again.
LINKS = 15
_TAG_NUMBER = {tag: number for number, tag in enumerate(TAGS)}
NO_LABEL = -1


@dataclass(frozen=True, slots=True)
class Side:
    """The pieces of one side of all segments; segment `n` has those from `starts[n]` to `starts[n + 1]`."""

    pieces: Numbers
    tags: Numbers
    links: Numbers
    segments: Numbers
    starts: Numbers


@dataclass(frozen=True, slots=True)
class Encoded:
    """Segments as arrays.

    `documents` has a number for every segment, other documents having other numbers. Of every slot there are
    the segment, the places of its pieces in `source.pieces` and `target.pieces`, and the number of its class.
    """

    source: Side
    target: Side
    documents: Numbers
    slot_segments: Numbers
    slot_sources: Numbers
    slot_targets: Numbers
    labels: Numbers

    def __len__(self) -> int:
        return len(self.documents)


class _Growing:
    """A side while it is made."""

    def __init__(self) -> None:
        self.pieces, self.tags, self.links = array("i"), array("i"), array("i")
        self.starts = array("i", [0])

    def add(self, pieces: tuple[int, ...], tag: int, link: int) -> None:
        self.pieces.extend(pieces)
        self.tags.extend([tag] * len(pieces))
        self.links.extend([link] * len(pieces))

    def close(self) -> None:
        self.starts.append(len(self.pieces))

    def side(self) -> Side:
        starts = _numbers(self.starts)
        segments = np.repeat(np.arange(len(starts) - 1, dtype=np.int32), np.diff(starts))
        return Side(_numbers(self.pieces), _numbers(self.tags), _numbers(self.links), segments, starts)


def encode(
    segments: Iterable[TaskSegment], subwords: Subwords, classes: dict[str, int], *, forms: bool
) -> Encoded:
    """Segments as arrays; `classes` numbers the labels, a slot without a label has `NO_LABEL`.

    With `forms` the target has word forms, otherwise `lemma|TAG`. A segment without the id of a document is
    a document of its own.
    """
    source, target = _Growing(), _Growing()
    documents, numbers = array("i"), dict[str | int, int]()
    slots = _Slots()
    for number, segment in enumerate(segments):
        key = number if segment.document is None else segment.document
        documents.append(numbers.setdefault(key, len(numbers)))
        links = slots.add(segment, number, classes)
        for place, word in enumerate(segment.source):
            if place in links.by_source:
                slots.sources.update(dict.fromkeys(links.by_source[place], len(source.pieces)))
            source.add(subwords.encode(word), 0, links.source_link(place))
        for place, token in enumerate(segment.target):
            slot = links.by_target.get(place)
            if slot is not None:
                slots.targets[slot] = len(target.pieces)
                target.add((SLOT,), 0, _link(slot))
            else:
                word, tag = (token, 0) if forms else _lemma_and_tag(token)
                target.add(subwords.encode(word), tag, 0)
        source.close()
        target.close()
    return Encoded(source.side(), target.side(), _numbers(documents), *slots.arrays())


class _Links:
    """The slots of one segment by their places on either side."""

    def __init__(self) -> None:
        self.by_source: dict[int, list[int]] = {}
        self.by_target: dict[int, int] = {}

    def source_link(self, place: int) -> int:
        return _link(self.by_source[place][0]) if place in self.by_source else 0


class _Slots:
    """The slots of all segments while they are made."""

    def __init__(self) -> None:
        self.segments, self.labels = array("i"), array("i")
        self.sources: dict[int, int] = {}
        self.targets: dict[int, int] = {}

    def add(self, segment: TaskSegment, number: int, classes: dict[str, int]) -> _Links:
        links = _Links()
        for slot in segment.slots:
            links.by_source.setdefault(slot.source, []).append(len(self.labels))
            links.by_target[slot.target] = len(self.labels)
            self.segments.append(number)
            self.labels.append(NO_LABEL if slot.label is None else classes[slot.label])
        return links

    def arrays(self) -> tuple[Numbers, Numbers, Numbers, Numbers]:
        order = range(len(self.labels))
        places = ([table[slot] for slot in order] for table in (self.sources, self.targets))
        sources, targets = (np.array(found, dtype=np.int32) for found in places)
        return _numbers(self.segments), sources, targets, _numbers(self.labels)


def _link(slot: int) -> int:
    return slot % LINKS + 1


def _lemma_and_tag(token: str) -> tuple[str, int]:
    lemma, bar, tag = token.rpartition("|")
    return (lemma, _TAG_NUMBER.get(tag, len(TAGS) - 1)) if bar and lemma else (token, 0)


def _numbers(values: Any) -> Numbers:
    return np.array(values, dtype=np.int32)
