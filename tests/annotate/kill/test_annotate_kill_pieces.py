"""Imports and conflicts that meet a kill: what was committed stays, and the next try completes the rest."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import func, select

from anaphor.annotate.analysis.tally import CampaignTally
from anaphor.annotate.exchange import import_bytes
from anaphor.annotate.judging.answers import open_conflicts
from anaphor.annotate.maintenance import check
from anaphor.annotate.store import schema
from anaphor.annotate.store.database import Store, open_store

if TYPE_CHECKING:
    from tests.support.kill import Serving

pytestmark = pytest.mark.slow

SOURCE = Path(__file__).resolve().parents[3] / "src"
#: The import of `anaphor annotate import`, with time enough between two pieces to be killed there.
SCRIPT = """
import sys
from pathlib import Path
from anaphor.annotate.exchange import import_bytes, merge
from anaphor.annotate.store.database import open_store
merge._PAUSE = 0.3
with open_store(sys.argv[1]) as store:
    import_bytes(store, "jsonl", Path(sys.argv[2]).read_bytes(), by="test")
"""


def answers(store: Store) -> bytes:
    """An answer to every assignment, as JSON lines."""
    given, who = schema.assignments, schema.people
    with store.read() as connection:
        rows = connection.execute(select(given.c.unit, who.c.name).join(who)).all()
    fields = {"pronoun": "no", "remark": "imported", "tags": ["bad_translation"]}
    return "".join(
        json.dumps({"unit": row[0], "annotator": row[1], **fields}) + "\n" for row in rows
    ).encode()


def entries(store: Store) -> int:
    with store.read() as connection:
        return int(connection.execute(select(func.count()).select_from(schema.journal)).scalar_one())


def test_an_import_that_is_killed_is_completed_by_the_next(crowded_address: str, tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    with open_store(crowded_address) as store:
        path.write_bytes(answers(store))
        command = [sys.executable, "-c", SCRIPT, crowded_address, str(path)]
        process = subprocess.Popen(command, env={**os.environ, "PYTHONPATH": str(SOURCE)})
        until = time.monotonic() + 120
        while not (written := entries(store)):
            assert process.poll() is None, "it ended before it could be killed"
            assert time.monotonic() < until
            time.sleep(0.02)
        process.send_signal(signal.SIGKILL)
        process.wait()
        written, total = entries(store), path.read_bytes().count(b"\n")
        assert 0 < written < total, "it was killed in the middle"
        assert written % 500 == 0, "a piece is there as a whole or not at all"
        assert not any(check(store).values())
        report = import_bytes(store, "jsonl", path.read_bytes(), by="test")
        assert (report.written, report.unchanged, report.added) == (True, written, total - written)
        assert entries(store) == total
        assert not any(check(store).values())
        assert sum(CampaignTally.of(store).patterns("overall").values()) > 0


def test_an_answer_that_met_another_one_survives_a_kill(
    crowded_address: str, serve: Callable[..., Serving], sign_in: Callable[..., Any]
) -> None:
    serving = serve(crowded_address)
    browser = sign_in(crowded_address, serving.port)[0]
    path = f"/api/items/{browser.assignments[0]}/answer"
    first = {"request": "from-a-phone", "version": 0, "answer": {"remark": "on the phone"}, "go": "none"}
    second = {"request": "from-a-train", "version": 0, "answer": {"remark": "on the train"}, "go": "none"}
    assert browser.ask("POST", path, first)[0] == 200
    assert browser.ask("POST", path, second)[0] == 409
    serving.kill()
    serving.start()
    (waiting,) = json.loads(browser.ask("GET", "/api/conflicts")[1])["conflicts"]
    assert waiting["answer"]["remark"] == "on the train"
    choice = {"keep": waiting["id"], "request": "my-choice", "version": 1}
    assert browser.ask("POST", path.replace("answer", "conflict"), choice)[0] == 200
    serving.kill()
    with open_store(crowded_address) as store:
        assert open_conflicts(store, browser.person) == ()
        assert not any(check(store).values())
