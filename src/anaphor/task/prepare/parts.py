"""One part of the text, from raw lines to lines of the task file, in this process or in workers.

Sequential input (text, given links, given analyses) is read by `PartJobs`; the rest is done by any available
worker.
"""

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
from anaphor.core import Alignment, Analysis, InputError, InputWarning, UserError, Where
from anaphor.core.processes import received, running
from anaphor.corpus import AlignmentFile
from anaphor.languages import load_pair
from anaphor.task.classes import task_classes
from anaphor.task.files import format_segment
from anaphor.task.lines import PLACEHOLDER
from anaphor.task.prepare import placeholders
from anaphor.task.prepare.dropped_subjects import with_dropped_subjects
from anaphor.task.prepare.null_subjects import AnalysedPair, null_subject_placeholders
from anaphor.task.prepare.part_store import PartReport, PartStore
from anaphor.task.prepare.plan import (
    PART,
    TAG_SETS,
    PreparationPlan,
    analysers_for,
    lemmas_with_tags,
    tokenizers_for,
    written_links,
)
from anaphor.task.prepare.texts import ParallelText, RawPair, read_all, read_prefixed, text_prefixes

#: This analyser reads a file of analyses in the order of the text: no worker can start in the middle.
IN_ORDER = "conllu"
#: A saved model that aligns part by part, or a file with all links.
LinkSource = Path | AlignmentFile
_Analyses = Sequence[Analysis | None]
_EMPTY = "one side is empty"
_LOOKS_HIDDEN = f"a target word looks like {PLACEHOLDER}_k"
#: There is one process per core; the libraries behind NumPy read these when they are loaded.
_ONE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")


@dataclass(frozen=True, slots=True, kw_only=True)
class PartJob:
    """One part of the text, with links and analyses if given.

    `first` is the number of its first pair in the whole text, from 0; `links_from` is the file of the links.
    Both are for messages.
    """

    number: int
    pairs: tuple[RawPair, ...]
    first: int = 0
    links: tuple[Alignment, ...] = ()
    links_from: str = ""
    source_analyses: tuple[Analysis, ...] | None = None
    target_analyses: tuple[Analysis, ...] | None = None


class PartJobs:
    """The remaining jobs; `reports` has the parts that an earlier run finished, by their number."""

    def __init__(
        self, texts: Sequence[ParallelText], plan: PreparationPlan, links: LinkSource, parts: PartStore
    ) -> None:
        self._texts, self._plan, self._links, self._parts = texts, plan, links, parts
        self.reports: dict[int, PartReport] = {}

    def __iter__(self) -> Iterator[PartJob]:
        given = None if isinstance(self._links, Path) else self._links
        links = iter(given or ())
        # Analyses from files are read in the order of the text, for either side or none.
        source: Iterator[Analysis] | None = None
        target: Iterator[Analysis] | None = None
        if self._plan.analyser == IN_ORDER:
            source_words, target_words = tokenizers_for(self._plan)
            source_analyser, target_analyser = analysers_for(self._plan)
            if source_analyser is not None:
                source = source_analyser.analyse(source_words(pair.source) for pair in read_all(self._texts))
            if target_analyser is not None:
                target = target_analyser.analyse(target_words(pair.target) for pair in read_all(self._texts))
        first = 0
        # No part continues in the next text: the output of a text depends on no other.
        texts = zip(self._texts, text_prefixes(self._texts), strict=True)
        parts = (batch for text, prefix in texts for batch in batches(read_prefixed(text, prefix)))
        for number, batch in enumerate(parts):
            job = PartJob(
                number=number,
                pairs=batch,
                first=first,
                links=tuple(islice(links, len(batch))),
                links_from="" if given is None else given.path,
                source_analyses=None if source is None else tuple(islice(source, len(batch))),
                target_analyses=None if target is None else tuple(islice(target, len(batch))),
            )
            # Finished parts are read over, not skipped: links and analyses of later ones come behind theirs.
            if (report := self._parts.finished(number)) is None:
                yield job
            else:
                self.reports[number] = report
            first += len(batch)
        # One more: the readers raise where their files have more sentences than the text.
        for stream in filter(None, (source, target)):
            next(stream, None)


def batches(pairs: Iterator[RawPair]) -> Iterator[tuple[RawPair, ...]]:
    """The pairs of one text in parts."""
    while batch := tuple(islice(pairs, PART)):
        yield batch


def _analyse(
    analyser: Analyser | None, sentences: Sequence[Sequence[str]], needed: Sequence[int]
) -> _Analyses:
    """The analyses of some of the sentences, None for the others."""
    chosen: list[Analysis | None] = [None] * len(sentences)
    if analyser is not None:
        analyses = analyser.analyse([sentences[number] for number in needed])
        for number, analysis in zip(needed, analyses, strict=True):
            chosen[number] = analysis
    return chosen


