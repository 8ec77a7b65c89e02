"""Links, sessions and passwords: who is let in, who no longer is, and what is never stored."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest
from argon2 import PasswordHasher, Type
from sqlalchemy import select, update

from anaphor.annotate.campaign.facts import read_campaign
from anaphor.annotate.campaign.people import (
    SHARED,
    add_lead,
    add_link,
    begin,
    check_password,
    close_session,
    deactivate,
    find_link,
    find_person,
    find_session,
    let_go_on,
    links,
    open_session,
    people,
    revoke_link,
    set_password,
    study_link,
    use_link,
)
from anaphor.annotate.campaign.workload import join_study
from anaphor.annotate.store import schema
from anaphor.annotate.store.audit import audit_log, note
from anaphor.annotate.store.database import Store, open_store
from anaphor.annotate.types import PersonRole
from anaphor.core import OptionError, UnknownNameError
from tests.support.campaigns import CONFIG, Make

PASSWORD = "correct horse battery"  # noqa: S105 - invented
PAST = "2001-01-01T00:00:00.000000Z"


def everything(store: Store) -> str:
    """All that the tables of access hold, as one text."""
    with store.read() as connection:
        tables = (schema.links, schema.sessions, schema.people, schema.audit)
        return repr([connection.execute(select(table)).all() for table in tables])


def entered(store: Store, name: str = "ann") -> tuple[str, str, str]:
    """Somebody came by a link: its token, its id, and the token of the session."""
    token = add_link(store, name)
    found = use_link(store, token)
    assert found is not None
    return token, found[1], open_session(store, found[0].id, link=found[1])


def test_a_link_signs_in_its_owner(any_store: Store) -> None:
    token, link, session = entered(any_store)
    found = find_session(any_store, session)
    assert found is not None
    assert (found.person.name, found.person.role) == ("ann", PersonRole.ANNOTATOR)
    (facts,) = links(any_store)
    assert (facts.id, facts.person, facts.state) == (link, "ann", "valid")
    assert facts.used is not None
    assert len(token) == 43  # 256 bits in base64


def test_no_secret_is_stored(any_store: Store) -> None:
    token, _, session = entered(any_store)
    add_lead(any_store, "lea", PASSWORD)
    stored = everything(any_store)
    assert not any(secret in stored for secret in (token, session, PASSWORD))
    assert "$argon2id$" in stored


def test_passwords_are_hashed_with_work_that_makes_guessing_slow(fast_passwords: PasswordHasher) -> None:
    """RFC 9106, section 4: the second recommended setting has 3 passes over 64 MiB."""
    real = fast_passwords
    assert (real.type, real.time_cost, real.memory_cost) == (Type.ID, 3, 64 * 1024)


@pytest.mark.parametrize("token", ["", "guess", "x" * 43, "\0", "\ud800", "é" * 43, "x" * 10_000])
def test_guessed_tokens_are_refused(store: Store, token: str) -> None:
    entered(store)
    assert use_link(store, token) is None
    assert find_session(store, token) is None
    close_session(store, token)


def expire(store: Store, table: Any) -> None:
    with store.write() as connection:
        connection.execute(update(table).values(expires=PAST))


def end_link(store: Store) -> None:
    expire(store, schema.links)


def end_session(store: Store) -> None:
    expire(store, schema.sessions)


def revoke(store: Store) -> None:
    revoke_link(store, links(store)[0].id)


def leave(store: Store) -> None:
    deactivate(store, "ann")


@pytest.mark.parametrize(
    ("end", "link_works"), [(end_link, False), (end_session, True), (revoke, False), (leave, False)]
)
def test_what_ends_a_session(any_store: Store, end: Callable[[Store], None], link_works: bool) -> None:
    other, _, others = entered(any_store, "bob")
    token, _, session = entered(any_store)
    end(any_store)
    assert find_session(any_store, session) is None
    assert (use_link(any_store, token) is not None) == link_works
    if end in (revoke, leave):  # the newest link is Ann's
        assert find_session(any_store, others) is not None
        assert use_link(any_store, other) is not None


def test_signing_out_ends_one_session_and_no_other(any_store: Store) -> None:
    token, link, first = entered(any_store)
    second = open_session(any_store, find_person(any_store, "ann").id, link=link)
    close_session(any_store, first)
    assert find_session(any_store, first) is None
    assert find_session(any_store, second) is not None
    assert use_link(any_store, token) is not None


def test_sessions_have_form_tokens_of_their_own(store: Store) -> None:
    tokens = [open_session(store, find_person(store, "ann").id) for _ in range(2)]
    found = [find_session(store, token) for token in tokens]
    assert len({one.csrf for one in found if one is not None}) == 2


def test_a_link_is_revoked_once_and_unknown_ones_are_named(store: Store) -> None:
    entered(store)
    revoke(store)
    assert [one.state for one in links(store)] == ["revoked"]
    add_link(store, "bob")
    add_link(store, "ann")
    revoke(store)
    assert [one.state for one in links(store)] == ["revoked", "valid", "revoked"]
    revoke_link(store, links(store)[1].id)
    with pytest.raises(UnknownNameError, match="valid link"):
        revoke(store)
    with pytest.raises(UnknownNameError):
        add_link(store, "nobody")
    deactivate(store, "bob")
    with pytest.raises(OptionError, match="not active"):
        add_link(store, "bob")
    for days in (0, -1, 10**6):
        with pytest.raises(OptionError, match="days"):
            add_link(store, "ann", days=days)


def test_a_lead_signs_in_with_the_password_alone(any_store: Store) -> None:
    lead = add_lead(any_store, "lea", PASSWORD)
    assert check_password(any_store, "lea", PASSWORD) == lead == find_person(any_store, "lea")
    for name, password in (("lea", PASSWORD + "x"), ("ann", ""), ("nobody", PASSWORD), ("lea", "x" * 10**5)):
        assert check_password(any_store, name, password) is None
    deactivate(any_store, "lea")
    assert check_password(any_store, "lea", PASSWORD) is None


def test_another_password_ends_all_sessions(store: Store) -> None:
    lead, other = add_lead(store, "lea", PASSWORD), add_lead(store, "leo", PASSWORD)
    session, others = open_session(store, lead.id), open_session(store, other.id)
    set_password(store, "lea", PASSWORD + " staple")
    assert find_session(store, session) is None
    assert find_session(store, others) is not None
    assert check_password(store, "leo", PASSWORD) == other
    assert check_password(store, "lea", PASSWORD) is None
    assert check_password(store, "lea", PASSWORD + " staple") == lead
    with pytest.raises(OptionError, match="is an annotator"):
        set_password(store, "ann", PASSWORD)


def test_instructions_are_read_once_and_by_one_person(any_store: Store) -> None:
    ann = find_person(any_store, "ann")
    begin(any_store, ann, agreed=True)
    begun = find_person(any_store, "ann").begun
    assert begun is not None
    begin(any_store, ann, agreed=True)
    assert find_person(any_store, "ann").begun == begun
    assert find_person(any_store, "bob").begun is None
    assert [one.actor for one in audit_log(any_store) if one.action == "consented"] == ["ann"]


def test_one_of_those_whom_a_gate_has_stopped_goes_on(any_store: Store) -> None:
    with any_store.write() as connection:
        connection.execute(update(schema.people).values(stopped="attention"))
    let_go_on(any_store, "ann")
    assert find_person(any_store, "ann").stopped == ""
    assert find_person(any_store, "bob").stopped == "attention"


@pytest.mark.parametrize("password", ["", "short", "x" * 1001, "half a character \ud800"])
def test_an_invalid_password_is_refused(store: Store, password: str) -> None:
    with pytest.raises(OptionError, match="password"):
        add_lead(store, "lea", password)
    assert "lea" not in {one.name for one in people(store)}
    assert check_password(store, "lea", password) is None


def test_a_new_campaign_has_no_credentials(store: Store) -> None:
    """No default credentials: a new campaign has annotators without links and no lead."""
    assert {one.role for one in people(store)} == {PersonRole.ANNOTATOR}
    assert links(store) == ()


def test_the_audit_log_names_who_did_what(any_store: Store) -> None:
    add_link(any_store, "ann", by="lea")
    note(any_store, actor="lea", action="export", detail={"format": "csv"}, address="127.0.0.1")
    last, before, *_ = audit_log(any_store)
    assert (last.actor, last.action, last.detail, last.address) == (
        *("lea", "export", {"format": "csv"}, "127.0.0.1"),
    )
    assert (before.actor, before.action, before.detail["person"]) == ("lea", "link added", "ann")
    assert audit_log(any_store, limit=1) == (last,)


def test_of_those_who_join_at_once_only_as_many_do_as_may(empty_address: str, make_campaign: Make) -> None:
    make_campaign(empty_address, replace(CONFIG, study_people=2))
    with open_store(empty_address) as store:
        shared = read_campaign(store).study_token
        with ThreadPoolExecutor(6) as pool:
            list(pool.map(lambda number: join_study(store, f"{shared}:p{number}"), range(6)))
        joined = [one for one in people(store) if one.name.startswith("p")]
        assert len(joined) == 2
        assert all(find_link(store, f"{shared}:{one.name}") for one in joined), "they come back"
        revoke_link(store, SHARED)
        assert study_link(store, "http://x") is None
        assert all(find_link(store, f"{shared}:{one.name}") for one in joined), "also afterwards"
