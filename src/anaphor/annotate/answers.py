"""Saving answers so that none is lost, doubled or overwritten unseen.

Every save is one transaction and acknowledged after its commit. It names the version that the person saw: if
the answer changed since, nothing is written and the present answer comes back with the error. It also brings
an id that the client made: a retry after a lost acknowledgement finds its own entry in the journal.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, insert, select, update

from anaphor.annotate import schema
from anaphor.annotate.asked import AskedRow, read_asked
from anaphor.annotate.assignments import Progress, next_in, place_of, progress_in
from anaphor.annotate.clock import fresh_id, now
from anaphor.annotate.content import answer_json, read_answer
from anaphor.annotate.nouns import Answer, Status, Stored
from anaphor.annotate.rules import check_answer, status_of
from anaphor.annotate.store import Store
from anaphor.core import InputError, MismatchError, OptionError

_REQUEST = range(8, 101)
_DAY = 86400.0


class StaleAnswerError(MismatchError):
    """The answer changed since it was shown; `present` is what it is now."""

    def __init__(self, present: Stored) -> None:
        super().__init__(
            "this answer was changed in another window or by an import",
            where="your answer",
            fix="compare both answers, then save the one that is right",
        )
        self.present = present


@dataclass(frozen=True, slots=True)
class Saved:
    """A saved answer, the assignment that follows (None behind the last one), and how far the person is."""

    stored: Stored
    next: str | None
    progress: Progress


@dataclass(frozen=True, slots=True)
class Change:
    """A change that is asked for: by whom, of what, seen as which version, under which id of the client.

    `where` is what messages call the answer.
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
    answer: Answer,
    *,
    version: int,
    request: str,
    seconds: float | None = None,
) -> Stored:
    """Store an answer and return it after it is durable; the same request again changes nothing."""
    change = Change(person, assignment, version, request, "save", _checked_seconds(seconds))
    with store.write() as connection:
        return apply_change(connection, change, lambda _asked, _present: answer)


def save_and_next(
    store: Store,
    person: str,
    assignment: str,
    answer: Answer,
    *,
    version: int,
    request: str,
    seconds: float | None = None,
) -> Saved:
    """The same, with what a page needs to go on, all in one transaction."""
    change = Change(person, assignment, version, request, "save", _checked_seconds(seconds))
    with store.write() as connection:
        stored = apply_change(connection, change, lambda _asked, _present: answer)
        place = place_of(connection, person, assignment)
        return Saved(stored, next_in(connection, person, place=place), progress_in(connection, person))


def undo(store: Store, person: str, assignment: str, *, version: int, request: str) -> Stored:
    """Back to the answer before the last change that was not undone, as a new version and journal entry."""
    change = Change(person, assignment, version, request, "undo")
    with store.write() as connection:
        return apply_change(connection, change, lambda _asked, _present: _earlier(connection, assignment))


def apply_change(
    connection: Connection, change: Change, make: Callable[[AskedRow, Stored], Answer]
) -> Stored:
    """Write what `make` says, unless this very request is done already or the version has moved on."""
    check_request(change.request)
    asked = read_asked(connection, change.person, change.assignment, lock=True)
    present = stored_in(connection, asked)
    done = _done_before(connection, change)
    if done is None and change.version != present.version:
        raise StaleAnswerError(present)
    if done is not None and change.kind == "undo":
        return done
    answer = make(asked, present)
    if done is None:
        check_answer(asked.asked, answer, where=change.where)
        return _write(connection, change, asked, present, answer)
    if answer != done.answer:
        raise _used_request()
    return done


def stored_in(connection: Connection, asked: AskedRow) -> Stored:
    """The present answer of an assignment."""
    table = schema.answers
    row = connection.execute(select(table).where(table.c.assignment == asked.assignment)).one_or_none()
    if row is None:
        return Stored(asked.assignment, 0, Answer(), Status.NEW, None)
    return Stored(asked.assignment, row.version, read_answer(row.content), asked.status, row.saved)


def _done_before(connection: Connection, change: Change) -> Stored | None:
    table = schema.journal
    row = connection.execute(
        select(table).where(table.c.person == change.person, table.c.request == change.request)
    ).one_or_none()
    if row is None:
        return None
    if row.assignment != change.assignment or row.kind != change.kind:
        raise _used_request()
    answer = read_answer(row.content_after)
    asked = read_asked(connection, change.person, change.assignment)
    return Stored(change.assignment, row.version, answer, status_of(asked.asked, answer), row.at)


def _write(
    connection: Connection, change: Change, asked: AskedRow, present: Stored, answer: Answer
) -> Stored:
    at, version, content = now(), present.version + 1, answer_json(answer)
    status = status_of(asked.asked, answer)
    _put(connection, asked.assignment, version, content, at, change.seconds)
    connection.execute(
        update(schema.assignments)
        .where(schema.assignments.c.id == asked.assignment)
        .values(status=status.value)
    )
    connection.execute(
        insert(schema.journal).values(
            id=fresh_id(),
            assignment=asked.assignment,
            person=change.person,
            request=change.request,
            at=at,
            kind=change.kind,
            version=version,
            content_before=None if present.version == 0 else answer_json(present.answer),
            content_after=content,
            seconds=change.seconds,
        )
    )
    _keep_tags(connection, change.person, [tag for tag in answer.tags if tag not in present.answer.tags])
    return Stored(asked.assignment, version, answer, status, at)


def _put(
    connection: Connection, assignment: str, version: int, content: str, at: str, seconds: float | None
) -> None:
    table = schema.answers
    values: dict[str, Any] = {"version": version, "content": content, "saved": at}
    if version == 1:
        values |= {"id": fresh_id(), "assignment": assignment, "seconds": seconds}
        connection.execute(insert(table).values(values))
        return
    if seconds is not None:
        values["seconds"] = table.c.seconds + seconds
    connection.execute(update(table).where(table.c.assignment == assignment).values(values))


def _keep_tags(connection: Connection, person: str, tags: list[str]) -> None:
    """Remember the tags of a person, which the page offers again."""
    table = schema.own_tags
    for tag in tags:
        known = connection.execute(select(table).where(table.c.person == person, table.c.tag == tag)).first()
        if known is None:
            connection.execute(insert(table).values(person=person, tag=tag))


def _earlier(connection: Connection, assignment: str) -> Answer:
    """The answer before the last change that stands: an undo takes back itself and the change it undid."""
    table = schema.journal
    query = select(table.c.kind, table.c.content_before).where(table.c.assignment == assignment)
    taken_back = 0
    for kind, before in connection.execute(query.order_by(table.c.seq.desc())):
        if kind == "undo":
            taken_back += 1
        elif taken_back:
            taken_back -= 1
        else:
            return Answer() if before is None else read_answer(before)
    raise OptionError("there is nothing to undo", where="your answer", fix="answer first")


def _used_request() -> InputError:
    """To acknowledge it would lose the second answer."""
    return InputError(
        "the id of this request was used for another one", where="request", fix="make a new id for each"
    )


def check_request(request: str) -> None:
    """Refuse what cannot be the id of a request."""
    if len(request) not in _REQUEST or not request.isascii() or not request.isprintable():
        raise InputError(
            "not an id of a request", where="request", fix="give 8 to 100 letters, digits and hyphens"
        )


def _checked_seconds(seconds: float | None) -> float | None:
    """Time as a browser measured it; what cannot be is not believed."""
    if seconds is None or not math.isfinite(seconds) or seconds < 0:
        return None
    return min(seconds, _DAY)
