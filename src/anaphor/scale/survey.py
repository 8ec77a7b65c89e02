"""The first step: every shard is read, counted and hashed, so that bad ones are known before any work.

Where the next step reads every shard at once, and where documents do not matter, hashes are enough.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from anaphor.core import MismatchError, digest
from anaphor.scale.crew import Crew, Done, Failed, Tell
from anaphor.scale.kept import Kept, Made
from anaphor.scale.shards import Shard
from anaphor.task.prepare.texts import ParallelText, digest_of

#: What a document is called that has no name: see `anaphor.corpus.inputs`.
_UNNAMED = re.compile(r"document-[0-9]+")


@dataclass(frozen=True, slots=True)
class Surveyed:
    """A shard that can be read: the hashes of its files, and how many pairs it has."""

    shard: Shard
    hashes: tuple[str, ...]
    pairs: int
    edges: tuple[str | None, str | None]


@dataclass(frozen=True, slots=True)
class SurveyShard:
    """The task: hash a shard, and read it to its end unless told not to."""

    shard: Shard
    lines: bool = True

    @property
    def name(self) -> str:
        return f"survey/{self.shard.name}"

    def key(self) -> str:
        """The content of the files: what has not changed need not be read line by line again."""
        content = (repr(self.shard.text), str(self.lines), *_hashes(self.shard.text))
        return digest(one.encode() for one in content)

    def make(self, kept: Kept) -> Made:  # noqa: ARG002
        pairs, first, last = 0, None, None
        for pair in self.shard.text.read() if self.lines else ():
            pairs, last = pairs + 1, pair.document
            first = pair.document if first is None else first
        edges = [first, last] if self.shard.text.names_documents else [None, None]
        facts = {"hashes": _hashes(self.shard.text), "pairs": pairs, "edges": edges}
        return Made({}, facts)


def survey(
    shards: Sequence[Shard], crew: Crew, kept: Kept, tell: Tell, *, lines: bool = True
) -> tuple[list[Surveyed], list[Failed], tuple[str, ...]]:
    """Shards that can be read, those that cannot, and tolerances that were used."""
    outcomes = crew.run("reading shards", [SurveyShard(shard, lines) for shard in shards], kept, tell)
    good, failed, notes = [], [], dict[str, None]()
    for shard, outcome in zip(shards, outcomes, strict=True):
        if isinstance(outcome, Done):
            good.append(_surveyed(shard, outcome))
            notes |= dict.fromkeys(outcome.notes)
        else:
            failed.append(outcome._replace(name=shard.name))
    check_edges(good)
    return good, failed, tuple(notes)


def check_edges(shards: Sequence[Surveyed]) -> None:
    """Raise for a document that goes on from one shard to the next."""
    for before, after in pairwise(shards):
        document = before.edges[1]
        if document is not None and document == after.edges[0] and not _UNNAMED.fullmatch(document):
            raise MismatchError(
                f"document {document} spans two shards, {before.shard.name} and {after.shard.name}",
                where=after.shard.text.paths[0],
                fix="cut the text into shards where documents end",
            )


def _surveyed(shard: Shard, outcome: Done) -> Surveyed:
    facts = outcome.facts
    return Surveyed(shard, tuple(facts["hashes"]), facts["pairs"], tuple(facts["edges"]))


def _hashes(text: ParallelText) -> list[str]:
    return [digest_of(path) for path in text.paths]
