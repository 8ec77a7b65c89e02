"""Findings from the verdict: every evaluated pronoun that a careful reader would probably change."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from math import exp
from typing import NamedTuple

from anaphor.check.findings import Finding, Kind
from anaphor.check.linking import CANDIDATE, LinkedBlock, LinkedUnit
from anaphor.core import Progress, PronounScore, Span
from anaphor.evaluation.pipeline import metric_input
from anaphor.languages import FormMatcher, Runs
from anaphor.metrics.accept import Accept
from anaphor.pronouns import find_by_form
from anaphor.verdict import Heard, RenderingKind

#: How much a doubt lowers the odds that a pronoun is wrong.
_DOUBT = 8.0
#: Higher log likelihood ratios say no more.
_HIGHEST = 6.0
#: A form that the detector expects with less is no suggestion.
_EXPECTED = 0.5
#: The verdict counts the segments of a text; a reader of a file knows its units.
_LINE = re.compile(r"\(line (\d+)\)")


class Examined(NamedTuple):
    """One pronoun of a block: its row and source token, its verdict, and the testimonies. `doubts` are
    reasons why it may be right.
    """

    row: int
    token: int
    score: PronounScore
    heard: Heard
    doubts: tuple[str, ...] = ()

    @property
    def confidence(self) -> float:
        """The probability that it would be changed."""
        if self.score.value is None:
            return 0.0
        wrong = (1 - self.score.value) / _DOUBT ** len(self.doubts)
        return wrong / (wrong + self.score.value)


def examine(block: LinkedBlock, progress: Progress = lambda _: None) -> list[Examined]:
    """The verdict on every evaluated pronoun of a block."""
    experiment = block.experiment
    inputs = experiment.inputs
    lines = inputs.source.lines
    matcher = FormMatcher(experiment.pack.source, experiment.evaluated.pronouns)
    if not find_by_form(lines, Runs.of(lines), matcher, words=experiment.source.words):
        return []
    (metric,) = (metric for metric in experiment.metrics if isinstance(metric, Accept))
    pairs = experiment.pairs[CANDIDATE]
    text = inputs.candidates[CANDIDATE]
    links = (inputs.candidate_alignments or {})[CANDIDATE]
    trial = metric_input(experiment, CANDIDATE, text, pairs, alignment=links, progress=progress)
    progress("judging pronouns")
    candidate = metric.text(trial)
    heard = list(metric.judge.hear(candidate))
    scores, ratios = metric.judge.judge_heard(candidate, heard)
    prior = metric.judge.fusion(candidate).prior
    return [
        Examined(pair.source.segment, pair.source.position, _sober(score, ratio, prior), evidence)
        for pair, score, ratio, evidence in zip(pairs, scores, ratios, heard, strict=True)
    ]


def _sober(score: PronounScore, ratio: float, prior: float) -> PronounScore:
    """The score with the base rate of machine translations, if that of the file is higher. Free human
    translations differ more from what the witnesses expect than any machine translation, and half of their
    pronouns would be judged wrong.
    """
    if score.value is None:
        return score
    odds = prior / (1 - prior) * exp(min(ratio, _HIGHEST))
    return replace(score, value=max(score.value, 1 / (1 + odds)))


def verdict_findings(block: LinkedBlock, examined: list[Examined], *, least: float) -> Iterator[Finding]:
    """A finding for every pronoun that is wrong with at least this probability."""
    for pronoun in examined:
        if pronoun.confidence >= least:
            yield _finding(block, pronoun)


def _finding(block: LinkedBlock, pronoun: Examined) -> Finding:
    row, rendering = block.rows[pronoun.row], pronoun.heard.rendering
    source, target = block.source(pronoun.row), block.target(pronoun.row)
    # A null subject is a verb, which is not what is wrong in itself, but there is nothing else to mark.
    spans = [target.span(position) for position in rendering.positions]
    word = Span(min(spans)[0], max(spans)[1]) if spans else None
    refers_to = ""
    if pronoun.score.antecedent is not None:
        segment, position = pronoun.score.antecedent
        refers_to = block.source(segment).tokens[position]
    best = max(pronoun.heard.expected, key=lambda form: pronoun.heard.expected[form], default="")
    is_pronoun = rendering.kind is RenderingKind.PRONOUN
    suggested = is_pronoun and best and best != rendering.form and pronoun.heard.expected[best] >= _EXPECTED
    reason = _LINE.sub(
        lambda match: f"(unit {block.rows[int(match[1]) - 1].unit.id})",
        pronoun.score.reason.removeprefix("cannot tell: "),
    )
    return located(
        row,
        kind=_kind(pronoun),
        source_span=source.span(pronoun.token),
        target_span=word,
        refers_to=refers_to,
        reason="; but ".join((reason, *pronoun.doubts)),
        suggestion=best if suggested else "",
        confidence=pronoun.confidence,
    )


def _kind(pronoun: Examined) -> Kind:
    if pronoun.heard.rendering.kind in (RenderingKind.NOTHING, RenderingKind.UNTRANSLATED):
        return Kind.MISSING
    agreement = pronoun.heard.testimonies.get("agreement")
    if agreement is not None and agreement.signals.get("number"):
        return Kind.NUMBER
    return Kind.AGREEMENT


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
