"""A campaign grows while fifty people answer: killed in the middle, it has not grown and lost nothing."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import func, select

from anaphor.annotate.maintenance import check
from anaphor.annotate.store import schema
from anaphor.annotate.store.database import open_store
from anaphor.suite import LoadedSuite
from tests.support.kill import CROWD, SOURCE
from tests.support.kill_checks import assert_nothing_is_lost

if TYPE_CHECKING:
    from tests.support.kill import Crowd, Serving

pytestmark = pytest.mark.slow  # a server, fifty annotators, and what they answer until all have met a kill

#: Grows by one system; with `wait` it says when everything is written but not yet committed, and waits there.
SCRIPT = """
import sys, time
from anaphor.align import AlignerChoice
from anaphor.annotate.campaign import grow
from anaphor.annotate.store import open_store
from anaphor.core import LanguagePair
from anaphor.corpus import read_text
from anaphor.suite import EvaluationOptions

address, path, wait = sys.argv[1:]

def held(*args, **more):
    print("written", flush=True)
    time.sleep(60)

if wait == "wait":
    grow.note = held
with open_store(address) as store:
    options = EvaluationOptions(aligner=AlignerChoice(pair=LanguagePair.parse("en-fr")))
    added = grow.grow_campaign(store, options, candidates={"gamma": read_text(path)})
    print(added.units, added.assignments)
"""


def size(address: str) -> dict[str, int]:
    tables = (schema.systems, schema.texts, schema.units, schema.assignments, schema.audit)
    with open_store(address) as store, store.read() as connection:
        return {
            one.name: connection.execute(select(func.count()).select_from(one)).scalar_one() for one in tables
        }


def test_growth_that_is_killed_leaves_nothing_and_the_next_try_completes_it(
    crowded_address: str,
    serve: Callable[..., Serving],
    set_to_work: Callable[..., Crowd],
    sign_in: Callable[..., Any],
    loaded: LoadedSuite,
    tmp_path: Path,
) -> None:
    path = tmp_path / "gamma.fr"
    path.write_text("\n".join(line or "" for line in loaded.texts.lines("reference")) + "\n", "utf-8")
    serving = serve(crowded_address)
    crowd = set_to_work(crowded_address, serving.port, seed=11)
    crowd.wait_for_more(20)
    before = size(crowded_address)
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    command = [sys.executable, "-c", SCRIPT, crowded_address, str(path)]
    for _ in range(2):
        with subprocess.Popen(
            [*command, "wait"], env=environment, stdout=subprocess.PIPE, text=True
        ) as grower:
            assert grower.stdout is not None
            assert grower.stdout.readline() == "written\n"
            grower.send_signal(signal.SIGKILL)
        crowd.wait_for_more(20)
        assert size(crowded_address) == before, "it has not grown at all"
    with subprocess.Popen([*command, "go"], env=environment, stdout=subprocess.PIPE, text=True) as grower:
        crowd.wait_for_more(5)
        serving.kill()  # the server goes away in the middle of it
        serving.start()
        units, assignments = map(int, str(grower.communicate()[0]).split())
    assert (units, assignments) == (34, 34 * len(CROWD))
    grown = size(crowded_address)
    assert grown["systems"] == before["systems"] + 1
    assert grown["assignments"] == before["assignments"] + assignments
    crowd.wait_for_more(20)
    crowd.end()
    assert [line for member in crowd.members for line in member.refused] == []
    assert_nothing_is_lost(crowded_address, crowd)
    browser = sign_in(crowded_address, serving.port)[0]
    new = {"request": "about-new-system", "version": 0, "answer": {"remark": "grown"}, "go": "next"}
    status, body = browser.ask("POST", f"/api/items/{browser.assignments[-1]}/answer", new)
    assert (status, json.loads(body)["version"]) == (200, 1)
    serving.kill()
    with open_store(crowded_address) as store:
        assert not any(check(store).values())
