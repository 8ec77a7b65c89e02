"""What must be in the database after a kill."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING

from sqlalchemy import select

from anaphor.annotate.store import schema
from anaphor.annotate.store.database import open_store

if TYPE_CHECKING:
    from sqlalchemy import Row

    from tests.support.kill import Change, Crowd


def journal_of(address: str) -> list[Row[tuple[object, ...]]]:
    with open_store(address) as store, store.read() as connection:
        return list(connection.execute(select(schema.journal)).all())


def sent_content(change: Change) -> tuple[str, str, int, str, str]:
    return (change.person, change.assignment, change.version, change.pronoun, change.remark)


def written(row: Row[tuple[object, ...]]) -> tuple[str, str, int, str, str]:
    content = json.loads(row.content_after)
    return (row.person, row.assignment, row.version, content["pronoun"], content["remark"])


def assert_nothing_is_lost(address: str, crowd: Crowd) -> None:
    """Every acknowledged change is in the journal once and whole, and nothing is there that nobody sent."""
    rows = journal_of(address)
    assert max(Counter((row.person, row.request) for row in rows).values()) == 1, "a change was doubled"
    found = {row.request: written(row) for row in rows}
    acknowledged = {change.request: sent_content(change) for change in crowd.acknowledged()}
    sent = {change.request: sent_content(change) for member in crowd.members for change in member.sent}
    assert acknowledged.items() <= found.items(), "an acknowledged change is not there, or another one"
    assert found.items() <= sent.items(), "a change is there that nobody sent like that"
