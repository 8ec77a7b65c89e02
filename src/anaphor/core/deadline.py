"""The time for a whole exchange with a server.

A socket timeout restarts with every byte, so a server that keeps sending single bytes would never time out.
"""

from __future__ import annotations

from contextlib import suppress
from http.client import HTTPConnection, HTTPSConnection
from socket import SHUT_RDWR, socket
from threading import Lock, Timer
from typing import Self


class Deadline:
    """Cuts the connections of its kinds when the time is up; what was read until then may look complete."""

    def __init__(self, seconds: float) -> None:
        self.passed = False
        self._sockets: list[socket] = []
        self._lock = Lock()
        self._timer = Timer(seconds, self._end)
        self._timer.daemon = True

    def __enter__(self) -> Self:
        self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()
        with self._lock:
            for connected in self._sockets:
                connected.close()

    def kinds(self) -> tuple[type[HTTPConnection], type[HTTPSConnection]]:
        """The kinds of connections that are cut, without and with encryption."""
        watch = self._watch

        class Connection(HTTPConnection):
            def connect(self) -> None:
                super().connect()
                watch(self.sock)

        class SecureConnection(HTTPSConnection, Connection):
            """Watched from before its handshake."""

        return Connection, SecureConnection

    def _watch(self, connected: socket) -> None:
        with self._lock:
            self._sockets.append(connected.dup())  # encryption takes the socket itself away
        if self.passed:
            raise TimeoutError

    def _end(self) -> None:
        self.passed = True
        with self._lock:
            for connected in self._sockets:
                with suppress(OSError):
                    connected.shutdown(SHUT_RDWR)
