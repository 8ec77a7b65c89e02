"""Answers from elsewhere: batches annotated offline, files of other tools, copies of the database.

They are matched by the ids of units and the names of people, never by row numbers. What is answered already
is never overwritten: another answer to the same question is a conflict, which is shown. All is written in one
transaction, or nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, func, insert, select

from anaphor.annotate import schema
from anaphor.annotate.answers import Change, apply_change
from anaphor.annotate.assigning import Assigned
from anaphor.annotate.audit import note_in
from anaphor.annotate.campaign import campaign_facts
from anaphor.annotate.content import answer_json, read_answer
from anaphor.annotate.drawn import content_id
from anaphor.annotate.filling import assignment_row
from anaphor.annotate.nouns import Answer, Role
from anaphor.annotate.people import insert_person
from anaphor.annotate.store import Store
from anaphor.annotate.targets import read_targets
from anaphor.core import InputError, Where


@dataclass(frozen=True, slots=True, kw_only=True)
class Incoming:
    """One answer of a file. `earlier` are answers, as JSON, that this one replaced where it comes from."""

    unit: str
    person: str
    answer: Answer
    where: Where
    earlier: frozenset[str] = frozenset()
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class MergeConflict:
    """Two answers of one person to one unit: the one that stays, and the one that was refused."""

    unit: str
    person: str
    present: Answer
    incoming: Answer
    where: Where


@dataclass(frozen=True, slots=True)
class MergeReport:
    """What became of all answers. `unknown` says of each answer without an assignment why it has none.

    `written` is False after a dry run, and where conflicts or unknown answers stopped everything.
    """

    added: int
    unchanged: int
    conflicts: tuple[MergeConflict, ...]
    unknown: tuple[str, ...]
    written: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeRules:
    """How far a merge may go. `skip` leaves out conflicts and unknown answers instead of stopping.

    `create` makes the annotators and assignments that are missing.
    """

    dry_run: bool = False
    skip: bool = False
    create: bool = False


@dataclass(frozen=True, slots=True)
class _Place:
    """An assignment with its present answer; version 0 and None before the first one.

    `history` are all answers that it ever had.
    """

    assignment: str
    person: str
    version: int
    content: str | None
    history: frozenset[str] = frozenset()


def merge(
    store: Store, incoming: Sequence[Incoming], *, by: str, kind: str, rules: MergeRules
) -> MergeReport:
    """Bring answers in; `by` is who does it, `kind` what the journal calls it."""
    _refuse_doubles(incoming)
    with store.write() as connection:
        places = _places(connection)
        known = set(connection.execute(select(schema.units.c.id)).scalars())
        plan = _Plan.of(incoming, places, known, create=rules.create)
        stopped = bool(plan.conflicts or plan.unknown) and not rules.skip
        written = not stopped and not rules.dry_run
        if written:
            places |= _created(connection, plan.new, places)
            for one in plan.new:
                _write(connection, one, places[one.unit, one.person], kind)
            detail = {"kind": kind, "answers": str(len(plan.new)), "conflicts": str(len(plan.conflicts))}
            note_in(connection, actor=by, action="answers merged", detail=detail)
    return MergeReport(len(plan.new), plan.unchanged, plan.conflicts, plan.unknown, written)


@dataclass(frozen=True, slots=True)
class _Plan:
    """The answers sorted by what becomes of them."""

    new: tuple[Incoming, ...]
    unchanged: int
    conflicts: tuple[MergeConflict, ...]
    unknown: tuple[str, ...]

    @classmethod
    def of(
        cls,
        incoming: Iterable[Incoming],
        places: Mapping[tuple[str, str], _Place],
        known: set[str],
        *,
        create: bool,
    ) -> _Plan:
        new, unchanged, conflicts, unknown = [], 0, [], []
        for one in incoming:
            place = places.get((one.unit, one.person))
            if place is None and not (create and one.unit in known):
                what = f"{one.person} has no such example" if one.unit in known else "no such example"
                unknown.append(f"{one.where}: {what}: {one.unit:.60}")
            elif place is None or _is_free(place, one):
                new.append(one)
            elif answer_json(one.answer) in place.history:
                unchanged += 1  # it is there, or was there and has been corrected since
            else:
                present = read_answer(place.content or "{}")
                conflicts.append(MergeConflict(one.unit, one.person, present, one.answer, one.where))
        return cls(tuple(new), unchanged, tuple(conflicts), tuple(unknown))


def _is_free(place: _Place, one: Incoming) -> bool:
    """Whether the answer overwrites nothing: there is none yet, or it was made from the present one."""
    if place.content is None or place.content == answer_json(Answer()):
        return place.content != answer_json(one.answer)
    return place.content in one.earlier and place.content != answer_json(one.answer)


def _refuse_doubles(incoming: Iterable[Incoming]) -> None:
    seen: dict[tuple[str, str], Incoming] = {}
    for one in incoming:
        first = seen.setdefault((one.unit, one.person), one)
        if first.answer != one.answer:
            raise InputError(
                f"{one.person} answers the same example twice, first at {first.where}",
                where=one.where,
                fix="keep one of the two",
            )


def _write(connection: Connection, one: Incoming, place: _Place, kind: str) -> None:
    content = answer_json(one.answer)
    request = content_id(kind, [place.assignment, str(place.version), content])
    change = Change(
        place.person, place.assignment, place.version, request, kind, one.seconds, where=str(one.where)
    )
    apply_change(connection, change, lambda _asked, _present: one.answer)


def _places(connection: Connection) -> dict[tuple[str, str], _Place]:
    """Every assignment by unit and name of the person."""
    given, who, answer = schema.assignments, schema.people, schema.answers
    query = (
        select(given.c.id, given.c.unit, given.c.person, who.c.name, answer.c.version, answer.c.content)
        .join(who, who.c.id == given.c.person)
        .outerjoin(answer, answer.c.assignment == given.c.id)
    )
    history: dict[str, set[str]] = {}
    table = schema.journal
    for assignment, content in connection.execute(select(table.c.assignment, table.c.content_after)):
        history.setdefault(assignment, set()).add(content)
    return {
        (row.unit, row.name): _Place(
            row.id, row.person, row.version or 0, row.content, frozenset(history.get(row.id, ()))
        )
        for row in connection.execute(query)
    }


def _created(
    connection: Connection, incoming: Sequence[Incoming], places: Mapping[tuple[str, str], _Place]
) -> dict[tuple[str, str], _Place]:
    """Assignments for answers that have none, with their people, behind all others."""
    table, who = schema.assignments, schema.people
    people = {row.name: row.id for row in connection.execute(select(who.c.name, who.c.id))}
    units = {row.id: row for row in connection.execute(select(schema.units))}
    batch_size = campaign_facts(connection).batch_size
    last: dict[str, int] = dict(
        connection.execute(select(table.c.person, func.max(table.c.place)).group_by(table.c.person)).all()
    )
    made: dict[tuple[str, str], _Place] = {}
    for one in incoming:
        key = one.unit, one.person
        if key in places or key in made:
            continue
        if one.person not in people:
            people[one.person] = insert_person(connection, one.person, Role.ANNOTATOR).id
        person = people[one.person]
        place = last[person] = last.get(person, 0) + 1
        row = _row(units[one.unit], person, place, batch_size)
        connection.execute(insert(table).values(row))
        made[key] = _Place(row["id"], person, 0, None)
    return made


def _row(unit: Any, person: str, place: int, batch_size: int) -> dict[str, Any]:
    shown = tuple(one.system for one in read_targets(unit.targets))
    assigned = Assigned(unit.id, (place - 1) // batch_size + 1, place, shown, overlap=True)
    return assignment_row(assigned, person, unit.category)
