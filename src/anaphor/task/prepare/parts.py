"""The text cut into jobs: what has to be done in order is done here, the rest by whoever gets the job."""

from __future__ import annotations

import gzip
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import NamedTuple

from anaphor.align import TrainedAligner, best_engine
from anaphor.align.aligners import align_with_model
from anaphor.align.modelfile import read_model
from anaphor.analyse.contract import Analyser
from anaphor.core import Alignment, Analysis, InputError, InputWarning, UserError, Where, collector_paused
from anaphor.corpus.processes import Failed, received, running
from anaphor.languages import Tokenizer, load_language, split_words
from anaphor.pronouns import Words
from anaphor.task.files import format_segment
from anaphor.task.lines import PLACEHOLDER
from anaphor.task.prepare.examples import Example, ExampleMaker, analysers_for
from anaphor.task.prepare.links import LinkSource
from anaphor.task.prepare.part_store import PartReport, PartStore
from anaphor.task.prepare.plan import PART, PreparationPlan
from anaphor.task.prepare.texts import ParallelText, RawPair, read_all, read_prefixed, text_prefixes

#: Reads analyses that were made elsewhere, in the order of the text: no worker can start in the middle.
IN_ORDER = "conllu"


@dataclass(frozen=True, slots=True, kw_only=True)
class PartJob:
    """One part of the text, with links and analyses where these were made elsewhere.

    `first` is the number of its first pair among all, from 0; `links_from` is the file of the links. Both are
    for messages.
    """

    number: int
    pairs: tuple[RawPair, ...]
    first: int = 0
    links: tuple[Alignment, ...] = ()
    links_from: str = ""
    source_analyses: tuple[Analysis, ...] | None = None
    target_analyses: tuple[Analysis, ...] | None = None


class PartJobs:
    """The jobs that are left to do; `reports` has those that an earlier run finished, by their number."""

    def __init__(
        self, texts: Sequence[ParallelText], plan: PreparationPlan, made: LinkSource, parts: PartStore
    ) -> None:
        self._texts, self._plan, self._made, self._parts = texts, plan, made, parts
        self.reports: dict[int, PartReport] = {}

    def _batches(self) -> Iterator[tuple[RawPair, ...]]:
        """Parts of texts, none of which goes on into the next: what is made of a text depends on no other."""
        for text, prefix in zip(self._texts, text_prefixes(self._texts), strict=True):
            yield from batches(read_prefixed(text, prefix))

    def __iter__(self) -> Iterator[PartJob]:
        links = iter(self._made.links or ())
        analyses = _Analyses.of(self._texts, self._plan)
        first = 0
        for number, batch in enumerate(self._batches()):
            job = PartJob(
                number=number,
                pairs=batch,
                first=first,
                links=tuple(islice(links, len(batch))),
                links_from="" if self._made.links is None else self._made.links.path,
                source_analyses=analyses.take_source(len(batch)),
                target_analyses=analyses.take_target(len(batch)),
            )
            if (report := self._parts.finished(number)) is None:
                yield job
            else:
                self.reports[number] = report
            first += len(batch)
        analyses.finish()


def batches(pairs: Iterator[RawPair]) -> Iterator[tuple[RawPair, ...]]:
    """The pairs of one text in parts."""
    while batch := tuple(islice(pairs, PART)):
        yield batch


class _Analyses:
    """Analyses read in the order of the text, for either side or none."""

    def __init__(self, source: Iterator[Analysis] | None, target: Iterator[Analysis] | None) -> None:
        self._source, self._target = source, target

    @classmethod
    def of(cls, texts: Sequence[ParallelText], plan: PreparationPlan) -> _Analyses:
        if plan.analyser != IN_ORDER:
            return cls(None, None)
        cut_source, cut_target = tokenizers_for(plan)
        source, target = analysers_for(plan)
        return cls(
            _stream(source, (cut_source(pair.source) for pair in read_all(texts))),
            _stream(target, (cut_target(pair.target) for pair in read_all(texts))),
        )

    def take_source(self, count: int) -> tuple[Analysis, ...] | None:
        return None if self._source is None else tuple(islice(self._source, count))

    def take_target(self, count: int) -> tuple[Analysis, ...] | None:
        return None if self._target is None else tuple(islice(self._target, count))

    def finish(self) -> None:
        """Let the readers find that their files go on after the text."""
        for stream in filter(None, (self._source, self._target)):
            next(stream, None)


def tokenizers_for(plan: PreparationPlan) -> tuple[Words, Words]:
    """What cuts lines of source and target into tokens."""
    if plan.tokenized:
        return split_words, split_words
    codes = (plan.pair.source, plan.pair.target)
    source, target = (Tokenizer(load_language(code, folder=plan.packs)).words for code in codes)
    return source, target


def _stream(analyser: Analyser | None, sentences: Iterator[Sequence[str]]) -> Iterator[Analysis] | None:
    return None if analyser is None else analyser.analyse(sentences)


_EMPTY = "one side is empty"
_LOOKS_HIDDEN = f"a target word looks like {PLACEHOLDER}_k"


