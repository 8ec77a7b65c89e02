"""The journal of all changes, for the one who made them and for leads."""

from __future__ import annotations

from typing import Any

from sqlalchemy import select

from anaphor.annotate import schema
from anaphor.annotate.assignments import own_row
from anaphor.annotate.content import read_answer
from anaphor.annotate.nouns import Entry
from anaphor.annotate.store import Store


def history(store: Store, person: str, assignment: str) -> tuple[Entry, ...]:
    """All changes of an assignment, which must be this person's, the newest first."""
    table = schema.assignments
    with store.read() as connection:
        own_row(connection, select(table.c.id).where(table.c.id == assignment, table.c.person == person))
    return journal(store, assignment=assignment)


def journal(store: Store, *, assignment: str | None = None, limit: int | None = None) -> tuple[Entry, ...]:
    """The changes of one assignment, or of all, the newest first."""
    table, people = schema.journal, schema.people
    query = select(table, people.c.name).join(people, people.c.id == table.c.person)
    if assignment is not None:
        query = query.where(table.c.assignment == assignment)
    with store.read() as connection:
        rows = connection.execute(query.order_by(table.c.seq.desc()).limit(limit)).all()
    return tuple(map(_entry, rows))


def _entry(row: Any) -> Entry:
    before = None if row.content_before is None else read_answer(row.content_before)
    return Entry(
        row.id,
        row.assignment,
        row.name,
        row.at,
        row.kind,
        row.version,
        before,
        read_answer(row.content_after),
    )
