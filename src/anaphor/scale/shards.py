"""Texts in shards, and the first step of every job: each shard is read, counted and hashed.

Invalid shards are thus detected before any work is done. If the next step reads every shard completely and
documents do not matter, hashes are enough.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from glob import glob, has_magic
from itertools import pairwise
from pathlib import Path

from anaphor.core import InputError, MismatchError, digest
from anaphor.core.progress import ShareProgress
from anaphor.scale.executor import Executor, TaskDone, TaskFailed
from anaphor.scale.result_store import ResultStore, StoredTaskResult
from anaphor.task.prepare.texts import ParallelText, digest_of, name_of_text, text_prefixes


@dataclass(frozen=True, slots=True)
class Shard:
    """A part of the text that one worker processes at a time; its document ids get the prefix."""

    name: str
    text: ParallelText
    prefix: str = ""


def shards_of(texts: Sequence[ParallelText], *, name: str = "") -> tuple[Shard, ...]:
    """Every text as a shard, named after its file, or numbered if names repeat; `name` is a prefix."""
    names = [name_of_text(text) for text in texts]
    if len({*names}) < len(names):
        names = [f"{number:05d}-{short}" for number, short in enumerate(names, start=1)]
    prefixes = text_prefixes(texts)
    return tuple(
        Shard(f"{name}{short}", text, prefix)
        for short, text, prefix in zip(names, texts, prefixes, strict=True)
    )


def expand_patterns(paths: Sequence[str], *, full: bool = False) -> list[str]:
    """The files given by paths and patterns such as `part-*.gz`, sorted by name within a pattern.

    `full` paths are for workers, which may have another working directory.
    """
    expanded: list[str] = []
    for path in paths:
        if not has_magic(path) or Path(path).exists():
            expanded.append(path)
            continue
        named = sorted(glob(path))  # noqa: PTH207 - patterns may be absolute
        if not named:
            raise InputError(
                "no file matches the pattern", where=path, fix="check the pattern, and put it in quotes"
            )
        expanded += named
    return [path if path == "-" else str(Path(path).absolute()) for path in expanded] if full else expanded


#: What a document is called that has no name: see `anaphor.corpus.inputs`.
_UNNAMED = re.compile(r"document-[0-9]+")


@dataclass(frozen=True, slots=True)
class SurveyedShard:
    """A readable shard: the hashes of its files, and its number of pairs."""

    shard: Shard
    hashes: tuple[str, ...]
    pairs: int
    edges: tuple[str | None, str | None]


@dataclass(frozen=True, slots=True)
class SurveyShard:
    """The task: hash a shard, and with `lines` read it completely."""

    shard: Shard
    lines: bool = True

    @property
    def name(self) -> str:
        return f"survey/{self.shard.name}"

    def key(self) -> str:
        """A hash of the files: unchanged ones need not be read line by line again."""
        content = (repr(self.shard.text), str(self.lines), *_hashes(self.shard.text))
        return digest(value.encode() for value in content)

    def make(self, store: ResultStore) -> StoredTaskResult:  # noqa: ARG002
        pairs, first, last = 0, None, None
        for pair in self.shard.text.read() if self.lines else ():
            pairs, last = pairs + 1, pair.document
            first = pair.document if first is None else first
        edges = [first, last] if self.shard.text.names_documents else [None, None]
        return StoredTaskResult({}, {"hashes": _hashes(self.shard.text), "pairs": pairs, "edges": edges})


def survey(
    shards: Sequence[Shard],
    executor: Executor,
    store: ResultStore,
    progress: ShareProgress,
    *,
    lines: bool = True,
) -> tuple[list[SurveyedShard], list[TaskFailed], tuple[str, ...]]:
    """Readable shards, unreadable ones, and warnings."""
    outcomes = executor.run(
        "reading shards", [SurveyShard(shard, lines) for shard in shards], store, progress
    )
    good, failed, notes = [], [], dict[str, None]()
    for shard, outcome in zip(shards, outcomes, strict=True):
        if isinstance(outcome, TaskDone):
            facts = outcome.facts
            good.append(SurveyedShard(shard, tuple(facts["hashes"]), facts["pairs"], tuple(facts["edges"])))
            notes |= dict.fromkeys(outcome.notes)
        else:
            failed.append(outcome._replace(name=shard.name))
    check_edges(good)
    return good, failed, tuple(notes)


def check_edges(shards: Sequence[SurveyedShard]) -> None:
    """Raise if a document spans two shards."""
    for before, after in pairwise(shards):
        document = before.edges[1]
        if document is not None and document == after.edges[0] and not _UNNAMED.fullmatch(document):
            raise MismatchError(
                f"document {document} spans two shards, {before.shard.name} and {after.shard.name}",
                where=after.shard.text.paths[0],
                fix="cut the text into shards where documents end",
            )


def _hashes(text: ParallelText) -> list[str]:
    return [digest_of(path) for path in text.paths]
