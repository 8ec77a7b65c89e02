"""Who may do what: links, passwords, roles, other people's items, tokens of forms, rate limits, headers."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from litestar.exceptions import TooManyRequestsException
from litestar.testing import TestClient
from sqlalchemy import select, update

from anaphor.annotate.campaign.people import add_link, begin, deactivate, find_person, links, revoke_link
from anaphor.annotate.store import schema
from anaphor.annotate.store.audit import audit_log
from anaphor.annotate.web import ServerConfig, create_app, rate_limit
from anaphor.annotate.web.rate_limit import LOGIN, RateLimit, RateLimiter

SCRIPT = "<script>alert(1)</script>"


def test_a_stranger_sees_only_the_sign_in_page(served: Any) -> None:
    stranger = served.stranger()
    front = stranger.get("/")
    assert front.status_code == 200
    assert "personal link" in front.text
    for path in ("/items", "/guidelines", "/api/positions/1", "/lead", "/lead/files/csv", "/api/lead"):
        assert stranger.get(path).status_code == 401, path
    assert stranger.get("/lead").text.count("<dt>") == 2, "where and fix are shown"


def test_a_link_becomes_a_session_and_leaves_the_address(served: Any) -> None:
    stranger = served.stranger()
    link = add_link(served.store, "Ann", by="test")
    assert stranger.get(f"/enter/{link}").headers["referrer-policy"] == "no-referrer"
    assert stranger.get("/items").status_code == 401, "looking at the link signs nobody in"
    entered = stranger.enter(link)
    cookie = entered.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert entered.headers["location"] == "/"
    assert stranger.get("/").url.path == "/start", "the instructions come first"
    begin(served.store, find_person(served.store, "Ann"), agreed=False)
    assert stranger.get("/").url.path.startswith("/items/")


def test_opening_the_link_again_leaves_the_open_page_working(served: Any) -> None:
    """The tab that is open has the old CSRF token; a new session would refuse every save with 403."""
    ann = served.annotator()
    token, item = ann.token(), ann.first()
    link = add_link(served.store, "Ann", by="test")
    assert "signed out" not in ann.get(f"/enter/{link}").text
    assert ann.enter(link).status_code == 303
    body = json.dumps({"request": "from-open-tab", "version": 0, "answer": {"remark": "still saved"}})
    headers = {"X-CSRF-Token": token, "Content-Type": "application/json"}
    assert ann.client.post(f"/api/items/{item}/answer", content=body, headers=headers).status_code == 200
    assert ann.get("/api/session").json() == {"person": served.person(), "name": "Ann", "csrf": token}


def test_leads_are_signed_in_for_hours_and_annotators_for_days(served: Any) -> None:
    served.lead(), served.annotator()
    with served.store.read() as connection:
        table, person = schema.sessions, schema.people
        rows = connection.execute(select(person.c.role, table.c.expires).join_from(table, person)).all()
    left = {row.role: datetime.fromisoformat(row.expires) - datetime.now(UTC) for row in rows}
    assert timedelta(hours=11) < left["lead"] <= timedelta(hours=12)
    assert timedelta(hours=71) < left["annotator"] <= timedelta(hours=72)


def test_a_link_from_another_site_cannot_replace_a_session(served: Any) -> None:
    ann = served.annotator()
    page = ann.get(f"/enter/{add_link(served.store, 'Bob', by='test')}")
    assert "Ann is signed out" in page.text
    assert ann.get("/api/session").json()["name"] == "Ann"
    hidden = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', page.text))
    for headers, form in (({"Origin": "http://evil.example"}, hidden), ({}, hidden | {"csrf": "guess"})):
        refused = ann.client.post("/enter", data=form, headers=headers, follow_redirects=False)
        assert refused.status_code == 403
    assert ann.get("/api/session").json()["name"] == "Ann"
    assert ann.enter(add_link(served.store, "Bob", by="test")).status_code == 303
    assert ann.get("/api/session").json()["name"] == "Bob"


def test_a_link_works_where_the_session_shows_only_with_the_form(served: Any) -> None:
    """Browsers hide strict cookies from a page that another site opened, and send them with its form."""
    ann, link = served.annotator(), add_link(served.store, "Ann", by="test")
    from_mail = served.stranger().get(f"/enter/{link}")
    hidden = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', from_mail.text))
    for cookie in from_mail.cookies.jar:
        ann.client.cookies.set(cookie.name, cookie.value or "")
    token = ann.token()
    assert ann.client.post("/enter", data=hidden, follow_redirects=False).status_code == 303
    assert ann.token() == token


@pytest.mark.parametrize("token", ["x", "a" * 43, "%2e%2e%2f", "é" * 40])
def test_guessed_links_are_refused_and_noted(served: Any, token: str) -> None:
    refused = served.stranger().get(f"/enter/{token}")
    assert refused.status_code in (403, 404)
    if refused.status_code == 403:
        assert audit_log(served.store)[0].action == "link refused"


def test_expired_and_revoked_links_end_sessions_too(served: Any) -> None:
    ann = served.annotator()
    assert ann.get("/items").status_code == 200
    revoke_link(served.store, links(served.store)[0].id, by="test")
    assert ann.get("/items").status_code == 401
    token = add_link(served.store, "Ann", by="test")
    bob = served.annotator("Bob")
    with served.store.write() as connection:
        connection.execute(update(schema.links).values(expires="2001-01-01T00:00:00.000000Z"))
    assert served.stranger().get(f"/enter/{token}").status_code == 403
    assert bob.get("/items").status_code == 401


def test_a_deactivated_person_is_signed_out_at_once(served: Any) -> None:
    bob = served.annotator("Bob")
    deactivate(served.store, "Bob", by="test")
    assert bob.get("/items").status_code == 401


def test_roles_do_not_mix(served: Any) -> None:
    ann, lea = served.annotator(), served.lead()
    for path in ("/lead", "/api/lead", "/lead/people", "/lead/files", "/lead/files/csv", "/lead/log"):
        assert ann.get(path).status_code == 403, path
    assert ann.post("/lead/links", {"name": "Ann"}).status_code == 403
    assert lea.get("/items").status_code == 403
    assert lea.get("/").url.path == "/lead"


@pytest.mark.parametrize("path", ["/items/{}", "/items/{}/history", "/api/items/{}", "/api/items/{}/text"])
def test_items_of_others_do_not_exist(served: Any, path: str) -> None:
    foreign = served.annotator("Bob").first()
    ann = served.annotator()
    found, missing = ann.get(path.format(foreign)), ann.get(path.format("0" * 32))
    assert (found.status_code, missing.status_code) == (404, 404)
    assert found.text.replace(foreign, "") == missing.text.replace("0" * 32, "")


def test_nobody_answers_for_others(served: Any, answered: Any) -> None:
    foreign = served.annotator("Bob").first()
    ann = served.annotator()
    assert ann.send(f"/api/items/{foreign}/answer", answered(remark="x")).status_code == 404
    form = {"version": "0", "request": "some-request", "remark": "x"}
    assert ann.post(f"/items/{foreign}/answer", form).status_code == 404


def test_leaving_ends_the_session(served: Any) -> None:
    ann = served.annotator()
    cookies = dict(ann.client.cookies)
    assert ann.post("/leave").status_code == 303
    assert ann.get("/items").status_code == 401
    ann.client.cookies.update(cookies)
    assert ann.get("/items").status_code == 401, "the old cookie is worth nothing"


@pytest.mark.parametrize("password", ["wrong", "", "a long enough passwor"])
def test_wrong_passwords_are_refused(served: Any, password: str) -> None:
    stranger = served.stranger()
    refused = stranger.post("/login", {"name": "Lea", "password": password})
    assert refused.status_code == 403
    assert "Name or password is wrong." in refused.text
    assert stranger.get("/lead").status_code == 401


def test_unknown_names_and_annotators_have_no_password(served: Any) -> None:
    for name in ("Nobody", "Ann", SCRIPT):
        refused = served.stranger().post("/login", {"name": name, "password": "a long enough password"})
        assert refused.status_code == 403
        assert SCRIPT not in refused.text


def test_guessing_passwords_is_rate_limited(served: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    stranger = served.stranger()
    monkeypatch.setattr(
        served.app.state["app_state"].rate_limiter, "_clock", lambda: 0.0
    )  # however slow the machine is
    codes = [
        stranger.post("/login", {"name": "Lea", "password": "guess"}).status_code
        for _ in range(LOGIN.burst + 1)
    ]
    assert codes[-1] == 429
    assert set(codes[:-1]) == {403}


def test_a_bucket_fills_again_with_time() -> None:
    now = [0.0]
    rate_limiter, limit = RateLimiter(lambda: now[0]), RateLimit("x", burst=2, per_minute=60)
    allowed, waits = [], []
    for seconds in (0, 0, 0, 0.5, 0.5, 0):
        now[0] += seconds
        try:
            rate_limiter.require(limit, "somebody")
            allowed.append(True)
        except TooManyRequestsException as refused:
            allowed.append(False)
            waits.append((refused.headers or {})["Retry-After"])
    assert allowed == [True, True, False, False, True, False]
    # An empty bucket has its next drop after a second, a half full one after half a second; both rounded up.
    assert waits == ["2", "1", "2"]
    rate_limiter.require(limit, "somebody else")
    now[0] += 3600  # an hour of silence is worth no more than a full bucket
    for _ in range(limit.burst):
        rate_limiter.require(limit, "somebody")
    with pytest.raises(TooManyRequestsException):
        rate_limiter.require(limit, "somebody")


def test_old_buckets_are_dropped_and_those_in_use_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever invents names fills no memory, and does not get rid of a limit that way either."""
    monkeypatch.setattr(rate_limit, "MAX_BUCKETS", 10)
    now = [0.0]
    limiter, limit = RateLimiter(lambda: now[0]), RateLimit("x", burst=2, per_minute=1e-6)
    limiter.require(limit, "in use")
    for number in range(9):
        now[0] += 1
        limiter.require(limit, f"name {number}")
    limiter.require(limit, "in use")  # the fullest use, and the newest
    assert len(limiter) == 10
    now[0] += 1
    limiter.require(limit, "one too many")
    assert len(limiter) == 6  # the half that was used longest ago is gone: name 0, ..., name 4
    with pytest.raises(TooManyRequestsException):
        limiter.require(limit, "in use")
    for name, uses in (("name 5", 1), ("name 8", 1), ("name 0", 2), ("name 4", 2)):
        for _ in range(uses):
            limiter.require(limit, name)
        with pytest.raises(TooManyRequestsException):
            limiter.require(limit, name)
    for number in range(1000):
        limiter.require(limit, f"stranger {number}")
        assert len(limiter) <= 10


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"X-CSRF-Token": "guess"},
        {"X-CSRF-Token": ""},
    ],
)
def test_changes_need_the_token_of_the_session(served: Any, answered: Any, headers: dict[str, str]) -> None:
    ann = served.annotator()
    sent = ann.client.post(f"/api/items/{ann.first()}/answer", json=answered(remark="x"), headers=headers)
    assert sent.status_code == 403
    assert "not answered yet" in ann.get(f"/items/{ann.first()}").text


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "http://["},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
def test_changes_from_other_sites_are_refused_even_with_the_token(
    served: Any, answered: Any, headers: dict[str, str]
) -> None:
    ann = served.annotator()
    both = {"X-CSRF-Token": ann.token(), **headers}
    path = f"/api/items/{ann.first()}/answer"
    assert ann.client.post(path, json=answered(remark="x"), headers=both).status_code == 403


