"""A training text in shards: a crew answers what training asks of it, to the last bit like one process."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, count, groupby
from math import ceil

import numpy as np

from anaphor.align import HmmOptions, best_engine
from anaphor.align.candidates import Contenders, chosen, contenders, word_ranges
from anaphor.align.model import Floats, HmmModel, LexiconRows, Longs, PassCounts, Tell
from anaphor.align.train import jump_stride
from anaphor.core import digest
from anaphor.corpus.arrays import pack_arrays
from anaphor.scale.broadcast import Broadcast, write_model
from anaphor.scale.counts import CountBlock, Layout, joined, trees
from anaphor.scale.crew import Crew, all_done
from anaphor.scale.kept import Kept, Made, Task
from anaphor.scale.numbering import Totals, read_shard

#: Pairs of a block: neither so few that the model is read more than worked with, nor so many that a death
#: costs much.
LEAST, MOST = 25_000, 250_000
_TOTALS = "together/totals"
_FIELDS = ("source", "target", "dice")


@dataclass(frozen=True, slots=True)
class NumberedShard:
    """A shard as numbers on disk: how many pairs and source words it has."""

    name: str
    pairs: int
    words: int


@dataclass(frozen=True, slots=True)
class CountTogether:
    """The task: the contenders among the pairs of some source words, over all shards."""

    name: str
    job: str
    span: tuple[int, int]
    blocks: tuple[tuple[str, ...], ...]
    options: HmmOptions

    def key(self) -> str:
        return digest([self.job.encode(), repr(self.span).encode()])

    def make(self, kept: Kept) -> Made:
        of = kept.arrays(_TOTALS, "sentences")
        # Not shard by shard: what was counted before is gone through again for every piece.
        pieces = (joined([read_shard(shard, kept, what="types") for shard in block]) for block in self.blocks)
        found = contenders(
            best_engine(), pieces, self.span, self.options, of_source=of["source"], of_target=of["target"]
        )
        return Made({"pairs": pack_arrays({name: getattr(found, name) for name in _FIELDS})}, {})


@dataclass(frozen=True, slots=True, eq=False)
class ShardedText:
    """The shards of a text, numbered alike; see `align.training_text.TrainingText`."""

    job: str
    shards: tuple[NumberedShard, ...]
    totals: Totals
    crew: Crew
    kept: Kept
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
        self, options: HmmOptions, *, sources: int, targets: int, tell: Tell | None
    ) -> tuple[LexiconRows, Floats]:
        of_source = _lengthened(self.totals.source_sentences, sources)
        of_target = _lengthened(self.totals.target_sentences, targets)
        self.kept.write(_TOTALS, "sentences", pack_arrays({"source": of_source, "target": of_target}))
        blocks, alone = tuple(names for _, names in self.blocks()), replace(options, threads=1)
        tasks = [
            CountTogether(f"together/{span[0]}-{span[1]}", self.job, span, blocks, alone)
            for span in word_ranges(of_source, of_target, pairs=self.pairs)
        ]
        self._run("candidates", tasks, tell)
        parts = [self.kept.arrays(task.name, "pairs") for task in tasks]
        found = Contenders(*(np.concatenate([part[name] for part in parts]) for name in _FIELDS))
        return chosen(found, options, sources=sources, targets=targets)

    def expect(self, model: HmmModel, options: HmmOptions, *, hmm: bool, tell: Tell | None) -> PassCounts:
        name = f"pass-{next(self._passes)}"
        layout = Layout(len(model.rows), len(model.source_null), len(model.target_null), options.agree)
        if self.kept.finished(name, self.job) is None:
            parts = self._count(
                name, layout, write_model(f"{name}/model", model, self.kept), options, hmm, tell
            )
            row = np.zeros(sum(layout.sizes), np.int64)
            for part in parts:
                stored = self.kept.arrays(part, "counts")
                row[stored["keys"]] = stored["values"]
            self.kept.keep(name, self.job, Made({"row": pack_arrays({"row": row})}, {}))
            self.kept.remove(name)
        return layout.whole(self.kept.arrays(name, "row")["row"])

    def _count(
        self, name: str, layout: Layout, sent: Broadcast, options: HmmOptions, hmm: bool, tell: Tell | None
    ) -> list[str]:
        """The names of results that together have all counts of a pass, each for a range of keys."""
        stride = jump_stride(self.pairs)
        placed = list(self.blocks())
        # How many there are is part of a name: a rerun by more workers must not take up sums of other blocks.
        prefix = f"{name}/block-of-{len(placed)}"
        blocks = [
            CountBlock(f"{prefix}-{number}", self.job, names, first, sent, layout, options, hmm, stride)
            for number, (first, names) in enumerate(placed)
        ]
        self._run(name, blocks, tell)
        for level in trees([block.name for block in blocks], layout.ranges(), name=name, job=self.job):
            self._run(name, level, None)
        return [task.name for task in level]

    def blocks(self) -> Iterator[tuple[int, tuple[str, ...]]]:
        """Neighbouring shards that are counted by one task, and where the first of them begins.

        There are as many blocks for each worker, of like size. Sums do not depend on them.
        """
        workers = self.crew.workers
        rounds = ceil(self.pairs / (workers * MOST))
        blocks = max(1, min(workers * rounds, self.pairs // LEAST))

        def block_of(placed: tuple[int, NumberedShard]) -> int:
            first, shard = placed
            return (2 * first + shard.pairs) * blocks // (2 * self.pairs)

        placed = zip(accumulate((shard.pairs for shard in self.shards), initial=0), self.shards, strict=False)
        for _, found in groupby(placed, key=block_of):
            (first, shard), *rest = found
            yield first, (shard.name, *(other.name for _, other in rest))

    def _run(self, step: str, tasks: Sequence[Task], tell: Tell | None) -> None:
        def told(_: str, done: int, total: int) -> None:
            if tell is not None:
                tell(done / total)

        all_done(self.crew.run(step, tasks, self.kept, told))


def _lengthened(counts: Longs, size: int) -> Longs:
    """Counts of a vocabulary that has grown since, by words that the text does not have."""
    return np.concatenate([counts, np.zeros(size - len(counts), np.int64)])
