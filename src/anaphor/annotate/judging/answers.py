"""Saving answers without losing, duplicating or silently overwriting any; and the journal of all changes.

Every save is one transaction and is acknowledged after its commit. It names the version that the person saw:
if the answer has changed since, the current one stays, the new one is stored as a conflict, and the person
chooses between them (`resolve_conflict`). A save also has a client-generated id, so a retry after a lost
acknowledgement finds its own entry.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from heapq import merge
from itertools import islice
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, Table, bindparam, func, insert, select, update

from anaphor.annotate.answer_json import answer_json, read_answer
from anaphor.annotate.campaign.facts import system_names
from anaphor.annotate.judging.assignments import Assignment, own_row, read_assignment, require_places
from anaphor.annotate.labels import Labels, labels_of
from anaphor.annotate.rules import check_answer, status_of
from anaphor.annotate.store import Store, schema
from anaphor.annotate.store.audit import fresh_id, now
from anaphor.annotate.store.database import ROWS_AT_ONCE, from_row, reading
from anaphor.annotate.types import (
    AnnotatorAnswer,
    ConflictingAnswer,
    JournalEntry,
    Mode,
    StoredAnswer,
)
from anaphor.core import InputError, MismatchError, OptionError, UnknownNameError

_DAY = 86400.0
SAVED = "saved"
"""What `resolve_conflict` keeps where the saved answer shall stay."""


class StaleAnswerError(MismatchError):
    """The answer has changed since it was displayed; `present` is the current one."""

    def __init__(self, present: StoredAnswer) -> None:
        what = "this answer was changed in another window or by an import"
        super().__init__(what, where="your answer", fix="compare both answers, then choose the right one")
        self.present = present


@dataclass(frozen=True, slots=True)
class Change:
    """A requested change: who changes which assignment, the version seen, and the client-generated id.

    `kind` is save, undo, import or merge; `where` identifies the answer in error messages.
    """

    person: str
    assignment: str
    version: int
    request: str
    kind: str
    seconds: float | None = None
    where: str = "your answer"


def _of_request(table: Table) -> Select[Any]:
    """The row that a person's request left in a table."""
    return select(table).where(table.c.person == bindparam("person"), table.c.request == bindparam("request"))


# Built once: building a query costs more than running it.
_CONFLICT, _ENTRY = _of_request(schema.conflicts), _of_request(schema.journal)
_ADD_ANSWER, _ADD_ENTRY = insert(schema.answers), insert(schema.journal).inline()
_SET_LABELS = (
    update(schema.assignments)
    .where(schema.assignments.c.id == bindparam("key"))
    .values({name: bindparam(name) for name in ("status", *Labels().columns())})
)


def save_answer(
    store: Store,
    person: str,
    assignment: str,
    answer: AnnotatorAnswer,
    *,
    version: int,
    request: str,
    seconds: float | None = None,
) -> StoredAnswer:
    """Save an answer and return it once it is durable; repeating the request changes nothing.

    If the answer has changed since `version`, the new one is stored as a conflict and `StaleAnswerError`
    raised.
    """
    change = Change(person, assignment, version, request, "save", _valid_seconds(seconds))
    table = schema.conflicts
    with store.write() as connection:
        met = connection.execute(_CONFLICT, {"person": person, "request": request}).one_or_none()
        if met is not None:  # a retry: the same conflict again, or none any more where it was resolved since
            if met.assignment != assignment or read_answer(met.content) != answer:
                raise reused_request()
            present = read_assignment(connection, person, assignment).stored
            if met.resolved is not None:
                return present
            raise StaleAnswerError(present)
        try:
            return apply_change(connection, change, answer)
        except StaleAnswerError as error:
            if answer == error.present.answer:
                return error.present  # both windows say the same
            row = {name: getattr(change, name) for name in ("assignment", "person", "request", "seconds")}
            row |= {"id": fresh_id(), "at": now(), "version": version, "content": answer_json(answer)}
            connection.execute(insert(table).values(row))
            stale = error
    raise stale  # after the commit: the answer that was refused is on disk


def open_conflicts(
    source: Store | Connection, person: str, assignment: str | None = None
) -> tuple[ConflictingAnswer, ...]:
    """A person's conflicting answers to one assignment or to all, oldest first."""
    table, given = schema.conflicts, schema.assignments
    query = select(table, given.c.place.label("position")).join(given)
    query = query.where(table.c.person == person, table.c.resolved.is_(None)).order_by(table.c.at)
    if assignment is not None:
        query = query.where(table.c.assignment == assignment)
    with reading(source) as connection:
        rows = connection.execute(query).all()
    return tuple(from_row(ConflictingAnswer, row, answer=read_answer(row.content)) for row in rows)


