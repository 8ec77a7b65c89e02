"""The real server as a process that can be killed, and annotators who go on whatever happens to it."""

from __future__ import annotations

import contextlib
import hashlib
import http.client
import json
import os
import random
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from anaphor.annotate.campaign.create import CreatedCampaign
from anaphor.annotate.campaign.people import find_session, open_session, people
from anaphor.annotate.judging.assignments import list_assignments
from anaphor.annotate.store.database import open_store
from anaphor.annotate.web import ServerConfig
from anaphor.annotate.web.state import AppState

if TYPE_CHECKING:
    Make = Callable[..., CreatedCampaign]

SOURCE = Path(__file__).resolve().parents[2] / "src"

CROWD = tuple(f"annotator {number}" for number in range(50))

#: Below the ports that systems give to clients: a client that knocks at a free one may else meet itself.
PORTS = range(15_000, 30_000)


def free_port() -> int:
    """A port that nobody listens to, and that stays free while the server is away."""
    draw = random.SystemRandom()
    while True:
        port = draw.choice(PORTS)
        with contextlib.suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port


#: Imports everything once and forks a server for every line of its input: to start Python and to import all
#: packages takes longer than anything else that these tests do. Every server is still a process of its own.
LAUNCHER = """
import json, os, signal, sys
from anaphor.annotate import web
from anaphor.cli.main import main

signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for a server that was killed
for line in sys.stdin:
    address, port, log = json.loads(line)
    process = os.fork()
    if process == 0:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT), 2)
        code = 1
        try:
            code = main(["annotate", "serve", address, "--port", str(port), "--no-open"])
        finally:
            os._exit(code)
    print(process, flush=True)
"""


@dataclass(slots=True)
class Serving:
    """`anaphor annotate serve` as a process of its own."""

    launcher: subprocess.Popen[str]
    address: str
    log: Path
    port: int = field(default_factory=free_port)
    process: int | None = None

    def start(self) -> None:
        """Start it and wait until it answers."""
        assert self.launcher.stdin is not None
        assert self.launcher.stdout is not None
        self.launcher.stdin.write(json.dumps([self.address, self.port, str(self.log)]) + "\n")
        self.launcher.stdin.flush()
        self.process = int(self.launcher.stdout.readline())
        until = time.monotonic() + 120
        while not self.answers():
            assert self.is_alive(), self.log.read_text(encoding="utf-8")
            assert time.monotonic() < until, "the server does not start"
            time.sleep(0.01)

    def answers(self) -> bool:
        with contextlib.suppress(OSError, http.client.HTTPException):
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=5)
            try:
                connection.request("GET", "/health")
                return connection.getresponse().status == 200
            finally:
                connection.close()
        return False

    def is_alive(self) -> bool:
        if self.process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.process, 0)
                return True
        return False

    def kill(self) -> None:
        """SIGKILL: it cannot end anything properly."""
        with contextlib.suppress(ProcessLookupError):
            while self.process is not None:
                os.kill(self.process, signal.SIGKILL)
                time.sleep(0.01)
        self.process = None


@dataclass(frozen=True, slots=True)
class Browser:
    """Somebody who is signed in: cookie and token, and the ids of their own assignments."""

    port: int
    person: str
    headers: dict[str, str]
    assignments: tuple[str, ...]

    def ask(self, method: str, path: str, content: object = None) -> tuple[int, str]:
        """Status and body of one request on a connection of its own; OSError where the server is away."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        try:
            body = None if content is None else json.dumps(content)
            connection.request(method, path, body, {**self.headers, "Content-Type": "application/json"})
            answer = connection.getresponse()
            return answer.status, answer.read().decode("utf-8")
        finally:
            connection.close()

    def save(self, change: Change) -> tuple[int, str]:
        content = {
            "request": change.request,
            "version": change.version - 1,
            "answer": {"pronoun": change.pronoun, "remark": change.remark},
            "go": change.go,
        }
        return self.ask("POST", f"/api/items/{change.assignment}/answer", content)


@dataclass(frozen=True, slots=True)
class Change:
    """An answer that is sent, which becomes `version` of its assignment."""

    person: str
    assignment: str
    request: str
    version: int
    pronoun: str
    remark: str
    go: str


def sealed(text: str) -> str:
    """A remark with a seal, so that a torn one would be seen."""
    return f"{hashlib.sha256(text.encode()).hexdigest()[:16]} {text}"


class Annotator(threading.Thread):
    """Answers, goes back and changes answers; asks again with the same id until it is acknowledged."""

    def __init__(self, browser: Browser, *, seed: str, stop: threading.Event) -> None:
        super().__init__(daemon=True)
        self.sent: list[Change] = []
        self.acknowledged: list[Change] = []
        self.interrupted = 0
        self.refused: list[str] = []
        self._browser = browser
        self._draw = random.Random(seed)
        self._stop_asked = stop

    def run(self) -> None:
        while not self._stop_asked.wait(self._draw.uniform(0.1, 0.6)):
            change = self._change()
            self.sent.append(change)
            while not self._is_done(change) and not self._stop_asked.wait(0.1):
                pass

    def _change(self) -> Change:
        draw = self._draw
        versions = {one.assignment: one.version for one in self.acknowledged}
        fresh = [one for one in self._browser.assignments if one not in versions]
        again = not fresh or (versions and draw.random() < 0.3)
        assignment = draw.choice(sorted(versions)) if again else fresh[0]
        return Change(
            self._browser.person,
            assignment,
            f"{draw.getrandbits(128):032x}",
            versions.get(assignment, 0) + 1,
            draw.choice(("yes", "no")),
            sealed("été " * draw.randrange(700)),
            draw.choice(("next", "none")),
        )

    def _is_done(self, change: Change) -> bool:
        try:
            status, body = self._browser.save(change)
        except (OSError, http.client.HTTPException):
            self.interrupted += 1
            return False
        if status == 200 and json.loads(body)["version"] == change.version:
            self.acknowledged.append(change)
            return True
        if status != 503:
            self.refused.append(f"{status} {body[:300]}")
        return status != 503


@dataclass(frozen=True, slots=True)
class Crowd:
    """Annotators at work."""

    members: tuple[Annotator, ...]
    stop: threading.Event

    def start(self) -> None:
        for member in self.members:
            member.start()

    def end(self) -> None:
        self.stop.set()
        for member in self.members:
            member.join(60)

    def acknowledged(self) -> list[Change]:
        return [change for member in self.members for change in tuple(member.acknowledged)]

    def wait_for_more(self, answers: int) -> None:
        """Until so many more are acknowledged."""
        wanted, until = len(self.acknowledged()) + answers, time.monotonic() + 120
        while len(self.acknowledged()) < wanted:
            assert time.monotonic() < until, "nobody is acknowledged any more"
            time.sleep(0.01)


def browsers(address: str, port: int) -> tuple[Browser, ...]:
    """Everybody, signed in."""
    store = open_store(address)
    try:
        cookie, found = AppState.of(store, ServerConfig()).cookie, []
        for person in people(store):
            token = open_session(store, person.id)
            session = find_session(store, token)
            assert session is not None
            headers = {"Cookie": f"{cookie}={token}", "X-CSRF-Token": session.csrf}
            rows = list_assignments(store, person.id)
            found.append(Browser(port, person.id, headers, tuple(row.id for row in rows)))
        return tuple(found)
    finally:
        store.close()