class PreparedPart(NamedTuple):
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

    def __init__(self, plan: PreparationPlan, model: Path | None) -> None:
        """`model` aligns; without one the jobs come with their links."""
        self._way = plan.way
        self._cut = tokenizers_for(plan)
        self._aligner = None if model is None else _loosened(model, plan)
        self._examples = ExampleMaker(plan)

    def make(self, job: PartJob) -> PreparedPart:
        """The lines of a part; tolerances that were used are notes of its report."""
        with warnings.catch_warnings(record=True) as caught, collector_paused():
            warnings.simplefilter("always", InputWarning)
            prepared = self._make(job)
        texts = dict.fromkeys(str(w.message) for w in caught if issubclass(w.category, InputWarning))
        return prepared._replace(report=replace(prepared.report, notes=tuple(texts)))

    def _make(self, job: PartJob) -> PreparedPart:
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
        return PreparedPart(lines, tuple([pair.document for pair in pairs]), report)

    def _read(self, job: PartJob, left_out: Counter[str]) -> Iterator[_Pair]:
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

    def _links(self, job: PartJob, pairs: Sequence[_Pair]) -> Sequence[Alignment]:
        if self._aligner is not None:
            return list(
                align_with_model(self._aligner, [(pair.source, pair.target) for pair in pairs], self._way)
            )
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


def _check_range(job: PartJob, pairs: Sequence[_Pair]) -> None:
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


def _loosened(model: Path, plan: PreparationPlan) -> TrainedAligner:
    """The aligner with every link that a limit may ask for, on one thread: parts run side by side."""
    stored = read_model(model)
    least = plan.limits.loosest
    options = replace(
        stored.options, threshold=least, pronoun_threshold=least, stray_threshold=least, threads=1
    )
    return TrainedAligner(replace(stored, options=options), best_engine())


#: There is a process for each core; the libraries behind NumPy read these when they are loaded.
_ONE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")


class EncodedPart(NamedTuple):
    """A part as it goes to disk: its segments and its document ids, compressed or not."""

    number: int
    contents: tuple[bytes, bytes]
    report: PartReport


def make_parts(
    jobs: Iterable[PartJob], plan: PreparationPlan, *, model: Path | None, compress: bool, workers: int
) -> Iterator[EncodedPart]:
    """Finished parts in any order. One job alone is done in this process, which saves starting others."""
    remaining = iter(jobs)
    first = list(islice(remaining, 2))
    if workers == 1 or len(first) < 2:
        maker = PartMaker(plan, model)
        for job in chain(first, remaining):
            yield encode_part(maker, job, compress=compress)
        return
    arguments = [(plan, model, compress)] * workers
    with running("spawn", _serve, arguments, environment=_ONE_THREAD) as connections:
        yield from _exchange(chain(first, remaining), connections)


def _exchange(jobs: Iterator[PartJob], connections: list[Connection]) -> Iterator[EncodedPart]:
    """Keep every worker busy until all jobs are done.

    A worker gets its next job only when it has sent its last part: two large messages that meet in a pipe
    would wait for each other for ever. The next job is read beforehand, so that no worker waits for it.
    """
    ready = list(islice(jobs, len(connections)))
    busy = [_sent(connection, ready.pop(0)) for connection in connections[: len(ready)]]
    while busy:
        ready += islice(jobs, 1 - len(ready))
        arrived = wait(busy)
        connection = next(one for one in busy if one in arrived)
        result: EncodedPart = received(connection, lost=_lost)
        busy.remove(connection)
        if ready:
            busy.append(_sent(connection, ready.pop(0)))
        yield result


def _sent(connection: Connection, job: PartJob) -> Connection:
    connection.send(job)
    return connection


def _lost() -> UserError:
    return UserError(
        "a worker process stopped before it was done",
        where="--workers",
        fix="run again, with fewer workers if memory is short; finished parts are kept",
    )


def _serve(jobs: Connection, plan: PreparationPlan, model: Path | None, compress: bool) -> None:
    """The life of a worker: until nobody sends jobs any more."""
    maker = None
    while True:
        try:
            job = jobs.recv()
            maker = maker or PartMaker(plan, model)
            jobs.send(encode_part(maker, job, compress=compress))
        except UserError as error:
            jobs.send(Failed.of(error))
        except (EOFError, BrokenPipeError):
            return


def encode_part(maker: PartMaker, job: PartJob, *, compress: bool) -> EncodedPart:
    """A part as it goes to disk."""
    prepared = maker.make(job)
    lines, documents = (_packed(texts, compress=compress) for texts in (prepared.lines, prepared.documents))
    return EncodedPart(job.number, (lines, documents), prepared.report)


def _packed(lines: Iterable[str], *, compress: bool) -> bytes:
    """A piece of a file; compressed pieces one after the other are a compressed file."""
    data = "".join([f"{line}\n" for line in lines]).encode("utf-8")
    return gzip.compress(data, compresslevel=4, mtime=0) if compress else data
