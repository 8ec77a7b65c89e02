"""The audit log: who did what to a campaign besides answering."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from sqlalchemy import Connection, insert, select

from anaphor.annotate import schema
from anaphor.annotate.clock import now
from anaphor.annotate.store import Store

#: The actor of everything that is done on the command line.
COMMAND_LINE = "command line"


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """One action; `address` is where a request came from, None on the command line."""

    at: str
    actor: str
    action: str
    detail: Mapping[str, str] = field(default_factory=dict)
    address: str | None = None


def note(
    store: Store,
    *,
    actor: str,
    action: str,
    detail: Mapping[str, str] | None = None,
    address: str | None = None,
) -> None:
    """Write an action down in a transaction of its own."""
    with store.write() as connection:
        note_in(connection, actor=actor, action=action, detail=detail, address=address)


def note_in(
    connection: Connection,
    *,
    actor: str,
    action: str,
    detail: Mapping[str, str] | None = None,
    address: str | None = None,
) -> None:
    """Write an action down together with what it changes. Secrets are never part of the detail."""
    content = json.dumps(dict(detail or {}), sort_keys=True)  # escaped: an odd character cannot break it
    values = {"at": now(), "actor": actor, "action": action, "detail": content, "address": address}
    connection.execute(insert(schema.audit).values(values))


def audit_log(store: Store, *, limit: int = 200) -> tuple[AuditEntry, ...]:
    """The last actions, newest first."""
    table = schema.audit
    with store.read() as connection:
        rows = connection.execute(select(table).order_by(table.c.seq.desc()).limit(limit)).all()
    return tuple(
        AuditEntry(row.at, row.actor, row.action, json.loads(row.detail), row.address) for row in rows
    )
