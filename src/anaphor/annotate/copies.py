"""Answers out of a copy of the database, which somebody took along and annotated offline."""

from __future__ import annotations

from collections.abc import Iterator

from sqlalchemy import Connection, select

from anaphor.annotate import schema
from anaphor.annotate.campaign import campaign_facts
from anaphor.annotate.content import read_answer
from anaphor.annotate.merging import Incoming
from anaphor.annotate.store import Store
from anaphor.core import MismatchError, Where


def copy_answers(store: Store, copy: Store) -> list[Incoming]:
    """The answers of a copy of the same campaign. Its journal tells which answers each of them replaced.

    So an answer that was corrected on the road follows the one it was made from; two that were changed apart
    are a conflict.
    """
    with store.read() as here, copy.read() as there:
        if campaign_facts(here).id != campaign_facts(there).id:
            raise MismatchError(
                "the file is a copy of another campaign",
                where=copy.address,
                fix="merge copies of the same database; use `import` for answers of other tools",
            )
        earlier = _earlier(there)
        rows = list(_rows(there))
    return [
        Incoming(
            unit=unit,
            person=person,
            answer=read_answer(content),
            where=Where(f"{copy.address} [{assignment}]"),
            earlier=earlier.get(assignment, frozenset()),
            seconds=seconds,
        )
        for assignment, unit, person, content, seconds in rows
    ]


def _rows(connection: Connection) -> Iterator[tuple[str, str, str, str, float | None]]:
    given, who, answer = schema.assignments, schema.people, schema.answers
    query = (
        select(given.c.id, given.c.unit, who.c.name, answer.c.content, answer.c.seconds)
        .join(who, who.c.id == given.c.person)
        .join(answer, answer.c.assignment == given.c.id)
        .order_by(who.c.name, given.c.place)
    )
    for row in connection.execute(query):
        yield row.id, row.unit, row.name, row.content, row.seconds


def _earlier(connection: Connection) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    table = schema.journal
    for assignment, before in connection.execute(select(table.c.assignment, table.c.content_before)):
        if before is not None:
            found.setdefault(assignment, set()).add(before)
    return {assignment: frozenset(contents) for assignment, contents in found.items()}
