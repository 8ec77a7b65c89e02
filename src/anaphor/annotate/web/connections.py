"""Connections that send too slowly, or are too many from one address, are closed: nobody else waits for them.

The limits are those of common web servers: a head must be there after some seconds, and a body must come with
a least rate. Behind a proxy all connections have its address, and limiting them is its work.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any, ClassVar

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_SECONDS = 10.0
BODY_SECONDS = 20.0
#: Bytes per second that a body must have beyond the first seconds.
BODY_RATE = 1024
#: Of one address at the same time: a class behind one router, with several connections of each browser.
PER_ADDRESS = 250

_TIMEOUT = b"HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
_TOO_MANY = b"HTTP/1.1 429 Too Many Requests\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"


class GuardedProtocol(H11Protocol):
    """HTTP with limits on the time of a request and on the connections of an address."""

    per_address: ClassVar[int | None] = PER_ADDRESS
    head_seconds: ClassVar[float] = HEAD_SECONDS
    body_seconds: ClassVar[float] = BODY_SECONDS
    _open: ClassVar[Counter[str]] = Counter()

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._timer: asyncio.TimerHandle | None = None
        self._waits_for_head = True
        self._body_since = 0.0
        self._body_bytes = 0
        self._address = ""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._address = self.client[0] if self.client else ""
        self._open[self._address] += 1
        if self.per_address is not None and self._open[self._address] > self.per_address:
            self._end(_TOO_MANY)
        else:
            self._start(self.head_seconds)

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop()
        self._open[self._address] -= 1
        if not self._open[self._address]:
            del self._open[self._address]
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.transport.is_closing():
            return
        state = self.conn.their_state
        if state is h11.IDLE:  # a head that is not complete; one that is long under way gets no more time
            if not self._waits_for_head or self._timer is None:
                self._start(self.head_seconds)
            self._waits_for_head = True
        elif state is h11.SEND_BODY:
            if self._waits_for_head:
                self._body_since, self._body_bytes, self._waits_for_head = self.loop.time(), 0, False
            self._body_bytes += len(data)
            allowed = self.body_seconds + self._body_bytes / BODY_RATE
            self._start(max(0.0, self._body_since + allowed - self.loop.time()))
        else:
            self._stop()
            self._waits_for_head = True

    def _start(self, seconds: float) -> None:
        self._stop()
        self._timer = self.loop.call_later(seconds, self._end, _TIMEOUT)

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _end(self, message: bytes) -> None:
        self._timer = None
        if not self.transport.is_closing():
            if self.cycle is None or not self.cycle.response_started:
                self.transport.write(message)
            self.transport.close()


class ProxiedProtocol(GuardedProtocol):
    """The same behind a proxy."""

    per_address = None
