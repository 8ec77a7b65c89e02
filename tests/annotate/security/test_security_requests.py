"""Requests that no browser sends: paths that lead elsewhere, broken files, headers within headers."""

from __future__ import annotations

import json
import socket
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from anaphor.annotate.exchange import IMPORTS
from anaphor.annotate.judging.answers import journal
from anaphor.annotate.store.audit import audit_log
from anaphor.annotate.web import ServerConfig
from anaphor.annotate.web.rate_limit import RateLimiter

if TYPE_CHECKING:
    from tests.support.security import Running, Site, Visitor

OUTSIDE = (
    "../app.py",
    "..%2fapp.py",
    "%2e%2e/app.py",
    "%2e%2e%2fapp.py",
    "..%5capp.py",
    "..%252fapp.py",
    "....//app.py",
    "/etc/passwd",
    "%2fetc%2fpasswd",
    "//etc/passwd",
    "page.css/../../app.py",
    "page.css%00.html",
    "%c0%ae%c0%ae/app.py",
    "file:///etc/passwd",
    ".",
    "",
)


def raw(port: int, request: bytes) -> bytes:
    """What the server answers to some bytes, until it has no more to say or hangs up."""
    parts = []
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection, suppress(ConnectionError):
        connection.sendall(request)
        while part := connection.recv(65536):
            parts.append(part)
    return b"".join(parts)


def get_request(path: str, *, headers: str = "") -> bytes:
    return f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n{headers}Connection: close\r\n\r\n".encode()


def cookies(visitor: Visitor) -> str:
    return "; ".join(f"{name}={value}" for name, value in visitor.client.cookies.items())


def status(answer: bytes) -> int:
    return int(answer.split(b" ", 2)[1])


@pytest.mark.parametrize("path", OUTSIDE)
def test_no_path_leads_out_of_the_static_files(running: Running, path: str) -> None:
    answer = raw(running.port, get_request(f"/static/{path}"))
    assert status(answer) in (400, 404), answer
    assert b"root:" not in answer
    assert b"import" not in answer


@pytest.mark.parametrize("path", OUTSIDE)
def test_no_path_leads_out_of_the_exports(running: Running, path: str) -> None:
    cookie = cookies(running.site.lead())
    answer = raw(running.port, get_request(f"/lead/files/{path}", headers=f"Cookie: {cookie}\r\n"))
    if path in ("", "."):
        assert status(answer) in (200, 400, 404)
    else:
        assert status(answer) in (400, 404), answer
    assert b"root:" not in answer


@pytest.mark.parametrize(
    "request_bytes",
    [
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n",
        b"GET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: " + b"a" * 2_000_000 + b"\r\n\r\n",
        b"GET /" + b"a" * 2_000_000 + b" HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        b"POST /login HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: -1\r\n\r\n",
        b"POST /login HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n12345",
        b"POST /login HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\nno number\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"\x00" * 1000,
        b"GET / HTTP/9.9\r\nConnection: close\r\n\r\n",
    ],
    ids=[
        "no-host",
        "foreign-host",
        "two-hosts",
        "absolute-form",
        "long-header",
        "long-path",
        "negative-length",
        "two-lengths",
        "no-chunk",
        "tls",
        "nul",
        "version",
    ],
)
def test_broken_requests_are_refused_and_the_server_goes_on(running: Running, request_bytes: bytes) -> None:
    answer = raw(running.port, request_bytes)
    assert not answer or 400 <= status(answer) < 500, answer[:200]
    assert status(raw(running.port, get_request("/health"))) == 200


@pytest.mark.parametrize(
    "path",
    [
        "/enter/x%0d%0aSet-Cookie:%20evil=1",
        "/%0d%0aevil:1",
        "/items/x%0d%0aevil:1/text",
        "/lead/files/x%0d%0aevil:1",
        "/items/at?position=1%0d%0aevil:1",
        "/static/x%0aevil:1",
    ],
)
def test_line_breaks_in_addresses_make_no_header(running: Running, path: str) -> None:
    for visitor in (running.site.annotator(), running.site.lead()):
        answer = raw(running.port, get_request(path, headers=f"Cookie: {cookies(visitor)}\r\n"))
        head = answer.partition(b"\r\n\r\n")[0].lower()
        assert b"\nevil" not in head
        assert b"evil=1" not in head
        assert status(answer) < 500


def test_line_breaks_in_fields_make_no_header_and_no_name(site: Site) -> None:
    lead = site.lead()
    name = "x\r\nSet-Cookie: evil=1"
    assert lead.post("/lead/people", {"name": name}).status_code == 400
    assert lead.post("/lead/links", {"name": name}).status_code == 404
    file = {"file": ("x\r\nevil: 1.csv", b"", "text/csv\r\nevil: 1")}
    for refused in (lead.post("/lead/files", {"format": f"csv{name}"}, files=file),):
        assert refused.status_code in (400, 404)
        assert "evil" not in refused.headers


def test_proxy_headers_are_ignored_without_a_proxy(running: Running) -> None:
    headers = "X-Forwarded-For: 203.0.113.9\r\nX-Forwarded-Host: evil.example\r\nX-Forwarded-Proto: https\r\n"
    assert status(raw(running.port, get_request("/enter/guess", headers=headers))) == 403
    assert audit_log(running.site.store)[0].address == "127.0.0.1"