def test_the_token_of_one_session_is_not_that_of_another(served: Any, answered: Any) -> None:
    ann, bob = served.annotator(), served.annotator("Bob")
    sent = ann.client.post(
        f"/api/items/{ann.first()}/answer",
        json=answered(remark="x"),
        headers={"X-CSRF-Token": bob.token()},
    )
    assert sent.status_code == 403


def test_a_login_form_needs_the_token_of_its_browser(served: Any) -> None:
    stranger = served.stranger()
    form = {"name": "Lea", "password": "a long enough password", "csrf": "guess"}
    assert stranger.client.post("/login", data=form).status_code == 403


def test_foreign_host_names_are_refused(served: Any) -> None:
    for host in ("evil.example", "127.0.0.1.evil.example", "", "[::1"):
        assert served.stranger().get("/", headers={"Host": host}).status_code == 400, host
    for host in ("127.0.0.1:8080", "localhost", "[::1]:80"):
        assert served.stranger().get("/", headers={"Host": host}).status_code == 200, host


@pytest.mark.parametrize("path", ["/", "/items", "/nothing", "/static/page.css", "/api/keys", "/health"])
def test_every_answer_has_the_headers(served: Any, path: str) -> None:
    headers = served.annotator().get(path).headers
    policy = headers["content-security-policy"]
    assert "unsafe" not in policy
    assert "script-src 'self'" in policy
    assert "frame-ancestors 'none'" in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cache-control"] == ("no-cache" if "static" in path else "no-store")