def resolve_conflict(
    store: Store, person: str, assignment: str, *, keep: str, version: int, request: str
) -> StoredAnswer:
    """Choose between conflicting answers: `keep` is `SAVED`, or the id of a `ConflictingAnswer`.

    The chosen one becomes the current answer, and all stay in the history. `version` is the saved answer that
    was seen; if it has changed again, nothing is resolved.
    """
    table = schema.conflicts
    with store.write() as connection:
        row = read_assignment(connection, person, assignment, lock=True)
        if keep == SAVED:
            stored = row.stored
            waiting = open_conflicts(connection, person, assignment)
            if waiting and stored.version != version:
                raise StaleAnswerError(stored)
        else:
            chosen = connection.execute(
                select(table).where(table.c.id == keep, table.c.assignment == assignment)
            ).one_or_none()
            if chosen is None:
                fix = "reload the page"
                raise UnknownNameError("this answer is not one of the two", where="your answer", fix=fix)
            if chosen.resolved is not None:
                return row.stored
            change = Change(person, assignment, version, request, "save", chosen.seconds)
            stored = apply_change(connection, change, read_answer(chosen.content))
        connection.execute(
            update(table)
            .where(table.c.assignment == assignment, table.c.resolved.is_(None))
            .values(resolved=now())
        )
    return stored


def undo(store: Store, person: str, assignment: str, *, version: int, request: str) -> StoredAnswer:
    """Restore the answer before the last change that was not undone, as a new version and journal entry."""
    with store.write() as connection:
        return apply_change(connection, Change(person, assignment, version, request, "undo"), None)


def apply_change(connection: Connection, change: Change, answer: AnnotatorAnswer | None) -> StoredAnswer:
    """Write an answer, or undo the last change if it is None.

    Nothing is written if this very request has been processed; a stale version is an error.
    """
    check_request(change.request)
    # Locked first: on PostgreSQL two requests could else both find the same version and both write.
    row = read_assignment(connection, change.person, change.assignment, lock=True)
    done = connection.execute(_ENTRY, {"person": change.person, "request": change.request}).one_or_none()
    if done is not None:
        saved = read_answer(done.content_after)
        # A retry whose acknowledgement was lost: it gets the same one, even if others wrote since.
        same = (done.assignment, done.kind) == (change.assignment, change.kind)
        if not same or (answer is not None and answer != saved):
            raise reused_request()
        status = status_of(row.task, saved)
        return replace(row.stored, version=done.version, answer=saved, status=status, saved=done.at)
    if change.version != row.stored.version:
        raise StaleAnswerError(row.stored)
    if answer is None:
        answer = _undone(connection, change.assignment)
    check_answer(row.task, answer, where=change.where)
    if answer.rendering:
        require_places(connection, row.targets[0].system, answer.rendering, where=change.where)
    return _write(connection, change, row, answer)


def _write(
    connection: Connection, change: Change, assignment: Assignment, answer: AnnotatorAnswer
) -> StoredAnswer:
    present = assignment.stored
    at, version, content = now(), present.version + 1, answer_json(answer)
    status = status_of(assignment.task, answer)
    answers, tags = schema.answers, schema.own_tags
    if version == 1:
        row = {"id": fresh_id(), "assignment": change.assignment, "seconds": change.seconds}
        connection.execute(_ADD_ANSWER, row | {"version": 1, "content": content, "saved": at})
    else:
        spent: ColumnElement[float | None] = answers.c.seconds
        if change.seconds is not None:
            # The first save may have come without a time, and NULL + seconds would stay NULL for ever.
            spent = func.coalesce(answers.c.seconds, 0.0) + change.seconds
        connection.execute(
            update(answers)
            .where(answers.c.assignment == change.assignment)
            .values(version=version, content=content, saved=at, seconds=spent)
        )
    names = system_names(connection) if assignment.task.mode is Mode.COMPARE else {}
    systems = [names.get(target.system, "") for target in assignment.targets]
    labels = labels_of(assignment.task.mode, answer, systems)
    key = {"key": change.assignment, "status": status.value}
    connection.execute(_SET_LABELS, key | labels.columns())
    same = ("assignment", "person", "request", "kind", "seconds")
    entry = {name: getattr(change, name) for name in same} | {"id": fresh_id(), "at": at, "version": version}
    before = None if present.version == 0 else answer_json(present.answer)
    entry |= {"content_before": before, "content_after": content}
    connection.execute(_ADD_ENTRY, entry)
    # The page offers a person's own tags again.
    for tag in set(answer.tags) - set(present.answer.tags):
        known = select(tags).where(tags.c.person == change.person, tags.c.tag == tag)
        if connection.execute(known).first() is None:
            connection.execute(insert(tags).values(person=change.person, tag=tag))
    return replace(present, version=version, answer=answer, status=status, saved=at)


