"""Merging answers from elsewhere: offline copies of the database, and files of third-party tools.

Answers are matched by the ids of units and the names of people, never by row numbers. An existing answer is
never overwritten: another answer to the same question is a conflict, which is shown. All files of a merge are
written in one transaction, or none.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, func, insert, select

from anaphor.annotate.answer_json import answer_content, answer_json, read_answer
from anaphor.annotate.campaign.facts import campaign_facts
from anaphor.annotate.campaign.people import insert_person
from anaphor.annotate.campaign.pool import content_id
from anaphor.annotate.campaign.workload import PlannedAssignment, assignment_row
from anaphor.annotate.judging.answers import Change, apply_change
from anaphor.annotate.store import Store, open_store, schema
from anaphor.annotate.store.audit import note_in
from anaphor.annotate.types import AnnotatorAnswer, PersonRole, read_targets
from anaphor.core import InputError, MismatchError, Where
from anaphor.core.table import Block, Paragraph

_EMPTY = answer_json(AnnotatorAnswer())


@dataclass(frozen=True, slots=True, kw_only=True)
class IncomingAnswer:
    """One answer of a file. `earlier` are the answers, as JSON, that it replaced where it comes from."""

    unit: str
    person: str
    answer: AnnotatorAnswer
    where: Where
    earlier: frozenset[str] = frozenset()
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class MergeConflict:
    """Two answers of one person to one unit: the existing one, which stays, and the incoming one."""

    unit: str
    person: str
    present: AnnotatorAnswer
    incoming: AnnotatorAnswer
    where: Where

    def to_dict(self) -> dict[str, Any]:
        return {
            "unit": self.unit,
            "annotator": self.person,
            "where": str(self.where),
            "here": answer_content(self.present),
            "there": answer_content(self.incoming),
        }

    def lines(self) -> list[str]:
        """The conflict for people; of the answers what is not empty."""
        here, there = (
            json.dumps(
                {k: v for k, v in answer_content(one).items() if v not in ("", "unset", [])},
                ensure_ascii=False,
            )
            for one in (self.present, self.incoming)
        )
        return [
            f"conflict: {self.person}, example {self.unit} ({self.where})",
            f"  here:  {here}",
            f"  there: {there}",
        ]


@dataclass(frozen=True, slots=True)
class MergeReport:
    """What became of all answers of a file. `unknown` says why an answer has no assignment.

    `written` is False after a dry run, and where conflicts or unknown answers of any file stopped the merge.
    """

    added: int
    unchanged: int
    conflicts: tuple[MergeConflict, ...]
    unknown: tuple[str, ...]
    written: bool
    title: str = ""

    def to_dict(self) -> dict[str, Any]:
        return {
            **({"file": self.title} if self.title else {}),
            "added": self.added,
            "known": self.unchanged,
            "written": self.written,
            "unknown": list(self.unknown),
            "conflicts": [one.to_dict() for one in self.conflicts],
        }

    def tables(self) -> Sequence[Block]:
        return [Paragraph(self.lines())]

    def lines(self) -> list[str]:
        head = f"{self.title}: " if self.title else ""
        state = "written" if self.written else "nothing written"
        lines = [f"{head}{self.added} new answers, {self.unchanged} known, {state}"]
        lines += [f"no place: {one}" for one in self.unknown]
        return lines + [line for one in self.conflicts for line in one.lines()]


@dataclass(frozen=True, slots=True)
class MergedCopies:
    """The reports of several copies, merged together or not at all."""

    reports: tuple[MergeReport, ...]

    @property
    def written(self) -> bool:
        return all(one.written for one in self.reports)

    def to_dict(self) -> dict[str, Any] | list[Any]:
        """One object for a single copy, a list of them for several."""
        found = [one.to_dict() for one in self.reports]
        return found[0] if len(found) == 1 else found

    def tables(self) -> Sequence[Block]:
        return [Paragraph([line for one in self.reports for line in one.lines()])]


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeRules:
    """How far a merge may go. `skip` leaves out conflicts and unknown answers instead of stopping.

    `create` makes missing annotators and assignments.
    """

    dry_run: bool = False
    skip: bool = False
    create: bool = False


@dataclass(frozen=True, slots=True)
class _Place:
    """An assignment with its current answer (version 0 and None before the first), and all it ever had."""

    assignment: str
    person: str
    version: int = 0
    content: str | None = None
    history: frozenset[str] = frozenset()

    def is_free_for(self, one: IncomingAnswer) -> bool:
        """Whether the answer overwrites nothing: there is none yet, or it was made from the current one."""
        content = answer_json(one.answer)
        if self.content is None or self.content == _EMPTY:
            return self.content != content
        return self.content in one.earlier and self.content != content

    def after(self, answer: AnnotatorAnswer) -> _Place:
        content = answer_json(answer)
        return replace(self, version=self.version + 1, content=content, history=self.history | {content})


_Places = dict[tuple[str, str], _Place]


def merge(
    store: Store, incoming: Sequence[IncomingAnswer], *, by: str, kind: str, rules: MergeRules
) -> MergeReport:
    """Merge the answers of one file; `by` is the actor, `kind` what the journal calls it."""
    return merge_files(store, [("", incoming)], by=by, kind=kind, rules=rules)[0]


def merge_copies(store: Store, copies: Sequence[str | Path], *, by: str, rules: MergeRules) -> MergedCopies:
    """Merge offline copies of the database, all or none."""
    answers = []
    for path in copies:
        with open_store(path) as copy:
            answers.append((str(path), copy_answers(store, copy)))
    return MergedCopies(merge_files(store, answers, by=by, kind="merge", rules=rules))


def merge_files(
    store: Store,
    files: Sequence[tuple[str, Sequence[IncomingAnswer]]],
    *,
    by: str,
    kind: str,
    rules: MergeRules,
) -> tuple[MergeReport, ...]:
    """Merge the answers of several files with titles, in one transaction; one report per file.

    A later file meets the answers of the earlier ones, so that two files can be in conflict with each other.
    """
    for _, incoming in files:
        seen: dict[tuple[str, str], IncomingAnswer] = {}
        for one in incoming:
            first = seen.setdefault((one.unit, one.person), one)
            if first.answer != one.answer:
                raise InputError(
                    f"{one.person} answers the same example twice, first at {first.where}",
                    where=one.where,
                    fix="keep one of the two",
                )
    with store.write() as connection:
        places = _places(connection)
        known = set(connection.execute(select(schema.units.c.id)).scalars())
        planned = dict(places)
        plans = [_plan(incoming, planned, known, create=rules.create) for _, incoming in files]
        stopped = any(plan.conflicts or plan.unknown for plan in plans) and not rules.skip
        written = not stopped and not rules.dry_run
        if written:
            for plan in plans:
                _create_missing(connection, plan.new, places)
                for one in plan.new:
                    place = places[one.unit, one.person]
                    # Made from content, so that the same merge again is recognized as the same request.
                    request = content_id(
                        kind, [place.assignment, str(place.version), answer_json(one.answer)]
                    )
                    change = Change(
                        place.person,
                        place.assignment,
                        place.version,
                        request,
                        kind,
                        one.seconds,
                        where=str(one.where),
                    )
                    apply_change(connection, change, one.answer)
                    places[one.unit, one.person] = place.after(one.answer)
                detail = {
                    "kind": kind,
                    "answers": str(len(plan.new)),
                    "conflicts": str(len(plan.conflicts)),
                }
                note_in(connection, actor=by, action="answers merged", detail=detail)
    return tuple(
        MergeReport(len(plan.new), plan.unchanged, tuple(plan.conflicts), tuple(plan.unknown), written, title)
        for (title, _), plan in zip(files, plans, strict=True)
    )


@dataclass(slots=True)
class _Plan:
    """The answers of a file, sorted by what becomes of them."""

    new: list[IncomingAnswer]
    unchanged: int
    conflicts: list[MergeConflict]
    unknown: list[str]


def _plan(incoming: Iterable[IncomingAnswer], places: _Places, known: set[str], *, create: bool) -> _Plan:
    """What to do with every answer; `places` are changed to what they will be."""
    plan = _Plan([], 0, [], [])
    for one in incoming:
        key = one.unit, one.person
        place = places.get(key)
        if place is None and not (create and one.unit in known):
            what = f"{one.person} has no such example" if one.unit in known else "no such example"
            plan.unknown.append(f"{one.where}: {what}: {one.unit:.60}")
        elif place is None or place.is_free_for(one):
            plan.new.append(one)
            places[key] = (place or _Place("", "")).after(one.answer)
        elif answer_json(one.answer) in place.history:
            plan.unchanged += 1  # it is there, or was there and has been corrected since
        else:
            present = read_answer(place.content or "{}")
            plan.conflicts.append(MergeConflict(one.unit, one.person, present, one.answer, one.where))
    return plan


def _places(connection: Connection) -> _Places:
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


def _create_missing(connection: Connection, answers: Sequence[IncomingAnswer], places: _Places) -> None:
    """Add assignments for answers that have none, and their annotators, after all others."""
    missing = [key for one in answers if (key := (one.unit, one.person)) not in places]
    if not missing:
        return
    table, who = schema.assignments, schema.people
    people = {row.name: row.id for row in connection.execute(select(who.c.name, who.c.id))}
    units = {row.id: row for row in connection.execute(select(schema.units))}
    batch_size = campaign_facts(connection).batch_size
    last: dict[str, int] = dict(
        connection.execute(select(table.c.person, func.max(table.c.place)).group_by(table.c.person)).all()
    )
    for key in dict.fromkeys(missing):
        unit, name = units[key[0]], key[1]
        if name not in people:
            people[name] = insert_person(connection, name, PersonRole.ANNOTATOR).id
        person = people[name]
        place = last[person] = last.get(person, 0) + 1
        shown = tuple(one.system for one in read_targets(unit.targets))
        batch = (place - 1) // batch_size + 1
        row = assignment_row(
            PlannedAssignment(unit.id, batch, place, shown, overlap=True), person, unit.category
        )
        connection.execute(insert(table).values(row))
        places[key] = _Place(row["id"], person)


def copy_answers(store: Store, copy: Store) -> list[IncomingAnswer]:
    """The answers of a copy of the same campaign. Its journal tells which answers each of them replaced.

    An answer that was corrected offline thus follows the one it was made from; two that were changed
    independently are a conflict.
    """
    given, who, answer = schema.assignments, schema.people, schema.answers
    query = (
        select(given.c.id, given.c.unit, who.c.name, answer.c.content, answer.c.seconds)
        .join(who, who.c.id == given.c.person)
        .join(answer, answer.c.assignment == given.c.id)
        .order_by(who.c.name, given.c.place)
    )
    with store.read() as here, copy.read() as there:
        if campaign_facts(here).id != campaign_facts(there).id:
            raise MismatchError(
                "the file is a copy of another campaign",
                where=copy.address,
                fix="merge copies of the same database; use `import` for answers from other tools",
            )
        earlier: dict[str, set[str]] = {}
        table = schema.journal
        for assignment, before in there.execute(select(table.c.assignment, table.c.content_before)):
            if before is not None:
                earlier.setdefault(assignment, set()).add(before)
        return [
            IncomingAnswer(
                unit=row.unit,
                person=row.name,
                answer=read_answer(row.content),
                where=Where(f"{copy.address} [{row.id}]"),
                earlier=frozenset(earlier.get(row.id, ())),
                seconds=row.seconds,
            )
            for row in there.execute(query)
        ]
