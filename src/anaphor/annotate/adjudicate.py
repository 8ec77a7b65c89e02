"""Decisions of leads about units, which stand beside the answers of annotators and change none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, insert, select

from anaphor.annotate import schema
from anaphor.annotate.answers import check_request
from anaphor.annotate.asked import asked_of_unit, unit_row
from anaphor.annotate.audit import note_in
from anaphor.annotate.clock import fresh_id, now
from anaphor.annotate.content import answer_json, read_answer
from anaphor.annotate.gathered import Gathered, gather
from anaphor.annotate.nouns import Answer
from anaphor.annotate.rules import check_answer
from anaphor.annotate.store import Store
from anaphor.core import MismatchError


@dataclass(frozen=True, slots=True)
class Given:
    """The answer of one person to a unit. `ranking` has names of systems, for comparisons."""

    person: str
    assignment: str
    answer: Answer
    saved: str
    ranking: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Decision:
    """What a lead decided about a unit; later decisions have higher versions, and earlier ones stay.

    The order of a comparison goes by the slots of the unit itself, not by those that a person saw.
    """

    unit: str
    version: int
    answer: Answer
    by: str
    at: str


class StaleDecisionError(MismatchError):
    """Somebody decided since the page was shown; `present` is the decision now."""

    def __init__(self, present: Decision) -> None:
        super().__init__(
            "somebody else decided this meanwhile",
            where="the decision",
            fix="look at their decision, then decide again if you must",
        )
        self.present = present


def adjudicate(store: Store, unit: str, answer: Answer, *, by: str, version: int, request: str) -> Decision:
    """Decide about a unit. `by` is the id of the lead, `version` the decision that was seen, 0 for none.

    The same request again gives the same decision and writes nothing.
    """
    table = schema.decisions
    check_request(request)
    with store.write() as connection:
        check_answer(asked_of_unit(connection, unit_row(connection, unit)), answer, where="the decision")
        done = connection.execute(
            select(table.c.version).where(
                table.c.person == by, table.c.request == request, table.c.unit == unit
            )
        ).scalar()
        if done is not None:
            return next(one for one in unit_decisions(connection, unit) if one.version == done)
        present = next(iter(unit_decisions(connection, unit)), None)
        if present is not None and present.version != version:
            raise StaleDecisionError(present)
        row = {
            "id": fresh_id(),
            "unit": unit,
            "person": by,
            "version": (0 if present is None else present.version) + 1,
            "request": request,
            "content": answer_json(answer),
            "at": now(),
        }
        connection.execute(insert(table).values(row))
        made = unit_decisions(connection, unit)[0]
        note_in(connection, actor=made.by, action="adjudicated", detail={"unit": unit})
        return made


def decisions(store: Store, unit: str) -> tuple[Decision, ...]:
    """All decisions about a unit, the last one first."""
    with store.read() as connection:
        return tuple(unit_decisions(connection, unit))


def last_decisions(connection: Connection) -> dict[str, Decision]:
    """The decision that stands, by unit."""
    table, who = schema.decisions, schema.people
    query = select(table, who.c.name).join(who, who.c.id == table.c.person).order_by(table.c.version)
    return {row.unit: _decision(row) for row in connection.execute(query)}


def answers_to(store: Store, unit: str) -> tuple[Given, ...]:
    """Everybody's answer to a unit, by name; empty answers are left out."""
    with store.read() as connection:
        return answers_in(connection, unit)


def answers_in(connection: Connection, unit: str) -> tuple[Given, ...]:
    wanted = select(schema.units.c.id).where(schema.units.c.id == unit)
    rows = gather(connection, units=wanted) or gather(connection, units=wanted, attention=True)
    return given(rows)


def given(rows: Sequence[Gathered]) -> tuple[Given, ...]:
    return tuple(Given(row.person, row.assignment, row.answer, row.saved, row.ranking()) for row in rows)


def unit_decisions(connection: Connection, unit: str) -> list[Decision]:
    table, who = schema.decisions, schema.people
    query = select(table, who.c.name).join(who, who.c.id == table.c.person).where(table.c.unit == unit)
    return [_decision(row) for row in connection.execute(query.order_by(table.c.version.desc()))]


def _decision(row: Any) -> Decision:
    return Decision(row.unit, row.version, read_answer(row.content), row.name, row.at)
