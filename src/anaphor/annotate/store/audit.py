"""The audit log: actions in a campaign other than answers. This module also provides the times and ids of all
tables.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from sqlalchemy import Connection, insert, select

from anaphor.annotate.store import schema
from anaphor.annotate.store.database import Store, from_row, writing

#: The actor of everything that is done on the command line.
COMMAND_LINE = "command line"


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """One action; `address` is the origin of a request, None on the command line."""

    at: str
    actor: str
    action: str
    detail: Mapping[str, str]
    address: str | None


def now() -> str:
    """The UTC time with microseconds, as text that sorts chronologically."""
    return later()


def later(**parts: float) -> str:
    """The time some `days`, `hours` or `minutes` from now."""
    time = datetime.now(tz=UTC) + timedelta(**parts)
    return time.isoformat(timespec="microseconds").replace("+00:00", "Z")


def fresh_id() -> str:
    """A unique id: 128 random bits."""
    return secrets.token_hex(16)


def fresh_ids(count: int) -> list[str]:
    """Several unique ids in ascending order, which suits the pages of an index."""
    digits = secrets.token_hex(16 * count)
    return sorted(digits[start : start + 32] for start in range(0, len(digits), 32))


def note(
    source: Store | Connection,
    *,
    actor: str,
    action: str,
    detail: Mapping[str, str] | None = None,
    address: str | None = None,
) -> None:
    """Log an action, in the transaction of its changes or separately. Secrets are never logged."""
    content = json.dumps(dict(detail or {}), sort_keys=True)  # ASCII only: no character can break the log
    values = {"at": now(), "actor": actor, "action": action, "detail": content, "address": address}
    with writing(source) as connection:
        connection.execute(insert(schema.audit).values(values))


def audit_log(store: Store, *, actor: str = "", start: int = 0, limit: int = 200) -> tuple[AuditEntry, ...]:
    """The last actions, of one actor or of all, newest first; `start` and `limit` select a page."""
    table = schema.audit
    query = select(table).order_by(table.c.seq.desc()).offset(start).limit(limit)
    if actor:
        query = query.where(table.c.actor == actor)
    with store.read() as connection:
        rows = connection.execute(query).all()
    return tuple(from_row(AuditEntry, row, detail=json.loads(row.detail)) for row in rows)
