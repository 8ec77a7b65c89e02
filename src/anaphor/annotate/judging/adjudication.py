"""Decisions of leads about units, which stand beside the answers of annotators and change none of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, insert, select

from anaphor.annotate.answer_json import answer_json, read_answer
from anaphor.annotate.judging.answer_rows import AnswerRow, answer_rows
from anaphor.annotate.judging.answers import check_request, reused_request
from anaphor.annotate.judging.assignments import unit_row, unit_task
from anaphor.annotate.rules import check_answer
from anaphor.annotate.store import Store, schema
from anaphor.annotate.store.audit import fresh_id, note_in, now
from anaphor.annotate.types import AnnotatorAnswer
from anaphor.core import MismatchError


@dataclass(frozen=True, slots=True)
class PersonAnswer:
    """The answer of one person to a unit. `ranking` has names of systems, for comparisons."""

    person: str
    assignment: str
    answer: AnnotatorAnswer
    saved: str
    ranking: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Adjudication:
    """A lead's decision about a unit; later decisions have higher versions, and earlier ones stay.

    The order of a comparison uses the slots of the unit itself, not those that a person saw.
    """

    unit: str
    version: int
    answer: AnnotatorAnswer
    by: str
    at: str


class StaleDecisionError(MismatchError):
    """Somebody decided since the page was shown; `present` is the current decision."""

    def __init__(self, present: Adjudication) -> None:
        super().__init__(
            "somebody else has decided this in the meantime",
            where="the decision",
            fix="look at their decision, then decide again if you must",
        )
        self.present = present


def adjudicate(
    store: Store, unit: str, answer: AnnotatorAnswer, *, by: str, version: int, request: str
) -> Adjudication:
    """Decide about a unit. `by` is the id of the lead, `version` the decision that was seen, 0 for none.

    The same request again returns the same decision and writes nothing; its id with another answer or for
    another unit is an error.
    """
    table = schema.decisions
    check_request(request)
    with store.write() as connection:
        check_answer(unit_task(connection, unit_row(connection, unit)), answer, where="the decision")
        done = connection.execute(
            select(table).where(table.c.person == by, table.c.request == request)
        ).one_or_none()
        made = unit_decisions(connection, unit)
        if done is not None:
            if done.unit != unit or read_answer(done.content) != answer:
                raise reused_request()
            return next(one for one in made if one.version == done.version)
        if made and made[0].version != version:
            raise StaleDecisionError(made[0])
        row = {
            "id": fresh_id(),
            "unit": unit,
            "person": by,
            "version": made[0].version + 1 if made else 1,
            "request": request,
            "content": answer_json(answer),
            "at": now(),
        }
        connection.execute(insert(table).values(row))
        decision = unit_decisions(connection, unit)[0]
        note_in(connection, actor=decision.by, action="adjudicated", detail={"unit": unit})
        return decision


def decisions(store: Store, unit: str) -> tuple[Adjudication, ...]:
    """All decisions about a unit, the last one first."""
    with store.read() as connection:
        return tuple(unit_decisions(connection, unit))


def unit_decisions(connection: Connection, unit: str) -> list[Adjudication]:
    table, who = schema.decisions, schema.people
    query = select(table, who.c.name).join(who, who.c.id == table.c.person).where(table.c.unit == unit)
    return [_adjudication(row) for row in connection.execute(query.order_by(table.c.version.desc()))]


def last_decisions(connection: Connection) -> dict[str, Adjudication]:
    """The decision that stands, by unit."""
    table, who = schema.decisions, schema.people
    query = select(table, who.c.name).join(who, who.c.id == table.c.person).order_by(table.c.version)
    return {row.unit: _adjudication(row) for row in connection.execute(query)}


def answers_to(store: Store, unit: str) -> tuple[PersonAnswer, ...]:
    """Everybody's answer to a unit, by name; empty answers are left out."""
    with store.read() as connection:
        return answers_in(connection, unit)


def answers_in(connection: Connection, unit: str) -> tuple[PersonAnswer, ...]:
    wanted = select(schema.units.c.id).where(schema.units.c.id == unit)
    rows = answer_rows(connection, units=wanted) or answer_rows(connection, units=wanted, attention=True)
    return person_answers(rows)


def person_answers(rows: Sequence[AnswerRow]) -> tuple[PersonAnswer, ...]:
    return tuple(
        PersonAnswer(row.person, row.assignment, row.answer, row.saved, row.ranking()) for row in rows
    )


def _adjudication(row: Any) -> Adjudication:
    return Adjudication(row.unit, row.version, read_answer(row.content), row.name, row.at)
