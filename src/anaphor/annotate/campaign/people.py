"""The people of a campaign: annotators, who sign in with personal links, and leads, who have passwords.

Tokens of links and sessions have 256 random bits, and only their SHA-256 is stored; of passwords, only an
argon2 hash.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from sqlalchemy import Column, Connection, Select, bindparam, func, insert, select, update

from anaphor.annotate.campaign.facts import read_campaign
from anaphor.annotate.store import Store, schema
from anaphor.annotate.store.audit import COMMAND_LINE, fresh_id, later, note, now
from anaphor.annotate.store.database import from_row, reading, to_row
from anaphor.annotate.types import PersonRole
from anaphor.core import OptionError, UnknownNameError
from anaphor.core.table import JsonFields, Listing, Paragraph, Table, text

MAX_NAME = 80
#: Short enough to type, long enough that guessing through a rate limit is hopeless.
LEAST_PASSWORD = 12
MOST_PASSWORD = 1000
MOST_DAYS = 3660
_TOKEN_BYTES = 32
DEFAULT_URL = "http://127.0.0.1:8080/"
SERVED = "served"
"""The action in the audit log that names where the campaign is served."""
JOINED = "joined by the shared link"
"""The action in the audit log of somebody who came from a crowd platform."""
SHARED = "shared"
"""What `revoke_link` calls the link that a crowd platform gives to all its people."""
_ENDED = "shared link ended"
_HASHER = PasswordHasher()


@dataclass(frozen=True, slots=True)
class Person:
    """An annotator or lead; inactive ones can no longer sign in.

    `begun` is when they had read the instructions and agreed; `stopped` names the gate that stopped them, and
    is empty if a lead let them go on.
    """

    id: str
    name: str
    role: PersonRole
    active: bool
    created: str
    begun: str | None = None
    stopped: str | None = None


@dataclass(frozen=True, slots=True)
class LinkFacts(JsonFields):
    """A personal link, without its token, which cannot be retrieved."""

    id: str
    person: str
    created: str
    expires: str
    used: str | None
    revoked: str | None

    json_keys: ClassVar = {"id": "link", "revoked": None}
    json_extra = ("state",)

    @property
    def state(self) -> str:
        """`valid`, `expired` or `revoked`."""
        if self.revoked is not None:
            return "revoked"
        return "expired" if self.expires <= now() else "valid"


@dataclass(frozen=True, slots=True)
class Session:
    """A session of a signed-in person. `csrf` is the token required in forms."""

    person: Person
    csrf: str
    expires: str


def _session_query() -> Select[Any]:
    """A session with its person and link in one row, since every request needs all three."""
    session, link, person = schema.sessions, schema.links, schema.people
    columns = (session.c.token_hash, session.c.csrf, session.c.closed, session.c.link, link.c.revoked)
    return (
        select(person, *columns, session.c.expires.label("session_expires"))
        .add_columns(link.c.expires.label("link_expires"))
        .select_from(session.join(person, person.c.id == session.c.person))
        .outerjoin(link, link.c.id == session.c.link)
        .where(session.c.token_hash == bindparam("token_hash"))
    )


_SESSION = _session_query()


def people(store: Store) -> tuple[Person, ...]:
    """All people, in alphabetical order."""
    with store.read() as connection:
        rows = connection.execute(select(schema.people).order_by(schema.people.c.name))
        return tuple(map(_person, rows))


def find_person(source: Store | Connection, name: str) -> Person:
    """The person with this name."""
    with reading(source) as connection:
        row = _row(connection, schema.people.c.name, name)
        if row is None:
            known = connection.execute(select(schema.people.c.name)).scalars()
            raise UnknownNameError.among(name, known, kind="person", where="people")
        return _person(row)


def insert_person(
    connection: Connection, name: str, role: PersonRole, *, password: str | None = None
) -> Person:
    """Insert a new person; names that are taken, empty or too long are rejected."""
    clean = check_name(name)
    if _row(connection, schema.people.c.name, clean) is not None:
        raise OptionError(f"there is already a person named {clean}", where="people", fix="use another name")
    added = Person(fresh_id(), clean, role, True, now())
    row = to_row(schema.people, added, role=role.value, password=password)
    connection.execute(insert(schema.people).values(row))
    return added


def check_name(name: str) -> str:
    """The name without surrounding white space; names that cannot be shown or stored are rejected."""
    clean = name.strip()
    if not clean or len(clean) > MAX_NAME or not clean.isprintable():
        fix = f"use 1 to {MAX_NAME} characters on one line"
        raise OptionError(f"invalid name: {name!r:.60}", where="people", fix=fix)
    return clean


def add_lead(store: Store, name: str, password: str, *, by: str = COMMAND_LINE) -> Person:
    """Add a lead with a password."""
    hashed = _hashed_password(password)
    with store.write() as connection:
        added = insert_person(connection, name, PersonRole.LEAD, password=hashed)
        note(connection, actor=by, action="lead added", detail={"name": added.name})
    return added


def set_password(store: Store, name: str, password: str, *, by: str = COMMAND_LINE) -> None:
    """Change the password of a lead, ending all the lead's sessions."""
    hashed = _hashed_password(password)
    with store.write() as connection:
        person = find_person(connection, name)
        if person.role is not PersonRole.LEAD:
            fix = "create a link for annotators: anaphor annotate link DATABASE --add NAME"
            raise OptionError(f"{name} is an annotator and has no password", where="people", fix=fix)
        connection.execute(
            update(schema.people).where(schema.people.c.id == person.id).values(password=hashed)
        )
        # Whoever knew the old password may be signed in.
        _close_sessions(connection, schema.sessions.c.person, person.id)
        note(connection, actor=by, action="password changed", detail={"name": name})


