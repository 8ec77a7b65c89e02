"""Human judgements and items of a suite, for the cards of a report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from anaphor.core import InputError, MismatchError, Span
from anaphor.core.records import whole_number
from anaphor.meta.judgements import read_judgements
from anaphor.report.html.data import Annotation, AntecedentMention, HumanAnnotations
from anaphor.report.stored import StoredResult
from anaphor.suite import load_suite


def read_annotations(
    results: Sequence[StoredResult], *, judgements: str | None = None, suite: str | None = None
) -> HumanAnnotations:
    """Judgements from a file and items of a suite; those of other systems or texts are errors."""
    by_pronoun: dict[tuple[str, int, int], list[str]] = {}
    categories: dict[tuple[int, int], str] = {}
    if judgements:
        known = {
            (name, f"{pronoun.segment}:{pronoun.token}")
            for stored in results
            if stored.cards is not None
            for name in stored.cards.judged
            for pronoun in stored.cards.pronouns
        }
        unknown = []
        for judged in read_judgements(judgements):
            segment, token = (whole_number(part) for part in judged.id.partition(":")[::2])
            if segment is None or token is None:
                what = f"{judged.id} names no pronoun of a result"
                fix = "use the columns segment and token, or ids such as 12:3"
                raise InputError(what, where=judgements, fix=fix)
            if (judged.system, judged.id) not in known:
                unknown.append(judged)
            reason = "" if judged.reason is None else f" (reason {judged.reason.value})"
            annotator = f" by {judged.annotator}" if judged.annotator else ""
            judgement = f"{judged.judgement.value}{reason}{annotator}"
            by_pronoun.setdefault((judged.system, segment, token), []).append(judgement)
            if judged.category:
                categories[segment, token] = judged.category
        if unknown:
            raise MismatchError(
                f"{len(unknown)} judgements match no card, first {unknown[0].id} of {unknown[0].system}",
                where=judgements,
                fix="pass judgements of these systems, and score with --cards",
            )
    items, source = _suite_items(suite, results) if suite else ({}, {})
    return HumanAnnotations(by_pronoun, categories, items, source)


def _suite_items(
    folder: str, results: Sequence[StoredResult]
) -> tuple[Mapping[tuple[int, int], Annotation], Mapping[int, str]]:
    """Category and antecedents of the items of a suite, and its lines, which must be those of the results."""
    loaded = load_suite(folder)
    lines = loaded.texts.source_lines
    for stored in results:
        for segment, line in ({} if stored.cards is None else stored.cards.source).items():
            if segment >= len(lines) or lines[segment] != line:
                what = f"line {segment + 1} of the source differs from the suite's"
                fix = "score candidates on the source of the suite, all documents in their order"
                raise MismatchError(what, where=f"{stored.path}, {folder}", fix=fix)
    locators = loaded.texts.locators["source"]
    annotations = {}
    for item in loaded.suite.items:
        locator = locators[item.document]
        pronoun = locator.stretches(item.pronoun)[0]
        mentions = []
        for antecedent in item.antecedents:
            at = locator.stretches(antecedent.span)[0]
            words = locator.text(antecedent.span)
            mentions.append(AntecedentMention(at.segment, Span(at.start, at.end), words))
        annotations[pronoun.segment, pronoun.start] = Annotation(item.category, tuple(mentions))
    return annotations, dict(enumerate(lines))
