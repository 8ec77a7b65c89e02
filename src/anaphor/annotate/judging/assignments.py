"""The assignments of one annotator: what each asks for, how many are done, and how to move among them.

Every query uses an index on the rows of one person, so its cost does not grow with the number of annotators.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import Column, Connection, Select, func, select

from anaphor.annotate.rules import SLOTS, AnswerTask
from anaphor.annotate.store import Store, schema
from anaphor.annotate.store.database import from_row, reading
from anaphor.annotate.types import Highlight, Mode, Status, Target, read_targets
from anaphor.core import OptionError, UnknownNameError

_TABLE = schema.assignments


class AssignmentProgress(NamedTuple):
    """The number of assignments, and of those with an answer without and with a conflict."""

    total: int = 0
    done: int = 0
    conflicts: int = 0

    @property
    def answered(self) -> int:
        return self.done + self.conflicts


@dataclass(frozen=True, slots=True)
class AssignmentRow:
    """One assignment in a list."""

    id: str
    position: int
    batch: int
    category: str
    status: Status


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """One assignment with its task and the rows it refers to; `marks` is JSON.

    The `targets` are in the order of the slots.
    """

    id: str
    unit: str
    item: str
    place: int
    batch: int
    category: str
    status: Status
    document: str
    first: int
    last: int
    marks: str
    targets: tuple[Target, ...]
    task: AnswerTask


def progress_by(
    source: Store | Connection, *columns: Column[Any], person: str | None = None
) -> dict[tuple[Any, ...], AssignmentProgress]:
    """The progress of every group of assignments with the same values in some columns, in their order."""
    query = select(*columns, _TABLE.c.status, func.count()).group_by(*columns, _TABLE.c.status)
    if person is not None:
        query = query.where(_TABLE.c.person == person)
    counts: dict[tuple[Any, ...], dict[str, int]] = {}
    with reading(source) as connection:
        for *key, status, count in connection.execute(query):
            counts.setdefault(tuple(key), {})[status] = count
    return {
        key: AssignmentProgress(sum(found.values()), found.get("done", 0), found.get("conflict", 0))
        for key, found in sorted(counts.items())
    }


def progress_of(source: Store | Connection, person: str) -> AssignmentProgress:
    return progress_by(source, person=person).get((), AssignmentProgress())


def batches_of(store: Store, person: str) -> dict[int, AssignmentProgress]:
    """The batches of a person in order."""
    return {batch: found for (batch,), found in progress_by(store, _TABLE.c.batch, person=person).items()}


def list_assignments(store: Store, person: str) -> tuple[AssignmentRow, ...]:
    """All assignments of a person in order."""
    query = select(_TABLE).where(_TABLE.c.person == person).order_by(_TABLE.c.place)
    with store.read() as connection:
        return tuple(
            from_row(AssignmentRow, row, position=row.place, status=Status(row.status))
            for row in connection.execute(query)
        )


def next_assignment(store: Store, person: str, *, after: str | None = None) -> str | None:
    """The next one by position, None after the last; without `after` the first new one, or the very first."""
    query = select(_TABLE.c.id).where(_TABLE.c.person == person).order_by(_TABLE.c.place).limit(1)
    with store.read() as connection:
        if after is not None:
            query = query.where(_TABLE.c.place > _place_of(connection, person, after))
            return connection.execute(query).scalar()
        new = connection.execute(query.where(_TABLE.c.status == Status.NEW.value)).scalar()
        return new or connection.execute(query).scalar()


def previous_assignment(store: Store, person: str, before: str) -> str | None:
    """The previous one by position; None before the first."""
    with store.read() as connection:
        place = _place_of(connection, person, before)
        query = select(_TABLE.c.id).where(_TABLE.c.person == person, _TABLE.c.place < place)
        return connection.execute(query.order_by(_TABLE.c.place.desc()).limit(1)).scalar()


def assignment_at(store: Store, person: str, position: int) -> str:
    """The assignment with a number, counted from 1."""
    with store.read() as connection:
        total = last_place(connection, person)
        query = select(_TABLE.c.id).where(_TABLE.c.person == person, _TABLE.c.place == position)
        found: str | None = connection.execute(query).scalar() if 1 <= position <= total else None
    if found is None:
        fix = f"choose a number from 1 to {total}"
        raise OptionError(f"there is no example {position}", where="your examples", fix=fix)
    return found


def last_place(connection: Connection, person: str) -> int:
    """The position of a person's last assignment, which is also their number; one index lookup."""
    found = connection.execute(select(func.max(_TABLE.c.place)).where(_TABLE.c.person == person)).scalar()
    return found or 0


