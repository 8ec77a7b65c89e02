"""The lead's side: pages, a decision, exports and an import, in a campaign with so many answers."""

from __future__ import annotations

import http.client
import json
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from anaphor.annotate.analysis.tally import CampaignTally
from anaphor.annotate.campaign.people import add_lead, find_session, open_session, people
from anaphor.annotate.exchange import import_bytes
from anaphor.annotate.judging.assignments import next_assignment
from anaphor.annotate.store.database import Store, open_store
from anaphor.annotate.web import ServerConfig
from anaphor.annotate.web.state import AppState

PAGES = (
    *("/lead", "/lead?systems=true", "/lead/agreement", "/lead/disagreements", "/lead/inbox"),
    *("/lead/examples", "/lead/people", "/lead/files", "/lead/log"),
    *("/lead/agreement?question=antecedent", "/lead/examples?mark=no&page=50"),
    *("/lead/annotator?name=annotator+0&order=shortest", "/lead/annotator?name=annotator+0&show=failed"),
    *("/lead/examples?annotator=annotator+0", "/lead/log?annotator=annotator+0", "/lead/growth"),
)
_EXPORT = Path(__file__).with_name("export.py")
EXPORTS = (
    "jsonl",
    "csv",
    "tsv",
    "judgements",
    "final",
    "pronoun-links",
    "journal",
    "protest",
    "mtme",
    "pearmut",
    "label-studio",
)


def answers_file(store: Store) -> bytes:
    """An answer to every assignment but the last ten of everybody, as JSON lines; people mostly agree."""
    draw = random.Random(1)  # noqa: S311 - invented answers
    with store.read() as connection:
        rows = connection.exec_driver_sql(
            "SELECT a.unit, p.name, a.place FROM assignments a JOIN people p ON p.id = a.person ORDER BY 1"
        ).all()
    last = max(row.place for row in rows)
    right: dict[str, bool] = {}
    lines = []
    for row in rows:
        if row.place <= last - 10:
            truth = right.setdefault(row.unit, draw.random() < 0.7)
            mark = "yes" if truth == (draw.random() < 0.95) else "no"
            content = {"unit": row.unit, "annotator": row.name, "pronoun": mark, "antecedent": "no"}
            lines.append(json.dumps(content | {"remark": "seen"}))
    return "\n".join(lines).encode() + b"\n"


def measure_import(address: str, port: int) -> dict[str, Any]:
    """Import everything while one annotator saves again and again; the slowest of these saves counts."""
    store = open_store(address)
    try:
        data = answers_file(store)
        person = people(store)[0]
        token = open_session(store, person.id)
        session, item = find_session(store, token), next_assignment(store, person.id)
        assert session is not None
        with store.read() as connection:  # the last item, which the file leaves open
            query = "SELECT id FROM assignments WHERE person = '{}' ORDER BY place DESC LIMIT 1"
            item = connection.exec_driver_sql(query.format(person.id)).scalar()
        cookie = f"{AppState.of(store, ServerConfig()).cookie}={token}"
        done, slowest, saves, errors = threading.Event(), 0.0, 0, 0

        def save() -> None:
            nonlocal slowest, saves, errors
            version = 0
            headers = {"Cookie": cookie, "X-CSRF-Token": session.csrf, "Content-Type": "application/json"}
            while not done.is_set():
                body = {"request": f"during-{saves:08}", "version": version, "go": "none"}
                body["answer"] = {"pronoun": "yes", "antecedent": "no", "remark": f"{saves}"}
                connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
                start = time.perf_counter()
                connection.request("POST", f"/api/items/{item}/answer", json.dumps(body), headers)
                answer = connection.getresponse()
                found = answer.read()
                slowest, saves = max(slowest, time.perf_counter() - start), saves + 1
                if answer.status == 200:
                    version = json.loads(found)["version"]
                else:
                    errors += 1
                connection.close()
                time.sleep(0.1)

        thread = threading.Thread(target=save)
        thread.start()
        start = time.perf_counter()
        report = import_bytes(store, "jsonl", data, by="benchmark")
        seconds = time.perf_counter() - start
        done.set()
        thread.join()
        return {"answers": report.added, "written": report.written, "seconds": seconds} | {
            "saves_meanwhile": saves,
            "errors_meanwhile": errors,
            "slowest_save_ms": 1000 * slowest,
        }
    finally:
        store.close()


def measure_lead(address: str, port: int, processor: Callable[[], float]) -> dict[str, Any]:
    """Milliseconds of every page, the slowest of three, and of a decision.

    `processor` says how many seconds the server has worked so far: its part counts on a busy machine.
    """
    store = open_store(address)
    try:
        lead = add_lead(store, "lead", "a long enough password")
        token = open_session(store, lead.id)
        session = find_session(store, token)
        assert session is not None
        headers = {"Cookie": f"{AppState.of(store, ServerConfig()).cookie}={token}"}

        def ask(method: str, path: str, body: str | None = None) -> float:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
            more = {} if body is None else {"Content-Type": "application/x-www-form-urlencoded"}
            start = time.perf_counter()
            connection.request(method, path, body, headers | more)
            answer = connection.getresponse()
            answer.read()
            assert answer.status in (200, 303), (path, answer.status)
            connection.close()
            return time.perf_counter() - start

        ask("GET", "/lead")  # the first one reads everything; the server does it when it starts
        pages, worked = {}, {}
        for path in PAGES:
            before = processor()
            pages[path] = 1000 * max(ask("GET", path) for _ in range(3))
            worked[path] = 1000 * (processor() - before) / 3
        waiting = CampaignTally.of(store).differing()
        times, before = [], processor()
        for number, unit in enumerate(waiting[:5]):
            form = {"csrf": session.csrf, "version": "0", "request": f"decision-{number}", "pronoun": "yes"}
            times.append(ask("POST", f"/lead/units/{unit}/decision", urlencode(form)))
        decided = 1000 * (processor() - before) / max(1, len(times))
        return {"pages_ms": pages, "pages_processor_ms": worked, "open_disagreements": len(waiting)} | {
            "decision_ms": 1000 * max(times),
            "decision_processor_ms": decided,
        }
    finally:
        store.close()


def measure_exports(address: str) -> dict[str, dict[str, float]]:
    """Seconds and memory of every export, each by a process of its own, as on the command line."""
    return dict(_exports(address))


def _exports(address: str) -> Iterator[tuple[str, dict[str, float]]]:
    with tempfile.TemporaryDirectory() as folder:
        for name in EXPORTS:
            command = [sys.executable, str(_EXPORT), address, name, str(Path(folder) / name)]
            found = subprocess.run(command, check=True, capture_output=True, text=True)
            yield name, json.loads(found.stdout)
