"""Decisions of leads about units, stored separately from the annotators' answers, which stay unchanged."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, insert, select

from anaphor.annotate.answer_json import answer_json, read_answer
from anaphor.annotate.judging.answers import check_request, reused_request
from anaphor.annotate.judging.assignments import require_places, unit_rows
from anaphor.annotate.rules import check_answer
from anaphor.annotate.store import Store, schema
from anaphor.annotate.store.audit import fresh_id, note, now
from anaphor.annotate.store.database import from_row, reading
from anaphor.annotate.types import AnnotatorAnswer, read_targets
from anaphor.core import MismatchError


@dataclass(frozen=True, slots=True)
class Adjudication:
    """A lead's decision about a unit; later decisions have higher versions, and earlier ones are kept.

    The order of a comparison uses the unit's own slots, not those a person saw.
    """

    unit: str
    version: int
    answer: AnnotatorAnswer
    by: str
    at: str


class StaleDecisionError(MismatchError):
    """Another lead decided after the page was loaded; `present` is the current decision."""

    def __init__(self, present: Adjudication) -> None:
        fix = "review that decision, then decide again if necessary"
        super().__init__("another lead has decided this in the meantime", where="the decision", fix=fix)
        self.present = present


def adjudicate(
    store: Store, unit: str, answer: AnnotatorAnswer, *, by: str, version: int, request: str
) -> Adjudication:
    """Record a decision about a unit. `by` is the id of the lead, `version` the decision that was displayed,
    0 for none.

    Repeating a request returns the same decision and writes nothing; reusing its id with another answer or
    unit is an error.
    """
    table = schema.decisions
    check_request(request)
    with store.write() as connection:
        ((row, task),) = unit_rows(connection, [unit])
        check_answer(task, answer, where="the decision")
        if answer.rendering:
            system = read_targets(row.targets)[0].system
            require_places(connection, system, answer.rendering, where="the decision")
        done = connection.execute(
            select(table).where(table.c.person == by, table.c.request == request)
        ).one_or_none()
        earlier = decisions(connection, unit)
        if done is not None:
            if done.unit != unit or read_answer(done.content) != answer:
                raise reused_request()
            return next(decision for decision in earlier if decision.version == done.version)
        if earlier and earlier[0].version != version:
            raise StaleDecisionError(earlier[0])
        new: dict[str, str | int] = {"id": fresh_id(), "unit": unit, "person": by, "request": request}
        version = earlier[0].version + 1 if earlier else 1
        new |= {"version": version, "content": answer_json(answer), "at": now()}
        connection.execute(insert(table).values(new))
        decision = decisions(connection, unit)[0]  # read back for the name of the lead
        note(connection, actor=decision.by, action="adjudicated", detail={"unit": unit})
        return decision


def decisions(source: Store | Connection, *units: str) -> tuple[Adjudication, ...]:
    """All decisions about some units, or about all if none are given, latest first."""
    table, who = schema.decisions, schema.people
    query = select(table, who.c.name.label("by")).join(who)
    if units:
        query = query.where(table.c.unit.in_(units))
    with reading(source) as connection:
        rows = connection.execute(query.order_by(table.c.version.desc())).all()
    return tuple(from_row(Adjudication, row, answer=read_answer(row.content)) for row in rows)


def last_decisions(connection: Connection) -> dict[str, Adjudication]:
    """The current decision by unit."""
    return {decision.unit: decision for decision in reversed(decisions(connection))}
