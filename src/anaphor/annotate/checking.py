"""Whether a campaign's database holds together: what `anaphor annotate check` looks at."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from sqlalchemy import Connection, func, select, text

from anaphor.annotate import schema
from anaphor.annotate.asked import asked_row, joined, mode_and_choices
from anaphor.annotate.content import read_answer
from anaphor.annotate.nouns import Answer
from anaphor.annotate.rules import check_answer, status_of
from anaphor.annotate.store import Store
from anaphor.core import UserError


def check(store: Store) -> dict[str, tuple[str, ...]]:
    """The complaints of every check, none where all is well."""
    with store.read() as connection:
        return {name: tuple(run(connection, store)) for name, run in _CHECKS.items()}


def _pages(connection: Connection, store: Store) -> Iterator[str]:
    if store.is_sqlite:
        for row in connection.execute(text("PRAGMA integrity_check")):
            if row[0] != "ok":
                yield str(row[0])


def _pointers(connection: Connection, store: Store) -> Iterator[str]:
    if store.is_sqlite:
        for row in connection.execute(text("PRAGMA foreign_key_check")):
            yield f"a row of {row[0]} points at a row of {row[2]} that is not there"


def _journal(connection: Connection, _store: Store) -> Iterator[str]:
    """Every answer is what the last entry of the journal made it, and no entry is missing."""
    table, answer = schema.journal, schema.answers
    last = (
        select(table.c.assignment, func.count().label("entries"), func.max(table.c.version).label("version"))
        .group_by(table.c.assignment)
        .subquery()
    )
    query = (
        select(answer.c.assignment, answer.c.version, answer.c.content, last.c.entries, table.c.content_after)
        .outerjoin(last, last.c.assignment == answer.c.assignment)
        .outerjoin(table, (table.c.assignment == answer.c.assignment) & (table.c.version == answer.c.version))
    )
    for row in connection.execute(query):
        if row.entries != row.version or row.content_after != row.content:
            yield f"the answer of {row.assignment} is not what the journal says"
    lost = select(last.c.assignment).where(last.c.assignment.not_in(select(answer.c.assignment)))
    for name in connection.execute(lost).scalars():
        yield f"the journal knows an answer of {name} that is not there"


def _answers(connection: Connection, _store: Store) -> Iterator[str]:
    """Every answer can be read, fits its assignment, and has the status that follows from it."""
    mode, choices = mode_and_choices(connection)
    contents = {row.assignment: row.content for row in connection.execute(select(schema.answers))}
    for row in connection.execute(joined()):
        asked = asked_row(row, mode, choices)
        content = contents.get(asked.assignment)
        try:
            answer = Answer() if content is None else read_answer(content)
            check_answer(asked.asked, answer, where=asked.assignment)
        except (UserError, ValueError) as error:
            yield f"the answer of {asked.assignment} cannot be: {error}"
            continue
        if status_of(asked.asked, answer) is not asked.status:
            yield f"the status of {asked.assignment} is not that of its answer"


_CHECKS: Mapping[str, Callable[[Connection, Store], Iterator[str]]] = {
    "pages": _pages,
    "rows point at rows": _pointers,
    "journal": _journal,
    "answers": _answers,
}
