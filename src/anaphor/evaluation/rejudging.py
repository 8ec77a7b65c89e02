"""The verdict on a candidate, and on the same candidate with single pronouns replaced.

An edited line is judged like any other: its counterpart is found again, and the detector reads the new words.
The base rate remains that of the original candidate.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from anaphor.core import Alignment, Pronoun, PronounPair, Sentence, Settings, Span
from anaphor.corpus import AlignmentFile, Inputs, Text
from anaphor.evaluation.experiment import Experiment
from anaphor.evaluation.pipeline import candidate_input
from anaphor.metrics import MetricInput
from anaphor.metrics.accept import Accept
from anaphor.pronouns import AlignedTranslation
from anaphor.verdict import PronounEvidence, Weighed
from anaphor.verdict.base_rate import probabilities, with_rate_of

#: Edits of segments this far apart in a document do not see each other: no window of text holds both.
_APART = 6


class LineEdit(NamedTuple):
    """Characters of the candidate's line of a source pronoun, and their replacement."""

    pronoun: Pronoun
    span: Span
    text: str


def accept_of(experiment: Experiment) -> Accept:
    """The metric of an experiment that has `accept` alone."""
    (metric,) = experiment.metrics
    if not isinstance(metric, Accept):
        raise TypeError("accept is replaced by a metric of another package")
    return metric


@dataclass(frozen=True, kw_only=True)
class JudgedCandidate:
    """A candidate without a reference, as `anaphor score --metrics accept` judges it."""

    experiment: Experiment
    metric: Accept
    trial: MetricInput
    alignment: AlignmentFile

    @classmethod
    def of(
        cls,
        settings: Settings,
        *,
        source: Text,
        candidate: Text,
        documents: tuple[str, ...] | None,
        links: AlignmentFile,
    ) -> JudgedCandidate:
        """Find the pronouns of a candidate."""
        inputs = Inputs(
            source, (), {"candidate": candidate}, documents, candidate_alignments={"candidate": links}
        )
        experiment = Experiment.of(inputs, replace(settings, metrics=("accept",), samples=0))
        trial = candidate_input(experiment, "candidate")
        return cls(experiment=experiment, metric=accept_of(experiment), trial=trial, alignment=links)

    @cached_property
    def _ratios(self) -> Sequence[float]:
        """The log likelihood ratio of every pronoun as it is."""
        return _ratios(self.metric.judge.weigh(self.metric.text(self.trial)))

    def accepted(self) -> dict[tuple[int, int], float]:
        """The probability that each rendering is acceptable, by segment and token of the source pronoun."""
        values = probabilities(self._ratios, self.metric.judge.prior)
        places = ((pair.source.segment, pair.source.position) for pair in self.trial.pairs)
        return dict(zip(places, values, strict=True))

    def accepted_after(self, edits: Sequence[LineEdit]) -> list[float]:
        """The probability that the rendering is acceptable after each edit, when it is the only one."""
        judge = self.metric.judge
        weighed = judge.weigh(self.metric.text(self.trial), self.evidence_after(edits))
        return with_rate_of(self._ratios, judge.prior, _ratios(weighed))

    def evidence_after(self, edits: Sequence[LineEdit]) -> list[PronounEvidence]:
        """The testimonies on each edited pronoun."""
        evidence: dict[int, PronounEvidence] = {}
        waiting = sorted(range(len(edits)), key=lambda number: edits[number].pronoun.segment)
        while waiting:
            chosen, waiting = self._apart(edits, waiting)
            together = self._evidence_together([edits[number] for number in chosen])
            evidence |= zip(chosen, together, strict=True)
        return [evidence[number] for number in range(len(edits))]

    def _apart(self, edits: Sequence[LineEdit], numbers: Sequence[int]) -> tuple[list[int], list[int]]:
        """Edits that do not affect each other, and those left for later."""
        chosen: list[int] = []
        left: list[int] = []
        documents = self.trial.documents
        for number in numbers:
            segment = edits[number].pronoun.segment
            last = edits[chosen[-1]].pronoun.segment if chosen else None
            near = last is not None and segment - last < _APART
            if near and (documents is None or documents[segment] == documents[last or 0]):
                left.append(number)
            else:
                chosen.append(number)
        return chosen, left

    def _evidence_together(self, edits: Sequence[LineEdit]) -> Iterator[PronounEvidence]:
        """The evidence about some edits of different lines, all made at once."""
        target, lines = self.experiment.target, list(self.trial.candidate)
        moved: dict[int, Alignment] = {}
        for pronoun, span, new in edits:
            old = target.sentence(lines[pronoun.segment])
            lines[pronoun.segment] = f"{old.text[: span.start]}{new}{old.text[span.end :]}"
            change = len(target.words(lines[pronoun.segment])) - len(old.tokens)
            if change:
                moved[pronoun.segment] = _moved(self.alignment[pronoun.segment], old, span, change)
        links = self.alignment
        if moved:
            alignments = (moved.get(number, own) for number, own in enumerate(links))
            links = AlignmentFile.made(alignments, path=links.path)
        pronouns = [edit.pronoun for edit in edits]
        translation = AlignedTranslation(lines, target.words, links)
        counterparts = self.experiment.finder.find(pronouns, translation)
        pairs = [PronounPair(*pair) for pair in zip(pronouns, [()] * len(edits), counterparts, strict=True)]
        trial = replace(self.trial, candidate=lines, pairs=pairs, alignment=links)
        return self.metric.judge.evidence(self.metric.text(trial))


def _ratios(weighed: Sequence[Weighed]) -> list[float]:
    return [evidence.ratio for evidence in weighed]


def _moved(links: Alignment, sentence: Sentence, span: Span, change: int) -> Alignment:
    """The links of a line that has `change` tokens more after an edit of some characters."""
    inside = [k for k in range(len(sentence.tokens)) if _overlaps(sentence.span(k), span)]
    first = inside[0] if inside else sum(start < span.start for start in sentence.starts)
    behind = inside[-1] + 1 if inside else first
    pairs: dict[tuple[int, int], None] = {}
    for source, place in zip(links.sources, links.targets, strict=True):
        if place < first:
            pairs[source, place] = None
        elif place >= behind:
            pairs[source, place + change] = None
        elif behind + change > first:
            pairs[source, min(place, behind + change - 1)] = None
    return Alignment(tuple(source for source, _ in pairs), tuple(place for _, place in pairs))


def _overlaps(one: Span, other: Span) -> bool:
    return one.start < other.end and other.start < one.end
