"""Saving answers so that none is lost, duplicated or silently overwritten; and the journal of all changes.

Every save is one transaction and is acknowledged after its commit. It names the version that the person saw:
if the answer has changed since, nothing is written and the current answer comes back with the error. It also
has an id made by the client, so that a retry after a lost acknowledgement finds its own entry in the journal.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from sqlalchemy import ColumnElement, Connection, func, insert, select, update

from anaphor.annotate.answer_json import answer_json, read_answer
from anaphor.annotate.judging.assignments import Assignment, own_row, read_assignment
from anaphor.annotate.rules import check_answer, status_of
from anaphor.annotate.store import Store, schema
from anaphor.annotate.store.audit import fresh_id, now
from anaphor.annotate.store.database import from_row, reading
from anaphor.annotate.types import AnnotatorAnswer, JournalEntry, Status, StoredAnswer
from anaphor.core import InputError, MismatchError, OptionError

_DAY = 86400.0


class StaleAnswerError(MismatchError):
    """The answer has changed since it was shown; `present` is the current one."""

    def __init__(self, present: StoredAnswer) -> None:
        what = "this answer was changed in another window or by an import"
        super().__init__(what, where="your answer", fix="compare both answers, then save the right one")
        self.present = present


@dataclass(frozen=True, slots=True)
class Change:
    """A requested change: who changes which assignment, the version seen, and the id made by the client.

    `kind` is save, undo, import or merge; `where` is what error messages call the answer.
    """

    person: str
    assignment: str
    version: int
    request: str
    kind: str
    seconds: float | None = None
    where: str = "your answer"


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
    """Save an answer and return it once it is durable; the same request again changes nothing."""
    change = Change(person, assignment, version, request, "save", _valid_seconds(seconds))
    with store.write() as connection:
        return apply_change(connection, change, answer)


def undo(store: Store, person: str, assignment: str, *, version: int, request: str) -> StoredAnswer:
    """Restore the answer before the last change not yet undone, as a new version and journal entry."""
    with store.write() as connection:
        return apply_change(connection, Change(person, assignment, version, request, "undo"), None)


def apply_change(connection: Connection, change: Change, answer: AnnotatorAnswer | None) -> StoredAnswer:
    """Write an answer, or undo the last change where it is None.

    Nothing is written if this very request is done already; a stale version is an error.
    """
    check_request(change.request)
    # Locked first: on PostgreSQL two requests could else both find the same version and both write.
    row = read_assignment(connection, change.person, change.assignment, lock=True)
    table = schema.journal
    done = connection.execute(
        select(table).where(table.c.person == change.person, table.c.request == change.request)
    ).one_or_none()
    if done is not None:
        saved = read_answer(done.content_after)
        # A retry whose acknowledgement was lost: it gets the same one, even if others wrote since.
        same = (done.assignment, done.kind) == (change.assignment, change.kind)
        if not same or (answer is not None and answer != saved):
            raise reused_request()
        return StoredAnswer(change.assignment, done.version, saved, status_of(row.task, saved), done.at)
    present = stored_in(connection, row)
    if change.version != present.version:
        raise StaleAnswerError(present)
    if answer is None:
        answer = _undone(connection, change.assignment)
    check_answer(row.task, answer, where=change.where)
    return _write(connection, change, row, present, answer)


def stored_in(connection: Connection, assignment: Assignment) -> StoredAnswer:
    """The current answer of an assignment."""
    key, table = assignment.id, schema.answers
    row = connection.execute(select(table).where(table.c.assignment == key)).one_or_none()
    if row is None:
        return StoredAnswer(key, 0, AnnotatorAnswer(), Status.NEW, None)
    return StoredAnswer(key, row.version, read_answer(row.content), assignment.status, row.saved)


def _write(
    connection: Connection,
    change: Change,
    assignment: Assignment,
    present: StoredAnswer,
    answer: AnnotatorAnswer,
) -> StoredAnswer:
    at, version, content = now(), present.version + 1, answer_json(answer)
    status = status_of(assignment.task, answer)
    answers, tags = schema.answers, schema.own_tags
    if version == 1:
        row = {"id": fresh_id(), "assignment": change.assignment, "seconds": change.seconds}
        connection.execute(insert(answers).values(row | {"version": 1, "content": content, "saved": at}))
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
    connection.execute(
        update(schema.assignments)
        .where(schema.assignments.c.id == change.assignment)
        .values(status=status.value)
    )
    names = ("assignment", "person", "request", "kind", "seconds")
    entry = {name: getattr(change, name) for name in names} | {"id": fresh_id(), "at": at, "version": version}
    before = None if present.version == 0 else answer_json(present.answer)
    entry |= {"content_before": before, "content_after": content}
    connection.execute(insert(schema.journal).values(entry))
    # The page offers a person's own tags again.
    for tag in set(answer.tags) - set(present.answer.tags):
        known = select(tags).where(tags.c.person == change.person, tags.c.tag == tag)
        if connection.execute(known).first() is None:
            connection.execute(insert(tags).values(person=change.person, tag=tag))
    return StoredAnswer(change.assignment, version, answer, status, at)


def _undone(connection: Connection, assignment: str) -> AnnotatorAnswer:
    """The answer before the last change that stands: an undo cancels itself and the change it undid."""
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
    """Refuse what cannot be the id of a request."""
    if not 8 <= len(request) <= 100 or not request.isascii() or not request.isprintable():
        fix = "give 8 to 100 letters, digits and hyphens"
        raise InputError("invalid request id", where="request", fix=fix)


def _valid_seconds(seconds: float | None) -> float | None:
    """A time measured by the browser; impossible values are ignored, and long ones cut to a day."""
    if seconds is None or not math.isfinite(seconds) or seconds < 0:
        return None
    return min(seconds, _DAY)


def history(store: Store, person: str, assignment: str) -> tuple[JournalEntry, ...]:
    """All changes of an assignment, which must be this person's, the newest first."""
    table = schema.assignments
    with store.read() as connection:
        own_row(connection, select(table.c.id).where(table.c.id == assignment, table.c.person == person))
        return journal(connection, assignment=assignment)


def journal(
    source: Store | Connection, *, assignment: str | None = None, limit: int | None = None
) -> tuple[JournalEntry, ...]:
    """The changes of one assignment, or of all, the newest first."""
    table, people = schema.journal, schema.people
    query = select(table, people.c.name.label("by")).join(people)
    if assignment is not None:
        query = query.where(table.c.assignment == assignment)
    with reading(source) as connection:
        rows = connection.execute(query.order_by(table.c.seq.desc()).limit(limit)).all()
    return tuple(
        from_row(
            JournalEntry,
            row,
            before=None if row.content_before is None else read_answer(row.content_before),
            after=read_answer(row.content_after),
        )
        for row in rows
    )
