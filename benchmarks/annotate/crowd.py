"""Simulated annotators: many in one process that costs little, so that the server has the machine.

Each keeps one connection and sends "save and next" over it, reading from the answer which item comes next.
"""

from __future__ import annotations

import asyncio
import re
import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from anaphor.annotate.campaign.people import find_session, open_session, people
from anaphor.annotate.judging.assignments import next_assignment
from anaphor.annotate.store.database import open_store
from anaphor.annotate.web import ServerConfig
from anaphor.annotate.web.state import AppState

_NEXT = re.compile(rb'data-assignment=\\"([^"\\]+)\\"')
_LENGTH = re.compile(rb"(?i)\r\ncontent-length: *(\d+)")


@dataclass(slots=True)
class Tally:
    """What came of some requests: seconds of each that was answered with 200, and errors in words."""

    seconds: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Annotator:
    """Somebody who is signed in and has an item before them."""

    port: int
    cookie: str
    token: str
    item: str
    reader: asyncio.StreamReader | None = None
    writer: asyncio.StreamWriter | None = None

    async def save_and_next(self, tally: Tally, since: float) -> None:
        """Answer the item; the time counts from when the answer was due, however late it was sent."""
        try:
            status, body = await self._ask()
        except (OSError, asyncio.IncompleteReadError) as error:
            self.close()
            tally.errors.append(repr(error))
            return
        found = _NEXT.search(body)
        if status != 200 or found is None:
            tally.errors.append(f"{status} {body[:200]!r}")
            return
        tally.seconds.append(time.perf_counter() - since)
        self.item = found[1].decode()

    async def _ask(self) -> tuple[int, bytes]:
        if self.reader is None or self.writer is None:
            self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)
        answer = '{"antecedent":"no","pronoun":"no","remark":"seen"}'
        content = f'{{"request":"{secrets.token_hex(16)}","version":0,"answer":{answer},"go":"next"}}'
        self.writer.write(
            f"POST /api/items/{self.item}/answer HTTP/1.1\r\nHost: 127.0.0.1\r\n"
            f"Cookie: {self.cookie}\r\nX-CSRF-Token: {self.token}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(content)}\r\n\r\n{content}".encode()
        )
        head = await self.reader.readuntil(b"\r\n\r\n")
        length = _LENGTH.search(head)
        body = await self.reader.readexactly(int(length[1]) if length else 0)
        return int(head[9:12]), body

    def close(self) -> None:
        if self.writer is not None:
            self.writer.close()
        self.reader = self.writer = None


def sign_in(address: str, port: int) -> list[Annotator]:
    """Everybody, before their first item."""
    store = open_store(address)
    try:
        cookie, found = AppState.of(store, ServerConfig()).cookie, []
        for person in people(store):
            token = open_session(store, person.id)
            session, item = find_session(store, token), next_assignment(store, person.id)
            assert session is not None
            assert item is not None
            found.append(Annotator(port, f"{cookie}={token}", session.csrf, item))
        return found
    finally:
        store.close()


async def at_rate(crowd: Sequence[Annotator], *, rate: float, seconds: float) -> Tally:
    """Everybody answers in turn, so many answers a second in all, whatever the server can do.

    Who is still waiting when the next answer is due sends it as soon as the last is acknowledged, and the
    wait counts.
    """
    tally, start = Tally(), time.perf_counter()
    period = len(crowd) / rate

    async def work(number: int, annotator: Annotator) -> None:
        due = start + number / rate
        while due < start + seconds:
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            await annotator.save_and_next(tally, due)
            due += period

    await asyncio.gather(*(work(number, one) for number, one in enumerate(crowd)))
    return tally


async def at_once(crowd: Sequence[Annotator], *, answers: int) -> Tally:
    """Everybody answers as fast as they are acknowledged, until there are so many answers."""
    tally, left = Tally(), iter(range(answers))

    async def work(annotator: Annotator) -> None:
        for _ in left:
            await annotator.save_and_next(tally, time.perf_counter())

    await asyncio.gather(*map(work, crowd))
    return tally
