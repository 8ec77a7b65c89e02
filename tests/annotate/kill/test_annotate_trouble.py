"""Full disks, read-only databases and unreachable servers: reported clearly, and nothing is lost."""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from litestar.testing import TestClient
from sqlalchemy import Engine, event

from anaphor.annotate.campaign.people import find_person
from anaphor.annotate.judging.answers import journal, save_answer
from anaphor.annotate.judging.assignments import next_assignment
from anaphor.annotate.maintenance import check
from anaphor.annotate.store.database import Store, StoreError, open_store
from anaphor.annotate.types import AnnotatorAnswer
from anaphor.annotate.web import create_app

if TYPE_CHECKING:
    from tests.support.kill import Browser, Serving

SOURCE = Path(__file__).resolve().parents[3] / "src"
SignIn = Callable[[str, int], tuple["Browser", ...]]
FULL = "the disk of the database is full: nothing was saved"
READ_ONLY = "the database cannot be written to: nothing was saved"


@contextmanager
def pragma(statement: str) -> Iterator[None]:
    """Every transaction inside begins with a PRAGMA."""

    def begin(connection: Any) -> None:
        connection.exec_driver_sql(f"PRAGMA {statement}")

    event.listen(Engine, "begin", begin)
    try:
        yield
    finally:
        event.remove(Engine, "begin", begin)


def save(store: Store, request: str, *, remark: str = "x" * 4000) -> None:
    """Answer the next item of somebody."""
    person = find_person(store, "ann").id
    item = next_assignment(store, person)
    assert item is not None
    save_answer(store, person, item, AnnotatorAnswer(remark=remark), version=0, request=request)


def fill_up(store: Store) -> int:
    """Answer until the database takes no more; how many it took."""
    taken = iter(range(1000))
    try:
        for number in taken:
            save(store, f"request-{number}")
    except StoreError as error:
        refused = (error.what, error.fix)
    assert refused == (FULL, "free some space, then try again")
    return next(taken) - 1


def assert_whole(store: Store, answers: int) -> None:
    assert len(journal(store)) == answers
    assert not any(check(store).values())


def test_a_full_disk_is_reported_and_saved_answers_stay(store: Store) -> None:
    with store.read() as connection:
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
    with pragma(f"max_page_count = {pages + 20}"):
        taken = fill_up(store)
        assert taken > 2
        assert_whole(store, taken)
    with pragma("max_page_count = 1000000"):
        save(store, "there-is-room-again")
    assert_whole(store, taken + 1)


def test_a_read_only_database_is_reported_and_can_be_read(store: Store) -> None:
    save(store, "before-it-was-closed")
    with pragma("query_only = ON"):
        with pytest.raises(StoreError, match=READ_ONLY) as refused:
            save(store, "while-it-is-closed")
        assert "write permission" in refused.value.fix
        assert_whole(store, 1)
    with pragma("query_only = OFF"):
        save(store, "while-it-is-closed")
    assert_whole(store, 2)