def check_password(store: Store, name: str, password: str) -> Person | None:
    """The active lead with this name and password, or None."""
    # The transaction ends before the password is hashed, which takes a tenth of a second on purpose.
    with store.read() as connection:
        row = _row(connection, schema.people.c.name, name)
    if len(password) > MOST_PASSWORD:
        return None
    try:
        if row is None or row.password is None or not row.active:
            # As slow as a comparison, so that the time does not tell whether the name exists.
            _HASHER.hash(password)
            return None
        _HASHER.verify(row.password, password)
    except (VerificationError, InvalidHashError, UnicodeEncodeError):
        return None
    return _person(row)


def begin(store: Store, person: Person, *, agreed: bool) -> None:
    """Record, once, that a person has read the instructions and given any required consent."""
    with store.write() as connection:
        table = schema.people
        new = update(table).where(table.c.id == person.id, table.c.begun.is_(None)).values(begun=now())
        if connection.execute(new).rowcount and agreed:
            note(connection, actor=person.name, action="consented")


def let_go_on(store: Store, name: str, *, by: str = COMMAND_LINE) -> None:
    """Let a person whom a gate has stopped continue; no gate stops them again."""
    with store.write() as connection:
        person = find_person(connection, name)
        connection.execute(update(schema.people).where(schema.people.c.id == person.id).values(stopped=""))
        note(connection, actor=by, action="let go on", detail={"name": name})


def deactivate(store: Store, name: str, *, by: str = COMMAND_LINE) -> None:
    """End the access of a person; all their answers stay."""
    with store.write() as connection:
        person = find_person(connection, name)
        connection.execute(update(schema.people).where(schema.people.c.id == person.id).values(active=False))
        _close_sessions(connection, schema.sessions.c.person, person.id)
        note(connection, actor=by, action="person deactivated", detail={"name": name})


def add_link(store: Store, name: str, *, days: float = 30, by: str = COMMAND_LINE) -> str:
    """Create a link for a person and return its token, which is shown once and cannot be read again."""
    if not 0 < days <= MOST_DAYS:
        raise OptionError(f"invalid number of days: {days:g}", where="--days", fix=f"use 1 to {MOST_DAYS}")
    token = secrets.token_urlsafe(_TOKEN_BYTES)
    with store.write() as connection:
        person = find_person(connection, name)
        if not person.active:
            raise OptionError(
                f"{name} is not active", where="people", fix=("use the name of an active person")
            )
        link = insert_link(connection, person.id, token, days=days)
        note(connection, actor=by, action="link added", detail={"person": name, "link": link})
    return token


