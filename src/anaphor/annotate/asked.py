"""What an assignment asks for, read from the database."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Select, select

from anaphor.annotate import schema
from anaphor.annotate.assignments import own_row
from anaphor.annotate.nouns import Highlight, Mode, Status
from anaphor.annotate.rules import SLOTS, Asked
from anaphor.annotate.targets import Marks, Target, read_marks, read_targets
from anaphor.core import UnknownNameError


@dataclass(frozen=True, slots=True)
class AskedRow:
    """An assignment of one person: what it asks for, and the rows it points at.

    `targets` are in the order of the slots.
    """

    assignment: str
    unit: str
    item: str
    position: int
    batch: int
    category: str
    status: Status
    document: str
    first: int
    last: int
    marks: Marks
    targets: tuple[Target, ...]
    asked: Asked


def read_asked(connection: Connection, person: str, assignment: str, *, lock: bool = False) -> AskedRow:
    """One assignment, which must be this person's. With `lock` nobody else changes it meanwhile."""
    table = schema.assignments
    query = joined().where(table.c.id == assignment, table.c.person == person)
    if lock:
        query = query.with_for_update(of=table)
    return asked_row(own_row(connection, query), *mode_and_choices(connection))


def joined() -> Select[Any]:
    """Assignments with their units and items."""
    given, unit, item = schema.assignments, schema.units, schema.items
    return (
        select(
            given,
            unit.c.item,
            unit.c.targets,
            item.c.antecedent,
            item.c.document,
            item.c.marks,
            item.c.first,
            item.c.last,
        )
        .join(unit, unit.c.id == given.c.unit)
        .join(item, item.c.id == unit.c.item)
    )


def asked_row(row: Any, mode: Mode, choices: tuple[str, ...]) -> AskedRow:
    """A row of `joined` as nouns."""
    targets = shown_targets(row.targets, row.shown)
    return AskedRow(
        assignment=row.id,
        unit=row.unit,
        item=row.item,
        position=row.place,
        batch=row.batch,
        category=row.category,
        status=Status(row.status),
        document=row.document,
        first=row.first,
        last=row.last,
        marks=read_marks(row.marks),
        targets=targets,
        asked=asked_of(mode, choices, targets, antecedent=row.antecedent),
    )


def asked_of(mode: Mode, choices: tuple[str, ...], targets: tuple[Target, ...], *, antecedent: bool) -> Asked:
    """What is asked of targets in the order of their slots."""
    single = mode is not Mode.COMPARE
    return Asked(
        mode=mode,
        asks_antecedent=bool(antecedent) and mode is Mode.JUDGE,
        highlight=targets[0].highlight if single else Highlight(),
        choices=choices if mode is Mode.GAPS else (),
        slots=() if single else SLOTS[: len(targets)],
    )


def asked_of_unit(connection: Connection, row: Any) -> Asked:
    """What a row of `unit_row` asks for, its systems in the order of the unit itself."""
    mode, choices = mode_and_choices(connection)
    return asked_of(mode, choices, read_targets(row.targets), antecedent=row.antecedent)


def unit_row(connection: Connection, unit: str) -> Any:
    """A unit with its item."""
    units, items = schema.units, schema.items
    query = select(units.c.targets, items).join(items, items.c.id == units.c.item).where(units.c.id == unit)
    row = connection.execute(query).one_or_none()
    if row is None:
        raise UnknownNameError(f"there is no unit {unit!r:.60}", where="units", fix="go back to the list")
    return row


def shown_targets(targets: str, shown: str) -> tuple[Target, ...]:
    """The targets of a unit in the order in which one person sees them."""
    by_system = {one.system: one for one in read_targets(targets)}
    return tuple(by_system[system] for system in json.loads(shown))


def mode_and_choices(connection: Connection) -> tuple[Mode, tuple[str, ...]]:
    row = connection.execute(select(schema.campaign.c.mode, schema.campaign.c.facts)).one()
    return Mode(row.mode), tuple(json.loads(row.facts)["choices"])