def _place_of(connection: Connection, person: str, assignment: str) -> int:
    query = select(_TABLE.c.place).where(_TABLE.c.id == assignment, _TABLE.c.person == person)
    return int(own_row(connection, query).place)


def own_row(connection: Connection, query: Select[Any]) -> Any:
    """The row of an assignment that must belong to the person who asks.

    An unknown id and an id of another person give the same error, so that nobody can probe for ids.
    """
    row = connection.execute(query).one_or_none()
    if row is None:
        fix = "go back to your list"
        raise UnknownNameError("this example is not among yours", where="your examples", fix=fix)
    return row


def read_assignment(
    connection: Connection, person: str, assignment: str, *, lock: bool = False
) -> Assignment:
    """One assignment, which must be this person's; with `lock` nobody else changes it meanwhile."""
    query = assignments_with_items().where(_TABLE.c.id == assignment, _TABLE.c.person == person)
    if lock:  # ignored by SQLite, where a writer is alone anyway
        query = query.with_for_update(of=_TABLE)
    return assignment_of(own_row(connection, query), *mode_and_choices(connection))


def assignments_with_items() -> Select[Any]:
    """Assignments joined with their units and items."""
    unit, item = schema.units, schema.items
    about = (item.c.antecedent, item.c.document, item.c.marks, item.c.first, item.c.last)
    columns = (_TABLE, unit.c.item, unit.c.targets, *about)
    return select(*columns).select_from(_TABLE.join(unit).join(item))


def assignment_of(row: Any, mode: Mode, choices: tuple[str, ...]) -> Assignment:
    """A row of `assignments_with_items`, typed."""
    targets = in_order(read_targets(row.targets), row.shown)
    return from_row(
        Assignment,
        row,
        status=Status(row.status),
        targets=targets,
        task=task_of(mode, choices, targets, antecedent=row.antecedent),
    )


def task_of(
    mode: Mode, choices: tuple[str, ...], targets: tuple[Target, ...], *, antecedent: bool
) -> AnswerTask:
    """What is asked about targets in the order of their slots."""
    single = mode is not Mode.COMPARE
    return AnswerTask(
        mode=mode,
        asks_antecedent=antecedent and mode is Mode.JUDGE,
        highlight=targets[0].highlight if single else Highlight(),
        choices=choices if mode is Mode.GAPS else (),
        slots=() if single else SLOTS[: len(targets)],
    )


def unit_row(connection: Connection, unit: str) -> Any:
    """A unit with its item."""
    units, items = schema.units, schema.items
    query = select(units.c.targets, items).join(items).where(units.c.id == unit)
    row = connection.execute(query).one_or_none()
    if row is None:
        raise UnknownNameError(f"unknown unit: {unit!r:.60}", where="units", fix="go back to the list")
    return row


def unit_task(connection: Connection, row: Any) -> AnswerTask:
    """What a row of `unit_row` asks for, its systems in the order of the unit itself."""
    mode, choices = mode_and_choices(connection)
    return task_of(mode, choices, read_targets(row.targets), antecedent=row.antecedent)


def in_order(targets: Sequence[Target], shown: str) -> tuple[Target, ...]:
    """The targets of a unit in the order in which one person sees them."""
    if len(targets) == 1:
        return tuple(targets)
    by_system = {one.system: one for one in targets}
    return tuple(by_system[system] for system in json.loads(shown))


def mode_and_choices(connection: Connection) -> tuple[Mode, tuple[str, ...]]:
    row = connection.execute(select(schema.campaign.c.mode, schema.campaign.c.facts)).one()
    return Mode(row.mode), tuple(json.loads(row.facts)["choices"])
