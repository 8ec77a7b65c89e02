"""Starting and stopping the server: which addresses it takes, and that it ends without losing a request."""

from __future__ import annotations

import http.client
import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from anaphor.annotate.campaign.people import add_links
from anaphor.annotate.web import serve
from anaphor.core import InputError, OptionError, UserError

SOURCE = Path(__file__).resolve().parents[3] / "src"


@pytest.fixture
def database(served: Any) -> str:
    return str(served.store.address)


@pytest.mark.parametrize(
    ("options", "where"),
    [
        ({"host": "0.0.0.0"}, "--host"),  # noqa: S104 - what is refused
        ({"host": "example.org"}, "--host"),
        ({"host": "0.0.0.0", "public": True}, "--public"),  # noqa: S104 - what is refused
        ({"certificate": "cert.pem"}, "--certificate, --key"),
        ({"port": 70000}, "--port"),
    ],
)
def test_unsafe_and_impossible_addresses_are_refused(
    database: str, options: dict[str, Any], where: str
) -> None:
    with pytest.raises(OptionError) as refused:
        serve(database, **{"open_browser": False, **options})
    assert str(refused.value.where) == where


def test_a_missing_certificate_is_named(database: str) -> None:
    with pytest.raises(InputError, match="file not found") as refused:
        serve(database, certificate="missing.pem", key="missing.key")
    assert str(refused.value.where) == "missing.pem"


def test_a_port_that_is_taken_is_explained(database: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(OptionError, match="cannot listen"):
        serve(database, port=taken.getsockname()[1], open_browser=False)


def test_a_missing_database_is_explained(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="file not found"):
        serve(str(tmp_path / "missing.db"), open_browser=False)


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
def test_it_serves_until_a_signal_stops_it(served: Any, database: str, ending: signal.Signals) -> None:
    script = f"from anaphor.annotate.web import serve; serve({database!r}, port=0, open_browser=False)"
    started = subprocess.Popen(
        [sys.executable, "-c", script],
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
    )
    try:
        assert started.stderr is not None
        matched = re.search(r"at http://127\.0\.0\.1:(\d+)/", started.stderr.readline())
        assert matched is not None
        connection = http.client.HTTPConnection("127.0.0.1", int(matched[1]), timeout=120)
        connection.request("GET", "/health")
        answer = connection.getresponse()
        assert (answer.status, answer.read()) == (200, b'{"state":"running"}')
        assert answer.getheader("server") is None
        connection.close()
        (made,) = add_links(served.store, ["Ann"], days=1).tables()
        assert f"http://127.0.0.1:{matched[1]}/enter/" in str(made), "links have the port that is served"
        started.send_signal(ending)
        _, errors = started.communicate(timeout=120)
        assert "Traceback" not in errors
        assert started.returncode == 0
    finally:
        started.kill()
        started.wait()