def insert_link(connection: Connection, person_id: str, token: str, *, days: float) -> str:
    """Insert a link with a token and return its id."""
    row = {"id": fresh_id(), "person": person_id, "token_hash": _hash(token)}
    row |= {"created": now(), "expires": later(days=days)}
    connection.execute(insert(schema.links).values(row))
    return row["id"]


def served_url(store: Store) -> str:
    """The address at which the campaign was last served, or the default address."""
    table = schema.audit
    query = select(table.c.detail).where(table.c.action == SERVED).order_by(table.c.seq.desc()).limit(1)
    with store.read() as connection:
        detail = connection.execute(query).scalar()
    return str(json.loads(detail)["url"]) if detail else DEFAULT_URL


def add_links(store: Store, names: Sequence[str], *, days: float, url: str | None = None) -> Listing:
    """Create links for some people and return their addresses, which are shown only once. `url` is the
    address of the server.

    By default, it is the address at which the campaign was last served.
    """
    url = url or served_url(store)
    urls = {name: f"{url.rstrip('/')}/enter/{add_link(store, name, days=days)}" for name in names}
    return Listing(urls, [Paragraph([f"{name}\t{url}" for name, url in urls.items()])])


def revoke_link(store: Store, link: str, *, by: str = COMMAND_LINE) -> None:
    """Revoke a link and end every session that it opened.

    The name `shared` ends the shared link: nobody else can join through it, but those who have joined can
    come back.
    """
    with store.write() as connection:
        if link == SHARED and study_is_open(connection):
            note(connection, actor=by, action=_ENDED)
            return
        table = schema.links
        done = connection.execute(
            update(table).where(table.c.id == link, table.c.revoked.is_(None)).values(revoked=now())
        )
        if not done.rowcount:
            known = connection.execute(select(table.c.id).where(table.c.revoked.is_(None))).scalars()
            raise UnknownNameError.among(link, known, kind="valid link", where="links")
        _close_sessions(connection, schema.sessions.c.link, link)
        note(connection, actor=by, action="link revoked", detail={"link": link})


def links(store: Store) -> tuple[LinkFacts, ...]:
    """All links, the newest first."""
    table, owner = schema.links, schema.people
    query = select(table, owner.c.name).join(owner)
    with store.read() as connection:
        rows = connection.execute(query.order_by(table.c.created.desc())).all()
    return tuple(from_row(LinkFacts, row, person=row.name) for row in rows)


def link_list(store: Store) -> Listing:
    """All links, for printing."""
    own_links = links(store)
    rows = [
        (link.id, link.person, link.state, link.expires[:16], (link.used or "-")[:16]) for link in own_links
    ]
    columns = [text(name) for name in ("link", "person", "state", "expires", "last used")]
    block = Table(columns, rows) if rows else "no links yet: make one with --add NAME"
    shared = study_link(store, served_url(store))
    more = (
        [Paragraph([f"shared link, {shared.joined} of {shared.most} joined: {shared.url}"])] if shared else []
    )
    return Listing([link.to_dict() for link in own_links], [block, *more])


@dataclass(frozen=True, slots=True)
class StudyLink:
    """The link that a crowd platform gives to all participants, with a maximum number of people."""

    url: str
    joined: int
    most: int


def study_link(store: Store, url: str) -> StudyLink | None:
    """The shared link on a server at this address; None if there is none."""
    with store.read() as connection:
        if not study_is_open(connection):
            return None
        campaign, joined = read_campaign(connection), study_joined(connection)
    return StudyLink(
        f"{url.rstrip('/')}/enter/{campaign.study_token}?participant=ID", joined, campaign.study_people
    )


def study_is_open(connection: Connection) -> bool:
    """Whether there is a shared link that has not been revoked."""
    return bool(read_campaign(connection).study_token) and not _times(connection, _ENDED)


def study_joined(connection: Connection) -> int:
    """The number of people who joined through the shared link."""
    return _times(connection, JOINED)


