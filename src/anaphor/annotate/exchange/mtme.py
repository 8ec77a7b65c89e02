"""The folder layout of mt-metrics-eval, with ratings: human judgements as error spans by segment.

A rating file has one line per segment of every system: `SYSTEM<TAB>JSON or None<TAB>ANNOTATOR`, where None
is a segment in which no pronoun was judged. docs/annotate/exchange.md says what the layout cannot express.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby, islice
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple

from msgspec.json import encode
from sqlalchemy import Connection, select

from anaphor.annotate.campaign.facts import REFERENCE, document_rows, read_campaign, side_lines
from anaphor.annotate.exchange import texts as campaign_texts
from anaphor.annotate.exchange.merge import IncomingAnswer
from anaphor.annotate.exchange.texts import CampaignTexts, UnitText, read_all_texts, unit_texts
from anaphor.annotate.judging.answer_rows import stored_answer, stored_answers
from anaphor.annotate.store import schema
from anaphor.annotate.types import AnnotatorAnswer, Mark
from anaphor.core import InputError, OptionError, Span, Where
from anaphor.corpus.text import parse_text
from anaphor.files.folders import file_name

#: A fixed time, so that the same campaign gives the same bytes.
_TIME = (1980, 1, 1, 0, 0, 0)
_LINES_AT_ONCE = 5000
_PRONOUN, _ANTECEDENT = campaign_texts.PRONOUN, campaign_texts.ANTECEDENT
_segment = attrgetter("segment")


class _Error(NamedTuple):
    """An error span in the translation or in the source."""

    span: Span
    in_source: bool
    of_antecedent: bool


def write_mtme(path: Path, connection: Connection) -> None:
    """The layout as a zip file."""
    with zipfile.ZipFile(path, "w") as archive:
        for name, lines in _files(connection):
            for part in name.split("/"):
                file_name(part, kind="file", where="mt-metrics-eval export")
            info = zipfile.ZipInfo(name, _TIME)
            info.compress_type = zipfile.ZIP_DEFLATED
            with archive.open(info, "w") as file:
                left = iter(lines)
                while part := "\n".join(islice(left, _LINES_AT_ONCE)):
                    file.write(f"{part}\n".encode())


def _files(connection: Connection) -> Iterator[tuple[str, Iterable[str]]]:
    """The path of every file in the layout, and its lines."""
    facts = read_campaign(connection)
    pair = f"{facts.source_language}-{facts.target_language}"
    texts = read_all_texts(connection)
    table = schema.systems
    real = select(table.c.name).where(~table.c.attention).order_by(table.c.place)
    systems = list(connection.execute(real).scalars())
    if len({_safe(name) for name in systems}) < len(systems):
        what = f"the layout has one name for two of the systems {', '.join(systems)}"
        raise OptionError(what, where="mt-metrics-eval", fix="choose another format")
    yield f"sources/{pair}.txt", texts.source.lines
    documents = document_rows(connection)
    if sum(row.segments for row in documents) > len(texts.source.lines):
        # A damaged number would have lines written until the disk is full.
        fix = "run `anaphor annotate check DATABASE`, and restore the last backup"
        raise InputError("the documents have more segments than the source", where="the database", fix=fix)
    yield (
        f"documents/{pair}.docs",
        (f"suite {_safe(row.id)}" for row in documents for _ in range(row.segments)),
    )
    references = select(schema.texts.c.name).where(schema.texts.c.side == REFERENCE).distinct()
    for name in sorted(connection.execute(references).scalars()):
        yield f"references/{pair}.{_safe(name)}.txt", side_lines(connection, REFERENCE, name)
    for name in systems:
        yield f"system-outputs/{pair}/{_safe(name)}.txt", texts.systems[name].lines
    judged = _judged(connection, texts)
    for person in sorted(judged):
        path = f"human-scores/{pair}.pronoun_{_safe(person)}.seg.rating"
        yield path, _ratings(person, judged[person], systems, len(texts.source.lines))


def read_ratings(data: bytes, *, path: str, connection: Connection) -> list[IncomingAnswer]:
    """The answers of one rating file; the third column names the annotator."""
    units: dict[tuple[str, int], list[UnitText]] = {}
    for unit in unit_texts(connection):
        units.setdefault((unit.system, unit.marks.pronoun[0].segment), []).append(unit)
    texts = read_all_texts(connection)
    names = {_safe(name): name for name in texts.systems}
    seen: dict[str, int] = {}
    answers: list[IncomingAnswer] = []
    for number, line in enumerate(parse_text(data, path=path).lines, start=1):
        where = Where(path, number)
        cells = line.split("\t")
        if len(cells) != 3:
            fix = "put tabs between the three"
            raise InputError("a line needs system, rating and annotator", where=where, fix=fix)
        system, rating, person = cells
        segment = seen[system] = seen.get(system, -1) + 1
        if rating != "None" and system in names:
            here = units.get((names[system], segment), [])
            errors = _read_errors(rating, where)
            marks = {unit.unit: Mark.NO for unit in here if _is_wrong(unit, errors, texts, segment)}
            # An antecedent's error says nothing of a pronoun.
            if not marks and len(here) == 1 and not any(error.of_antecedent for error in errors):
                marks = {here[0].unit: Mark.YES}
            answers += [
                IncomingAnswer(unit=key, person=person, answer=AnnotatorAnswer(pronoun=mark), where=where)
                for key, mark in marks.items()
            ]
    return answers


def _is_wrong(unit: UnitText, errors: Sequence[_Error], texts: CampaignTexts, segment: int) -> bool:
    """Whether an error covers the words of the pronoun, in the translation or in the source."""

    def overlaps(error: _Error) -> bool:
        side = texts.source if error.in_source else texts.systems[unit.system]
        words = unit.marks.pronoun if error.in_source else unit.task.highlight.pronoun
        here = [at for at in words if at.segment == segment]
        return bool(side.window(segment, segment).overlapping(error.span.start, error.span.end, here))

    return any(map(overlaps, errors))


def _judged(connection: Connection, texts: CampaignTexts) -> dict[str, dict[tuple[str, int], bytes]]:
    """For every annotator, the errors in every judged segment of a system, as JSON objects."""
    answers = stored_answers(connection)
    cells: dict[str, dict[tuple[str, int], bytes]] = {}
    for unit in unit_texts(connection, texts=texts):
        rows = [(person, stored_answer(content)) for person, content, _ in answers.get(unit.unit, ())]
        judged = unit.marks.pronoun[0].segment  # in the file also without an error
        possible = _possible_errors(unit, texts) if rows else {}
        for person, answer in rows:
            own = cells.setdefault(person, {})
            if answer.pronoun in (Mark.YES, Mark.NO):
                marks_of = {_PRONOUN: answer.pronoun, _ANTECEDENT: answer.antecedent}
                own_errors = possible if answer.rendering is None else _possible_errors(unit, texts, answer)
                for segment, errors in own_errors.items():
                    new = [error for question, error in errors if marks_of[question] is Mark.NO]
                    if new or segment == judged:
                        before = own.get((unit.system, segment))
                        own[unit.system, segment] = b", ".join((before, *new) if before else new)
    return cells


def _ratings(
    person: str, judged: Mapping[tuple[str, int], bytes], systems: Sequence[str], segments: int
) -> Iterator[str]:
    """Lines for all segments of every system; None if this person judged nothing."""
    for system in systems:
        name, next_one = _safe(system), 0
        nothing = f"{name}\tNone\t{person}"
        # Most segments have no judgement: the lines of those between two others are one string.
        for segment in (*sorted(at for of, at in judged if of == system), segments):
            if segment > next_one:
                yield f"{nothing}\n" * (segment - next_one - 1) + nothing
            if segment < segments:
                yield f'{name}\t{{"errors": [{judged[system, segment].decode()}]}}\t{person}'
            next_one = segment + 1


def _possible_errors(
    unit: UnitText, texts: CampaignTexts, answer: AnnotatorAnswer | None = None
) -> dict[int, list[tuple[str, bytes]]]:
    """By segment, the errors of an answer that says no to both questions, each with its question."""
    pronoun, text = unit.marks.pronoun[0], texts.systems[unit.system]
    highlight = unit.task.highlight if answer is None else unit.task.highlight.corrected(answer)
    errors_of: dict[int, list[tuple[str, bytes]]] = {pronoun.segment: []}
    for question, words in ((_PRONOUN, highlight.pronoun), (_ANTECEDENT, highlight.head_words)):
        for segment, here in groupby(sorted(words, key=_segment), _segment):
            spans = campaign_texts.joined_spans(here, text.window(segment, segment))
            errors = [(question, _error(span, question, unit.category, in_source=False)) for span in spans]
            errors_of.setdefault(segment, []).extend(errors)
    if not highlight.pronoun:
        error = _error(texts.source.span(pronoun), _PRONOUN, unit.category, in_source=True)
        errors_of[pronoun.segment].append((_PRONOUN, error))
    return errors_of


def _error(span: Span, question: str, category: str, *, in_source: bool) -> bytes:
    error = {"start": span.start, "end": span.end, "category": f"{question}/{category}"}
    return encode(error | {"severity": "major", "score": 1.0, "is_source_error": in_source})


def _read_errors(rating: str, where: Where) -> list[_Error]:
    content = campaign_texts.foreign_json(rating.encode(), path=where.path, line=where.line).table("file")
    errors = []
    for error in content.tables("errors"):
        start, end = (error.integer(name, low=0) for name in ("start", "end"))
        if end < start:
            error.refuse("end", "an error ends before it begins")
        in_source = "is_source_error" in error and error.raw("is_source_error") is True
        category = str(error.raw("category")) if "category" in error else ""
        errors.append(_Error(Span(start, end), in_source, category.startswith("antecedent/")))
    return errors


def _safe(name: str) -> str:
    """A name valid in the layout: without white space, full stops, slashes and hyphens."""
    return re.sub(r"[\s./\\-]", "_", name)