def _undone(connection: Connection, assignment: str) -> AnnotatorAnswer:
    """The answer before the last change in effect; an undo cancels itself and the change it undid."""
    table = schema.journal
    query = select(table.c.kind, table.c.content_before).where(table.c.assignment == assignment)
    undone = 0
    for kind, before in connection.execute(query.order_by(table.c.seq.desc())):
        if kind == "undo":
            undone += 1
        elif undone:
            undone -= 1
        else:
            return AnnotatorAnswer() if before is None else read_answer(before)
    raise OptionError("there is nothing to undo", where="your answer", fix="answer first")


def reused_request() -> InputError:
    """The error for a request id used twice: acknowledging it would lose the second answer."""
    fix = "make a new id for each request"
    return InputError("the id of this request was already used for another one", where="request", fix=fix)


def check_request(request: str) -> None:
    """Reject invalid request ids."""
    if not 8 <= len(request) <= 100 or not request.isascii() or not request.isprintable():
        fix = "use 8 to 100 letters, digits and hyphens"
        raise InputError("invalid request id", where="request", fix=fix)


def _valid_seconds(seconds: float | None) -> float | None:
    """A time measured by the browser; impossible values are ignored, and long ones capped at a day."""
    if seconds is None or not math.isfinite(seconds) or seconds < 0:
        return None
    return min(seconds, _DAY)


def history(store: Store, person: str, assignment: str) -> tuple[JournalEntry, ...]:
    """All changes of an assignment, which must be this person's, newest first."""
    table = schema.assignments
    with store.read() as connection:
        own_row(connection, select(table.c.id).where(table.c.id == assignment, table.c.person == person))
        return journal(connection, assignment=assignment)


def journal(
    source: Store | Connection,
    *,
    assignment: str | None = None,
    person: str | None = None,
    limit: int | None = None,
) -> tuple[JournalEntry, ...]:
    """The changes of one assignment, of one person or of all, with conflicting answers, newest first."""
    with reading(source) as connection:
        entries = journal_entries(
            connection, newest_first=True, assignment=assignment, person=person, limit=limit
        )
        return tuple(entries)


def journal_entries(
    connection: Connection,
    *,
    newest_first: bool = False,
    assignment: str | None = None,
    person: str | None = None,
    limit: int | None = None,
) -> Iterator[JournalEntry]:
    """The same, read lazily; oldest first by default."""
    table, conflict, people = schema.journal, schema.conflicts, schema.people
    changes, met = (
        select(source_table, people.c.name.label("by")).join(people) for source_table in (table, conflict)
    )
    changes = changes.order_by(table.c.seq.desc() if newest_first else table.c.seq).limit(limit)
    met = met.order_by(conflict.c.at.desc() if newest_first else conflict.c.at).limit(limit)
    if assignment is not None:
        changes = changes.where(table.c.assignment == assignment)
        met = met.where(conflict.c.assignment == assignment)
    if person is not None:
        changes = changes.where(table.c.person == person)
        met = met.where(conflict.c.person == person)
    conflicts = [
        from_row(JournalEntry, row, kind="conflict", before=None, after=read_answer(row.content))
        for row in connection.execute(met)
    ]
    entries = (
        from_row(
            JournalEntry,
            row,
            before=None if row.content_before is None else read_answer(row.content_before),
            after=read_answer(row.content_after),
        )
        for row in connection.execute(changes.execution_options(yield_per=ROWS_AT_ONCE))
    )
    # Conflicts are few, and changes are in the order in which they were made, whatever the clock said.
    return islice(merge(entries, conflicts, key=lambda entry: entry.at, reverse=newest_first), limit)
