"""Tasks of Label Studio, with annotations of the people who answered; out and in again.

A task is a unit: `data` has its id, both contexts and what is asked. Results are named `pronoun`,
`antecedent` (choices), `words` (labelled characters of the translation, the end not included), `tags`
(choices) and `remark` (text area); docs/annotate/exchange.md has the labelling configuration for them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from sqlalchemy import Connection

from anaphor.annotate.analysis.labels import require_mode
from anaphor.annotate.answer_json import parse_answer
from anaphor.annotate.exchange.json_fields import as_count, as_list, as_object, as_text, decode, refuse
from anaphor.annotate.exchange.merge import IncomingAnswer
from anaphor.annotate.exchange.texts import UnitText, unit_texts
from anaphor.annotate.judging.answer_rows import AnswerRow, answer_rows
from anaphor.annotate.types import AnnotatorAnswer, Mark, Mode
from anaphor.core import Where

_TEXT = "translation"


def write_label_studio(connection: Connection) -> bytes:
    """All units as tasks, with everybody's annotations."""
    require_mode(connection, Mode.JUDGE)
    given: dict[str, list[AnswerRow]] = {}
    for row in answer_rows(connection):
        given.setdefault(row.unit, []).append(row)
    tasks = [_task(unit, given.get(unit.unit, [])) for unit in unit_texts(connection)]
    return (json.dumps(tasks, ensure_ascii=False, indent=1) + "\n").encode()


def read_label_studio(data: bytes, *, path: str, connection: Connection) -> list[IncomingAnswer]:
    """The annotations of an export, as this module or Label Studio writes it (JSON, not JSON-MIN)."""
    units = {unit.unit: unit for unit in unit_texts(connection)}
    found = []
    for number, value in enumerate(as_list(decode(data, path=path), "the file", Where(path)), start=1):
        where = Where(f"{path} [task {number}]")
        task = as_object(value, "a task", where)
        unit = as_text(as_object(task.get("data"), "data", where).get("unit"), "data.unit", where)
        for annotation in as_list(task.get("annotations", []), "annotations", where):
            content = as_object(annotation, "an annotation", where)
            person = _person(content.get("completed_by"), where)
            answer = _answer(content, units.get(unit), where)
            found.append(IncomingAnswer(unit=unit, person=person, answer=answer, where=where))
    return found


def _task(unit: UnitText, rows: list[AnswerRow]) -> dict[str, Any]:
    return {
        "data": {
            "unit": unit.unit,
            "item": unit.item,
            "document": unit.document,
            "category": unit.category,
            "antecedent_asked": unit.task.asks_antecedent,
            "source": unit.source.text,
            _TEXT: unit.target.text,
            "pronoun": " ".join(unit.source.text[slice(*unit.source.spans[at])] for at in unit.marks.pronoun),
        },
        "annotations": [
            {"completed_by": {"email": row.person}, "result": list(_results(row.answer, unit))}
            for row in rows
        ],
        "predictions": [],
    }


def _results(answer: AnnotatorAnswer, unit: UnitText) -> Iterator[dict[str, Any]]:
    marks = {"pronoun": answer.pronoun, "antecedent": answer.antecedent}
    for name, mark in marks.items():
        if mark is not Mark.UNSET:
            yield _result(name, "choices", {"choices": [mark.value]})
    for at in answer.words:
        start, end = unit.target.spans[at]
        value = {"start": start, "end": end, "text": unit.target.text[start:end], "labels": ["chosen"]}
        yield _result("words", "labels", value)
    if answer.tags:
        yield _result("tags", "choices", {"choices": list(answer.tags)})
    if answer.remark:
        yield _result("remark", "textarea", {"text": [answer.remark]})


def _result(name: str, kind: str, value: Mapping[str, Any]) -> dict[str, Any]:
    return {"from_name": name, "to_name": _TEXT, "type": kind, "value": value}


def _person(value: object, where: Where) -> str:
    """Label Studio names people by an object with their e-mail, or by a number."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return as_text(as_object(value, "completed_by", where).get("email"), "completed_by.email", where)


def _answer(annotation: Mapping[str, Any], unit: UnitText | None, where: Where) -> AnnotatorAnswer:
    if unit is None:
        return AnnotatorAnswer()  # the merge refuses a unit that is not there
    content: dict[str, Any] = {"words": [], "tags": []}
    for value in as_list(annotation.get("result"), "result", where):
        result = as_object(value, "a result", where)
        name = as_text(result.get("from_name"), "from_name", where)
        given = as_object(result.get("value"), "value", where)
        if name in ("pronoun", "antecedent"):
            (content[name],) = _choices(given, where) or ["unset"]
        elif name == "words":
            content["words"] += _words(given, unit, where)
        elif name == "tags":
            content["tags"] += _choices(given, where)
        elif name == "remark":
            content["remark"] = "\n".join(map(str, as_list(given.get("text"), "text", where)))
        else:
            refuse(f"a result that nobody asked for: {name:.60}", where)
    return parse_answer(content, where=str(where))


def _choices(value: Mapping[str, Any], where: Where) -> list[str]:
    return [as_text(one, "a choice", where) for one in as_list(value.get("choices"), "choices", where)]


def _words(value: Mapping[str, Any], unit: UnitText, where: Where) -> list[list[int]]:
    start, end = (as_count(value.get(name), name, where) for name in ("start", "end"))
    return [list(at) for at in unit.target.overlapping(start, end, unit.task.highlight.words)]
