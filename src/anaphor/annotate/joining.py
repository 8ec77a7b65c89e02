"""Annotators who join a campaign that runs already."""

from __future__ import annotations

import random
from collections.abc import Sequence

from sqlalchemy import Connection, func, select

from anaphor.annotate import schema
from anaphor.annotate.assigning import Assigned
from anaphor.annotate.audit import COMMAND_LINE, note_in
from anaphor.annotate.campaign import campaign_facts
from anaphor.annotate.filling import assignment_row, insert_rows
from anaphor.annotate.nouns import Role, Status
from anaphor.annotate.people import Person, insert_person
from anaphor.annotate.store import Store
from anaphor.annotate.targets import read_targets
from anaphor.core import UnknownNameError

SHARES = ("open", "overlap", "all", "none")
"""What somebody new is asked: what nobody answered yet (as much as others have), what several answer, all."""


def add_annotator(store: Store, name: str, *, share: str = "open", by: str = COMMAND_LINE) -> Person:
    """A new annotator with work of their own; the work of others stays as it is."""
    if share not in SHARES:
        raise UnknownNameError.among(share, SHARES, kind="share", where="--share")
    with store.write() as connection:
        person = insert_person(connection, name, Role.ANNOTATOR)
        campaign = campaign_facts(connection)
        draw = random.Random(f"join {campaign.seed} {name}")  # noqa: S311 - a draw that can be repeated
        units = _units(connection, share, draw)
        rows = (
            assignment_row(_assigned(unit, targets, place, campaign.batch_size, draw), person.id, category)
            for place, (unit, targets, category) in enumerate(units)
        )
        insert_rows(connection, schema.assignments, rows)
        note_in(connection, actor=by, action="annotator added", detail={"name": person.name, "share": share})
    return person


def _units(connection: Connection, share: str, draw: random.Random) -> list[tuple[str, str, str]]:
    """Id, targets and category of every unit that is given, attention items among them, in a random order."""
    unit, given = schema.units, schema.assignments
    every = select(unit.c.id, unit.c.targets, unit.c.category).order_by(unit.c.id)
    attention = _rows(connection, every.where(unit.c.expected.is_not(None)))
    real = every.where(unit.c.expected.is_(None))
    if share == "none":
        return []
    if share == "overlap":
        shared = select(given.c.unit).where(given.c.overlap)
        found = _rows(connection, real.where(unit.c.id.in_(shared)))
    elif share == "all":
        found = _rows(connection, real)
    else:
        answered = select(given.c.unit).where(given.c.status != Status.NEW.value)
        found = _rows(connection, real.where(unit.c.id.not_in(answered)))
        found = draw.sample(found, min(len(found), _usual(connection)))
    return draw.sample(work := [*found, *attention], len(work))


def _usual(connection: Connection) -> int:
    """How many assignments an annotator has on average."""
    table = schema.assignments
    total, people = connection.execute(select(func.count(), func.count(table.c.person.distinct()))).one()
    return round(total / people) if people else total


def _rows(connection: Connection, query: object) -> list[tuple[str, str, str]]:
    return [(row[0], row[1], row[2]) for row in connection.execute(query)]  # type: ignore[call-overload]


def _assigned(unit: str, targets: str, place: int, batch_size: int, draw: random.Random) -> Assigned:
    systems: Sequence[str] = [one.system for one in read_targets(targets)]
    shown = tuple(draw.sample(systems, len(systems)))
    return Assigned(unit, place // batch_size + 1, place + 1, shown, overlap=True)
