"""One part of the text, from raw lines to lines of the task's file."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from anaphor.align import TrainedAligner, best_engine
from anaphor.align.modelfile import read_model
from anaphor.align.ways import read_links
from anaphor.core import Alignment, Analysis, InputError, InputWarning, Where, collector_paused
from anaphor.task.files import format_segment
from anaphor.task.lines import PLACEHOLDER
from anaphor.task.prepare_choice import Example, ExampleMaker
from anaphor.task.prepare_jobs import Job, cutters_of
from anaphor.task.prepare_plan import Plan
from anaphor.task.prepare_report import PartReport

_EMPTY = "one side is empty"
_LOOKS_HIDDEN = f"a target word looks like {PLACEHOLDER}_k"


class Prepared(NamedTuple):
    """A finished part: its lines, the document of each, and its counts."""

    lines: tuple[str, ...]
    documents: tuple[str, ...]
    report: PartReport


class _Pair(NamedTuple):
    """A tokenised pair that can be written, and its place in the job."""

    place: int
    source: Sequence[str]
    target: Sequence[str]
    document: str


class PartMaker:
    """Prepares parts one after the other; everything that takes time to load is loaded once."""

    def __init__(self, plan: Plan, model: Path | None) -> None:
        """`model` aligns; without one the jobs come with their links."""
        self._way = plan.way
        self._cut = cutters_of(plan)
        self._aligner = None if model is None else _loosened(model, plan)
        self._examples = ExampleMaker(plan)

    def make(self, job: Job) -> Prepared:
        """The lines of a part; tolerances that were used are notes of its report."""
        with warnings.catch_warnings(record=True) as caught, collector_paused():
            warnings.simplefilter("always", InputWarning)
            prepared = self._make(job)
        texts = dict.fromkeys(str(w.message) for w in caught if issubclass(w.category, InputWarning))
        return prepared._replace(report=replace(prepared.report, notes=tuple(texts)))

    def _make(self, job: Job) -> Prepared:
        left_out: Counter[str] = Counter()
        pairs = list(self._read(job, left_out))
        examples = self._examples.make(
            [(pair.source, pair.target) for pair in pairs],
            self._links(job, pairs),
            source_analyses=_chosen(job.source_analyses, pairs),
            target_analyses=_chosen(job.target_analyses, pairs),
        )
        counted = _Counted()
        lines = tuple([format_segment(counted.add(example).segment) for example in examples])
        report = PartReport(len(lines), left_out, counted.before, counted.after, counted.placed)
        return Prepared(lines, tuple([pair.document for pair in pairs]), report)

    def _read(self, job: Job, left_out: Counter[str]) -> Iterator[_Pair]:
        """The pairs that the file can hold; the others are counted by what is wrong with them."""
        cut_source, cut_target = self._cut
        for place, (source, target, document) in enumerate(job.pairs):
            pair = _Pair(place, cut_source(source), cut_target(target), document)
            if not pair.source or not pair.target:
                left_out[_EMPTY] += 1
            elif PLACEHOLDER in target and any(map(_looks_hidden, pair.target)):
                left_out[_LOOKS_HIDDEN] += 1
            else:
                yield pair

    def _links(self, job: Job, pairs: Sequence[_Pair]) -> Sequence[Alignment]:
        if self._aligner is not None:
            return list(read_links(self._aligner, [(pair.source, pair.target) for pair in pairs], self._way))
        _check_range(job, pairs)
        return [job.links[pair.place] for pair in pairs]


class _Counted:
    """Adds up what the examples of a part are."""

    def __init__(self) -> None:
        self.before: Counter[str] = Counter()
        self.after: Counter[str] = Counter()
        self.placed: Counter[str] = Counter()

    def add(self, example: Example) -> Example:
        if example.before:
            self.before.update(example.before)
            self.after.update(slot.label for slot in example.segment.slots if slot.label is not None)
            self.placed.update(example.placed)
        return example


def _check_range(job: Job, pairs: Sequence[_Pair]) -> None:
    """Raise for the first link of a file that leads outside its sentences."""
    for pair in pairs:
        alignment = job.links[pair.place]
        for source, target in zip(alignment.sources, alignment.targets, strict=True):
            if source >= len(pair.source) or target >= len(pair.target):
                raise InputError(
                    f"link {source}-{target} leads outside the sentence: the source has {len(pair.source)} "
                    f"tokens, the target {len(pair.target)}",
                    where=Where(job.links_from, job.first + pair.place + 1),
                    fix="align the same tokens that are prepared (--tokenized keeps yours), counted from 0",
                )


def _chosen(analyses: Sequence[Analysis] | None, pairs: Sequence[_Pair]) -> list[Analysis] | None:
    return None if analyses is None else [analyses[pair.place] for pair in pairs]


def _looks_hidden(token: str) -> bool:
    return token == PLACEHOLDER or token.startswith(f"{PLACEHOLDER}_")


def _loosened(model: Path, plan: Plan) -> TrainedAligner:
    """The aligner with every link that a limit may ask for, on one thread: parts run side by side."""
    stored = read_model(model)
    least = plan.limits.loosest
    options = replace(
        stored.options, threshold=least, pronoun_threshold=least, stray_threshold=least, threads=1
    )
    return TrainedAligner(replace(stored, options=options), best_engine())
