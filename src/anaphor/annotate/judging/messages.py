"""Questions of annotators about an item, replies of leads, and the lead's inbox, which also lists remarks.

A question is not part of an answer: it is neither exported nor counted.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from sqlalchemy import Connection, bindparam, exists, func, insert, select, update

from anaphor.annotate.answer_json import read_answer
from anaphor.annotate.judging.answers import check_request, reused_request
from anaphor.annotate.judging.assignments import own_row
from anaphor.annotate.store import Store, schema
from anaphor.annotate.store.audit import fresh_id, now
from anaphor.annotate.store.database import reading
from anaphor.annotate.types import MAX_REMARK, PersonRole
from anaphor.core import InputError, UnknownNameError

QUESTION, REMARK = "question", "remark"
"""The kinds of entries of an inbox."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message of the conversation about an assignment; `at` is a UTC time in ISO 8601."""

    by: str
    at: str
    text: str
    from_lead: bool


class UnreadReply(NamedTuple):
    """A conversation with a reply that its annotator has not seen; `position` is the number of the item."""

    assignment: str
    position: int


@dataclass(frozen=True, slots=True, kw_only=True)
class InboxEntry:
    """An annotator's question or remark about an item; `is_open` marks a question without a reply.

    `messages` is the whole conversation, or the remark alone.
    """

    kind: str
    assignment: str
    unit: str
    item: str
    category: str
    person: str
    at: str
    is_open: bool
    messages: tuple[Message, ...]


def ask_lead(store: Store, person: str, assignment: str, text: str, *, request: str) -> None:
    """Add an annotator's question about their own assignment; repeating the request changes nothing."""
    table = schema.assignments
    with store.write() as connection:
        own_row(connection, select(table.c.id).where(table.c.id == assignment, table.c.person == person))
        _write(connection, person, assignment, text, request)


def reply(store: Store, lead: str, assignment: str, text: str, *, request: str) -> None:
    """Add a lead's reply, which the annotator sees on the item."""
    table = schema.assignments
    with store.write() as connection:
        if connection.execute(select(table.c.id).where(table.c.id == assignment)).first() is None:
            raise UnknownNameError("unknown assignment", where="your reply", fix="go back to the inbox")
        _write(connection, lead, assignment, text, request)


def _write(connection: Connection, person: str, assignment: str, text: str, request: str) -> None:
    check_request(request)
    content = text.strip().replace("\r\n", "\n")
    if (
        not content
        or len(content) > MAX_REMARK
        or any(character == "\0" or "\ud800" <= character <= "\udfff" for character in content)
    ):
        fix = f"write up to {MAX_REMARK} characters"
        raise InputError("the message is empty or cannot be stored", where="your message", fix=fix)
    table = schema.messages
    done = connection.execute(
        select(table).where(table.c.person == person, table.c.request == request)
    ).one_or_none()
    if done is not None:
        if (done.assignment, done.content) != (assignment, content):
            raise reused_request()
        return
    row = {"id": fresh_id(), "assignment": assignment, "person": person, "request": request}
    connection.execute(insert(table).values(row | {"at": now(), "content": content}))


def conversation(source: Store | Connection, assignment: str) -> tuple[Message, ...]:
    """The messages about an assignment, oldest first."""
    with reading(source) as connection:
        return tuple(_messages(connection, [assignment]).get(assignment, ()))


def unread_replies(source: Store | Connection, person: str) -> tuple[UnreadReply, ...]:
    """Conversations of a person in which a lead has written last, and which they have not seen since."""
    with reading(source) as connection:
        rows = connection.execute(_UNREAD, {"person": person, "role": PersonRole.LEAD.value})
        return tuple(UnreadReply(row.assignment, row.position) for row in rows)


def mark_read(store: Store, person: str, assignment: str) -> None:
    """Note that a person has seen the whole conversation about their assignment."""
    table, given, seen = schema.messages, schema.assignments, schema.seen
    last = select(func.max(table.c.seq)).join(given).where(given.c.id == assignment, given.c.person == person)
    with store.write() as connection:
        message = connection.execute(last).scalar()
        if message is None:
            return
        done = connection.execute(
            update(seen).where(seen.c.assignment == assignment).values(message=message)
        ).rowcount
        if not done:
            connection.execute(insert(seen).values(assignment=assignment, message=message))


def open_questions(source: Store | Connection) -> int:
    """The number of conversations whose last message is an annotator's."""
    last, table, who = _last_messages(), schema.messages, schema.people
    query = select(func.count()).select_from(table.join(last, table.c.seq == last.c.seq).join(who))
    with reading(source) as connection:
        return int(connection.execute(query.where(who.c.role != PersonRole.LEAD.value)).scalar_one())


