"""The log of changes for leads: what was changed in which item, from what to what."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from sqlalchemy import select

from anaphor.annotate.judging.answers import journal
from anaphor.annotate.store import Store, schema
from anaphor.annotate.types import JournalEntry


class ChangedItem(NamedTuple):
    """The item of an assignment; `position` is its number in the list of its annotator."""

    unit: str
    item: str
    category: str
    position: int


@dataclass(frozen=True, slots=True)
class LoggedChange:
    """A change of an answer and the item that it is about."""

    entry: JournalEntry
    about: ChangedItem


def change_log(
    store: Store, *, person: str | None = None, start: int = 0, limit: int = 100
) -> tuple[LoggedChange, ...]:
    """The latest changes, of one person or of all, newest first; `start` and `limit` select a page."""
    given, unit, item = schema.assignments, schema.units, schema.items
    with store.read() as connection:
        entries = journal(connection, person=person, limit=start + limit)[start:]
        query = (
            select(given.c.id, given.c.unit, item.c.suite_item, given.c.category, given.c.place)
            .select_from(given.join(unit).join(item, item.c.id == unit.c.item))
            .where(given.c.id.in_({entry.assignment for entry in entries}))
        )
        about = {row[0]: ChangedItem(*row[1:]) for row in connection.execute(query)}
    return tuple(LoggedChange(entry, about[entry.assignment]) for entry in entries)
