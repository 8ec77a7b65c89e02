"""All answers of a campaign with what they are about, for agreement, adjudication and export."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Select, select

from anaphor.annotate.answer_json import read_answer
from anaphor.annotate.campaign.facts import system_names
from anaphor.annotate.judging.assignments import mode_and_choices, shown_targets, task_of
from anaphor.annotate.rules import SLOTS, AnswerTask
from anaphor.annotate.store import Store, schema
from anaphor.annotate.store.database import from_row, reading
from anaphor.annotate.types import AnnotatorAnswer, Status, Target, read_targets


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerRow:
    """One answer. `key` names the pronoun for `anaphor meta`; `systems` are names in the order of the slots.

    `unit_systems` are the same in the order of the unit itself, which decisions use.
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
    task: AnswerTask
    person: str
    answer: AnnotatorAnswer
    version: int
    saved: str
    seconds: float | None
    status: Status
    overlap: bool
    expected: AnnotatorAnswer | None

    @property
    def ranking(self) -> tuple[tuple[str, ...], ...]:
        """A comparison by names of systems, from best to worst; ties in alphabetical order."""
        named = dict(zip(SLOTS, self.systems, strict=False))
        return tuple(tuple(sorted(named[slot] for slot in group)) for group in self.answer.order)


def answer_rows(
    connection: Connection, *, units: Select[Any] | None = None, attention: bool = False
) -> list[AnswerRow]:
    """The answers that are not empty, by item, unit and person; of the units of a query, or of all.

    Attention items are left out; with `attention` there is nothing else.
    """
    given, unit, item = schema.assignments, schema.units, schema.items
    answer, who = schema.answers, schema.people
    expected = unit.c.expected
    query = (
        select(
            *(given.c.id.label("assignment"), given.c.unit, given.c.shown, given.c.status, given.c.overlap),
            *(given.c.category, unit.c.targets, expected, unit.c.item),
            *(item.c.suite_item, item.c.pronoun_key.label("key"), item.c.document, item.c.antecedent),
            *(answer.c.content, answer.c.version, answer.c.saved, answer.c.seconds),
            who.c.name.label("person"),
        )
        .select_from(given.join(unit).join(item).join(answer).join(who))
        .where(given.c.status != Status.NEW.value)
        .where(expected.is_not(None) if attention else expected.is_(None))
        .order_by(item.c.place, unit.c.id, who.c.name)
    )
    if units is not None:
        query = query.where(unit.c.id.in_(units))
    names = system_names(connection)
    mode, choices = mode_and_choices(connection)

    def typed(row: Any) -> AnswerRow:
        targets = shown_targets(row.targets, row.shown)
        return from_row(
            AnswerRow,
            row,
            systems=tuple(names[one.system] for one in targets),
            unit_systems=tuple(names[one.system] for one in read_targets(row.targets)),
            targets=targets,
            task=task_of(mode, choices, targets, antecedent=row.antecedent),
            answer=read_answer(row.content),
            status=Status(row.status),
            expected=None if row.expected is None else read_answer(row.expected),
        )

    return [typed(row) for row in connection.execute(query)]


def answers_to(source: Store | Connection, unit: str) -> tuple[AnswerRow, ...]:
    """Everybody's answer to a unit, attention item or not, by name; empty answers are left out."""
    wanted = select(schema.units.c.id).where(schema.units.c.id == unit)
    with reading(source) as connection:
        return tuple(
            answer_rows(connection, units=wanted) or answer_rows(connection, units=wanted, attention=True)
        )


def by_unit(rows: Iterable[AnswerRow]) -> dict[str, list[AnswerRow]]:
    """The answers to every unit, in the order of the rows."""
    found: dict[str, list[AnswerRow]] = {}
    for row in rows:
        found.setdefault(row.unit, []).append(row)
    return found
