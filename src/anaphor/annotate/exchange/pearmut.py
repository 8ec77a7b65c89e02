"""Campaigns of Pearmut: out for its server, and in again with what its annotators marked.

A unit is a document of one item; its id is the `item_id`. Answers travel as error spans, whose `end_i` is
part of them. Beside them stands the whole answer under the key `anaphor`, which Pearmut keeps unread.

    campaign   {"campaign_id", "info": {...}, "data": [task of a user [document [item, ...], ...], ...]}
    output     an object a line: {"user_id", "item_id" or "item", "annotation": {MODEL: {"error_spans"}}}
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from sqlalchemy import Connection, select

from anaphor.annotate.analysis.labels import require_mode
from anaphor.annotate.answer_json import answer_content, parse_answer
from anaphor.annotate.campaign.facts import campaign_facts
from anaphor.annotate.exchange.json_fields import as_count, as_list, as_object, as_text, decode, refuse
from anaphor.annotate.exchange.merge import IncomingAnswer
from anaphor.annotate.exchange.texts import (
    ANTECEDENT,
    PRONOUN,
    UnitText,
    answer_from_spans,
    error_spans,
    unit_texts,
)
from anaphor.annotate.judging.answer_rows import answer_rows
from anaphor.annotate.store import schema
from anaphor.annotate.types import AnnotatorAnswer, Mode
from anaphor.core import Span, Where

_OWN = "anaphor"


def write_pearmut(connection: Connection) -> bytes:
    """A task-based campaign with a task for every annotator: all their units, answered or not."""
    require_mode(connection, Mode.JUDGE)
    campaign = campaign_facts(connection)
    units = {unit.unit: unit for unit in unit_texts(connection)}
    answers = {(row.unit, row.person): row.answer for row in answer_rows(connection)}
    tasks = _tasks(connection)
    content = {
        "campaign_id": campaign.id,
        "info": {
            "assignment": "task-based",
            "protocol": "MQM",
            "users": list(tasks),
            "mqm_categories": {"Reference": [PRONOUN, ANTECEDENT]},
        },
        "data": [
            [[_item(units[unit], answers.get((unit, name)))] for unit in part if unit in units]
            for name, part in tasks.items()
        ],
    }
    return (json.dumps(content, ensure_ascii=False, indent=1) + "\n").encode()


def read_pearmut(data: bytes, *, path: str, connection: Connection) -> list[IncomingAnswer]:
    """The answers of a campaign file, or of an output file of Pearmut."""
    units = {unit.unit: unit for unit in unit_texts(connection)}
    start = data.lstrip()[:1]
    if start != b"{" or data.strip().count(b"\n") == 0 or b'"data"' in data[:100_000]:
        content = as_object(decode(data, path=path), "the file", Where(path))
        if "data" in content:
            return list(_from_campaign(content, units, Where(path)))
    lines = enumerate(data.split(b"\n"), start=1)
    return [
        _from_output(decode(line, path=path, line=number), units, Where(path, number))
        for number, line in lines
        if line.strip()
    ]


def _tasks(connection: Connection) -> dict[str, list[str]]:
    """The units of every annotator in their order."""
    given, who = schema.assignments, schema.people
    query = select(who.c.name, given.c.unit).join(given, given.c.person == who.c.id)
    tasks: dict[str, list[str]] = {}
    for name, unit in connection.execute(query.order_by(who.c.name, given.c.place)):
        tasks.setdefault(name, []).append(unit)
    return tasks


def _item(unit: UnitText, answer: AnnotatorAnswer | None) -> dict[str, Any]:
    spans = () if answer is None else error_spans(answer, unit.task.highlight, unit.target)
    own: dict[str, Any] = {"item": unit.item, "category": unit.category}
    if answer is not None:
        own["answer"] = answer_content(answer)
    return {
        "item_id": unit.unit,
        "src": unit.source.text,
        "tgt": {unit.system: unit.target.text},
        "error_spans": {
            unit.system: [
                {
                    "start_i": one.span.start,
                    "end_i": one.span.end - 1,
                    "severity": "major",
                    "category": f"Reference/{one.question}",
                }
                for one in spans
            ]
        },
        _OWN: own,
    }


def _from_campaign(
    content: Mapping[str, Any], units: Mapping[str, UnitText], where: Where
) -> Iterator[IncomingAnswer]:
    info = as_object(content.get("info"), "info", where)
    users = [_user(one, where) for one in as_list(info.get("users"), "users", where)]
    tasks = as_list(content["data"], "data", where)
    if len(users) != len(tasks):
        refuse(f"{len(tasks)} tasks for {len(users)} users", where)
    for user, task in zip(users, tasks, strict=True):
        for document in as_list(task, "a task", where):
            for item in as_list(document, "a document", where):
                yield from _from_item(as_object(item, "an item", where), user, units, where)


def _user(value: object, where: Where) -> str:
    return (
        value
        if isinstance(value, str)
        else as_text(as_object(value, "a user", where).get("user_id"), "user_id", where)
    )


def _from_item(
    item: Mapping[str, Any], user: str, units: Mapping[str, UnitText], where: Where
) -> Iterator[IncomingAnswer]:
    unit = as_text(item.get("item_id"), "item_id", where)
    own = item.get(_OWN)
    if isinstance(own, dict):
        if "answer" in own:
            answer = parse_answer(own["answer"], where=f"{where}: {unit:.60}")
            yield IncomingAnswer(unit=unit, person=user, answer=answer, where=where)
    elif any(as_object(item.get("error_spans", {}), "error_spans", where).values()):
        yield IncomingAnswer(
            unit=unit, person=user, answer=_answer(item["error_spans"], units.get(unit), where), where=where
        )


def _from_output(value: object, units: Mapping[str, UnitText], where: Where) -> IncomingAnswer:
    content = as_object(value, "the line", where)
    item = content.get("item") if isinstance(content.get("item"), dict) else content
    unit = as_text(as_object(item, "item", where).get("item_id"), "item_id", where)
    marked = as_object(content.get("annotation"), "annotation", where)
    spans = {model: as_object(one, model, where).get("error_spans", []) for model, one in marked.items()}
    user = as_text(content.get("user_id"), "user_id", where)
    return IncomingAnswer(unit=unit, person=user, answer=_answer(spans, units.get(unit), where), where=where)


def _answer(spans: Mapping[str, Any], unit: UnitText | None, where: Where) -> AnnotatorAnswer:
    """What the spans of the unit's own system say; the merge refuses a unit that is not there."""
    if unit is None:
        return AnnotatorAnswer()
    found = []
    for one in as_list(spans.get(unit.system, []), "error_spans", where):
        span = as_object(one, "a span", where)
        start, end = (as_count(span.get(name), name, where) for name in ("start_i", "end_i"))
        found.append(Span(start, end + 1))
    return answer_from_spans(
        found, unit.task.highlight, unit.target, asks_antecedent=unit.task.asks_antecedent
    )
