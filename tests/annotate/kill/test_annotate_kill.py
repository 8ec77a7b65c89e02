"""Nothing that was acknowledged is ever lost: servers are killed at random while fifty people answer."""

from __future__ import annotations

import json
import os
import random
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select

from anaphor.annotate.maintenance import check
from anaphor.annotate.store import schema
from anaphor.annotate.store.database import open_store

if TYPE_CHECKING:
    from sqlalchemy import Row

    from tests.annotate.kill.conftest import Change, Crowd, Serving

pytestmark = pytest.mark.slow

#: Enough for every run of the tests; ANAPHOR_KILLS=20 asks for more.
KILLS = int(os.environ.get("ANAPHOR_KILLS", "4"))
SEED = 7


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


def assert_consistent(address: str) -> None:
    """The answers are what the journal says."""
    with open_store(address) as store:
        assert not any(check(store).values())


def test_no_acknowledged_answer_is_lost_when_the_server_is_killed_again_and_again(
    crowded_address: str, serve: Callable[..., Serving], set_to_work: Callable[..., Crowd]
) -> None:
    draw = random.Random(SEED)
    serving = serve(crowded_address)
    crowd = set_to_work(crowded_address, serving.port, seed=SEED)
    for _ in range(KILLS):
        crowd.wait_for_more(draw.randrange(1, 60))
        serving.kill()
        serving.start()
    crowd.wait_for_more(1)
    crowd.end()
    serving.kill()
    assert [line for member in crowd.members for line in member.refused] == []
    assert sum(member.interrupted for member in crowd.members) > KILLS, "the kills met nobody at work"
    assert_nothing_is_lost(crowded_address, crowd)
    assert_consistent(crowded_address)