def test_with_tls_cookies_are_bound_to_it(serve_small: Any) -> None:
    served = serve_small(settings=ServerConfig(secure=True, hosts=None))
    client = TestClient(served.app, base_url="https://judge.example")
    page = client.get(f"/enter/{add_link(served.store, 'Ann', by='test')}")
    assert page.headers["set-cookie"].startswith("__Host-anaphor-")
    assert "Secure" in page.headers["set-cookie"]
    assert "strict-transport-security" in page.headers


@pytest.mark.parametrize(
    "path", ["/static/../app.py", "/static/%2e%2e/app.py", "/static/..%2fapp.py", "/static/nothing.css"]
)
def test_no_path_leads_out_of_the_static_files(served: Any, path: str) -> None:
    assert served.stranger().get(path).status_code == 404


def test_static_files_are_cached(served: Any) -> None:
    stranger = served.stranger()
    first = stranger.get("/static/annotate.js")
    assert first.headers["content-type"] == "text/javascript; charset=utf-8"
    again = stranger.get("/static/annotate.js", headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_large_requests_are_refused(served: Any, answered: Any) -> None:
    ann = served.annotator()
    path = f"/api/items/{ann.first()}/answer"
    assert ann.send(path, answered(remark="x" * 100_000)).status_code == 413


@pytest.mark.parametrize(
    "content",
    [
        None,
        [],
        {},
        {"request": "12345678", "version": "none", "answer": {}},
        {"request": "12345678", "version": -1, "answer": {}},
        {"request": "12345678", "version": 0, "answer": {"words": [[1]]}},
        {"request": "12345678", "version": 0, "answer": {"words": [[2**40, 1]]}},
        {"request": "12345678", "version": 0, "answer": {"pronoun": "maybe"}},
        {"request": "1" * 101, "version": 0, "answer": {}},
        {"request": "12345678", "version": 0, "answer": {"remark": "\ud800"}},
        {"request": "12345678", "version": 0, "answer": {"remark": "a\0b"}},
    ],
)
def test_malformed_answers_are_explained(served: Any, content: object) -> None:
    ann = served.annotator()
    refused = ann.send(f"/api/items/{ann.first()}/answer", content)
    assert refused.status_code == 400
    assert set(refused.json()) == {"what", "where", "fix"}


def test_text_of_others_is_never_markup(serve_small: Any, answered: Any) -> None:
    source = (f"I bought a {SCRIPT} .", "It\u202e is bright .", "Today it rains .", "We left .")
    served = serve_small(source=source, tags=(f"tag{SCRIPT}",), guidelines=SCRIPT)
    ann = served.annotator()
    for number in range(1, 5):
        item = str(ann.get(f"/items/at?position={number}").url.path).rpartition("/")[2]
        body = answered(remark=f"</textarea>{SCRIPT}", tags=[f"own {SCRIPT}"])
        assert SCRIPT not in ann.send(f"/api/items/{item}/answer", body).json()["html"]
    lea = served.lead()
    pages = ["/lead", "/lead/examples", "/lead/disagreements", "/lead/log", "/lead/agreement"]
    unit = re.search(r'href="(/lead/units/[^"]+)"', lea.get("/lead/examples").text)
    assert unit is not None
    texts = [lea.get(path).text for path in (*pages, unit[1])]
    texts += [
        ann.get(path).text
        for path in ("/items", "/guidelines", *(f"/items/at?position={n}" for n in range(1, 5)))
    ]
    for text in texts:
        assert SCRIPT not in text
        assert "\u202e" not in text
    assert any("&lt;script&gt;" in text for text in texts)


def test_names_in_addresses_are_shown_as_text(served: Any) -> None:
    missing = served.lead().get("/lead/units/%3Cscript%3Ealert(1)%3C%2Fscript%3E")
    assert missing.status_code == 404
    assert "<script>alert" not in missing.text


def test_an_internal_error_shows_no_traceback(served: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    ann = served.annotator()
    served.store.close()

    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("a secret detail")

    monkeypatch.setattr("anaphor.annotate.judging.assignments.list_assignments", fail)
    broken = ann.get("/items")
    assert broken.status_code == 500
    assert "secret detail" not in broken.text
    assert "Traceback" not in broken.text


def test_the_description_of_the_routes_covers_them_all(served: Any) -> None:
    described = set(served.stranger().get("/schema/openapi.json").json()["paths"])
    assert {
        "/login",
        "/items/{assignment}/answer",
        "/api/items/{assignment}/answer",
        "/lead/files",
    } <= described


def test_a_restart_keeps_everybody_signed_in(served: Any) -> None:
    ann = served.annotator()
    with TestClient(
        create_app(served.store), base_url="http://127.0.0.1", cookies=ann.client.cookies
    ) as again:
        assert again.get("/items").status_code == 200
