"""Connections that are held open without a request, or that are too many from one address."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

import pytest
import uvicorn

from anaphor.annotate.web.connections import GuardedProtocol

if TYPE_CHECKING:
    from tests.annotate.security.conftest import Site


class _Impatient(GuardedProtocol):
    """The same with less patience, so that the test is short."""

    head_seconds = 0.5
    body_seconds = 0.5
    per_address = 40


@contextmanager
def listening(site: Site, protocol: type[asyncio.Protocol]) -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        config = uvicorn.Config(site.app, http=protocol, log_level="critical", limit_concurrency=50)
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            yield listener.getsockname()[1]
        finally:
            server.should_exit = True
            thread.join()


def opened(port: int, sent: bytes) -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", port), timeout=60)
    connection.sendall(sent)
    return connection


HEAD = b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n"
BODY = b"POST /login HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 900\r\n\r\nname="


@pytest.mark.parametrize("sent", [b"", HEAD, BODY], ids=["nothing", "half a head", "half a body"])
def test_half_open_connections_starve_nobody(attack: Callable[..., Site], sent: bytes) -> None:
    """1,100 of them once kept everybody else out; here the limit of the server is 50."""
    with ExitStack() as stack:
        port = stack.enter_context(listening(attack(), _Impatient))
        held = [stack.enter_context(opened(port, sent)) for _ in range(39)]
        last = stack.enter_context(opened(port, HEAD + b"\r\n"))
        assert last.recv(100).startswith(b"HTTP/1.1 200")
        for one in held:
            parts = b"".join(iter(lambda one=one: one.recv(4096), b""))  # type: ignore[misc]
            # A form without a token is refused before its body is there.
            assert parts[9:12] in (b"408", b"403")


def test_one_address_has_so_many_connections_and_no_more(attack: Callable[..., Site]) -> None:
    with ExitStack() as stack:
        port = stack.enter_context(listening(attack(), _Impatient))
        held = [stack.enter_context(opened(port, b"")) for _ in range(45)]
        answers = [one.recv(4096) for one in held]
    assert sum(answer.startswith(b"HTTP/1.1 429") for answer in answers) == 5
    assert sum(answer.startswith(b"HTTP/1.1 408") for answer in answers) == 40


def test_a_slow_head_gets_no_more_time_by_sending_on(attack: Callable[..., Site]) -> None:
    with ExitStack() as stack:
        port = stack.enter_context(listening(attack(), _Impatient))
        slow, since = stack.enter_context(opened(port, HEAD)), time.monotonic()
        slow.settimeout(0.1)
        while time.monotonic() < since + 30:
            try:
                slow.sendall(b"X")
                if slow.recv(4096).startswith(b"HTTP/1.1 408"):
                    break
            except TimeoutError:
                continue
            except ConnectionError:
                break
        assert time.monotonic() < since + 30, "it was closed although it went on sending"
