"""The work of one person: where it is, how far it is, and how to move in it.

Everything here is found through indexes of this person's rows; nothing looks at the work of others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Select, func, select

from anaphor.annotate import schema
from anaphor.annotate.nouns import Status
from anaphor.annotate.store import Store
from anaphor.core import OptionError, UnknownNameError

_TABLE = schema.assignments


@dataclass(frozen=True, slots=True)
class Progress:
    """How many assignments there are, and how many have an answer without and with a conflict."""

    total: int
    done: int
    conflicts: int

    @property
    def new(self) -> int:
        return self.total - self.done - self.conflicts


@dataclass(frozen=True, slots=True)
class AssignmentRow:
    """One assignment in a list."""

    id: str
    position: int
    batch: int
    category: str
    status: Status


@dataclass(frozen=True, slots=True)
class BatchProgress:
    """How far one batch is."""

    number: int
    total: int
    done: int
    conflicts: int


def progress_of(store: Store, person: str) -> Progress:
    with store.read() as connection:
        return progress_in(connection, person)


def progress_in(connection: Connection, person: str) -> Progress:
    query = select(_TABLE.c.status, func.count()).where(_TABLE.c.person == person).group_by(_TABLE.c.status)
    counts = {str(status): int(count) for status, count in connection.execute(query)}
    return Progress(sum(counts.values()), counts.get("done", 0), counts.get("conflict", 0))


def last_place(connection: Connection, person: str) -> int:
    """The number of a person's last assignment, which is how many there are; an index knows it at once."""
    found = connection.execute(select(func.max(_TABLE.c.place)).where(_TABLE.c.person == person)).scalar()
    return found or 0


def next_assignment(
    store: Store, person: str, *, after: str | None = None, only_new: bool = False
) -> str | None:
    """The next one by position; without `after` the first that is new, or the first of all.

    None behind the last one.
    """
    with store.read() as connection:
        if after is None:
            start = next_in(connection, person, place=0, only_new=True)
            return start or next_in(connection, person, place=0)
        return next_in(connection, person, place=place_of(connection, person, after), only_new=only_new)


def next_in(connection: Connection, person: str, *, place: int, only_new: bool = False) -> str | None:
    query = select(_TABLE.c.id).where(_TABLE.c.person == person, _TABLE.c.place > place)
    if only_new:
        query = query.where(_TABLE.c.status == Status.NEW.value)
    return _first(connection, query.order_by(_TABLE.c.place))


def previous_assignment(store: Store, person: str, before: str) -> str | None:
    """The one before by position; None before the first."""
    with store.read() as connection:
        place = place_of(connection, person, before)
        query = select(_TABLE.c.id).where(_TABLE.c.person == person, _TABLE.c.place < place)
        return _first(connection, query.order_by(_TABLE.c.place.desc()))


def assignment_at(store: Store, person: str, position: int) -> str:
    """The assignment with a number, counted from 1."""
    with store.read() as connection:
        total = last_place(connection, person)
        query = select(_TABLE.c.id).where(_TABLE.c.person == person, _TABLE.c.place == position)
        found = _first(connection, query) if 1 <= position <= total else None
    if found is None:
        raise OptionError(
            f"there is no example {position}", where="your examples", fix=f"choose a number from 1 to {total}"
        )
    return found


def list_assignments(store: Store, person: str, *, batch: int | None = None) -> tuple[AssignmentRow, ...]:
    """All assignments of a person, or those of one batch, in their order."""
    query = select(_TABLE).where(_TABLE.c.person == person).order_by(_TABLE.c.place)
    if batch is not None:
        query = query.where(_TABLE.c.batch == batch)
    with store.read() as connection:
        rows = connection.execute(query).all()
    return tuple(
        AssignmentRow(row.id, row.place, row.batch, row.category, Status(row.status)) for row in rows
    )


def batches_of(store: Store, person: str) -> tuple[BatchProgress, ...]:
    """The batches of a person in their order."""
    query = (
        select(_TABLE.c.batch, _TABLE.c.status, func.count().label("count"))
        .where(_TABLE.c.person == person)
        .group_by(_TABLE.c.batch, _TABLE.c.status)
    )
    found: dict[int, dict[str, int]] = {}
    with store.read() as connection:
        for batch, status, count in connection.execute(query):
            found.setdefault(batch, {})[status] = count
    return tuple(
        BatchProgress(batch, sum(counts.values()), counts.get("done", 0), counts.get("conflict", 0))
        for batch, counts in sorted(found.items())
    )


def own_row(connection: Connection, query: Select[Any]) -> Any:
    """The row of an assignment that must belong to the one who asks.

    An id that nobody has and one of another person give the same error, so that ids tell nothing.
    """
    row = connection.execute(query).one_or_none()
    if row is None:
        raise UnknownNameError(
            "there is no such example among yours", where="your examples", fix="go back to your list"
        )
    return row


def place_of(connection: Connection, person: str, assignment: str) -> int:
    """The position of an assignment, which must be this person's."""
    query = select(_TABLE.c.place).where(_TABLE.c.id == assignment, _TABLE.c.person == person)
    return int(own_row(connection, query).place)


def _first(connection: Connection, query: Select[Any]) -> str | None:
    found: str | None = connection.execute(query.limit(1)).scalars().first()
    return found
