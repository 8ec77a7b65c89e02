"""Findings from the verdict: every evaluated pronoun that a careful reader would probably change."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from anaphor.check.findings import Finding, Kind
from anaphor.check.linking import CANDIDATE, LinkedBlock, LinkedUnit
from anaphor.core import Progress, PronounScore, Span
from anaphor.evaluation.pipeline import metric_input
from anaphor.languages import FormMatcher, Runs, fold
from anaphor.metrics.accept import Accept
from anaphor.pronouns import find_by_form
from anaphor.verdict import Heard, RenderingKind

#: Objects that a link may miss.
_CLITICS = {
    "fr": frozenset({"le", "la", "l'", "les", "en", "y", "lui", "leur"}),
    "es": frozenset({"lo", "la", "los", "las", "le", "les"}),
}
#: A form that the detector expects with less is no suggestion.
_EXPECTED = 0.5
#: The verdict counts the segments of a text; a reader of a file knows its units.
_LINE = re.compile(r"\(line (\d+)\)")


class Examined(NamedTuple):
    """One pronoun of a block: its row and source token, its verdict, and the testimonies."""

    row: int
    token: int
    score: PronounScore
    heard: Heard

    @property
    def confidence(self) -> float:
        """The probability that it would be changed."""
        return 0.0 if self.score.value is None else 1 - self.score.value


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
    scores, _ = metric.judge.judge_heard(candidate, heard)
    return [
        Examined(pair.source.segment, pair.source.position, score, evidence)
        for pair, score, evidence in zip(pairs, scores, heard, strict=True)
    ]


def verdict_findings(block: LinkedBlock, examined: list[Examined], *, least: float) -> Iterator[Finding]:
    """A finding for every pronoun that is wrong with at least this probability."""
    for pronoun in examined:
        if pronoun.confidence < least or _has_free_clitic(block, pronoun) or _is_address(block, pronoun):
            continue
        yield _finding(block, pronoun)


def _is_address(block: LinkedBlock, pronoun: Examined) -> bool:
    """Whether a stray link leads to *Sie* inside a sentence, which addresses the reader."""
    cased = block.experiment.pack.target.cased
    tokens = block.target(pronoun.row).tokens
    return any(
        at > 0 and tokens[at] in cased and tokens[at - 1][-1:].isalnum()
        for at in pronoun.heard.rendering.positions
    )


def _has_free_clitic(block: LinkedBlock, pronoun: Examined) -> bool:
    """Whether a pronoun that seems to be missing may be an object that nothing else in the source explains.

    Links of objects that precede their verb are often wrong: *view it*, *pour la voir*.
    """
    if pronoun.heard.rendering.kind is not RenderingKind.NOTHING:
        return False
    tokens, tags = block.target(pronoun.row).tokens, block.target_analysis(pronoun.row).tags
    sources = block.source_analysis(pronoun.row).tags
    back = block.links(pronoun.row).by_target()
    clitics = _CLITICS.get(block.pair.target, frozenset())
    for at, token in enumerate(tokens):
        word = fold(token).removeprefix("-")
        following = tags[at + 1] if at + 1 < len(tags) else ""
        is_object = tags[at] == "PRON" or following in ("VERB", "AUX") or token.startswith("-")
        explained = any(sources[source] in ("PRON", "NOUN", "PROPN", "DET") for source in back.get(at, ()))
        if word in clitics and is_object and not explained:
            return True
    return False


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
    return located(
        row,
        kind=_kind(pronoun),
        source_span=source.span(pronoun.token),
        target_span=word,
        refers_to=refers_to,
        reason=_LINE.sub(
            lambda match: f"(unit {block.rows[int(match[1]) - 1].unit.id})",
            pronoun.score.reason.removeprefix("cannot tell: "),
        ),
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
    """A finding about a word of a row, with its place in the file, or that of the unit without a word."""
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