class EncodedPart(NamedTuple):
    """A finished part for storage: its segments, its document ids, and its counts."""

    number: int
    contents: tuple[bytes, bytes]
    report: PartReport


class _Pair(NamedTuple):
    """A tokenized pair that can be written, and its place in the job."""

    place: int
    source: Sequence[str]
    target: Sequence[str]
    document: str


class PartMaker:
    """Applies the rules of a plan to parts of the text, loading everything slow only once."""

    def __init__(self, plan: PreparationPlan, model: Path | None) -> None:
        """`model` aligns the jobs; without a model, they must come with links."""
        self._plan, self._words, self._analysers = plan, tokenizers_for(plan), analysers_for(plan)
        self._filter = plan.chosen_filter
        pack = load_pair(plan.pair, folder=plan.packs)
        classes = task_classes(plan.pair, year=plan.style, folder=plan.packs)
        self._classes = placeholders.with_enclitics(classes, pack.target)
        self._pronouns = placeholders.SourcePronouns.of(classes, pack.source)
        likely = frozenset(chain.from_iterable(pack.likely.values()))
        self._counterparts = placeholders.TargetPronouns(self._classes.members, likely)
        self._aligner = None
        if model is not None:
            # Every link that a threshold may ask for, on one thread: parts run in parallel.
            stored, least = read_model(model), plan.limits.loosest
            options = replace(
                stored.options, threshold=least, pronoun_threshold=least, stray_threshold=least, threads=1
            )
            self._aligner = TrainedAligner(replace(stored, options=options), best_engine())

    def make(self, job: PartJob, *, compress: bool) -> EncodedPart:
        """The lines of a part; warnings about its input become notes of its report."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", InputWarning)
            lines, documents, report = self._prepare(job)
        notes = dict.fromkeys(
            str(warning.message) for warning in caught if issubclass(warning.category, InputWarning)
        )
        contents = tuple("".join([f"{text}\n" for text in texts]).encode() for texts in (lines, documents))
        if compress:
            # Concatenated gzip members are a valid gzip file.
            contents = tuple(gzip.compress(content, compresslevel=4, mtime=0) for content in contents)
        return EncodedPart(job.number, (contents[0], contents[1]), replace(report, notes=tuple(notes)))

    def _prepare(self, job: PartJob) -> tuple[list[str], list[str], PartReport]:
        """The lines of a part, the document of each, and the counts."""
        left_out, before, after, placed = (Counter[str]() for _ in range(4))
        pairs = list(self._tokenized(job, left_out))
        positions = [self._pronouns.positions(pair.source) for pair in pairs]
        analyses = self._analyses(job, pairs, positions)
        lines = []
        for pair, alignment, at, source, target in zip(
            pairs, self._links(job, pairs), positions, *analyses, strict=True
        ):
            candidates = self._placeholders(pair, alignment, at, source, target)
            kept = [place for place in candidates if self._keeps(place, pair, source)]
            shown = pair.target
            if not self._plan.inflected and target is not None:
                shown = lemmas_with_tags(target, TAG_SETS[self._plan.tags])
            segment = placeholders.hide_words(
                pair.source,
                words=pair.target,
                shown=shown,
                places=kept,
                links=written_links(alignment, self._plan.limits.written),
                classes=self._classes,
            )
            lines.append(format_segment(segment))
            before.update(place.label(pair.target, self._classes) for place in candidates)
            after.update(slot.label for slot in segment.slots if slot.label is not None)
            elsewhere = "neighbour" if len(alignment) else "position"
            placed.update(
                "linked" if place.hides else "dropped" if place.dropped else elsewhere for place in kept
            )
        report = PartReport(len(lines), left_out, before, after, placed)
        return lines, [pair.document for pair in pairs], report

    def _tokenized(self, job: PartJob, left_out: Counter[str]) -> Iterator[_Pair]:
        """The pairs that can be written; the others are counted."""
        source_words, target_words = self._words
        for place, (source, target, document) in enumerate(job.pairs):
            pair = _Pair(place, source_words(source), target_words(target), document)
            if not pair.source or not pair.target:
                left_out[_EMPTY] += 1
            elif PLACEHOLDER in target and any(
                token == PLACEHOLDER or token.startswith(f"{PLACEHOLDER}_") for token in pair.target
            ):
                left_out[_LOOKS_HIDDEN] += 1
            else:
                yield pair

    def _analyses(
        self, job: PartJob, pairs: Sequence[_Pair], positions: Sequence[list[int]]
    ) -> tuple[_Analyses, _Analyses]:
        """The analyses of source and target: those of the job, or computed here as needed."""
        every = range(len(pairs))
        with_pronouns = [n for n in every if positions[n]]
        if job.source_analyses is not None:
            source: _Analyses = [job.source_analyses[pair.place] for pair in pairs]
        else:
            # Verbs without a subject may be anywhere; otherwise only a pronoun that may be an object matters,
            # or every one where its verb is looked up.
            needed: Sequence[int] = with_pronouns
            if self._classes.null_subjects:
                needed = every
            elif self._classes.dropped is None:
                needed = [n for n in every if self._pronouns.need_analysis(pairs[n].source, positions[n])]
            source = _analyse(self._analysers[0], [pair.source for pair in pairs], needed)
        if job.target_analyses is not None:
            return source, [job.target_analyses[pair.place] for pair in pairs]
        # Lemmas are written for every line; without them only verbs near a pronoun are looked up.
        needed = with_pronouns if self._plan.inflected and not self._classes.null_subjects else every
        return source, _analyse(self._analysers[1], [pair.target for pair in pairs], needed)

    def _keeps(self, place: placeholders.Placeholder, pair: _Pair, source: Analysis | None) -> bool:
        """Whether a placeholder is kept: by the filter of pronouns, or because it hides a null subject."""
        if self._classes.null_subjects:
            return place.hides
        return self._filter.keeps(place, pair.source[place.source], self._pronouns, source)

    def _placeholders(
        self,
        pair: _Pair,
        alignment: Alignment,
        positions: Sequence[int],
        source: Analysis | None,
        target: Analysis | None,
    ) -> tuple[placeholders.Placeholder, ...]:
        """The placeholders of a pair before filtering."""
        limits = self._plan.limits
        analysed = None
        if source is not None and target is not None:
            analysed = AnalysedPair(pair.source, source, pair.target, target, alignment)
        if self._classes.null_subjects and analysed is not None:
            return null_subject_placeholders(analysed, limits, language=self._plan.pair.source)
        found = placeholders.find_placeholders(
            positions,
            source_length=len(pair.source),
            words=pair.target,
            alignment=alignment,
            counterparts=self._counterparts,
            limits=limits,
        )
        if self._classes.dropped is None or analysed is None:
            return found
        return with_dropped_subjects(found, analysed, limits, self._classes)

    def _links(self, job: PartJob, pairs: Sequence[_Pair]) -> Sequence[Alignment]:
        """Links from the model, or those of the job; one outside its sentences is an error."""
        if self._aligner is not None:
            tokens = [(pair.source, pair.target) for pair in pairs]
            return list(align_with_model(self._aligner, tokens, self._plan.symmetrization))
        alignments = []
        for pair in pairs:
            alignment = job.links[pair.place]
            for source, target in zip(alignment.sources, alignment.targets, strict=True):
                if source >= len(pair.source) or target >= len(pair.target):
                    raise InputError(
                        f"link {source}-{target} points outside the sentence: the source has "
                        f"{len(pair.source)} tokens, the target {len(pair.target)}",
                        where=Where(job.links_from, job.first + pair.place + 1),
                        fix="align the tokens of the prepared text, from 0; --tokenized keeps your tokens",
                    )
            alignments.append(alignment)
        return alignments


def make_parts(
    jobs: Iterable[PartJob], plan: PreparationPlan, *, model: Path | None, compress: bool, workers: int
) -> Iterator[EncodedPart]:
    """Finished parts in any order. A single job is done in this process, which saves starting others."""
    remaining = iter(jobs)
    first = list(islice(remaining, 2))
    if workers == 1 or len(first) < 2:
        maker = PartMaker(plan, model)
        for job in chain(first, remaining):
            yield maker.make(job, compress=compress)
        return
    arguments = [(plan, model, compress)] * workers
    with running("spawn", _serve, arguments, environment=_ONE_THREAD) as connections:
        yield from _exchange(chain(first, remaining), connections)


def _exchange(jobs: Iterator[PartJob], connections: list[Connection]) -> Iterator[EncodedPart]:
    """Keep every worker busy until all jobs are done.

    A worker gets its next job only after it has sent its last part: two large messages that meet in a pipe
    would wait for each other forever. The next job is read in advance, so no worker has to wait for it.
    """
    busy = []
    for connection, job in zip(connections, islice(jobs, len(connections)), strict=False):
        connection.send(job)
        busy.append(connection)
    while busy:
        following = next(jobs, None)
        arrived = wait(busy)
        connection = next(other for other in busy if other in arrived)
        result: EncodedPart = received(
            connection,
            lost=lambda: UserError(
                "a worker process ended prematurely",
                where="--workers",
                fix="run again, with fewer workers if memory is short; finished parts are kept",
            ),
        )
        busy.remove(connection)
        if following is not None:
            connection.send(following)
            busy.append(connection)
        yield result


def _serve(jobs: Connection, plan: PreparationPlan, model: Path | None, compress: bool) -> None:
    """The main loop of a worker, until no more jobs are sent."""
    maker = None
    while True:
        try:
            job = jobs.recv()
            maker = maker or PartMaker(plan, model)
            jobs.send(maker.make(job, compress=compress))
        except UserError as error:
            jobs.send(error)
        except (EOFError, BrokenPipeError):
            return
