"""Windows: the sentences that the network sees together.

A window is a stretch of source pieces and the stretch of target pieces beside it:

    <domain> source pieces <sep> target pieces <pad> ...

Everything here works on NumPy arrays and on torch tensors alike (`arrays` is numpy or torch), so that
training and prediction see the same numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from anaphor.predict.anaphor1.encoding import LINKS, Encoded, Numbers
from anaphor.predict.anaphor1.subwords import DOMAINS, FIRST_DOMAIN, SEPARATOR

#: Pieces of a window, the two marks included.
LONGEST = 256
#: Sentences of a window that have a number of their own.
SENTENCES = 16
#: Segments that a window has at most where the choice is ours.
MOST = 7
#: For a window of which nothing is known.
ANY_DOMAIN = DOMAINS - 1
#: The first segment and the one behind the last.
_Stretch = tuple[int, int]


class Window(NamedTuple):
    """Stretches of source and target pieces; sentences are counted from `segment`, links from `link`."""

    source_start: int
    source_end: int
    target_start: int
    target_end: int
    segment: int
    link: int


@dataclass(frozen=True, slots=True)
class Context:
    """How many sentences before and after are seen, as far as they fit; the nearest come first."""

    before: int = 3
    after: int = 1


def packed(
    encoded: Encoded, rng: np.random.Generator, *, most: int = MOST, alone: float = 0.1
) -> list[Window]:
    """Windows of consecutive segments that hold each segment once, for training.

    A share of them, `alone`, has one segment, so that the network also learns without context, and a share
    has fewer than would fit. A segment that is too long is cut on both sides.
    """
    sizes = (np.diff(encoded.source.starts) + np.diff(encoded.target.starts)).tolist()
    documents = encoded.documents.tolist()
    chances, fewer = rng.random(len(sizes)).tolist(), rng.integers(2, most + 1, len(sizes)).tolist()
    windows: list[Window] = []
    first, total, limit = 0, 2, most
    for number, size in enumerate(sizes):
        full = total + size > LONGEST or number - first >= limit
        if number > first and (full or documents[number] != documents[first]):
            windows.append(_whole(encoded, first, number))
            chance = chances[number]
            limit = 1 if chance < alone else (fewer[number] if chance < alone + 0.3 else most)
            first, total = number, 2
        total += size
    if sizes:
        windows.append(_whole(encoded, first, len(sizes)))
    return windows


def around(encoded: Encoded, context: Context) -> tuple[list[Window], NDArray[np.int32]]:
    """Windows around every segment that has slots, and for every slot the number of its window.

    Neighbours whose windows overlap share one where both fit, as in training: a slot never sees less than
    its context. A segment that is too long gets a window for each of its slots, cut around it.
    """
    windows: list[Window] = []
    of_slot = np.zeros(len(encoded.labels), dtype=np.int32)
    held: _Stretch | None = None
    for slot, segment in enumerate(encoded.slot_segments.tolist()):
        if _size(encoded, segment, segment + 1) > LONGEST - 2:
            windows.append(_cut_around(encoded, slot, segment))
            held = None
        else:
            wanted = _reach(encoded, segment, context)
            shared = None if held is None else _shared(encoded, held, wanted)
            if shared is not None:
                windows.pop()
            held = shared or wanted
            windows.append(_whole(encoded, *held))
        of_slot[slot] = len(windows) - 1
    return windows, of_slot


def _shared(encoded: Encoded, held: _Stretch, wanted: _Stretch) -> _Stretch | None:
    """The segments of both where they overlap and fit into one window; None where they do not."""
    first, last = min(held[0], wanted[0]), max(held[1], wanted[1])
    overlapping = wanted[0] < held[1] and encoded.documents[held[0]] == encoded.documents[wanted[0]]
    fitting = last - first <= MOST and _size(encoded, first, last) <= LONGEST - 2
    return (first, last) if overlapping and fitting else None


def _reach(encoded: Encoded, segment: int, context: Context) -> _Stretch:
    """The first segment and the one behind the last that the context takes in."""
    first, last = segment, segment + 1
    for back, forth in _order(context):
        start, end = first - back, last + forth
        if start < 0 or end > len(encoded) or _size(encoded, start, end) > LONGEST - 2:
            continue
        if encoded.documents[start] == encoded.documents[end - 1] == encoded.documents[segment]:
            first, last = start, end
    return first, last


def _order(context: Context) -> list[tuple[int, int]]:
    """Steps back and forth: one back, one forth, then the rest back, then the rest forth."""
    back, forth = [(1, 0)] * context.before, [(0, 1)] * context.after
    return [*back[:1], *forth[:1], *back[1:], *forth[1:]]


def _size(encoded: Encoded, first: int, last: int) -> int:
    source, target = encoded.source.starts, encoded.target.starts
    return int(source[last] - source[first] + target[last] - target[first])


def _whole(encoded: Encoded, first: int, last: int) -> Window:
    starts, targets = encoded.source.starts, encoded.target.starts
    ends = int(starts[first]), int(starts[last]), int(targets[first]), int(targets[last])
    window = Window(*ends, first, _first_link(encoded, first))
    if window.source_end - window.source_start + window.target_end - window.target_start <= LONGEST - 2:
        return window
    half = LONGEST // 2 - 1
    return window._replace(
        source_end=min(window.source_end, window.source_start + half),
        target_end=min(window.target_end, window.target_start + half),
    )


def _cut_around(encoded: Encoded, slot: int, segment: int) -> Window:
    half = LONGEST // 2 - 1
    source = _stretch(encoded.source.starts, segment, int(encoded.slot_sources[slot]), half)
    target = _stretch(encoded.target.starts, segment, int(encoded.slot_targets[slot]), half)
    return Window(*source, *target, segment, _first_link(encoded, segment))


def _first_link(encoded: Encoded, segment: int) -> int:
    """The link of the first slot from a segment on, so that numbers do not depend on what was before."""
    return int(np.searchsorted(encoded.slot_segments, np.int32(segment))) % LINKS + 1


def _stretch(starts: Numbers, segment: int, place: int, most: int) -> tuple[int, int]:
    start, end = int(starts[segment]), int(starts[segment + 1])
    first = max(start, min(place - most // 2, end - most))
    return first, min(end, first + most)


class Batch(NamedTuple):
    """What the network reads: arrays of windows by places."""

    pieces: Any
    sentences: Any
    languages: Any
    links: Any
    tags: Any


def batch_of(arrays: Any, encoded: Any, windows: Any, given: Any, places: Any) -> tuple[Batch, Any]:
    """The batch of some windows, and where each of its places is in `target.pieces`, -1 where in none.

    `windows` has a row of `Window` for each, `given` a row with its domain and its two languages; `places`
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
    sentences = arrays.where(inside, (read("segments") - segment).clip(0, SENTENCES - 1), 0)
    languages = arrays.where(in_source, given[:, 1:2], arrays.where(in_target, given[:, 2:3], 0))
    links = read("links")
    links = arrays.where(links > 0, (links - first_link) % LINKS + 1, 0)
    batch = Batch(pieces, sentences, languages, links, read("tags"))
    return batch, arrays.where(in_target, from_target, -1)


def as_rows(windows: Sequence[Window]) -> Numbers:
    """Windows as the rows of an array."""
    return np.array(windows, dtype=np.int32).reshape(-1, 6)


def length_of(windows: Numbers) -> int:
    """Places that a batch of these windows needs."""
    sizes = windows[:, 1] - windows[:, 0] + windows[:, 3] - windows[:, 2]
    return int(sizes.max()) + 2
