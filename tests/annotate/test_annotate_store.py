"""The database: its tables, what is refused, and what a failing disk leaves behind."""

from __future__ import annotations

import os
import shutil
import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from sqlalchemy import Connection, delete, inspect, select, text, update

from anaphor.annotate.campaign.people import find_person, insert_person
from anaphor.annotate.judging.answers import save_answer
from anaphor.annotate.judging.assignments import next_assignment
from anaphor.annotate.judging.messages import inbox
from anaphor.annotate.maintenance import check
from anaphor.annotate.store import schema
from anaphor.annotate.store.audit import AuditEntry, audit_log, note
from anaphor.annotate.store.database import (
    Store,
    StoreError,
    connected,
    create_store,
    from_row,
    open_store,
    to_row,
)
from anaphor.annotate.types import AnnotatorAnswer, Mark, PersonRole
from anaphor.core import InputError, MismatchError, OptionError, UnknownNameError
from tests.support.campaigns import statements_of


def test_a_new_database_has_the_tables_and_indexes_that_the_code_knows(empty_address: str) -> None:
    with create_store(empty_address) as store, store.read() as connection:
        found = inspect(connection)
        shape = {
            name: [(column["name"], bool(column["nullable"])) for column in found.get_columns(name)]
            for name in found.get_table_names()
        }
        indexes = {str(one["name"]) for name in shape for one in found.get_indexes(name)}
        keys = {name: found.get_pk_constraint(name)["constrained_columns"] for name in shape}
    del shape["schema_version"]
    known = {
        table.name: [(column.name, bool(column.nullable)) for column in table.columns]
        for table in schema.METADATA.sorted_tables
    }
    assert shape == known
    assert {"assignments_unit", "assignments_progress", "items_place", "answers_remarked"} <= indexes
    assert keys["answers"] == ["id"]
    assert keys["journal"] == ["seq"]
    assert keys["texts"] == ["side", "name", "segment"]


@pytest.mark.parametrize(
    ("table", "column", "value"),
    [("people", "role", "guest"), ("assignments", "status", "lost"), ("answers", "version", 0)],
)
def test_the_database_itself_refuses_values_that_mean_nothing(
    any_answered: Store, table: str, column: str, value: object
) -> None:
    changed = update(schema.METADATA.tables[table]).values({column: value})
    with pytest.raises(StoreError), any_answered.write() as connection:
        connection.execute(changed)


def test_numbers_of_the_audit_log_are_never_given_twice(empty_address: str) -> None:
    with create_store(empty_address) as store:
        for action in ("first", "second"):
            note(store, actor="lead", action=action)
        with store.read() as connection:
            numbers = connection.execute(select(schema.audit.c.seq).order_by(schema.audit.c.seq)).scalars()
            assert list(numbers) == [1, 2]


def test_remarks_are_found_by_an_index(any_store: Store) -> None:
    person = find_person(any_store, "ann").id
    for number, remark in enumerate(["", "seen", 'a "quoted" one']):
        assignment = next_assignment(any_store, person)
        assert assignment is not None
        answer = AnnotatorAnswer(pronoun=Mark.UNCLEAR, remark=remark)
        save_answer(any_store, person, assignment, answer, version=0, request=f"request-{number}")
    asked = statements_of(any_store)
    assert [one.messages[0].text for one in inbox(any_store, kind="remark")] == ['a "quoted" one', "seen"]
    ((query, parameters),) = [one for one in asked if "NOT LIKE" in one[0]]
    with any_store.read() as connection:
        if not any_store.is_sqlite:
            connection.exec_driver_sql("SET LOCAL enable_seqscan = off")  # which is best for three rows
        explain = "EXPLAIN QUERY PLAN" if any_store.is_sqlite else "EXPLAIN"
        plan = connection.exec_driver_sql(f"{explain} {query}", parameters).all()
    assert "answers_remarked" in str(plan)


@pytest.mark.parametrize("table", ["journal", "decisions", "audit"])
def test_the_database_itself_refuses_to_change_what_is_append_only(any_store: Store, table: str) -> None:
    person = find_person(any_store, "ann").id
    assignment = next_assignment(any_store, person)
    assert assignment is not None
    save_answer(any_store, person, assignment, AnnotatorAnswer(remark="x"), version=0, request="request-1")
    with any_store.write() as connection:
        unit = connection.execute(select(schema.units.c.id)).scalars().first()
        values = {"id": "d", "unit": unit, "person": person, "version": 1, "request": "r", "content": "{}"}
        connection.execute(schema.decisions.insert().values(**values, at="2026"))
    changed = schema.METADATA.tables[table]
    for statement in (delete(changed), update(changed).values(at="1999")):
        with pytest.raises(StoreError, match="append-only"), any_store.write() as connection:
            connection.execute(statement)


