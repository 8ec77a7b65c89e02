"""Label Studio tasks with the annotators' answers: export and import.

A task is a unit: `data` has its id, both contexts and the question. Results are named `pronoun`,
`antecedent` (choices), `words` (labelled characters of the translation, the end excluded), `rendering` (the
choice `none` where nothing translates the pronoun), `tags` (choices), `remark` and `annotator` (text areas);
docs/annotate/exchange.md has the labelling configuration for them.

Label Studio rejects annotations of people whose e-mail address it does not know, so the annotator is stored
as a result too; for annotations created there, the annotator is the person who completed them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from msgspec import Raw
from msgspec.json import encode
from sqlalchemy import Connection

from anaphor.annotate.answer_json import parse_answer
from anaphor.annotate.exchange.merge import IncomingAnswer
from anaphor.annotate.exchange.texts import UnitText, foreign_json, separated, unit_texts
from anaphor.annotate.judging.answer_rows import stored_answer, stored_answers
from anaphor.annotate.types import AnnotatorAnswer, Mark
from anaphor.core import Where
from anaphor.core.records import Record

_TEXT = "translation"
#: Labels of words: what makes the translation right, and what a wrong frame should have been around.
_CHOSEN, _RENDERS = "chosen", "renders"


def write_label_studio(connection: Connection) -> Iterator[bytes]:
    """All units as tasks, with all annotations."""
    yield b"[\n"
    yield from separated(_tasks(connection))
    yield b"\n]\n"


def _tasks(connection: Connection) -> Iterator[bytes]:
    answers = stored_answers(connection)
    for unit in unit_texts(connection):
        annotations = [
            {"result": [*_results(stored_answer(content), unit), _textarea("annotator", person)]}
            for person, content, _ in answers.get(unit.unit, ())
        ]
        source = unit.source
        data = {
            "unit": unit.unit,
            "item": unit.item,
            "document": unit.document,
            "category": unit.category,
            "has_antecedent_question": unit.task.asks_antecedent,
            # Not "source": Label Studio shows the value of that key as JSON. Nothing counts its characters,
            # so that the pronoun can be marked.
            "source_text": source.marked(unit.marks.pronoun, "[", "]"),
            _TEXT: unit.target.text,
            "pronoun": " ".join(source.text[slice(*source.span(at))] for at in unit.marks.pronoun),
        }
        yield encode({"data": data, "annotations": annotations, "predictions": []})


def read_label_studio(data: bytes, *, path: str, connection: Connection) -> list[IncomingAnswer]:
    """The annotations of an export, as this module or Label Studio writes it (JSON, not JSON-MIN)."""
    units = {unit.unit: unit for unit in unit_texts(connection)}
    answers = []
    for number, task in enumerate(foreign_json(data, path=path).tables("file"), start=1):
        task.where = where = Where(f"{path} [task {number}]")
        unit = task.table("data").text("unit")
        for annotation in task.tables("annotations", []):
            annotation.where = where
            answer, person = _answer(annotation, units.get(unit), where)
            if not person:
                by = annotation.raw("completed_by")  # an object with an e-mail address, or a number
                numbered = isinstance(by, int) and not isinstance(by, bool)
                person = str(by) if numbered else annotation.table("completed_by").text("email")
            answers.append(IncomingAnswer(unit=unit, person=person, answer=answer, where=where))
    return answers


def _results(answer: AnnotatorAnswer, unit: UnitText) -> Iterator[Raw]:
    for name, mark in (("pronoun", answer.pronoun), ("antecedent", answer.antecedent)):
        if mark is not Mark.UNSET:
            yield _choices(name, (mark.value,))
    for label, places in ((_CHOSEN, answer.words), (_RENDERS, answer.rendering or ())):
        for at in places:
            start, end = unit.target.span(at)
            value = {"start": start, "end": end, "text": unit.target.text[start:end], "labels": [label]}
            yield _result("words", "labels", value)
    if answer.rendering == ():
        yield _choices("rendering", ("none",))
    if answer.tags:
        yield _choices("tags", answer.tags)
    if answer.remark:
        yield _textarea("remark", answer.remark)


@lru_cache(maxsize=1024)
def _choices(name: str, values: tuple[str, ...]) -> Raw:
    return _result(name, "choices", {"choices": values})


@lru_cache(maxsize=1024)
def _textarea(name: str, text: str) -> Raw:
    return _result(name, "textarea", {"text": [text]})


def _result(name: str, kind: str, value: Mapping[str, Any]) -> Raw:
    return Raw(encode({"from_name": name, "to_name": _TEXT, "type": kind, "value": value}))


def _answer(annotation: Record, unit: UnitText | None, where: Where) -> tuple[AnnotatorAnswer, str]:
    """The answer and the annotator named in it, if any; the merge rejects unknown units."""
    person = ""
    content: dict[str, Any] = {"words": [], "tags": []}
    for result in annotation.tables("result"):
        name, value = result.text("from_name"), result.table("value")
        if name in ("pronoun", "antecedent"):
            choices = value.texts("choices")
            if len(choices) > 1:
                value.refuse("choices", f"{len(choices)} choices for a question with one answer")
            content[name] = choices[0] if choices else "unset"
        elif name == "words" and unit is not None:
            start, end = (value.integer(key, low=0) for key in ("start", "end"))
            if _RENDERS in value.texts("labels"):
                places = unit.target.overlapping(start, end, unit.target.tokens())
                content["rendering"] = [*content.get("rendering", ()), *places]
            else:
                content["words"] += unit.target.overlapping(start, end, unit.task.highlight.words)
        elif name == "rendering":
            if value.texts("choices"):
                content.setdefault("rendering", [])
        elif name == "tags":
            content["tags"] += value.texts("choices")
        elif name in ("remark", "annotator"):
            lines = value.elements("text")
            text = "\n".join(str(lines.raw(index)) for index in lines)
            if name == "remark":
                content["remark"] = text
            else:
                person = text.strip()
        elif name != "words":
            result.refuse("from_name", f"unknown result: {name:.60}")
    return parse_answer(content, where=where), person
