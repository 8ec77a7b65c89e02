"""Windows: the sentences that the network reads together.

A window consists of a range of source subwords and a range of target subwords:

    <domain> source pieces <sep> target pieces <pad> ...

`batch_of` works on NumPy arrays and torch tensors alike (`arrays` is numpy or torch), so training and
prediction see the same numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from anaphor.core.array_types import Ints
from anaphor.predict.anaphor2.encoding import ANY_DOMAIN, LINKS, EncodedSegments
from anaphor.predict.anaphor2.subwords import FIRST_DOMAIN, SEPARATOR

#: Pieces of a window, including the domain and the separator.
LONGEST = 256
#: Sentences of a window that have a number of their own.
SENTENCES = 16
#: The most segments of a window, where they can be chosen.
MOST = 7
#: The first segment and one past the last.
_SegmentRange = tuple[int, int]


class PieceWindow(NamedTuple):
    """Ranges of source and target subwords; sentences are counted from `segment`, links from `link`."""

    source_start: int
    source_end: int
    target_start: int
    target_end: int
    segment: int
    link: int


@dataclass(frozen=True, slots=True)
class InputView:
    """One way of presenting a slot to the network: the amount of context, and the domain.

    `before` and `after` are numbers of sentences, included as far as they fit, nearest first.
    """

    before: int = 3
    after: int = 1
    domain: int = ANY_DOMAIN


def packed(
    encoded: EncodedSegments, rng: np.random.Generator, *, most: int = MOST, alone: float = 0.1
) -> list[PieceWindow]:
    """Windows of consecutive segments that include each segment once, for training.

    A share of them, `alone`, has a single segment, so the network also learns without context, and a share
    has fewer than would fit. A segment that is too long is cut on both sides.
    """
    sizes = (np.diff(encoded.source.starts) + np.diff(encoded.target.starts)).tolist()
    documents = encoded.documents.tolist()
    chances, fewer = rng.random(len(sizes)).tolist(), rng.integers(2, most + 1, len(sizes)).tolist()
    windows: list[PieceWindow] = []
    first, total, limit = 0, 2, most
    for number, size in enumerate(sizes):
        full = total + size > LONGEST or number - first >= limit
        if number > first and (full or documents[number] != documents[first]):
            windows.append(_window(encoded, first, number))
            chance = chances[number]
            limit = 1 if chance < alone else (fewer[number] if chance < alone + 0.3 else most)
            first, total = number, 2
        total += size
    if sizes:
        windows.append(_window(encoded, first, len(sizes)))
    return windows


def around(encoded: EncodedSegments, view: InputView) -> tuple[list[PieceWindow], NDArray[np.int32]]:
    """Windows around every segment with slots, and for every slot the number of its window.

    Neighbours with overlapping windows share one if both fit, as in training; a slot never gets less than its
    context. A segment that is too long gets one window per slot, cut around it.
    """
    windows: list[PieceWindow] = []
    of_slot = np.zeros(len(encoded.labels), dtype=np.int32)
    last_range: _SegmentRange | None = None
    for slot, segment in enumerate(encoded.slot_segments.tolist()):
        if _size(encoded, segment, segment + 1) > LONGEST - 2:
            windows.append(_cut_around(encoded, slot, segment))
            last_range = None
        else:
            wanted = _context_range(encoded, segment, view)
            shared = None if last_range is None else _shared_range(encoded, last_range, wanted)
            if shared is not None:
                windows.pop()
            last_range = shared or wanted
            windows.append(_window(encoded, *last_range))
        of_slot[slot] = len(windows) - 1
    return windows, of_slot


def _shared_range(
    encoded: EncodedSegments, held: _SegmentRange, wanted: _SegmentRange
) -> _SegmentRange | None:
    """The segments of both ranges if they overlap and fit into one window, otherwise None."""
    first, last = min(held[0], wanted[0]), max(held[1], wanted[1])
    overlapping = wanted[0] < held[1] and encoded.documents[held[0]] == encoded.documents[wanted[0]]
    fitting = last - first <= MOST and _size(encoded, first, last) <= LONGEST - 2
    return (first, last) if overlapping and fitting else None


def _context_range(encoded: EncodedSegments, segment: int, view: InputView) -> _SegmentRange:
    """The segments of a context in order of priority: one back, one forward, the others back, the others
    forward.
    """
    back, forth = [(1, 0)] * view.before, [(0, 1)] * view.after
    first, last = segment, segment + 1
    for before, after in (*back[:1], *forth[:1], *back[1:], *forth[1:]):
        start, end = first - before, last + after
        if start < 0 or end > len(encoded) or _size(encoded, start, end) > LONGEST - 2:
            continue
        if encoded.documents[start] == encoded.documents[end - 1] == encoded.documents[segment]:
            first, last = start, end
    return first, last


def _size(encoded: EncodedSegments, first: int, last: int) -> int:
    source, target = encoded.source.starts, encoded.target.starts
    return int(source[last] - source[first] + target[last] - target[first])


def _window(encoded: EncodedSegments, first: int, last: int) -> PieceWindow:
    """The window of some segments; if they do not fit, each side keeps the first half window."""
    starts, targets = encoded.source.starts, encoded.target.starts
    ends = int(starts[first]), int(starts[last]), int(targets[first]), int(targets[last])
    window = PieceWindow(*ends, first, _first_link(encoded, first))
    if _size(encoded, first, last) <= LONGEST - 2:
        return window
    half = LONGEST // 2 - 1
    return window._replace(
        source_end=min(window.source_end, window.source_start + half),
        target_end=min(window.target_end, window.target_start + half),
    )


def _cut_around(encoded: EncodedSegments, slot: int, segment: int) -> PieceWindow:
    """Half a window on each side of a segment, around the subwords of a slot."""
    half = LONGEST // 2 - 1

    def cut(starts: Ints, place: int) -> tuple[int, int]:
        start, end = int(starts[segment]), int(starts[segment + 1])
        first = max(start, min(place - half // 2, end - half))
        return first, min(end, first + half)

    source = cut(encoded.source.starts, int(encoded.slot_sources[slot]))
    target = cut(encoded.target.starts, int(encoded.slot_targets[slot]))
    return PieceWindow(*source, *target, segment, _first_link(encoded, segment))


def _first_link(encoded: EncodedSegments, segment: int) -> int:
    """The link of the first slot from a segment on, so numbers do not depend on earlier segments."""
    # Slots are in text order, so that the first one is found by bisection.
    return int(np.searchsorted(encoded.slot_segments, np.int32(segment))) % LINKS + 1


class InputBatch(NamedTuple):
    """The input of the network: arrays [windows, positions]."""

    pieces: Any
    sentences: Any
    languages: Any
    links: Any
    tags: Any


def batch_of(arrays: Any, encoded: Any, windows: Any, given: Any, places: Any) -> tuple[InputBatch, Any]:
    """The batch of some windows, and the index of each position in `target.pieces`, or -1.

    `windows` has a row of `PieceWindow` per window, `given` a row with its domain and two languages; `places`
    counts from 0 to the length of the batch.
    """
    source_start, source_end, target_start, target_end, segment = (windows[:, k : k + 1] for k in range(5))
    first_link = windows[:, 5:6]
    places = places[None, :]
    separator = source_end - source_start + 1
    in_source = (places >= 1) & (places < separator)
    in_target = (places > separator) & (places <= separator + target_end - target_start)
    from_source = arrays.where(in_source, source_start + places - 1, 0)
    from_target = arrays.where(in_target, target_start + places - separator - 1, 0)

    def read(name: str) -> Any:
        source, target = getattr(encoded.source, name), getattr(encoded.target, name)
        return arrays.where(in_source, source[from_source], arrays.where(in_target, target[from_target], 0))

    inside = in_source | in_target
    pieces = arrays.where(places == 0, given[:, :1] + FIRST_DOMAIN, read("pieces"))
    pieces = arrays.where(places == separator, SEPARATOR, pieces)
    # Both sides of a segment have the same number, which tells the network what belongs together.
    sentences = arrays.where(inside, (read("segments") - segment).clip(0, SENTENCES - 1), 0)
    languages = arrays.where(in_source, given[:, 1:2], arrays.where(in_target, given[:, 2:3], 0))
    links = read("links")
    # Counted from the window's first slot, modulo the number of link embeddings.
    links = arrays.where(links > 0, (links - first_link) % LINKS + 1, 0)
    batch = InputBatch(pieces, sentences, languages, links, read("tags"))
    return batch, arrays.where(in_target, from_target, -1)


def as_rows(windows: Sequence[PieceWindow]) -> Ints:
    """Windows as the rows of an array."""
    return np.array(windows, dtype=np.int32).reshape(-1, 6)


def lengths_of(windows: Ints) -> Ints:
    """The number of positions needed by each row of windows."""
    return np.asarray(windows[:, 1] - windows[:, 0] + windows[:, 3] - windows[:, 2] + np.int32(2))
