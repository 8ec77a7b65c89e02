"""The people of a campaign: annotators, who come by personal links, and leads, who have passwords."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from sqlalchemy import Connection, insert, select, update

from anaphor.annotate import schema
from anaphor.annotate.audit import COMMAND_LINE, note_in
from anaphor.annotate.clock import fresh_id, now
from anaphor.annotate.nouns import Role
from anaphor.annotate.store import Store
from anaphor.core import OptionError, UnknownNameError

MAX_NAME = 80
#: Short enough to type, long enough that guessing through a rate limit is hopeless.
LEAST_PASSWORD = 12
MOST_PASSWORD = 1000


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who may work on the campaign, or no longer may."""

    id: str
    name: str
    role: Role
    active: bool
    created: str


def people(store: Store) -> tuple[Person, ...]:
    """Everybody, in alphabetical order."""
    with store.read() as connection:
        rows = connection.execute(select(schema.people).order_by(schema.people.c.name))
        return tuple(map(_person, rows))


def person(store: Store, key: str) -> Person:
    """The person with an id."""
    with store.read() as connection:
        row = connection.execute(select(schema.people).where(schema.people.c.id == key)).one_or_none()
    if row is None:
        raise UnknownNameError("there is no such person", where="people", fix="sign in again")
    return _person(row)


def find_person(store: Store, name: str) -> Person:
    """The person with a name."""
    with store.read() as connection:
        return person_named(connection, name)


def person_named(connection: Connection, name: str) -> Person:
    row = connection.execute(select(schema.people).where(schema.people.c.name == name)).one_or_none()
    if row is None:
        known = connection.execute(select(schema.people.c.name)).scalars()
        raise UnknownNameError.among(name, known, kind="person", where="people")
    return _person(row)


def add_lead(store: Store, name: str, password: str, *, by: str = COMMAND_LINE) -> Person:
    """A new lead with a password, of which only an argon2 hash is kept."""
    hashed = _hashed(password)
    with store.write() as connection:
        added = insert_person(connection, name, Role.LEAD, password=hashed)
        note_in(connection, actor=by, action="lead added", detail={"name": added.name})
    return added


def set_password(store: Store, name: str, password: str, *, by: str = COMMAND_LINE) -> None:
    """Another password for a lead; all sessions of the lead end."""
    hashed = _hashed(password)
    with store.write() as connection:
        found = person_named(connection, name)
        if found.role is not Role.LEAD:
            raise OptionError(
                f"{name} is an annotator",
                where="people",
                fix="annotators have links: anaphor annotate link add",
            )
        connection.execute(
            update(schema.people).where(schema.people.c.id == found.id).values(password=hashed)
        )
        _close_sessions(connection, found.id)
        note_in(connection, actor=by, action="password changed", detail={"name": name})


def check_password(store: Store, name: str, password: str) -> Person | None:
    """The active lead whom name and password belong to; as slow for a name that nobody has."""
    with store.read() as connection:
        row = connection.execute(select(schema.people).where(schema.people.c.name == name)).one_or_none()
    known = row is not None and row.password is not None and row.active
    try:
        if len(password) > MOST_PASSWORD:
            return None
        if row is None or not known:
            _hasher().hash(password)  # the work of a comparison, so that time tells nothing
            return None
        _hasher().verify(row.password, password)
    except (VerificationError, InvalidHashError, UnicodeEncodeError):
        return None
    return _person(row)


def deactivate(store: Store, name: str, *, by: str = COMMAND_LINE) -> None:
    """Let somebody in no more; all that they answered stays."""
    with store.write() as connection:
        found = person_named(connection, name)
        connection.execute(update(schema.people).where(schema.people.c.id == found.id).values(active=False))
        _close_sessions(connection, found.id)
        note_in(connection, actor=by, action="person deactivated", detail={"name": name})


def insert_person(connection: Connection, name: str, role: Role, *, password: str | None = None) -> Person:
    """A new person; a name that is taken, empty or too long is refused."""
    clean = check_name(name)
    if connection.execute(select(schema.people.c.id).where(schema.people.c.name == clean)).first():
        raise OptionError(f"{clean} is there already", where="people", fix="use another name")
    added = Person(fresh_id(), clean, role, True, now())
    connection.execute(
        insert(schema.people).values(
            id=added.id, name=clean, role=role.value, active=True, created=added.created, password=password
        )
    )
    return added


def check_name(name: str) -> str:
    """The name without white space around it; one that cannot be shown or stored is refused."""
    clean = name.strip()
    if not clean or len(clean) > MAX_NAME or not clean.isprintable():
        raise OptionError(
            f"not a name: {name!r:.60}", where="people", fix=f"use 1 to {MAX_NAME} characters on one line"
        )
    return clean


def _hashed(password: str) -> str:
    if not LEAST_PASSWORD <= len(password) <= MOST_PASSWORD:
        raise OptionError(
            "the password is too short or too long",
            where="password",
            fix=f"use {LEAST_PASSWORD} to {MOST_PASSWORD} characters",
        )
    try:
        return _hasher().hash(password)
    except UnicodeEncodeError as error:
        raise OptionError("the password is no text", where="password", fix="type it again") from error


def _hasher() -> PasswordHasher:
    return PasswordHasher()


def _close_sessions(connection: Connection, person_id: str) -> None:
    table = schema.sessions
    connection.execute(
        update(table).where(table.c.person == person_id, table.c.closed.is_(None)).values(closed=now())
    )


def _person(row: Any) -> Person:
    return Person(row.id, row.name, Role(row.role), bool(row.active), row.created)
