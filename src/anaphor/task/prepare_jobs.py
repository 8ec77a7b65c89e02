"""The text cut into jobs: what has to be done in order is done here, the rest by whoever gets the job."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from anaphor.analyse.contract import Analyser
from anaphor.core import Alignment, Analysis
from anaphor.languages import Tokenizer, load_language, split_words
from anaphor.pronouns import Words
from anaphor.task.prepare_choice import analysers_of
from anaphor.task.prepare_inputs import ParallelText, RawPair, read_all, read_prefixed, text_prefixes
from anaphor.task.prepare_links import Made
from anaphor.task.prepare_plan import PART, Plan
from anaphor.task.prepare_report import PartReport
from anaphor.task.resume import Parts

#: Reads analyses that were made elsewhere, in the order of the text: no worker can start in the middle.
IN_ORDER = "conllu"


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
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


class Jobs:
    """The jobs that are left to do; `reports` has those that an earlier run finished, by their number."""

    def __init__(self, texts: Sequence[ParallelText], plan: Plan, made: Made, parts: Parts) -> None:
        self._texts, self._plan, self._made, self._parts = texts, plan, made, parts
        self.reports: dict[int, PartReport] = {}

    def _batches(self) -> Iterator[tuple[RawPair, ...]]:
        """Parts of texts, none of which goes on into the next: what is made of a text depends on no other."""
        for text, prefix in zip(self._texts, text_prefixes(self._texts), strict=True):
            yield from batches(read_prefixed(text, prefix))

    def __iter__(self) -> Iterator[Job]:
        links = iter(self._made.links or ())
        analyses = _Analyses.of(self._texts, self._plan)
        first = 0
        for number, batch in enumerate(self._batches()):
            job = Job(
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
    def of(cls, texts: Sequence[ParallelText], plan: Plan) -> _Analyses:
        if plan.analyser != IN_ORDER:
            return cls(None, None)
        cut_source, cut_target = cutters_of(plan)
        source, target = analysers_of(plan)
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


def cutters_of(plan: Plan) -> tuple[Words, Words]:
    """What cuts lines of source and target into tokens."""
    if plan.tokenized:
        return split_words, split_words
    codes = (plan.pair.source, plan.pair.target)
    source, target = (Tokenizer(load_language(code, folder=plan.packs)).words for code in codes)
    return source, target


def _stream(analyser: Analyser | None, sentences: Iterator[Sequence[str]]) -> Iterator[Analysis] | None:
    return None if analyser is None else analyser.analyse(sentences)
