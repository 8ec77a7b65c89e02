"""Findings from the verdict: every evaluated pronoun that a careful reader would probably change."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from math import exp
from typing import NamedTuple

from anaphor.check.findings import Finding, Kind
from anaphor.check.linking import CANDIDATE, LinkedBlock, LinkedUnit
from anaphor.core import Progress, PronounScore, Span
from anaphor.evaluation.pipeline import candidate_input
from anaphor.evaluation.rejudging import accept_of
from anaphor.languages import FormMatcher, Runs
from anaphor.pronouns import find_by_form
from anaphor.verdict import PronounEvidence, RenderingKind

#: How much a doubt lowers the odds that a pronoun is wrong.
_DOUBT = 8.0
#: Formats that people translate, and how much lower the odds of an error are there: of findings with 0.75 in
#: programs and their manuals, one in four was right. The file does not tell: free wording looks like errors.
_PEOPLE = frozenset({"po"})
_CARE = 8.0
#: Higher log likelihood ratios say no more.
_HIGHEST = 6.0
#: A form that the detector expects with less is no suggestion.
_EXPECTED = 0.5
#: Forms that a translator writes without a noun in mind, and that are the usual fault of machines.
_DEFAULT_FORMS = frozenset(
    {"es", "das", "il", "le", "l'", "lo", "ils", "les", "los", "ellos", "ce", "c'", "cela", "ça"}
)


class Examined(NamedTuple):
    """One pronoun of a block: its row and source token, its verdict, why, and the testimonies. `doubts` are
    reasons why it may be right.
    """

    row: int
    token: int
    score: PronounScore
    reason: str
    evidence: PronounEvidence
    doubts: tuple[str, ...] = ()

    @property
    def confidence(self) -> float:
        """The probability that it would be changed."""
        if self.score.value is None:
            return 0.0
        wrong = (1 - self.score.value) / _DOUBT ** len(self.doubts)
        return wrong / (wrong + self.score.value)

    @property
    def is_pronoun(self) -> bool:
        """Whether a pronoun renders it."""
        return self.evidence.rendering.kind is RenderingKind.PRONOUN

    @property
    def has_default_form(self) -> bool:
        return self.evidence.rendering.form in _DEFAULT_FORMS

    @property
    def is_default(self) -> bool:
        """Whether a pronoun renders it that may refer to no noun."""
        return self.is_pronoun and self.has_default_form

    @property
    def is_marked(self) -> bool:
        """Whether a pronoun renders it that was chosen for a noun."""
        return self.is_pronoun and not self.has_default_form

    @property
    def numbers(self) -> set[str]:
        """The numbers that the rendering shows: `s`, `p`."""
        return {reading.number for reading in self.evidence.rendering.readings}

    @property
    def agreement(self) -> Mapping[str, float]:
        """The signals of the agreement witness."""
        testimony = self.evidence.testimonies.get("agreement")
        return testimony.signals if testimony else {}


def examine(block: LinkedBlock, progress: Progress = lambda _: None) -> list[Examined]:
    """The verdict on every evaluated pronoun of a block."""
    experiment = block.experiment
    inputs = experiment.inputs
    lines = inputs.source.lines
    matcher = FormMatcher(experiment.pack.source, experiment.evaluated.pronouns)
    if not find_by_form(lines, Runs.of(lines), matcher, words=experiment.source.words):
        return []
    metric = accept_of(experiment)
    judge = metric.judge
    trial = candidate_input(experiment, CANDIDATE, progress=progress)
    progress("judging pronouns")
    # The verdict counts the segments of a text; a reader of a file knows its units.
    names = [f"unit {row.unit.id}" for row in block.rows]
    text = replace(metric.text(trial), name_line=names.__getitem__)
    evidence = list(judge.evidence(text))
    weighed = judge.weigh(text, evidence)
    scores = judge.decide(weighed, reference=False)
    odds = judge.prior / (1 - judge.prior)
    return [
        Examined(
            pair.source.segment,
            pair.source.position,
            _sober(score, own.ratio, odds / _care_of(block.rows[pair.source.segment])),
            own.reasons[score.verdict],
            testimonies,
        )
        for pair, score, own, testimonies in zip(trial.pairs, scores, weighed, evidence, strict=True)
    ]


def _care_of(row: LinkedUnit) -> float:
    """How much less likely an error is than in machine translations."""
    return _CARE if row.file.format in _PEOPLE else 1.0


def _sober(score: PronounScore, ratio: float, odds: float) -> PronounScore:
    """The score with the odds of an error in such files, if its own base rate is higher. Free human
    translations differ more from what the witnesses expect than any machine translation, and half of their
    pronouns would be judged wrong.
    """
    if score.value is None:
        return score
    return replace(score, value=max(score.value, 1 / (1 + odds * exp(min(ratio, _HIGHEST)))))


def verdict_findings(block: LinkedBlock, examined: list[Examined], *, least: float) -> Iterator[Finding]:
    """A finding for every pronoun that is wrong with at least this probability."""
    for pronoun in examined:
        if pronoun.confidence >= least:
            yield _finding(block, pronoun)


def _finding(block: LinkedBlock, pronoun: Examined) -> Finding:
    row, rendering = block.rows[pronoun.row], pronoun.evidence.rendering
    source, target = block.source(pronoun.row), block.target(pronoun.row)
    # A null subject is a verb, which is not what is wrong in itself, but there is nothing else to mark.
    spans = [target.span(position) for position in rendering.positions]
    word = Span(min(spans)[0], max(spans)[1]) if spans else None
    refers_to = ""
    if pronoun.score.antecedent is not None:
        segment, position = pronoun.score.antecedent
        refers_to = block.source(segment).tokens[position]
    expected = pronoun.evidence.expected
    best = max(expected, key=lambda form: expected[form], default="")
    suggested = pronoun.is_pronoun and best and best != rendering.form and expected[best] >= _EXPECTED
    return located(
        row,
        kind=_kind(pronoun),
        source_span=source.span(pronoun.token),
        target_span=word,
        refers_to=refers_to,
        reason="; but ".join((pronoun.reason, *pronoun.doubts)),
        suggestion=best if suggested else "",
        confidence=pronoun.confidence,
    )


def _kind(pronoun: Examined) -> Kind:
    if pronoun.evidence.rendering.kind in (RenderingKind.NOTHING, RenderingKind.UNTRANSLATED):
        return Kind.MISSING
    return Kind.NUMBER if pronoun.agreement.get("number") else Kind.AGREEMENT


def located(
    row: LinkedUnit,
    *,
    kind: Kind,
    source_span: Span | None,
    target_span: Span | None,
    reason: str,
    confidence: float,
    refers_to: str = "",
    suggestion: str = "",
    places: tuple[str, ...] = (),
) -> Finding:
    """A finding about a word of a row, with its place in the file; without a word, the place of the unit."""
    line, column = row.file.place(row.unit, 0 if target_span is None else target_span.start)
    if suggestion and target_span is not None and row.unit.target[target_span.start].isupper():
        suggestion = suggestion[0].upper() + suggestion[1:]
    return Finding(
        kind=kind,
        path=row.file.path,
        unit=row.unit.id,
        number=row.unit.number,
        line=line,
        column=column,
        source=row.unit.source,
        target=row.unit.target,
        source_span=source_span,
        target_span=target_span,
        refers_to=refers_to,
        reason=reason,
        suggestion=suggestion,
        confidence=confidence,
        places=places,
    )
