"""Verdicts on pronouns by an executor: some documents of one candidate are one task.

A task predicts and judges the pronouns of its documents as `anaphor score` does in one process. It stores the
evidence only, because verdicts depend on the base rate of the whole candidate, which is known once all parts
are collected.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from anaphor import __version__
from anaphor.analyse import load_analyser
from anaphor.core import Alignment, PronounPair, Settings, digest
from anaphor.core.progress import Progress, in_percent
from anaphor.corpus import AlignmentFile, Inputs, Text
from anaphor.evaluation.experiment import Experiment
from anaphor.evaluation.pipeline import candidate_input
from anaphor.evaluation.rejudging import accept_of
from anaphor.scale.executor import Executor, all_done
from anaphor.scale.result_store import ResultStore, StoredTaskResult
from anaphor.verdict import Weighed

#: Segments of one task, or those of its one document: some seconds of work.
_TASK_SEGMENTS = 1_000
#: Of what is stored.
_VERSION = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeDocuments:
    """The task: weigh the evidence about the pronouns of some documents. `before` counts the lines before."""

    name: str
    settings: Settings
    source: tuple[str, ...]
    references: tuple[tuple[str, ...], ...]
    candidate: tuple[str, ...]
    documents: tuple[str, ...] | None
    pairs: tuple[PronounPair, ...]
    links: tuple[Alignment, ...]
    before: int

    def key(self) -> str:
        """The texts with their pronouns and links, and all trained models."""
        experiment = self._experiment()
        pair = experiment.pack.pair
        analysers = [
            load_analyser("built-in", language=code).signature() for code in (pair.source, pair.target)
        ]
        models = experiment.signer.models(accept_of(experiment))
        texts = (self.source, self.references, self.candidate, self.documents, self.pairs, self.links)
        content = (__version__, _VERSION, self.settings, self.before, models, *analysers, *texts)
        return digest(str(value).encode() for value in content)

    def make(self, store: ResultStore) -> StoredTaskResult:  # noqa: ARG002
        experiment = self._experiment()
        trial = candidate_input(experiment, "candidate", self.pairs)
        metric = accept_of(experiment)
        weighed = metric.judge.weigh(metric.text(replace(trial, before=self.before)))
        return StoredTaskResult({"weighed": json.dumps(weighed).encode()}, {})

    def _experiment(self) -> Experiment:
        links = AlignmentFile.made(self.links, path="links")
        inputs = Inputs(
            Text.of(self.source, path="source"),
            tuple(Text.of(lines, path="reference") for lines in self.references),
            {"candidate": Text.of(self.candidate, path="candidate")},
            self.documents,
            candidate_alignments={"candidate": links},
        )
        return Experiment.of(inputs, self.settings)


@dataclass(frozen=True, slots=True)
class DistributedWeigher:
    """Weighs the evidence about a candidate as `Judge.weigh` does, with the work done by an executor."""

    executor: Executor
    store: ResultStore

    def __call__(
        self,
        experiment: Experiment,
        system: str,
        pairs: Sequence[PronounPair],
        progress: Progress,
    ) -> list[Weighed]:
        self.store.open()
        tasks = list(_tasks(experiment, system, pairs))
        outcomes = self.executor.run(f"judging {system}", tasks, self.store, in_percent(progress))
        return [
            Weighed(ratio, reasons, None if antecedent is None else (antecedent[0], antecedent[1]))
            for outcome in all_done(outcomes)
            for ratio, reasons, antecedent in json.loads(
                self.store.path(outcome.name, "weighed").read_bytes()
            )
        ]


def _tasks(experiment: Experiment, system: str, pairs: Sequence[PronounPair]) -> Iterator[JudgeDocuments]:
    inputs = experiment.inputs
    links = (inputs.candidate_alignments or {})[system]
    settings = replace(experiment.settings, metrics=("accept",), samples=0, paired=False)
    number = list(inputs.candidates).index(system)
    waiting = 0
    for part, (start, end) in enumerate(_parts(inputs.documents, inputs.segments)):
        here = waiting
        while waiting < len(pairs) and pairs[waiting].source.segment < end:
            waiting += 1
        if waiting == here:
            continue
        yield JudgeDocuments(
            name=f"verdicts/{number:03d}-{part:06d}",
            settings=settings,
            source=tuple(inputs.source.lines[start:end]),
            references=tuple(tuple(text.lines[start:end]) for text in inputs.references),
            candidate=tuple(inputs.candidates[system].lines[start:end]),
            documents=None if inputs.documents is None else inputs.documents[start:end],
            pairs=tuple(_moved(pair, start) for pair in pairs[here:waiting]),
            links=tuple(links[segment] for segment in range(start, end)),
            before=start,
        )


def _parts(documents: Sequence[str] | None, segments: int) -> Iterator[tuple[int, int]]:
    """Stretches of whole documents."""
    start = 0
    for end in range(1, segments + 1):
        inside = end < segments and (documents is None or documents[end] == documents[end - 1])
        if not inside and (end - start >= _TASK_SEGMENTS or end == segments):
            yield start, end
            start = end


def _moved(pair: PronounPair, before: int) -> PronounPair:
    return replace(pair, source=replace(pair.source, segment=pair.source.segment - before))