def inbox(
    store: Store, *, kind: str = "", person: str | None = None, start: int = 0, limit: int = 30
) -> tuple[InboxEntry, ...]:
    """Questions and remarks, or only one of them: unanswered questions first, then newest first.

    With `person`, the id of an annotator, only theirs.
    """
    with store.read() as connection:
        entries = [] if kind == REMARK else _questions(connection, person, start + limit)
        entries += [] if kind == QUESTION else _remarks(connection, person, start + limit)
        ordered = sorted(entries, key=lambda entry: (entry.is_open, entry.at), reverse=True)[
            start : start + limit
        ]
        talks = _messages(connection, [entry.assignment for entry in ordered if entry.kind == QUESTION])
    return tuple(
        replace(entry, messages=tuple(talks[entry.assignment])) if entry.kind == QUESTION else entry
        for entry in ordered
    )


def _last_messages() -> Any:
    table = schema.messages
    return select(func.max(table.c.seq).label("seq")).group_by(table.c.assignment).subquery()


def _unread() -> Any:
    table, given, seen, who = schema.messages, schema.assignments, schema.seen, schema.people
    # Asked after every answer, so it starts from the annotator's assignments and reads no whole table.
    later = table.alias("later")
    is_last = ~exists().where(later.c.assignment == given.c.id, later.c.seq > table.c.seq)
    return (
        select(given.c.id.label("assignment"), given.c.place.label("position"))
        .select_from(
            given.join(table, table.c.assignment == given.c.id)
            .join(who, who.c.id == table.c.person)
            .outerjoin(seen, seen.c.assignment == given.c.id)
        )
        .where(given.c.person == bindparam("person"), who.c.role == bindparam("role"), is_last)
        .where(seen.c.message.is_(None) | (seen.c.message < table.c.seq))
        .order_by(given.c.place)
    )


_UNREAD = _unread()


def _about() -> tuple[Any, ...]:
    given, unit, item, who = schema.assignments, schema.units, schema.items, schema.people
    return (
        given.c.id.label("assignment"),
        unit.c.id.label("unit"),
        item.c.suite_item,
        unit.c.category,
        who.c.name,
    )


def _questions(connection: Connection, person: str | None, limit: int) -> list[InboxEntry]:
    given, unit, item, who = schema.assignments, schema.units, schema.items, schema.people
    table, last, author = schema.messages, _last_messages(), schema.people.alias("author")
    query = (
        select(*_about(), table.c.at, author.c.role)
        .select_from(
            table.join(last, table.c.seq == last.c.seq)
            .join(author, author.c.id == table.c.person)
            .join(given, given.c.id == table.c.assignment)
            .join(unit, unit.c.id == given.c.unit)
            .join(item, item.c.id == unit.c.item)
            .join(who, who.c.id == given.c.person)
        )
        .order_by(author.c.role, table.c.seq.desc())  # annotators, whose questions are open, come first
        .limit(limit)
    )
    if person is not None:
        query = query.where(given.c.person == person)
    return [
        _entry(QUESTION, row, row.at, is_open=row.role != PersonRole.LEAD.value)
        for row in connection.execute(query)
    ]


def _remarks(connection: Connection, person: str | None, limit: int) -> list[InboxEntry]:
    given, unit, item, who = schema.assignments, schema.units, schema.items, schema.people
    table = schema.answers
    # Chosen before anything is joined to them: a join of all answers takes ten times as long.
    newest = (
        select(table.c.assignment, table.c.saved, table.c.content)
        # A quotation mark inside a remark is escaped, so that this is found in no text. It is no parameter:
        # only a condition that is word for word the one of the index `answers_remarked` makes use of it.
        .where(schema.REMARKED)
        .order_by(table.c.saved.desc())
        .limit(limit)
    )
    if person is not None:
        newest = newest.where(table.c.assignment.in_(select(given.c.id).where(given.c.person == person)))
    last = newest.subquery()
    query = (
        select(*_about(), last.c.saved, last.c.content)
        .select_from(last.join(given, given.c.id == last.c.assignment).join(unit).join(item).join(who))
        .order_by(last.c.saved.desc())
    )
    return [
        _entry(
            REMARK,
            row,
            row.saved,
            message=Message(row.name, row.saved, read_answer(row.content).remark, False),
        )
        for row in connection.execute(query)
    ]


def _entry(
    kind: str, row: Any, at: str, *, is_open: bool = False, message: Message | None = None
) -> InboxEntry:
    return InboxEntry(
        kind=kind,
        assignment=row.assignment,
        unit=row.unit,
        item=row.suite_item,
        category=row.category,
        person=row.name,
        at=at,
        is_open=is_open,
        messages=() if message is None else (message,),
    )


_MESSAGES = (
    select(schema.messages, schema.people.c.name, schema.people.c.role)
    .join(schema.people)
    .where(schema.messages.c.assignment.in_(bindparam("assignments", expanding=True)))
    .order_by(schema.messages.c.seq)
)


def _messages(connection: Connection, assignments: list[str]) -> dict[str, list[Message]]:
    messages: dict[str, list[Message]] = {}
    for row in connection.execute(_MESSAGES, {"assignments": assignments}):
        message = Message(row.name, row.at, row.content, row.role == PersonRole.LEAD.value)
        messages.setdefault(row.assignment, []).append(message)
    return messages
