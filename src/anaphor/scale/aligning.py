"""Our own aligner for texts in memory, trained by a crew: for scores of many systems, and for suites."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from itertools import islice

from anaphor.align import AlignerChoice, SentencePair, TrainedAligner
from anaphor.align.aligners import OWN, BuiltInAligner
from anaphor.align.programs import Aligner
from anaphor.align.vocabulary import load_packs
from anaphor.core import digest
from anaphor.scale.crew import Crew
from anaphor.scale.kept import Kept
from anaphor.scale.numbering import merge_vocabularies, numbered_shard
from anaphor.scale.sharded_text import NumberedShard, ShardedText

BATCH = 20_000
"""Pairs of one shard."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CrewChoice(AlignerChoice):
    """The same choice, with the passes of our own aligner done by a crew, in a folder that all of it sees."""

    crew: Crew = field(compare=False)
    kept: Kept = field(compare=False)

    @classmethod
    def of(cls, choice: AlignerChoice, crew: Crew, kept: Kept) -> CrewChoice:
        """Links are those of the given choice, to the last bit."""
        given = {one.name: getattr(choice, one.name) for one in fields(choice)}
        return cls(**given, crew=crew, kept=kept)

    def build(self) -> Aligner:
        return CrewAligner(self) if self.name == OWN else AlignerChoice.build(self)


class CrewAligner(BuiltInAligner):
    """Trains by a crew; links are read off the model in this process."""

    def __init__(self, choice: CrewChoice) -> None:
        super().__init__(choice)
        self._choice = choice

    def train(self, pairs: Iterable[SentencePair]) -> TrainedAligner:
        """A model of these pairs, which are gone through once."""
        choice, kept = self._choice, self._choice.kept
        packs = load_packs(choice.pair, choice.packs)
        remaining, shards, keys = iter(pairs), list[NumberedShard](), list[bytes]()
        while batch := list(islice(remaining, BATCH)):
            made = numbered_shard(iter(batch), *packs.vocabularies())
            shards.append(NumberedShard(f"batch-{len(shards):05d}", made.facts["pairs"], made.facts["words"]))
            keys.append(digest(made.files.values()).encode())
            kept.keep(f"numbers/{shards[-1].name}", "batch", made)
        job = digest([choice.signature().encode(), *keys])
        totals = merge_vocabularies([shard.name for shard in shards], kept, packs.vocabularies())
        text = ShardedText(job, tuple(shards), totals, choice.crew, kept)
        return self.train_on(text, totals.vocabularies)
