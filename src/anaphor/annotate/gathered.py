"""All answers of a campaign with what they are about, for agreement, adjudication and export."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Select, select

from anaphor.annotate import schema
from anaphor.annotate.asked import asked_of, mode_and_choices, shown_targets
from anaphor.annotate.campaign import system_names
from anaphor.annotate.content import read_answer
from anaphor.annotate.nouns import Answer, Status
from anaphor.annotate.rules import SLOTS, Asked
from anaphor.annotate.targets import Target, read_targets


@dataclass(frozen=True, slots=True)
class Gathered:
    """One answer. `key` names the pronoun for `anaphor meta`; `systems` are names in the order of the slots.

    `unit_systems` are the same in the order of the unit itself, which decisions go by.
    """

    assignment: str
    unit: str
    item: str
    suite_item: str
    key: str
    document: str
    category: str
    systems: tuple[str, ...]
    unit_systems: tuple[str, ...]
    targets: tuple[Target, ...]
    asked: Asked
    person: str
    answer: Answer
    version: int
    saved: str
    seconds: float | None
    status: Status
    overlap: bool
    expected: Answer | None

    def ranking(self) -> tuple[tuple[str, ...], ...]:
        """A comparison by the names of the systems, from best to worst; equal ones in alphabetical order."""
        named = dict(zip(SLOTS, self.systems, strict=False))
        return tuple(tuple(sorted(named[slot] for slot in group)) for group in self.answer.order)


def gather(
    connection: Connection, *, units: Select[Any] | None = None, attention: bool = False
) -> list[Gathered]:
    """The answers that are not empty, by item, unit and person; of the units of a query, or of all.

    Attention items are left out unless `attention` asks for them alone.
    """
    query = _query(attention=attention)
    if units is not None:
        query = query.where(schema.units.c.id.in_(units))
    return list(_rows(connection, query))


def _query(*, attention: bool) -> Select[Any]:
    given, unit, item, answer, who = (
        *(schema.assignments, schema.units, schema.items),
        *(schema.answers, schema.people),
    )
    expected = unit.c.expected
    return (
        select(
            given.c.id,
            given.c.unit,
            given.c.shown,
            given.c.status,
            given.c.overlap,
            given.c.category,
            unit.c.targets,
            expected,
            unit.c.item,
            item.c.suite_item,
            item.c.pronoun_key,
            item.c.document,
            item.c.antecedent,
            answer.c.content,
            answer.c.version,
            answer.c.saved,
            answer.c.seconds,
            who.c.name,
        )
        .join(unit, unit.c.id == given.c.unit)
        .join(item, item.c.id == unit.c.item)
        .join(answer, answer.c.assignment == given.c.id)
        .join(who, who.c.id == given.c.person)
        .where(
            given.c.status != Status.NEW.value,
            expected.is_not(None) if attention else expected.is_(None),
        )
        .order_by(item.c.place, unit.c.id, who.c.name)
    )


def _rows(connection: Connection, query: Select[Any]) -> Iterator[Gathered]:
    names = system_names(connection)
    mode, choices = mode_and_choices(connection)
    for row in connection.execute(query):
        targets = shown_targets(row.targets, row.shown)
        yield Gathered(
            assignment=row.id,
            unit=row.unit,
            item=row.item,
            suite_item=row.suite_item,
            key=row.pronoun_key,
            document=row.document,
            category=row.category,
            systems=tuple(names[one.system] for one in targets),
            unit_systems=tuple(names[one.system] for one in read_targets(row.targets)),
            targets=targets,
            asked=asked_of(mode, choices, targets, antecedent=row.antecedent),
            person=row.name,
            answer=read_answer(row.content),
            version=row.version,
            saved=row.saved,
            seconds=row.seconds,
            status=Status(row.status),
            overlap=bool(row.overlap),
            expected=None if row.expected is None else read_answer(row.expected),
        )
