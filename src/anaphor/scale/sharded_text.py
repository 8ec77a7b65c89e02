"""A training text in shards: an executor answers what training asks, bit for bit like one process.

For each pass the model is written to files by ranges of source words, of which a worker keeps what the words
of its block need. All counts of a pass are one row of integers: for every table entry, forward and, if the
two directions are trained separately, reverse; for words aligned to null; for jumps. A key is an index into
that row. Sums of integers do not depend on their order, so results do not depend on shards, on workers or on
their failures.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, count, groupby, pairwise
from math import ceil
from typing import NamedTuple

import numpy as np

from anaphor.align import HmmOptions, best_engine
from anaphor.align.candidates import Contenders, chosen, contenders, word_ranges
from anaphor.align.model import Bitext, CountLayout, HmmModel, LexiconRows, PassCounts
from anaphor.align.train import jump_stride
from anaphor.core import digest
from anaphor.core.array_types import Floats, Longs
from anaphor.core.progress import ShareDone
from anaphor.files.arrays import pack_arrays
from anaphor.scale.executor import Executor, all_done
from anaphor.scale.numbering import VocabularyTotals, read_shard
from anaphor.scale.result_store import ResultStore, StoredTaskResult, Task

#: Word pairs of one file, 12 bytes each: a worker reads one file at a time.
ENTRIES = 1 << 22

#: All that a model has beside its rows and tables.
_VECTORS = HmmModel.vectors()[1:]


class BroadcastModel(NamedTuple):
    """A stored model: the name of its files, and the number of parts of its table."""

    name: str
    parts: int


def write_model(name: str, model: HmmModel, store: ResultStore) -> BroadcastModel:
    """Write a model for workers to read."""
    rows = model.rows
    edges = np.searchsorted(rows.start, np.arange(0, len(rows), ENTRIES), "right") - 1
    spans = list(pairwise(np.unique([0, *edges.tolist(), len(rows.start) - 1]).tolist()))
    for part, (first, last) in enumerate(spans):
        begin, end = int(rows.start[first]), int(rows.start[last])
        table = {
            "first": np.array([first, begin]),
            "start": rows.start[first : last + 1] - begin,
            "target": rows.target[begin:end],
            "tables": model.tables[2 * begin : 2 * end],
        }
        store.write(name, f"part-{part}", pack_arrays(table))
    store.write(name, "vectors", pack_arrays({vector: getattr(model, vector) for vector in _VECTORS}))
    return BroadcastModel(name, len(spans))


def read_model(sent: BroadcastModel, text: Bitext, store: ResultStore) -> tuple[HmmModel, Longs]:
    """The part of a model that a text needs: rows of its source words, with its target words in them.

    The second value is the index in the whole table of each of its word pairs.
    """
    vectors = store.read_arrays(sent.name, "vectors")
    has_source = np.zeros(len(vectors["source_unigram"]), np.bool_)
    has_target = np.zeros(len(vectors["target_unigram"]), np.bool_)
    # A shard has few of the words of the whole text, so its part of the table fits into memory.
    has_source[text.source], has_target[text.target] = True, True
    starts, targets, tables, entries = [np.zeros(1, np.int64)], [], [], []
    for part in range(sent.parts):
        stored = store.read_arrays(sent.name, f"part-{part}")
        rows = LexiconRows(stored["start"], stored["target"])
        first_word, first_entry = stored["first"].tolist()
        words = has_source[first_word : first_word + len(rows.start) - 1]
        # Entries of these words alone, in the order of the whole table.
        keep = np.repeat(words, np.diff(rows.start)) & has_target[rows.target]
        kept_rows = rows.only(keep)
        starts.append(kept_rows.start[1:] + starts[-1][-1])
        targets.append(kept_rows.target)
        tables.append(stored["tables"].reshape(-1, 2)[keep].reshape(-1))
        entries.append(np.flatnonzero(keep) + first_entry)
    rows = LexiconRows(np.concatenate(starts), np.concatenate(targets))
    model = HmmModel(rows, np.concatenate(tables), *(vectors[vector] for vector in _VECTORS))
    return model, np.concatenate(entries)


#: Keys of one range, 8 bytes each.
KEYS = 1 << 22
#: Number of results that one task adds up.
FAN_IN = 8


def key_ranges(layout: CountLayout) -> list[tuple[int, int]]:
    """Ranges of keys, end excluded."""
    total = sum(layout.sizes)
    return [(first, min(first + KEYS, total)) for first in range(0, total, KEYS)]


def sparse(layout: CountLayout, counts: PassCounts, entries: Longs) -> tuple[Longs, Longs]:
    """Keys and values of the counts that are not zero; `entries` are the indices of a local table."""
    parts = [counts.forward, counts.reverse[:0] if layout.agree else counts.reverse]
    places: list[Longs] = [entries, entries[: len(parts[1])]]
    rest = (counts.source_null, counts.target_null, counts.forward_jumps, counts.reverse_jumps)
    places += [np.arange(len(shard)) for shard in rest]
    offsets = np.cumsum([0, *layout.sizes[:-1]])
    keys = np.concatenate([place + offset for place, offset in zip(places, offsets, strict=True)])
    values = np.concatenate([*parts, *rest])
    known = values != 0
    return keys[known], values[known]


@dataclass(frozen=True, slots=True)
class CountBlock:
    """The task: one pass over some shards, the first of which begins at pair `first` of the whole text."""

    name: str
    job: str
    shards: tuple[str, ...]
    first: int
    sent: BroadcastModel
    layout: CountLayout
    options: HmmOptions
    hmm: bool
    jump_stride: int

    def key(self) -> str:
        return digest([self.job.encode(), self.name.encode(), repr(self.shards).encode()])

    def make(self, store: ResultStore) -> StoredTaskResult:
        text = concatenate([read_shard(shard, store) for shard in self.shards])
        model, entries = read_model(self.sent, text, store)
        engine = best_engine()
        counts = engine.expect(
            _shifted(text, self.first % self.jump_stride),
            engine.indexed(model, replace(self.options, threads=1)),
            hmm=self.hmm,
            jump_stride=self.jump_stride,
        )
        keys, values = sparse(self.layout, counts, entries)
        return StoredTaskResult({"counts": _stored(keys, values)}, {})


@dataclass(frozen=True, slots=True)
class AddCounts:
    """The task: the sum of some results over a range of keys."""

    name: str
    job: str
    parts: tuple[str, ...]
    span: tuple[int, int]

    def key(self) -> str:
        return digest([self.job.encode(), self.name.encode(), repr(self.parts).encode()])

    def make(self, store: ResultStore) -> StoredTaskResult:
        first, last = self.span
        sums = np.zeros(last - first, np.int64)
        for name in self.parts:
            stored = store.read_arrays(name, "counts")
            # Not by NumPy, which would copy all keys to compare them with numbers of eight bytes.
            begin, end = (bisect_left(stored["keys"], edge) for edge in self.span)
            sums[stored["keys"][begin:end] - first] += stored["values"][begin:end]
        keys = np.flatnonzero(sums)
        return StoredTaskResult({"counts": _stored(keys + first, sums[keys])}, {})


def _stored(keys: Longs, values: Longs) -> bytes:
    """Counts as the bytes of a file; four bytes are enough for the keys of any row that fits into memory."""
    small = not len(keys) or keys[-1] <= np.iinfo(np.int32).max
    return pack_arrays({"keys": keys.astype(np.int32) if small else keys, "values": values})


def sum_trees(
    names: Sequence[str], spans: Sequence[tuple[int, int]], *, name: str, job: str
) -> Iterator[list[AddCounts]]:
    """Tasks that add up results level by level; the last level has one for every range of keys.

    The order of additions is fixed.
    """
    results = {span: list(names) for span in spans}
    # A tree of sums: no task reads more than FAN_IN results, and each level can be resumed.
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


def concatenate(texts: Sequence[Bitext]) -> Bitext:
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
    """The text, preceded by empty pairs, because the engine counts jumps in the pairs 0, n, 2n ... of its
    text."""
    source_start, target_start = (
        np.concatenate([np.zeros(places, np.int64), start])
        for start in (text.source_start, text.target_start)
    )
    return Bitext(text.source, source_start, text.target, target_start)


#: Pairs of a block: neither so few that the model is read more than worked with, nor so many that a death
#: costs much.
LEAST, MOST = 25_000, 250_000
_TOTALS = "together/totals"
_FIELDS = ("source", "target", "dice")


class NumberedShard(NamedTuple):
    """A shard as numbers on disk: how many pairs and source words it has."""

    name: str
    pairs: int
    words: int


@dataclass(frozen=True, slots=True)
class CountCooccurrences:
    """The task: the contenders among the pairs of some source words, over all shards."""

    name: str
    job: str
    span: tuple[int, int]
    blocks: tuple[tuple[str, ...], ...]
    options: HmmOptions

    def key(self) -> str:
        return digest([self.job.encode(), repr(self.span).encode()])

    def make(self, store: ResultStore) -> StoredTaskResult:
        of = store.read_arrays(_TOTALS, "sentences")
        # Not shard by shard: what was counted before is gone through again for every piece.
        pieces = (
            concatenate([read_shard(shard, store, what="types") for shard in block]) for block in self.blocks
        )
        pairs = contenders(
            best_engine(), pieces, self.span, self.options, of_source=of["source"], of_target=of["target"]
        )
        return StoredTaskResult({"pairs": pack_arrays({name: getattr(pairs, name) for name in _FIELDS})}, {})


@dataclass(frozen=True, slots=True, eq=False)
class ShardedText:
    """The shards of a text with a common numbering; see `align.train.TrainingText`."""

    job: str
    shards: tuple[NumberedShard, ...]
    totals: VocabularyTotals
    executor: Executor
    store: ResultStore
    _passes: Iterator[int] = field(default_factory=lambda: count(1))

    @property
    def pairs(self) -> int:
        return sum(shard.pairs for shard in self.shards)

    @property
    def words(self) -> int:
        return sum(shard.words for shard in self.shards)

    def occurrences(self, *, sources: int, targets: int) -> tuple[Longs, Longs]:
        return _lengthened(self.totals.source_words, sources), _lengthened(self.totals.target_words, targets)

    def candidates(
        self, options: HmmOptions, *, sources: int, targets: int, share_done: ShareDone | None
    ) -> tuple[LexiconRows, Floats]:
        of_source = _lengthened(self.totals.source_sentences, sources)
        of_target = _lengthened(self.totals.target_sentences, targets)
        self.store.write(_TOTALS, "sentences", pack_arrays({"source": of_source, "target": of_target}))
        blocks, alone = tuple(names for _, names in self.blocks()), replace(options, threads=1)
        tasks = [
            CountCooccurrences(f"together/{span[0]}-{span[1]}", self.job, span, blocks, alone)
            for span in word_ranges(of_source, of_target, pairs=self.pairs)
        ]
        self._run("candidates", tasks, share_done)
        parts = [self.store.read_arrays(task.name, "pairs") for task in tasks]
        joined = Contenders(*(np.concatenate([part[name] for part in parts]) for name in _FIELDS))
        return chosen(joined, options, sources=sources, targets=targets)

    def expect(
        self, model: HmmModel, options: HmmOptions, *, hmm: bool, share_done: ShareDone | None
    ) -> PassCounts:
        name = f"pass-{next(self._passes)}"
        layout = CountLayout.of(model, options)
        if self.store.finished(name, self.job) is None:
            parts = self._count(
                name, layout, write_model(f"{name}/model", model, self.store), options, hmm, share_done
            )
            row = np.zeros(sum(layout.sizes), np.int64)
            for part in parts:
                stored = self.store.read_arrays(part, "counts")
                # Ranges of keys do not overlap: nothing is left to add.
                row[stored["keys"]] = stored["values"]
            self.store.save(name, self.job, StoredTaskResult({"row": pack_arrays({"row": row})}, {}))
            self.store.remove(name)
        return layout.counts(self.store.read_arrays(name, "row")["row"])

    def _count(
        self,
        name: str,
        layout: CountLayout,
        sent: BroadcastModel,
        options: HmmOptions,
        hmm: bool,
        share_done: ShareDone | None,
    ) -> list[str]:
        """The names of results that together contain all counts of a pass, each for a range of keys."""
        stride = jump_stride(self.pairs)
        placed = list(self.blocks())
        # How many there are is part of a name: a rerun by more workers must not take up sums of other blocks.
        prefix = f"{name}/block-of-{len(placed)}"
        blocks = [
            CountBlock(f"{prefix}-{number}", self.job, names, first, sent, layout, options, hmm, stride)
            for number, (first, names) in enumerate(placed)
        ]
        self._run(name, blocks, share_done)
        for level in sum_trees([block.name for block in blocks], key_ranges(layout), name=name, job=self.job):
            self._run(name, level, None)
        return [task.name for task in level]

    def blocks(self) -> Iterator[tuple[int, tuple[str, ...]]]:
        """Adjacent shards counted by one task, and the start of the first.

        Each worker gets the same number of blocks, of similar size. Sums do not depend on the blocks.
        """
        workers = self.executor.workers
        rounds = ceil(self.pairs / (workers * MOST))
        blocks = max(1, min(workers * rounds, self.pairs // LEAST))

        def block_of(placed: tuple[int, NumberedShard]) -> int:
            first, shard = placed
            # By its middle, so that a large shard goes where most of it lies.
            return (2 * first + shard.pairs) * blocks // (2 * self.pairs)

        placed = zip(accumulate((shard.pairs for shard in self.shards), initial=0), self.shards, strict=False)
        for _, group in groupby(placed, key=block_of):
            (first, shard), *rest = group
            yield first, (shard.name, *(other.name for _, other in rest))

    def _run(self, step: str, tasks: Sequence[Task], share_done: ShareDone | None) -> None:
        def report(_: str, share: float) -> None:
            if share_done is not None:
                share_done(share)

        all_done(self.executor.run(step, tasks, self.store, report))


def _lengthened(counts: Longs, size: int) -> Longs:
    """Counts of a vocabulary that has grown since, by words that the text does not have."""
    return np.concatenate([counts, np.zeros(size - len(counts), np.int64)])
