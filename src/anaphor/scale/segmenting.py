"""Whole documents cut by an executor, in tasks of about equally many characters."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from anaphor.core import LanguagePair, Span, digest
from anaphor.core.progress import no_progress
from anaphor.scale.executor import Executor, all_done
from anaphor.scale.result_store import ResultStore, StoredTaskResult
from anaphor.segment.candidate import IN_PROCESS, DocumentCutter
from anaphor.segment.documents import Job
from anaphor.segment.result import Addition, Boundary, Move, Omission, Segmentation

#: Characters of one task: a few seconds of work, so that all workers are busy until the end.
_TASK_SIZE = 200_000


@dataclass(frozen=True, slots=True)
class SegmentDocuments:
    """The task: cut some documents."""

    name: str
    pair: str
    jobs: tuple[Job, ...]
    how: DocumentCutter

    def key(self) -> str:
        """The texts, and the cutter for whole documents."""
        method = self.how.method(LanguagePair.parse(self.pair))
        return digest([method.encode(), self.pair.encode(), json.dumps(self.jobs).encode()])

    def make(self, store: ResultStore) -> StoredTaskResult:  # noqa: ARG002
        segmentations = self.how(self.jobs, LanguagePair.parse(self.pair))
        return StoredTaskResult({}, {"documents": [segmentation.to_dict() for segmentation in segmentations]})


@dataclass(frozen=True, slots=True)
class DistributedCutter:
    """Cuts documents as `segment_documents` does, with the work done by an executor."""

    executor: Executor
    store: ResultStore
    how: DocumentCutter = IN_PROCESS

    def method(self, pair: LanguagePair, *, reference: bool = False) -> str:
        """The segmentation method, for signatures."""
        return self.how.method(pair, reference=reference)

    def __call__(self, jobs: Sequence[Job], pair: LanguagePair) -> list[Segmentation]:
        self.store.open()
        tasks = [
            SegmentDocuments(f"segments/{number:05d}", str(pair), tuple(batch), self.how)
            for number, batch in enumerate(_batches(jobs))
        ]
        outcomes = self.executor.run("segmenting documents", tasks, self.store, no_progress)
        documents = [facts for task in all_done(outcomes) for facts in task.facts["documents"]]
        return [_segmentation(facts, job.text) for facts, job in zip(documents, jobs, strict=True)]


def _batches(jobs: Sequence[Job]) -> Iterator[list[Job]]:
    batch: list[Job] = []
    size = 0
    for job in jobs:
        batch.append(job)
        size += len(job.text)
        if size >= _TASK_SIZE:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _segmentation(facts: Mapping[str, Any], text: str) -> Segmentation:
    """Restore a segmentation from its `to_dict`."""

    def spans(pairs: Sequence[Sequence[int]]) -> tuple[Span, ...]:
        return tuple(Span(start, end) for start, end in pairs)

    return Segmentation(
        text,
        spans(facts["stretches"]),
        tuple(Boundary(**values) for values in facts["boundaries"]),
        tuple(Omission(**values) for values in facts["omissions"]),
        tuple(Addition(**{**values, "span": Span(*values["span"])}) for values in facts["additions"]),
        tuple(Move(**values) for values in facts["moves"]),
        None if facts["second"] is None else spans(facts["second"]),
    )
