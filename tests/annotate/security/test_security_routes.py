"""Every route that the application describes: who may use it, with which token, and what it answers with."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import func, select

from anaphor.annotate.store import schema

if TYPE_CHECKING:
    from tests.support.security import Site, Visitor

#: What somebody may see who is not signed in. The rest is 401 for them.
OPEN = {"/", "/enter/{token}", "/enter", "/login", "/leave", "/static/{name}", "/health", "/language/{code}"}
TABLES = (schema.answers, schema.journal, schema.decisions, schema.links, schema.people, schema.own_tags)


def routes(site: Site, method: str) -> list[str]:
    described = site.stranger().get("/schema/openapi.json").json()["paths"]
    paths = sorted(path for path, operations in described.items() if method in operations)
    assert len(paths) > 5
    return paths


def filled(site: Site, path: str, *, item: str | None = None) -> str:
    """A path with ids that are there."""
    with site.store.read() as connection:
        unit = connection.execute(select(schema.units.c.id)).scalars().first()
    found = {
        "assignment": item or site.items()[0],
        "unit": unit,
        "name": "csv" if "files" in path else "page.css",
        "token": "guess",
        "link": "guess",
        "position": "1",
        "code": "de",
    }
    query = "?position=1" if path == "/items/at" else ""
    return re.sub(r"\{(\w+)\}", lambda match: str(found[match[1]]), path) + query


def is_for_leads(path: str) -> bool:
    return path.startswith(("/lead", "/api/lead"))


def counts(site: Site) -> dict[str, int]:
    with site.store.read() as connection:
        return {
            table.name: connection.execute(select(func.count()).select_from(table)).scalar_one()
            for table in TABLES
        }


def post_raw(visitor: Visitor, path: str, headers: dict[str, str], form: dict[str, str]) -> Any:
    content: dict[str, Any] = {"data": form} if not path.startswith("/api/") else {"json": {}}
    return visitor.client.post(path, headers=headers, follow_redirects=False, **content)


def test_nobody_sees_anything_without_signing_in(site: Site) -> None:
    stranger = site.stranger()
    paths = routes(site, "get")
    assert paths
    for path in paths:
        # Choosing a language sets a cookie and leads back to the sign-in page.
        expected = {200, 302, 403} if path in OPEN else {401}
        assert stranger.get(filled(site, path)).status_code in expected, path
    for path in set(routes(site, "post")) - OPEN:
        assert stranger.post(filled(site, path), {}).status_code in (401, 400), path


def test_each_role_has_its_own_routes(site: Site) -> None:
    annotator, lead = site.annotator(), site.lead()
    paths = set(routes(site, "get")) - OPEN - {"/api/session"}
    assert paths
    for path in paths:
        mine, other = (lead, annotator) if is_for_leads(path) else (annotator, lead)
        assert other.get(filled(site, path)).status_code == 403, path
        assert mine.get(filled(site, path)).status_code in (200, 302, 303, 307), path
    for path in set(routes(site, "post")) - OPEN:
        other = annotator if is_for_leads(path) else lead
        refused = other.send(filled(site, path), {}) if "/api/" in path else other.post(filled(site, path))
        assert refused.status_code == 403, path


@pytest.mark.parametrize(
    ("token", "headers"),
    [
        (None, {}),
        ("", {}),
        ("guess", {}),
        ("theirs", {}),
        ("own", {"Origin": "http://evil.example"}),
        ("own", {"Origin": "http://127.0.0.1:9999"}),
        ("own", {"Sec-Fetch-Site": "cross-site"}),
        ("own", {"Sec-Fetch-Site": "same-site"}),
    ],
    ids=["missing", "empty", "guessed", "foreign", "origin", "other-port", "cross-site", "same-site"],
)
def test_no_change_without_the_right_token_from_the_right_place(
    site: Site, token: str | None, headers: dict[str, str]
) -> None:
    before = counts(site)
    for path in routes(site, "post"):
        visitor = site.lead() if is_for_leads(path) else site.annotator()
        known = {"own": visitor.token, "theirs": site.annotator(1).token}
        given = known.get(token, token) if token is not None else None
        for in_form in (True, False):
            form = {"csrf": given} if in_form and given is not None else {}
            header = {"X-CSRF-Token": given} if not in_form and given is not None else {}
            refused = post_raw(visitor, filled(site, path), {**headers, **header}, form)
            assert refused.status_code == 403, (path, in_form)
    assert counts(site) == before


def test_other_methods_change_nothing(site: Site) -> None:
    annotator = site.annotator()
    paths = routes(site, "post")
    assert paths
    for path in paths:
        for method in ("PUT", "PATCH", "DELETE", "TRACE"):
            answer = annotator.client.request(
                method, filled(site, path), headers={"X-CSRF-Token": annotator.token}
            )
            assert answer.status_code in (404, 405, 501), (method, path)


def test_items_of_others_look_like_unknown_items(site: Site) -> None:
    annotator, foreign, nobodys = site.annotator(), site.items(1)[0], "0" * 32
    body = {"request": "some-request", "version": 0, "answer": {"remark": "mine"}, "keep": "saved"}
    body["text"] = "mine"
    form = {"version": "0", "request": "some-request", "remark": "mine", "keep": "saved", "text": "mine"}
    before = counts(site)
    for method in ("get", "post"):
        for path in routes(site, method):
            if "{assignment}" not in path or is_for_leads(path):
                continue
            texts = []
            for item in (foreign, nobodys):
                target = filled(site, path, item=item)
                if method == "get":
                    answer = annotator.get(target)
                else:
                    answer = annotator.send(target, body) if "/api/" in path else annotator.post(target, form)
                assert answer.status_code == 404, target
                texts.append(answer.text.replace(item, ""))
            assert texts[0] == texts[1], path
    assert counts(site) == before


def test_every_answer_of_every_route_has_the_headers(site: Site) -> None:
    visitors = (site.stranger(), site.annotator(), site.lead())
    paths = ["/nothing", "/static/nothing", "/schema/openapi.json", "/items/at?position=x"]
    paths += [filled(site, path) for path in routes(site, "get")]
    for visitor in visitors:
        for path in paths:
            headers = visitor.get(path).headers
            policy = dict(part.split(" ", 1) for part in headers["content-security-policy"].split("; "))
            assert policy["default-src"] == "'none'", path
            assert set(policy.values()) == {"'none'", "'self'"}, path
            assert {"base-uri", "frame-ancestors", "form-action"} <= policy.keys(), path
            assert headers["x-content-type-options"] == "nosniff", path
            assert headers["x-frame-options"] == "DENY", path
            assert headers["referrer-policy"] == "no-referrer", path
            assert headers["cross-origin-opener-policy"] == "same-origin", path
            assert headers["cache-control"] in ("no-store", "no-cache"), path
            assert "access-control-allow-origin" not in headers, path
            assert not {"server", "x-powered-by"} & set(headers), path


def test_only_the_session_and_the_form_have_cookies_and_no_script_reads_them(site: Site) -> None:
    stranger = site.stranger()
    answers = [
        stranger.get("/"),
        stranger.get(f"/enter/{site.link()}"),
        site.stranger().post("/login", {"name": "Lea", "password": "a long enough password"}),
        site.annotator().post("/leave"),
    ]
    for answer in answers:
        for cookie in answer.headers.get_list("set-cookie"):
            parts = {part.strip().lower().partition("=")[0] for part in cookie.split(";")[1:]}
            assert {"httponly", "samesite", "path", "max-age"} <= parts, cookie
            assert "samesite=strict" in cookie.lower()
            assert "domain" not in parts
    assert all(answer.headers.get_list("set-cookie") for answer in answers)


def test_the_server_opens_no_connections(
    attack: Callable[..., Site], monkeypatch: pytest.MonkeyPatch
) -> None:
    site = attack(answered=True)
    connected: list[object] = []

    def refuse(*arguments: object, **_: object) -> None:
        connected.append(arguments)
        raise OSError("no request leaves this server")

    for name in ("socket.socket.connect", "socket.socket.connect_ex", "socket.getaddrinfo"):
        monkeypatch.setattr(name, refuse)
    for visitor in (site.stranger(), site.annotator(), site.lead()):
        for path in routes(site, "get"):
            assert visitor.get(filled(site, path)).status_code < 500, path
    assert connected == []
