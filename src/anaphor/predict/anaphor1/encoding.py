"""Segments of a task file as flat arrays: the pieces of all sentences, one after the other.

A window is then two stretches of these arrays, and nothing is copied before a batch is made.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
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
    """A side while it is made, word by word; `ends` has the number of words up to the end of each segment."""

    def __init__(self) -> None:
        self.pieces, self.sizes, self.tags, self.links = array("i"), array("i"), array("i"), array("i")
        self.ends = array("i", [0])

    def add(self, words: Sequence[tuple[int, ...]], tags: Sequence[int], links: Mapping[int, int]) -> None:
        """The words of a segment; `links` has the numbers of those that are linked."""
        self.pieces.extend(chain.from_iterable(words))
        self.sizes.extend(map(len, words))
        self.tags.extend(tags)
        row = array("i", bytes(self.links.itemsize * len(words)))
        for place, link in links.items():
            row[place] = link
        self.links.extend(row)
        self.ends.append(len(self.sizes))

    def side(self) -> tuple[Side, Numbers]:
        """The side, and where each word begins."""
        sizes = _numbers(self.sizes)
        begins = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32)
        starts = begins[_numbers(self.ends)]
        segments = np.repeat(np.arange(len(starts) - 1, dtype=np.int32), np.diff(starts))
        tags, links = (np.repeat(_numbers(of_words), sizes) for of_words in (self.tags, self.links))
        return Side(_numbers(self.pieces), tags, links, segments, starts), begins


def encode(
    segments: Iterable[TaskSegment], subwords: Subwords, classes: Mapping[str, int] | None, *, forms: bool
) -> Encoded:
    """Segments as arrays; `classes` numbers the labels, a slot without a label has `NO_LABEL`.

    Without `classes` no label is looked at. With `forms` the target has word forms, otherwise `lemma|TAG`. A
    segment without the id of a document is a document of its own.
    """
    growing = _Growing(), _Growing()
    documents, numbers = array("i"), dict[str | int, int]()
    slots = _Slots()
    for number, segment in enumerate(segments):
        key = number if segment.document is None else segment.document
        documents.append(numbers.setdefault(key, len(numbers)))
        by_source, by_target = slots.add(segment, number, classes, *(len(side.sizes) for side in growing))
        growing[0].add(list(map(subwords.encode, segment.source)), [0] * len(segment.source), by_source)
        growing[1].add(*_target_words(segment, by_target, subwords, forms=forms), by_target)
    (source, in_source), (target, in_target) = (side.side() for side in growing)
    sources, targets = in_source[_numbers(slots.sources)], in_target[_numbers(slots.targets)]
    where = _numbers(documents), _numbers(slots.segments), sources, targets
    return Encoded(source, target, *where, _numbers(slots.labels))


def _target_words(
    segment: TaskSegment, slots: Mapping[int, int], subwords: Subwords, *, forms: bool
) -> tuple[list[tuple[int, ...]], list[int]]:
    """The pieces and the tag of every word of the target; a slot is a piece of its own, without a tag."""
    if forms:
        words, tags = list(map(subwords.encode, segment.target)), [0] * len(segment.target)
    else:
        pairs = [_lemma_and_tag(token) for token in segment.target]
        words, tags = [subwords.encode(lemma) for lemma, _ in pairs], [tag for _, tag in pairs]
    for place in slots:
        words[place], tags[place] = (SLOT,), 0
    return words, tags


class _Slots:
    """The slots of all segments while they are made; places are numbers of words."""

    def __init__(self) -> None:
        self.segments, self.labels = array("i"), array("i")
        self.sources, self.targets = array("i"), array("i")

    def add(
        self, segment: TaskSegment, number: int, classes: Mapping[str, int] | None, sources: int, targets: int
    ) -> tuple[dict[int, int], dict[int, int]]:
        """Adds those of a segment behind so many words; gives the links of its words on either side."""
        by_source, by_target = dict[int, int](), dict[int, int]()
        for slot in segment.slots:
            link = _link(len(self.labels))
            by_source.setdefault(slot.source, link)
            by_target[slot.target] = link
            self.segments.append(number)
            self.sources.append(sources + slot.source)
            self.targets.append(targets + slot.target)
            self.labels.append(NO_LABEL if classes is None or slot.label is None else classes[slot.label])
        return by_source, by_target


def _link(slot: int) -> int:
    return slot % LINKS + 1


def _lemma_and_tag(token: str) -> tuple[str, int]:
    lemma, bar, tag = token.rpartition("|")
    return (lemma, _TAG_NUMBER.get(tag, len(TAGS) - 1)) if bar and lemma else (token, 0)


def _numbers(values: Any) -> Numbers:
    return np.array(values, dtype=np.int32)