@pytest.mark.parametrize("version", [schema.VERSION + 1, 99])
def test_a_database_of_another_version_is_refused(any_store: Store, version: int) -> None:
    with any_store.write() as connection:
        connection.execute(update(schema.version).values(version=version))
    with pytest.raises(MismatchError, match=f"has schema {version}, this version works with schema"):
        open_store(any_store.address)


def test_foreign_and_broken_files_are_refused(tmp_path: Path) -> None:
    foreign = tmp_path / "foreign.db"
    connection = sqlite3.connect(foreign)
    connection.execute("CREATE TABLE people (name TEXT)")
    connection.commit()
    connection.close()
    broken = tmp_path / "broken.db"
    broken.write_bytes(b"no database at all, but long enough to be read as one" * 50)
    with pytest.raises(InputError, match="does not belong to a campaign"):
        open_store(foreign)
    with pytest.raises(StoreError, match="not a database"):
        open_store(broken)
    with pytest.raises(InputError, match="file not found"):
        open_store(tmp_path / "missing.db")


@pytest.mark.parametrize(
    "address", ["mysql://a@b/c", "postgresql://host-without-database", "://", "sqlite:///campaign.db"]
)
def test_an_address_of_another_kind_is_refused(address: str) -> None:
    with pytest.raises(OptionError) as caught:
        open_store(address)
    assert "postgresql://USER@HOST/DATABASE" in caught.value.fix


def test_an_unreachable_server_is_named_without_its_password() -> None:
    with pytest.raises(StoreError, match="does not answer") as caught:
        open_store("postgresql://lead:secret@127.0.0.1:1/campaign")
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("driver", ["postgresql", "postgres", "postgresql+psycopg"])
def test_the_address_of_a_server_is_that_of_other_programs_and_has_no_password(driver: str) -> None:
    pytest.importorskip("psycopg")
    server = "127.0.0.1:1/campaign?application_name=a"
    with connected(f"{driver}://lead:secret@{server}&password=secret", new=False) as store:
        assert store.address == f"postgresql://lead@{server}"


def test_an_existing_database_is_never_overwritten(any_store: Store) -> None:
    with pytest.raises(OptionError, match="already contains a campaign"):
        create_store(any_store.address)


def test_a_campaign_that_cannot_be_filled_leaves_no_trace(empty_address: str, tmp_path: Path) -> None:
    def fail(connection: Connection) -> None:
        connection.execute(text("INSERT INTO own_tags VALUES ('nobody', 'tag')"))
        raise OptionError("stop", where="here", fix="none")

    with pytest.raises((OptionError, StoreError)):
        create_store(empty_address, fail)
    assert not list(tmp_path.iterdir())
    create_store(empty_address).close()


def first_of(store: Store) -> tuple[str, str]:
    person = find_person(store, "ann").id
    assignment = next_assignment(store, person)
    assert assignment is not None
    return person, assignment


def test_a_full_disk_is_reported_and_loses_nothing(store: Store) -> None:
    """SQLite's own limit on pages gives the error of a full disk at the moment one would."""
    person, assignment = first_of(store)
    save_answer(store, person, assignment, AnnotatorAnswer(remark="kept"), version=0, request="request-1")
    with store.write() as connection:
        pages = connection.execute(text("PRAGMA page_count")).scalar_one()
        connection.execute(text(f"PRAGMA max_page_count = {pages}"))
    with pytest.raises(StoreError, match="disk of the database is full"):
        note(store, actor="lea", action="x" * 10**6)
    with store.read() as connection:
        assert connection.execute(select(schema.answers.c.content)).scalars().all()[0].count("kept") == 1


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write to every file")
def test_a_read_only_file_is_reported(database: Path) -> None:
    database.chmod(0o400)
    database.parent.chmod(0o500)
    try:
        with pytest.raises(StoreError, match=r"cannot be (written to|opened)"):
            open_store(database)
    finally:
        database.parent.chmod(0o700)


def test_a_database_that_became_read_only_is_reported(store: Store) -> None:
    person, assignment = first_of(store)
    with store.write() as connection:
        connection.exec_driver_sql("PRAGMA query_only = ON")
    with pytest.raises(StoreError, match="cannot be written to"):
        save_answer(store, person, assignment, AnnotatorAnswer(remark="x"), version=0, request="request-1")
    with store.read() as connection:
        connection.exec_driver_sql("PRAGMA query_only = OFF")
    assert save_answer(store, person, assignment, AnnotatorAnswer(remark="x"), version=0, request="request-1")


