"""Nothing that was acknowledged is ever lost: servers are killed at random while fifty people answer."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from anaphor.annotate.maintenance import check
from anaphor.annotate.store.database import open_store
from tests.support.kill_checks import assert_nothing_is_lost

if TYPE_CHECKING:
    from tests.support.kill import Crowd, Serving

pytestmark = pytest.mark.slow

#: Enough for every run of the tests; ANAPHOR_KILLS=20 asks for more.
KILLS = int(os.environ.get("ANAPHOR_KILLS", "4"))
SEED = 7


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
