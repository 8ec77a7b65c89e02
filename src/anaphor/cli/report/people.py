"""What people know, read for a report: judgements, a test suite, human scores."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from anaphor.core.errors import InputError, MismatchError

if TYPE_CHECKING:
    from anaphor.core import Place
    from anaphor.meta.judgements import Judged
    from anaphor.report.people import Annotation, AntecedentMention, HumanAnnotations, HumanJudgement
    from anaphor.report.result_file import StoredResult
    from anaphor.suite.texts import Locator


def read_people(options: argparse.Namespace, results: Sequence[StoredResult]) -> HumanAnnotations:
    """Judgements and items, where options name them; those of other systems or texts are errors."""
    from anaphor.meta.judgements import read_judgements
    from anaphor.report.people import HumanAnnotations

    judged = read_judgements(options.judgements) if options.judgements else ()
    places = {one: _place(one, options.judgements) for one in judged}
    _require_known(judged, results, options.judgements)
    words: dict[tuple[str, int, int], list[HumanJudgement]] = {}
    for one, place in places.items():
        words.setdefault((one.system, *place), []).append(_word(one))
    categories = {place: one.category for one, place in places.items() if one.category}
    items = _items(options.suite, results) if options.suite else {}
    return HumanAnnotations(words, categories, items)


def _word(one: Judged) -> HumanJudgement:
    from anaphor.report.people import HumanJudgement

    return HumanJudgement(one.answer.value, None if one.reason is None else one.reason.value, one.annotator)


def _place(one: Judged, path: str) -> tuple[int, int]:
    segment, _, token = one.id.partition(":")
    if not (segment.isdecimal() and token.isdecimal()):
        raise InputError(
            f"{one.id} names no pronoun of a result",
            where=path,
            fix="give the columns segment and token, or ids such as 12:3",
        )
    return int(segment), int(token)


def _require_known(judged: Sequence[Judged], results: Sequence[StoredResult], path: str) -> None:
    """A judgement that no card belongs to was made of another result."""
    known = {
        (name, f"{pronoun.segment}:{pronoun.token}")
        for stored in results
        if stored.cards is not None
        for name in stored.cards.judged
        for pronoun in stored.cards.pronouns
    }
    strange = [one for one in judged if (one.system, one.id) not in known]
    if strange:
        raise MismatchError(
            f"{len(strange)} judgements belong to no card, first {strange[0].id} of {strange[0].system}",
            where=path,
            fix="give judgements of these systems, and score with --cards",
        )


def _items(folder: str, results: Sequence[StoredResult]) -> Mapping[tuple[int, int], Annotation]:
    """Category and antecedents of every item of a suite, whose text must be that of the results."""
    from anaphor.report.people import Annotation
    from anaphor.suite import load_suite

    loaded = load_suite(folder)
    lines = loaded.texts.source_lines
    for stored in results:
        for segment, line in ({} if stored.cards is None else stored.cards.source).items():
            if segment >= len(lines) or lines[segment] != line:
                raise MismatchError(
                    f"line {segment + 1} of the source is not that of the suite",
                    where=f"{stored.path}, {folder}",
                    fix="score candidates on the source of the suite, all documents in their order",
                )
    locators = loaded.texts.locators("source")
    found = {}
    for item in loaded.suite.items:
        locator = locators[item.document]
        at = locator.stretches(item.pronoun)[0]
        mentions = tuple(_mention(locator, one.span) for one in item.antecedents)
        found[at.segment, at.start] = Annotation(item.category, mentions)
    return found


def _mention(locator: Locator, place: Place) -> AntecedentMention:
    from anaphor.core import Span
    from anaphor.report.people import AntecedentMention

    at = locator.stretches(place)[0]
    return AntecedentMention(at.segment, Span(at.start, at.end), locator.text(place))


def read_human(path: str) -> tuple[str, Mapping[str, float]]:
    """The name and the values of the first score in a file of human scores."""
    from anaphor.cli.meta.inputs import read_columns

    column = read_columns([path], pair=None, human=True)[0]
    return column.name, column.values