def test_missing_write_permission_is_reported(
    new_database: Callable[[str | None], str], template: str
) -> None:
    address = new_database(template)
    store = open_store(address)
    person, assignment = first_of(store)
    with store.write() as connection:
        connection.execute(text("CREATE ROLE reader LOGIN"))
        connection.execute(text("GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader"))
    store.close()
    store = open_store(address.replace("anaphor@", "reader@"))
    with pytest.raises(StoreError, match="cannot be written to"):
        save_answer(store, person, assignment, AnnotatorAnswer(remark="x"), version=0, request="request-1")
    store.close()


def test_many_threads_write_one_after_the_other(any_store: Store) -> None:
    person = find_person(any_store, "ann").id

    def write(number: int) -> None:
        with any_store.write() as connection:
            count = len(connection.execute(select(schema.own_tags)).all())
            connection.execute(schema.own_tags.insert().values(person=person, tag=f"{number}-{count}"))

    threads = [threading.Thread(target=write, args=(number,)) for number in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with any_store.read() as connection:
        tags = connection.execute(select(schema.own_tags.c.tag)).scalars().all()
    assert {int(tag.split("-")[0]) for tag in tags} == set(range(16))


def test_two_processes_share_a_file(database: Path) -> None:
    """Two stores are two programs to SQLite: none sees half of the other's work."""
    first, second = open_store(database), open_store(database)
    person, assignment = first_of(first)
    save_answer(first, person, assignment, AnnotatorAnswer(remark="first"), version=0, request="request-1")
    with pytest.raises(MismatchError):
        save_answer(
            second, person, assignment, AnnotatorAnswer(remark="second"), version=0, request="request-2"
        )
    first.close()
    second.close()


def test_sqlite_runs_with_full_synchronization_and_a_write_ahead_log(store: Store) -> None:
    """https://sqlite.org/pragma.html: 2 is FULL."""
    with store.read() as connection:
        read = {
            name: connection.execute(text(f"PRAGMA {name}")).scalar_one()
            for name in ("journal_mode", "synchronous", "foreign_keys", "trusted_schema")
        }
    assert read == {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1, "trusted_schema": 0}


def test_a_copied_file_without_its_log_is_the_last_checkpoint(store: Store, tmp_path: Path) -> None:
    """Why a backup is made by the program and not by cp: this copy opens, but lacks what was in the log."""
    person, assignment = first_of(store)
    save_answer(
        store, person, assignment, AnnotatorAnswer(remark="in the log"), version=0, request="request-1"
    )
    copy = open_store(shutil.copy(store.address, tmp_path / "copy.db"))
    with copy.read() as connection:
        assert connection.execute(select(schema.answers)).all() == []
    copy.close()


def test_functions_join_a_transaction_that_is_open(any_store: Store) -> None:
    """What a failing transaction read and noted is gone with it; what it wrote is seen inside of it."""

    def fail() -> None:
        with any_store.write() as connection:
            added = insert_person(connection, "zoe", PersonRole.ANNOTATOR)
            assert find_person(connection, "zoe") == added
            note(connection, actor="lea", action="lost")
            raise RuntimeError("something fails")

    with pytest.raises(RuntimeError):
        fail()
    note(any_store, actor="lea", action="kept")
    actions = [one.action for one in audit_log(any_store)]
    assert actions[0] == "kept"
    assert "lost" not in actions
    with pytest.raises(UnknownNameError):
        find_person(any_store, "zoe")


def test_dataclasses_become_rows_and_rows_dataclasses() -> None:
    entry = AuditEntry("2026", "lea", "export", {"format": "csv"}, None)
    row = to_row(schema.audit, entry, seq=1, detail="{}")
    assert list(row) == [column.name for column in schema.audit.columns]
    assert (row["seq"], row["actor"], row["detail"], row["address"]) == (1, "lea", "{}", None)
    assert from_row(AuditEntry, SimpleNamespace(**row), detail={"format": "csv"}) == entry
    with pytest.raises(AttributeError, match="actor"):
        from_row(AuditEntry, SimpleNamespace(at="2026"), detail={})
    with pytest.raises(AttributeError, match="seq"):
        to_row(schema.audit, entry)


def test_an_answer_older_than_its_journal_is_found(answered: Store) -> None:
    """Someone put back the file of the answers alone: the row fits an entry, but not the last one."""
    with answered.write() as connection:
        row = connection.execute(select(schema.answers)).first()
        assert row is not None
        first = select(schema.journal).where(schema.journal.c.assignment == row.assignment)
        entry = dict(connection.execute(first).mappings().one())
        del entry["seq"]
        later = {**entry, "id": "later", "version": entry["version"] + 1, "request": "request-later"}
        connection.execute(schema.journal.insert().values(later))
    problems = [problem for found in check(answered).values() for problem in found]
    assert problems == [f"the answer of {row.assignment} does not match the journal"]