def _times(connection: Connection, action: str) -> int:
    """How often an event occurs in the audit log, which cannot be changed."""
    table = schema.audit
    query = select(func.count()).select_from(table).where(table.c.action == action)
    return int(connection.execute(query).scalar_one())


def find_link(source: Store | Connection, token: str) -> tuple[Person, str] | None:
    """The person and link id for a token; None if it is unknown, expired or revoked."""
    with reading(source) as connection:
        row = _by_hash(connection, schema.links.c.token_hash, token)
        if row is None or row.revoked is not None or row.expires <= now():
            return None
        person = _active_person(connection, row.person)
    return None if person is None else (person, str(row.id))


def use_link(store: Store, token: str) -> tuple[Person, str] | None:
    """Like `find_link`, but also record the use of the link."""
    with store.write() as connection:
        entry = find_link(connection, token)
        if entry is not None:
            table = schema.links
            connection.execute(update(table).where(table.c.id == entry[1]).values(used=now()))
    return entry


def open_session(store: Store, person_id: str, *, link: str | None = None, hours: float = 12) -> str:
    """Open a session and return its token, for a cookie. A session opened through a link ends with it."""
    # Only the hash of the token is stored: who reads the database cannot sign in with it.
    token, csrf = secrets.token_urlsafe(_TOKEN_BYTES), secrets.token_urlsafe(_TOKEN_BYTES)
    row = {"token_hash": _hash(token), "person": person_id, "link": link, "csrf": csrf}
    row |= {"created": now(), "expires": later(hours=hours)}
    with store.write() as connection:
        connection.execute(insert(schema.sessions).values(row))
    return token


def find_session(store: Store, token: str) -> Session | None:
    """The session for a token; None if it is unknown, expired or closed, or if its link or person is no
    longer active.
    """
    wanted, time = _hash(token), now()
    with store.read() as connection:
        row = connection.execute(_SESSION, {"token_hash": wanted}).one_or_none()
        if row is None or not hmac.compare_digest(row.token_hash, wanted):
            return None
        if row.closed is not None or row.session_expires <= time or not row.active:
            return None
        if row.link is not None and (row.revoked is not None or (row.link_expires or "") <= time):
            return None
        return Session(_person(row), row.csrf, row.session_expires)


def extend_session(store: Store, token: str, *, hours: float) -> None:
    """Extend a session; its tokens stay, so open pages still work."""
    table = schema.sessions
    with store.write() as connection:
        connection.execute(
            update(table).where(table.c.token_hash == _hash(token)).values(expires=later(hours=hours))
        )


def close_session(store: Store, token: str) -> None:
    """Sign out; an unknown token is ignored."""
    with store.write() as connection:
        _close_sessions(connection, schema.sessions.c.token_hash, _hash(token))


def _hashed_password(password: str) -> str:
    if not LEAST_PASSWORD <= len(password) <= MOST_PASSWORD:
        fix = f"use {LEAST_PASSWORD} to {MOST_PASSWORD} characters"
        raise OptionError("the password is too short or too long", where="password", fix=fix)
    try:
        return _HASHER.hash(password)
    except UnicodeEncodeError as error:
        raise OptionError("the password is not valid text", where="password", fix="type it again") from error


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def _row(connection: Connection, column: Column[Any], value: str) -> Any | None:
    """The row with a unique value in a column; None if there is none."""
    return connection.execute(select(column.table).where(column == value)).one_or_none()


def _by_hash(connection: Connection, column: Column[Any], token: str) -> Any | None:
    """The row for a token. The search only uses a hash, and the final comparison takes constant time."""
    wanted = _hash(token)
    row = _row(connection, column, wanted)
    return row if row is not None and hmac.compare_digest(row.token_hash, wanted) else None


def _close_sessions(connection: Connection, column: Column[Any], value: str) -> None:
    """Close the open sessions with a value in a column."""
    table = schema.sessions
    connection.execute(update(table).where(column == value, table.c.closed.is_(None)).values(closed=now()))


def _active_person(connection: Connection, person_id: str) -> Person | None:
    person = _person(_row(connection, schema.people.c.id, person_id))
    return person if person.active else None


def _person(row: Any) -> Person:
    return from_row(Person, row, role=PersonRole(row.role))
