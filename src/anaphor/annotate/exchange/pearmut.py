"""Pearmut campaigns: export for its server, and import of its annotations.

A unit is a document of one item; its id is the `item_id`. Answers are exported as error spans, whose `end_i`
is included. The complete answer is stored next to them under the key `anaphor`, which Pearmut ignores and
preserves.

    campaign   {"campaign_id", "info": {...}, "data": [task of a user [document [item, ...], ...], ...]}
    output     one object per line, with an annotation for every item of a document:
               {"user_id", "item": [item, ...], "annotation": [{MODEL: {"error_spans"}}, ...]}

Pearmut supports a few HTML tags, so the pronoun of the source is bold.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain, groupby
from operator import itemgetter

from msgspec.json import encode
from sqlalchemy import Connection, select

from anaphor.annotate.answer_json import parse_answer, read_answer
from anaphor.annotate.campaign.facts import read_campaign
from anaphor.annotate.exchange import texts
from anaphor.annotate.exchange.merge import IncomingAnswer
from anaphor.annotate.exchange.texts import ErrorSpan, UnitText, foreign_json, separated, unit_texts
from anaphor.annotate.judging.answer_rows import EMPTY
from anaphor.annotate.store import schema
from anaphor.annotate.store.database import ROWS_AT_ONCE, plain_rows
from anaphor.annotate.types import AnnotatorAnswer, Mark
from anaphor.core import Span
from anaphor.core.records import Record

_OWN = "anaphor"
_INSTRUCTIONS = (
    "Judge how the pronoun in <b>bold</b> is translated. Mark its translation as an error if it is wrong, "
    "and the translation of the noun that it stands for if that is wrong. Mark nothing else."
)


def write_pearmut(connection: Connection) -> Iterator[bytes]:
    """A task-based campaign with one task per annotator: all their units, answered or not."""
    given, who, table = schema.assignments, schema.people, schema.answers
    users = select(who.c.name).join(given).distinct().order_by(who.c.name)
    info = {
        "assignment": "task-based",
        "protocol": "MQM",
        "users": list(connection.execute(users).scalars()),
        "mqm_categories": {"Reference": [texts.PRONOUN, texts.ANTECEDENT]},
        "instructions": _INSTRUCTIONS,
    }
    head = {"campaign_id": read_campaign(connection).id, "info": info}
    yield encode(head)[:-1] + b',"data":['
    # Several people are asked about a unit: its texts are made once.
    # Only where somebody corrected a frame are they needed again: all of them take much memory.
    corrected = set(
        connection.execute(
            select(given.c.unit).join(table).where(table.c.content.contains('"rendering":[', autoescape=True))
        ).scalars()
    )
    units = {unit.unit: _PearmutUnit(unit, keeps=unit.unit in corrected) for unit in unit_texts(connection)}
    query = select(who.c.name, given.c.unit, table.c.content).select_from(given.join(who).outerjoin(table))
    rows = chain.from_iterable(
        plain_rows(connection, query.order_by(who.c.name, given.c.place), at_once=ROWS_AT_ONCE)
    )
    before = b"\n[\n"
    for _, own in groupby(rows, itemgetter(0)):
        documents = (units[unit].document(content) for _, unit, content in own if unit in units)
        yield before
        yield from separated(documents)
        yield b"]"
        before = b",[\n"
    yield b"]}\n"


class _PearmutUnit:
    """A unit as a document of one item, with its texts and possible errors encoded; answers differ."""

    __slots__ = ("_after", "_before", "_errors", "_unit")

    def __init__(self, unit: UnitText, *, keeps: bool) -> None:
        self._unit = unit if keeps else None
        spans = texts.error_spans(unit.task.highlight, unit.target)
        self._errors = tuple(
            b",".join(_error(error) for error in spans if error.question == question)
            for question in (texts.PRONOUN, texts.ANTECEDENT)
        )
        source = unit.source.marked(unit.marks.pronoun, "<b>", "</b>")
        texts_of = {"item_id": unit.unit, "src": source, "tgt": {unit.system: unit.target.text}}
        self._before = encode(texts_of)[:-1] + b',"error_spans":{' + encode(unit.system) + b":"
        self._after = (
            b"}," + encode(_OWN) + b":" + encode({"item": unit.item, "category": unit.category})[:-1]
        )

    def _pronoun_errors(self, answer: AnnotatorAnswer) -> bytes:
        """The errors on the words for the pronoun that the answer itself names."""
        if self._unit is None:
            raise ValueError("an answer corrects a frame, and the texts of its unit are not here")
        spans = texts.error_spans(self._unit.task.highlight.corrected(answer), self._unit.target)
        return b",".join(_error(error) for error in spans if error.question == texts.PRONOUN)

    def document(self, content: str | None) -> bytes:
        """The document for an annotator with this answer, as stored in the database, or without one."""
        if content is None or content == EMPTY:
            return b"[" + self._before + b"[]" + self._after + b"}}]"
        answer, (pronoun, antecedent) = read_answer(content), self._errors
        if answer.rendering is not None:
            pronoun = self._pronoun_errors(answer)
        wrong = (
            pronoun if answer.pronoun is Mark.NO else b"",
            antecedent if answer.antecedent is Mark.NO else b"",
        )
        errors = b",".join(filter(None, wrong))
        return b'[%b[%b]%b,"answer":%b}}]' % (self._before, errors, self._after, content.encode())


def _error(error: ErrorSpan) -> bytes:
    span, category = error.span, f"Reference/{error.question}"
    return encode({"start_i": span.start, "end_i": span.end - 1, "severity": "major", "category": category})


def read_pearmut(data: bytes, *, path: str, connection: Connection) -> list[IncomingAnswer]:
    """The answers of a campaign file, or of an output file of Pearmut."""
    units = {unit.unit: unit for unit in unit_texts(connection)}
    # An output file has many lines, each an object; a campaign is one object with the key "data".
    if data.lstrip()[:1] != b"{" or b"\n" not in data.strip() or b'"data"' in data[:100_000]:
        content = foreign_json(data, path=path).table("file")
        if "data" in content:
            return list(_from_campaign(content, units))
    answers = []
    for number, line in enumerate(data.split(b"\n"), start=1):
        if line.strip():
            content = foreign_json(line, path=path, line=number).table("file")
            person = content.text("user_id")
            for item, marked in _annotated(content):
                key = item.text("item_id")
                unit = units.get(key)
                spans = marked.table(unit.system, {}) if unit is not None else marked
                answer = _answer(spans, "error_spans", unit)
                answers.append(IncomingAnswer(unit=key, person=person, answer=answer, where=content.where))
    return answers


def _annotated(content: Record) -> list[tuple[Record, Record]]:
    """The items of an output line, each with its marked spans."""
    shown = content.raw("item") if "item" in content else None
    if not isinstance(shown, list):
        return [(content.table("item") if isinstance(shown, dict) else content, content.table("annotation"))]
    items, marked = list(content.tables("item")), list(content.tables("annotation"))
    if len(items) != len(marked):
        content.refuse("annotation", f"{len(marked)} annotations of {len(items)} items")
    return list(zip(items, marked, strict=True))


def _from_campaign(content: Record, units: Mapping[str, UnitText]) -> Iterator[IncomingAnswer]:
    users = content.table("info").elements("users")
    tasks = content.elements("data")
    if len(users) != len(tasks):
        content.refuse("data", f"{len(tasks)} tasks for {len(users)} users")
    for index in users:
        named = isinstance(users.raw(index), str)
        user = users.text(index) if named else users.table(index).text("user_id")
        documents = tasks.elements(index)
        for document in documents:
            for item in documents.tables(document):
                key = item.text("item_id")
                unit = units.get(key)
                if _OWN in item:  # our own export: the complete answer is better than its spans
                    own = item.table(_OWN)
                    if "answer" not in own:
                        continue
                    answer = parse_answer(own.raw("answer"), where=f"{item.where}: {key:.60}")
                else:
                    spans = item.table("error_spans", {})
                    if not any(spans.raw(system) for system in spans):
                        continue
                    answer = _answer(spans, unit.system if unit is not None else "", unit)
                yield IncomingAnswer(unit=key, person=user, answer=answer, where=item.where)


def _answer(spans: Record, key: str, unit: UnitText | None) -> AnnotatorAnswer:
    """The answer implied by the spans of the unit's own system; the merge rejects unknown units."""
    if unit is None:
        return AnnotatorAnswer()
    errors = [
        Span(span.integer("start_i", low=0), span.integer("end_i", low=0) + 1)
        for span in spans.tables(key, [])
    ]
    return texts.answer_from_spans(errors, unit)