def broken_files(tmp_path: Path) -> dict[str, bytes]:
    """Files that are none of what can be read, or too much of it."""
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE annotations (id INTEGER)")
        other.execute("CREATE VIEW annotators AS SELECT load_extension('evil')")
        other.commit()
    database = path.read_bytes()
    return {
        "empty": b"",
        "nul": b"\0" * 5000,
        "no text": bytes(range(256)) * 20,
        "deep": b"[" * 100_000,
        "deep object": b'{"a":' * 50_000,
        "number": b"[" + b"9" * 5000 + b"]",
        "infinity": b'[{"unit": NaN, "person": Infinity}]',
        "surrogate": rb'{"unit": "\ud800", "person": "\udfff", "answer": {}}',
        "one long line": b"a" * 1_000_000,
        "many columns": b"," * 100_000,
        "quote": b'"unit,person\n' + b"x" * 200_000,
        "wrong objects": json.dumps([{"unit": [], "person": {}, "answer": 3}, 4, None]).encode(),
        "database": database,
        "half a database": database[: len(database) // 2],
        "bent database": database[:100] + b"\xff" * 200 + database[300:],
        "zip": b"PK\x03\x04" + b"\0" * 100,
        "xml": b'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>',
    }


@pytest.mark.parametrize("name", sorted(IMPORTS))
def test_malformed_files_are_explained_and_nothing_is_written(
    site: Site, tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(RateLimiter, "require", lambda *_: None)
    lead, before = site.lead(), journal(site.store)
    for kind, content in broken_files(tmp_path).items():
        file = {"file": ("answers", content, "application/octet-stream")}
        answer = lead.post("/lead/files", {"format": name}, files=file)
        assert answer.status_code in (200, 400, 404), (kind, answer.text)
        assert "root:" not in answer.text
    assert journal(site.store) == before


def test_files_beyond_the_limit_are_refused(attack: Callable[..., Site]) -> None:
    site = attack(settings=ServerConfig(max_upload=100_000))
    lead = site.lead()
    for size, expected in ((50_000, 400), (100_001, 413), (2_000_000, 413)):
        file = {"file": ("answers.jsonl", b"x" * size, "text/plain")}
        answer = lead.post("/lead/files", {"format": "jsonl"}, files=file)
        assert answer.status_code == expected, size


def test_a_body_without_a_declared_length_is_limited(attack: Callable[..., Site]) -> None:
    site = attack(settings=ServerConfig(max_upload=100_000))
    lead, annotator = site.lead(), site.annotator()

    def endless() -> Any:
        yield from (b"x" * 10_000 for _ in range(200))

    for visitor, path in ((lead, "/lead/files"), (annotator, f"/api/items/{site.items()[0]}/answer")):
        headers = {"X-CSRF-Token": visitor.token, "Content-Type": "application/json"}
        if visitor is lead:
            headers["Content-Type"] = "multipart/form-data; boundary=b"
        answer = visitor.client.post(path, content=endless(), headers=headers)
        assert answer.status_code in (400, 413), path


@pytest.mark.parametrize("depth", [1000, 20_000])
@pytest.mark.parametrize("opening", [b"[", b'{"a":'])
def test_nested_answers_are_refused(site: Site, depth: int, opening: bytes) -> None:
    annotator, item = site.annotator(), site.items()[0]
    headers = {"X-CSRF-Token": annotator.token, "Content-Type": "application/json"}
    for body in (
        opening * depth,
        b'{"request": "a", "version": 0, "go": "next", "answer": ' + opening * depth,
        b'{"request": "a", "version": 0, "go": "next", "answer": {"words": ' + opening * depth,
    ):
        answer = annotator.client.post(f"/api/items/{item}/answer", content=body[:60_000], headers=headers)
        assert answer.status_code == 400, answer.text
        assert answer.json()["fix"]
    form = {"version": "0", "answer": (opening * depth)[:60_000].decode(), "csrf": annotator.token}
    assert annotator.client.post(f"/items/{item}/answer", data=form).status_code in (400, 413)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"--b",
        b"--b\r\n\r\n",
        b"--b\r\nContent-Disposition: form-data\r\n\r\nx\r\n--b--\r\n",
        b'--b\r\nContent-Disposition: form-data; name="file"\r\n\r\nno file\r\n--b--\r\n',
        b'--b\r\nContent-Disposition: form-data; name="format"\r\n\r\n\xff\xfe\r\n--b--\r\n',
        b"--b\r\nContent-Disposition: " + b"x" * 20_000 + b"\r\n\r\n",
        b'--b\r\nContent-Disposition: form-data; name="a"\r\n\r\nx\r\n' * 2000,
    ],
)
@pytest.mark.parametrize("path", ["/lead/files", "/lead/people", "/login"])
def test_malformed_forms_are_refused(site: Site, path: str, body: bytes) -> None:
    lead = site.lead()
    headers = {"X-CSRF-Token": lead.token, "Content-Type": "multipart/form-data; boundary=b"}
    answer = lead.client.post(path, content=body, headers=headers)
    assert 400 <= answer.status_code < 500, answer.text
    without = lead.client.post(path, content=body, headers={"Content-Type": "multipart/form-data"})
    assert 400 <= without.status_code < 500
