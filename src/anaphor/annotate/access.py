"""Personal links and sessions. Tokens have 256 random bits, and only their SHA-256 is ever stored."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, insert, select, update

from anaphor.annotate import schema
from anaphor.annotate.audit import COMMAND_LINE, note_in
from anaphor.annotate.clock import fresh_id, later, now
from anaphor.annotate.nouns import Role
from anaphor.annotate.people import Person, person_named
from anaphor.annotate.store import Store
from anaphor.core import OptionError, UnknownNameError

_TOKEN_BYTES = 32
MOST_DAYS = 3660


@dataclass(frozen=True, slots=True)
class LinkFacts:
    """A personal link, without its token, which nobody can look up again."""

    id: str
    person: str
    person_id: str
    created: str
    expires: str
    revoked: str | None
    used: str | None

    @property
    def state(self) -> str:
        """`valid`, `expired` or `revoked`."""
        if self.revoked is not None:
            return "revoked"
        return "expired" if self.expires <= now() else "valid"


@dataclass(frozen=True, slots=True)
class Session:
    """Somebody who is signed in. `csrf` is what forms must bring along."""

    person: Person
    csrf: str
    expires: str


def add_link(store: Store, name: str, *, days: float = 30, by: str = COMMAND_LINE) -> str:
    """The token of a new link for somebody; it is shown once and cannot be read again."""
    if not 0 < days <= MOST_DAYS:
        raise OptionError(f"a link for {days} days", where="--days", fix=f"give 1 to {MOST_DAYS}")
    token = secrets.token_urlsafe(_TOKEN_BYTES)
    with store.write() as connection:
        found = person_named(connection, name)
        if not found.active:
            raise OptionError(f"{name} is not active", where="people", fix="name somebody who still works")
        link = fresh_id()
        connection.execute(
            insert(schema.links).values(
                id=link, person=found.id, token_hash=_hash(token), created=now(), expires=later(days=days)
            )
        )
        note_in(connection, actor=by, action="link added", detail={"person": name, "link": link})
    return token


def revoke_link(store: Store, link: str, *, by: str = COMMAND_LINE) -> None:
    """End a link and every session that it opened."""
    with store.write() as connection:
        table = schema.links
        done = connection.execute(
            update(table).where(table.c.id == link, table.c.revoked.is_(None)).values(revoked=now())
        )
        if not done.rowcount:
            known = connection.execute(select(table.c.id).where(table.c.revoked.is_(None))).scalars()
            raise UnknownNameError.among(link, known, kind="valid link", where="links")
        sessions = schema.sessions
        connection.execute(
            update(sessions).where(sessions.c.link == link, sessions.c.closed.is_(None)).values(closed=now())
        )
        note_in(connection, actor=by, action="link revoked", detail={"link": link})


def links(store: Store) -> tuple[LinkFacts, ...]:
    """All links, the newest first."""
    table, owner = schema.links, schema.people
    query = select(table, owner.c.name).join(owner, owner.c.id == table.c.person)
    with store.read() as connection:
        rows = connection.execute(query.order_by(table.c.created.desc())).all()
    return tuple(
        LinkFacts(row.id, row.name, row.person, row.created, row.expires, row.revoked, row.used)
        for row in rows
    )


def use_link(store: Store, token: str) -> tuple[Person, str] | None:
    """Whom a token belongs to, and the id of its link; None if it is unknown, expired or revoked."""
    table = schema.links
    with store.write() as connection:
        row = _by_hash(connection, table, token)
        if row is None or row.revoked is not None or row.expires <= now():
            return None
        found = _active(connection, row.person)
        if found is None:
            return None
        connection.execute(update(table).where(table.c.id == row.id).values(used=now()))
        return found, str(row.id)


def open_session(store: Store, person_id: str, *, link: str | None = None, hours: float = 12) -> str:
    """The token of a new session, for a cookie. One that a link opened ends with the link."""
    token = secrets.token_urlsafe(_TOKEN_BYTES)
    with store.write() as connection:
        connection.execute(
            insert(schema.sessions).values(
                token_hash=_hash(token),
                person=person_id,
                link=link,
                csrf=secrets.token_urlsafe(_TOKEN_BYTES),
                created=now(),
                expires=later(hours=hours),
            )
        )
    return token


def find_session(store: Store, token: str) -> Session | None:
    """The session of a token; None if it is unknown, expired or closed, or if its link or person ended."""
    with store.read() as connection:
        row = _by_hash(connection, schema.sessions, token)
        if row is None or row.closed is not None or row.expires <= now():
            return None
        if row.link is not None and not _link_is_valid(connection, row.link):
            return None
        found = _active(connection, row.person)
    return None if found is None else Session(found, row.csrf, row.expires)


def close_session(store: Store, token: str) -> None:
    """Sign out; a token that nobody has is no error."""
    with store.write() as connection:
        row = _by_hash(connection, schema.sessions, token)
        if row is not None and row.closed is None:
            table = schema.sessions
            connection.execute(update(table).where(table.c.token_hash == row.token_hash).values(closed=now()))


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def _by_hash(connection: Connection, table: Any, token: str) -> Any | None:
    """The row of a token. The search sees a hash only, and the last comparison takes constant time."""
    wanted = _hash(token)
    row = connection.execute(select(table).where(table.c.token_hash == wanted)).one_or_none()
    return row if row is not None and hmac.compare_digest(row.token_hash, wanted) else None


def _link_is_valid(connection: Connection, link: str) -> bool:
    row = connection.execute(select(schema.links).where(schema.links.c.id == link)).one()
    return row.revoked is None and bool(row.expires > now())


def _active(connection: Connection, person_id: str) -> Person | None:
    row = connection.execute(select(schema.people).where(schema.people.c.id == person_id)).one()
    return Person(row.id, row.name, Role(row.role), True, row.created) if row.active else None
