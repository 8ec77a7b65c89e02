"""Links, sessions and passwords that are guessed, stolen, expired or revoked; and who asks too often."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from itertools import count
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import select, update

from anaphor.annotate.campaign.people import links, revoke_link
from anaphor.annotate.store import schema
from anaphor.annotate.store.audit import audit_log
from anaphor.annotate.web.rate_limit import ANSWER, HEAVY, LINK, LOGIN, LOGINS, RateLimit

if TYPE_CHECKING:
    from tests.support.security import Site

PAST = "2000-01-01T00:00:00Z"

#: Each makes of a good token one that is none.
FORGERIES: dict[str, Callable[[str], str]] = {
    "shorter": lambda token: token[:-1],
    "longer": lambda token: token + "A",
    "other case": str.swapcase,
    "one letter": lambda token: ("A" if token[0] != "A" else "B") + token[1:],
    "its hash": lambda token: hashlib.sha256(token.encode()).hexdigest(),
    "wildcard": lambda token: "%25",
    "sql": lambda token: "'%20OR%20'1'='1",
    "nul": lambda token: token + "%00",
    "spaces": lambda token: f"%20{token}%20",
    "not a text": lambda token: "%ff%fe",
    "guess": lambda token: "A" * 43,
}


@pytest.mark.parametrize("forge", FORGERIES.values(), ids=FORGERIES.keys())
def test_forged_links_open_nothing(site: Site, forge: Callable[[str], str]) -> None:
    stranger, token = site.stranger(), site.link()
    refused = stranger.get(f"/enter/{forge(token)}")
    assert refused.status_code in (400, 403, 404)
    assert stranger.get("/items").status_code == 401
    assert stranger.enter(token).status_code == 303, "the good one still works"
    assert stranger.get("/items").status_code == 200


def test_links_that_ended_open_nothing_and_end_what_they_opened(site: Site) -> None:
    token = site.link()
    visitor = site.stranger()
    assert visitor.enter(token).status_code == 303
    with site.store.write() as connection:
        connection.execute(update(schema.links).values(expires=PAST))
    assert visitor.get("/items").status_code == 401
    assert site.stranger().get(f"/enter/{token}").status_code == 403

    second = site.link()
    assert visitor.enter(second).status_code == 303
    revoke_link(site.store, next(one.id for one in links(site.store) if one.state == "valid"), by="test")
    assert visitor.get("/items").status_code == 401
    assert site.stranger().get(f"/enter/{second}").status_code == 403


def test_a_session_expires(site: Site) -> None:
    visitor = site.annotator()
    assert visitor.get("/items").status_code == 200
    with site.store.write() as connection:
        connection.execute(update(schema.sessions).values(expires=PAST))
    assert visitor.get("/items").status_code == 401


def test_tokens_of_links_and_sessions_are_not_interchangeable(site: Site) -> None:
    token, stranger = site.link(), site.stranger()
    cookie = site.app.state["app_state"].cookie
    assert stranger.get("/items", headers={"Cookie": f"{cookie}={token}"}).status_code == 401
    session = site.annotator().client.cookies[cookie]
    assert stranger.get(f"/enter/{session}").status_code == 403


def test_nothing_secret_is_stored_or_noted(site: Site) -> None:
    token, visitor = site.link(), site.stranger()
    visitor.enter(token)
    lead = site.stranger()
    lead.post("/login", {"name": "Lea", "password": "a long enough password"})
    cookies = [*visitor.client.cookies.values(), *lead.client.cookies.values()]
    with site.store.read() as connection:
        rows = [
            str(tuple(row))
            for table in schema.METADATA.sorted_tables
            if table.name in ("links", "sessions", "people", "audit")
            for row in connection.execute(select(table))
        ]
    stored = "\n".join(rows)
    assert token not in stored
    assert "a long enough password" not in stored
    assert not [one for one in cookies if one in stored]


def test_a_session_is_never_the_one_that_somebody_planted(site: Site) -> None:
    stranger, cookie = site.stranger(), site.app.state["app_state"].cookie
    stranger.client.cookies.set(cookie, "chosen-by-the-attacker")
    stranger.enter(site.link())
    first = stranger.client.cookies.get(cookie, domain="127.0.0.1")
    stranger.enter(site.link())
    second = stranger.client.cookies.get(cookie, domain="127.0.0.1")
    assert {first, second}.isdisjoint({None, "chosen-by-the-attacker"})


def test_the_audit_log_records_refusals(site: Site) -> None:
    stranger = site.stranger()
    stranger.get("/enter/guess")
    stranger.post("/login", {"name": "Lea", "password": "wrong"})
    actions = [entry.action for entry in audit_log(site.store)[:2]]
    assert actions == ["sign-in refused", "link refused"]


def until_refused(site: Site, limit: RateLimit, ask: Callable[[], Any]) -> None:
    """So many are answered as the limit says, and no more while no time passes."""
    site.app.state["app_state"].rate_limiter._clock = lambda: 0.0
    codes = [ask().status_code for _ in range(limit.burst)]
    assert 429 not in codes
    refused = ask()
    assert refused.status_code == 429
    assert int(refused.headers["retry-after"]) >= 1


def test_guessing_passwords_is_rate_limited_per_address(site: Site) -> None:
    stranger, names = site.stranger(), count()
    until_refused(
        site, LOGINS, lambda: stranger.post("/login", {"name": f"{next(names)}", "password": "guess"})
    )


def test_wrong_passwords_of_a_stranger_do_not_lock_the_lead_out(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = "anaphor.annotate.web.sign_in.address_of"  # the client of the tests has one address only
    monkeypatch.setattr(address, lambda _: "203.0.113.7")
    stranger, form = site.stranger(), {"name": "Lea", "password": "a long enough password"}
    until_refused(site, LOGIN, lambda: stranger.post("/login", {"name": "Lea", "password": "guess"}))
    assert stranger.post("/login", form).status_code == 429
    monkeypatch.setattr(address, lambda _: "198.51.100.2")
    assert site.stranger().post("/login", form).status_code == 303


def test_guessing_links_is_rate_limited(site: Site) -> None:
    stranger = site.stranger()
    until_refused(site, LINK, lambda: stranger.get("/enter/guess"))


def test_answers_are_rate_limited_late(site: Site) -> None:
    annotator, path = site.annotator(), f"/api/items/{site.items()[0]}/undo"
    body = {"request": "some-request", "version": 1}
    until_refused(site, ANSWER, lambda: annotator.send(path, body))
    assert site.annotator(1).send(f"/api/items/{site.items(1)[0]}/undo", body).status_code == 409


def test_files_are_rate_limited(site: Site) -> None:
    lead = site.lead()
    until_refused(site, HEAVY, lambda: lead.get("/lead/files/csv"))