def test_the_page_stays_up_and_says_that_nothing_was_saved(database: Path, sign_in: SignIn) -> None:
    browser = sign_in(str(database), 0)[0]
    store = open_store(database)
    item = browser.assignments[0]
    body = {"request": "some-request", "version": 0, "answer": {"remark": "kept"}}
    try:
        client = TestClient(create_app(store), base_url="http://127.0.0.1")
        client.headers.update(browser.headers)
        with pragma("query_only = ON"):
            refused = client.post(f"/api/items/{item}/answer", json=body)
            assert refused.status_code == 503
            assert refused.json()["what"] == READ_ONLY
            assert set(refused.json()) == {"what", "where", "fix"}
            assert client.get(f"/items/{item}").status_code == 200, "reading goes on"
            form = {"version": "0", "request": "some-request", "remark": "kept"}
            page = client.post(f"/items/{item}/answer", data=form)
            assert page.status_code == 503
            assert READ_ONLY in page.text
            assert str(database) not in page.text, "paths are no business of annotators"
        with pragma("query_only = OFF"):
            assert client.post(f"/api/items/{item}/answer", json=body).status_code == 200
        assert_whole(store, 1)
    finally:
        store.close()


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(resource, "prlimit"), reason="needs prlimit, which Linux has")
def test_a_server_that_cannot_write_recovers_without_a_restart(
    database: Path, serve: Callable[..., Serving], sign_in: SignIn
) -> None:
    serving = serve(str(database))
    browser = sign_in(str(database), serving.port)[0]
    process = serving.process
    assert process is not None
    usual = resource.prlimit(process, resource.RLIMIT_FSIZE)

    def answer(number: int) -> tuple[int, dict[str, Any]]:
        content = {
            "request": f"request-{number}",
            "version": 0,
            "answer": {"remark": "x" * 4000},
            "go": "none",
        }
        status, body = browser.ask("POST", f"/api/items/{browser.assignments[number]}/answer", content)
        return status, json.loads(body)

    assert answer(0)[0] == 200
    written = database.with_name(database.name + "-wal").stat().st_size
    resource.prlimit(process, resource.RLIMIT_FSIZE, (written + 30_000, usual[1]))
    codes = [answer(number) for number in range(1, 12)]
    taken = sum(status == 200 for status, _ in codes)
    status, refusal = codes[-1]
    assert status == 503
    assert "nothing was saved" in refusal["what"]
    assert refusal["fix"]
    resource.prlimit(process, resource.RLIMIT_FSIZE, usual)
    assert [answer(number)[0] for number in range(12)] == [200] * 12, "the same requests go through now"
    serving.kill()
    store = open_store(database)
    try:
        assert taken < 11
        assert_whole(store, 12)
    finally:
        store.close()


@pytest.fixture
def unprivileged() -> tuple[str, ...]:
    """What stands before a command so that rights on files count for it, also for root."""
    if os.geteuid() != 0:
        return ()
    program = shutil.which("setpriv")
    prefix = (str(program), "--bounding-set", "-dac_override,-dac_read_search")
    if program is None or subprocess.run([*prefix, "true"], check=False, capture_output=True).returncode:
        pytest.skip("root may write everywhere, and setpriv is not there or not allowed to change that")
    return prefix


@pytest.mark.slow
@pytest.mark.parametrize("job", [("link", "--add", "ann"), ("serve", "--no-open", "--port", "0")])
def test_a_command_reports_a_file_without_write_permission(
    database: Path, unprivileged: tuple[str, ...], job: tuple[str, ...]
) -> None:
    database.chmod(0o400)
    database.parent.chmod(0o500)
    command = [*unprivileged, sys.executable, "-m", "anaphor.cli.main", "annotate"]
    try:
        result = subprocess.run(
            [*command, job[0], str(database), *job[1:]],
            check=False,
            capture_output=True,
            text=True,
            timeout=120,
            env={**os.environ, "PYTHONPATH": str(SOURCE)},
        )
    finally:
        database.parent.chmod(0o700)
        database.chmod(0o600)
    assert result.returncode == 1, result.stderr
    assert "Traceback" not in result.stderr
    assert "permissions of the file and its folder" in result.stderr or "write permission" in result.stderr
    store = open_store(database)
    try:
        assert_whole(store, 0)
    finally:
        store.close()


def test_a_database_server_without_write_permission_is_reported(
    new_database: Callable[[str | None], str], template: str
) -> None:
    address = new_database(template)
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("CREATE ROLE onlooker LOGIN")
        connection.execute("GRANT SELECT ON ALL TABLES IN SCHEMA public TO onlooker")
    store = open_store(address.replace("anaphor@", "onlooker@"))
    try:
        with pytest.raises(StoreError, match=READ_ONLY):
            save(store, "while-it-is-closed")
        assert_whole(store, 0)
    finally:
        store.close()


def test_dropped_connections_to_a_database_server_are_reopened(
    new_database: Callable[[str | None], str], template: str
) -> None:
    address = new_database(template)
    store = open_store(address)
    try:
        save(store, "before-the-connection-ended")
        with psycopg.connect(address, autocommit=True) as connection:
            connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
        save(store, "after-the-connection-ended")
        assert_whole(store, 2)
    finally:
        store.close()
