"""Writing a drawn campaign into empty tables."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from sqlalchemy import Connection, Table, insert

from anaphor.annotate import schema
from anaphor.annotate.assigning import Assigned
from anaphor.annotate.campaign import REFERENCE, SOURCE, SYSTEM
from anaphor.annotate.clock import fresh_id
from anaphor.annotate.content import answer_json
from anaphor.annotate.drawn import DrawnItem, DrawnSystem, DrawnUnit
from anaphor.annotate.linked import Linked
from anaphor.annotate.nouns import Role, Status
from anaphor.annotate.people import insert_person
from anaphor.annotate.targets import marks_json, targets_json
from anaphor.suite import LoadedSuite, suite_digest
from anaphor.suite.format import format_header, format_items
from anaphor.suite.texts import Words

_CHUNK = 5000
Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Filling:
    """All that goes into a new database."""

    loaded: LoadedSuite
    linked: Linked
    words: Words
    systems: tuple[DrawnSystem, ...]
    items: tuple[DrawnItem, ...]
    units: tuple[DrawnUnit, ...]
    assigned: Mapping[str, Sequence[Assigned]]
    campaign: Mapping[str, str | None]
    categories: Sequence[Mapping[str, object]]


def fill(connection: Connection, filling: Filling) -> None:
    """Write everything into the transaction of the connection."""
    suite = filling.loaded.suite
    row = {
        **filling.campaign,
        "suite_header": format_header(suite, None),
        "suite_items": format_items(suite),
        "suite_digest": suite_digest(suite),
        "categories": json.dumps(list(filling.categories), ensure_ascii=False),
    }
    connection.execute(insert(schema.campaign).values(row))
    insert_rows(connection, schema.documents, _documents(filling))
    insert_rows(connection, schema.systems, _systems(filling))
    insert_rows(connection, schema.texts, _texts(filling))
    insert_rows(connection, schema.items, _items(filling))
    insert_rows(connection, schema.units, map(_unit, filling.units))
    categories = {unit.id: unit.item.category for unit in filling.units}
    for name, assigned in filling.assigned.items():
        person = insert_person(connection, name, Role.ANNOTATOR)
        rows = (assignment_row(one, person.id, categories[one.unit]) for one in assigned)
        insert_rows(connection, schema.assignments, rows)


def insert_rows(connection: Connection, table: Table, rows: Iterator[Row]) -> None:
    """Many rows, some thousand at a time."""
    while chunk := list(islice(rows, _CHUNK)):
        connection.execute(insert(table), chunk)


def assignment_row(one: Assigned, person: str, category: str) -> dict[str, Any]:
    return {
        "id": fresh_id(),
        "unit": one.unit,
        "person": person,
        "batch": one.batch,
        "place": one.place,
        "shown": json.dumps(one.shown),
        "overlap": one.overlap,
        "category": category,
        "status": Status.NEW.value,
    }


def _documents(filling: Filling) -> Iterator[Row]:
    first = 0
    for document in filling.loaded.suite.documents:
        yield {"id": document.id, "first": first, "segments": document.segments}
        first += document.segments


def _systems(filling: Filling) -> Iterator[Row]:
    for place, one in enumerate(filling.systems):
        yield {
            "id": one.id,
            "name": one.name,
            "place": place,
            "digest": one.digest,
            "attention": one.attention,
        }


def _texts(filling: Filling) -> Iterator[Row]:
    linked = filling.linked
    yield from _side(SOURCE, "", linked.source_lines, linked.source)
    for name in filling.loaded.texts.references:
        lines = [line or "" for line in filling.loaded.texts.lines(name)]
        yield from _side(REFERENCE, name, lines, [filling.words(line) for line in lines])
    for one in filling.systems:
        rows = _side(SYSTEM, one.id, one.lines, one.tokens)
        yield from ({**row, "links": links} for row, links in zip(rows, one.links, strict=True))


def _side(
    side: str, name: str, lines: Sequence[str], tokens: Sequence[Sequence[str]]
) -> Iterator[dict[str, Any]]:
    for segment, (line, words) in enumerate(zip(lines, tokens, strict=True)):
        yield {
            "side": side,
            "name": name,
            "segment": segment,
            "line": line,
            "tokens": json.dumps(list(words), ensure_ascii=False),
            "links": None,
        }


def _items(filling: Filling) -> Iterator[Row]:
    for place, one in enumerate(filling.items):
        yield {
            "id": one.id,
            "suite_item": one.suite_item,
            "pronoun_key": one.key,
            "document": one.document,
            "category": one.category,
            "antecedent": one.antecedent,
            "place": place,
            "marks": marks_json(one.marks),
            "reference_words": json.dumps(one.reference_words, ensure_ascii=False),
            "first": one.first,
            "last": one.last,
        }


def _unit(one: DrawnUnit) -> Row:
    return {
        "id": one.id,
        "item": one.item.id,
        "category": one.item.category,
        "targets": targets_json(one.targets),
        "expected": None if one.expected is None else answer_json(one.expected),
    }
