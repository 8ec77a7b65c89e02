"""Finding units by what they are about and what people said of them."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Select, func, select

from anaphor.annotate import schema
from anaphor.annotate.campaign import system_names
from anaphor.annotate.nouns import Status
from anaphor.annotate.store import Store
from anaphor.annotate.targets import read_targets
from anaphor.core import UnknownNameError


@dataclass(frozen=True, slots=True)
class UnitRow:
    """One unit in a list; `answers` counts the people who answered it."""

    unit: str
    item: str
    systems: tuple[str, ...]
    category: str
    answers: int


def units(
    store: Store,
    *,
    category: str | None = None,
    system: str | None = None,
    mark: str | None = None,
    limit: int = 50,
    offset: int = 0,
) -> tuple[UnitRow, ...]:
    """Answered units in the order of the suite; `mark` is yes, no or unset: somebody's for the pronoun."""
    unit, item, given = schema.units, schema.items, schema.assignments
    answered = given.c.status != Status.NEW.value
    query: Select[tuple[str, str, str, str, int]] = (
        select(unit.c.id, item.c.suite_item, unit.c.targets, unit.c.category, func.count().label("answers"))
        .join(item, item.c.id == unit.c.item)
        .join(given, given.c.unit == unit.c.id)
        .where(answered, unit.c.expected.is_(None))
        .group_by(unit.c.id, item.c.suite_item, unit.c.targets, unit.c.category, item.c.place)
        .order_by(item.c.place, unit.c.id)
    )
    if category is not None:
        query = query.where(unit.c.category == category)
    with store.read() as connection:
        names = system_names(connection)
        if system is not None:
            query = query.where(unit.c.targets.contains(_system_mark(names, system), autoescape=True))
        if mark is not None:
            answer = schema.answers
            query = query.join(answer, answer.c.assignment == given.c.id).where(
                answer.c.content.contains(f'"pronoun":"{mark}"', autoescape=True)
            )
        rows = connection.execute(query.limit(limit).offset(offset)).all()
    return tuple(
        UnitRow(
            row.id,
            row.suite_item,
            tuple(names[one.system] for one in read_targets(row.targets)),
            row.category,
            row.answers,
        )
        for row in rows
    )


def _system_mark(names: dict[str, str], wanted: str) -> str:
    """What stands in the targets of a unit for a system, which is stored by its id."""
    found = [key for key, name in names.items() if name == wanted]
    if not found:
        raise UnknownNameError.among(wanted, names.values(), kind="system", where="systems")
    return found[0]
