"""Expected counts of a block of shards, and their sums by ranges of keys in a tree.

All counts of a pass are one row of integers: of every entry of the table, forward and then, where the two
directions do not agree, reverse; of words that came from null; of jumps. A key is a place in that row. Sums
of integers do not depend on their order, so that neither do the results on shards, workers or their deaths.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count

import numpy as np

from anaphor.align import HmmOptions, best_engine
from anaphor.align.model import REACH, Bitext, Longs, PassCounts
from anaphor.core import digest
from anaphor.corpus.arrays import pack_arrays
from anaphor.scale.broadcast import Broadcast, read_model
from anaphor.scale.kept import Kept, Made
from anaphor.scale.numbering import read_shard

KEYS = 1 << 22
"""Keys of one range, 8 bytes each."""
FAN_IN = 8
"""So many results are added up by one task."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Where counts stand in the row: the sizes of its parts."""

    entries: int
    sources: int
    targets: int
    agree: bool

    @property
    def sizes(self) -> tuple[int, ...]:
        jumps = 2 * REACH + 1
        return (self.entries, 0 if self.agree else self.entries, self.sources, self.targets, jumps, jumps)

    def ranges(self) -> list[tuple[int, int]]:
        """Ranges of keys, end excluded."""
        total = sum(self.sizes)
        return [(first, min(first + KEYS, total)) for first in range(0, total, KEYS)]

    def sparse(self, counts: PassCounts, entries: Longs) -> tuple[Longs, Longs]:
        """Keys and values of the counts that are not zero; `entries` are the places of a local table."""
        parts = [counts.forward, counts.reverse[:0] if self.agree else counts.reverse]
        places: list[Longs] = [entries, entries[: len(parts[1])]]
        rest = (counts.source_null, counts.target_null, counts.forward_jumps, counts.reverse_jumps)
        places += [np.arange(len(one)) for one in rest]
        offsets = np.cumsum([0, *self.sizes[:-1]])
        keys = np.concatenate([place + offset for place, offset in zip(places, offsets, strict=True)])
        values = np.concatenate([*parts, *rest])
        found = values != 0
        return keys[found], values[found]

    def whole(self, row: Longs) -> PassCounts:
        """From the row of all counts."""
        forward, reverse, *rest = np.split(row, np.cumsum(self.sizes)[:-1])
        return PassCounts(forward, forward if self.agree else reverse, *rest)


@dataclass(frozen=True, slots=True)
class CountBlock:
    """The task: one pass over some shards, the first of which begins at pair `first` of the whole text."""

    name: str
    job: str
    shards: tuple[str, ...]
    first: int
    sent: Broadcast
    layout: Layout
    options: HmmOptions
    hmm: bool
    jump_stride: int

    def key(self) -> str:
        return digest([self.job.encode(), self.name.encode(), repr(self.shards).encode()])

    def make(self, kept: Kept) -> Made:
        text = joined([read_shard(shard, kept) for shard in self.shards])
        local = read_model(self.sent, text, kept)
        engine = best_engine()
        counts = engine.expect(
            _shifted(text, self.first % self.jump_stride),
            engine.index(local.model.rows, threads=1),
            local.model,
            replace(self.options, threads=1),
            hmm=self.hmm,
            jump_stride=self.jump_stride,
        )
        keys, values = self.layout.sparse(counts, local.entries)
        return Made({"counts": _stored(keys, values)}, {})


@dataclass(frozen=True, slots=True)
class AddCounts:
    """The task: the sum of some results over a range of keys."""

    name: str
    job: str
    parts: tuple[str, ...]
    span: tuple[int, int]

    def key(self) -> str:
        return digest([self.job.encode(), self.name.encode(), repr(self.parts).encode()])

    def make(self, kept: Kept) -> Made:
        first, last = self.span
        sums = np.zeros(last - first, np.int64)
        for name in self.parts:
            stored = kept.arrays(name, "counts")
            # Not by NumPy, which would copy all keys to compare them with numbers of eight bytes.
            begin, end = (bisect_left(stored["keys"], edge) for edge in self.span)
            sums[stored["keys"][begin:end] - first] += stored["values"][begin:end]
        keys = np.flatnonzero(sums)
        return Made({"counts": _stored(keys + first, sums[keys])}, {})


def _stored(keys: Longs, values: Longs) -> bytes:
    """Counts as the bytes of a file; four bytes are enough for the keys of any row that fits into memory."""
    small = not len(keys) or keys[-1] <= np.iinfo(np.int32).max
    return pack_arrays({"keys": keys.astype(np.int32) if small else keys, "values": values})


def trees(
    names: Sequence[str], spans: Sequence[tuple[int, int]], *, name: str, job: str
) -> Iterator[list[AddCounts]]:
    """Tasks that add up results level by level; the last level has one for every range of keys.

    What is added to what is always the same.
    """
    results = {span: list(names) for span in spans}
    for level in count(1):
        tasks = [
            AddCounts(
                f"{name}/sum-{level}-{span[0]}-{first}", job, tuple(parts[first : first + FAN_IN]), span
            )
            for span, parts in results.items()
            for first in range(0, len(parts), FAN_IN)
        ]
        yield tasks
        results = {span: [task.name for task in tasks if task.span == span] for span in spans}
        if len(tasks) == len(spans):
            return


def joined(texts: Sequence[Bitext]) -> Bitext:
    """Texts one after the other."""
    sides = []
    for side in ("source", "target"):
        starts = [getattr(text, f"{side}_start") for text in texts]
        before = np.cumsum([0, *(start[-1] for start in starts)])
        moved = [start[1:] + shift for start, shift in zip(starts, before[:-1], strict=True)]
        sides.append(np.concatenate([getattr(text, side) for text in texts]))
        sides.append(np.concatenate([np.zeros(1, np.int64), *moved]))
    return Bitext(*sides)


def _shifted(text: Bitext, places: int) -> Bitext:
    """The text after so many empty pairs: the engine counts jumps in pairs 0, n, 2n ... of its text."""
    source_start, target_start = (
        np.concatenate([np.zeros(places, np.int64), start])
        for start in (text.source_start, text.target_start)
    )
    return Bitext(text.source, source_start, text.target, target_start)
