"""Databases that somebody changed by hand: damage is named and can be moved aside, the rest is usable."""

from __future__ import annotations

import gc
import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from sqlalchemy import select

from anaphor.annotate.analysis.status import read_status
from anaphor.annotate.campaign.people import find_person
from anaphor.annotate.exchange import export_bytes
from anaphor.annotate.judging.assignments import list_assignments
from anaphor.annotate.judging.views import assignment_view
from anaphor.annotate.maintenance import check, repair
from anaphor.annotate.store import damage, schema
from anaphor.annotate.store.damage import DamagedRowError, naming_damage
from anaphor.annotate.store.database import Store, open_store, plain_rows
from anaphor.core import InputError, OptionError, UserError

DAMAGE: dict[str, tuple[str, str, object]] = {
    "an answer that is not JSON": ("answers", "content", "{"),
    "an answer nested without end": ("answers", "content", "[" * 100_000),
    "an answer of another kind": ("answers", "content", '{"pronoun": "maybe"}'),
    "an infinite number": ("answers", "seconds", float("inf")),
    "text instead of a number": ("assignments", "place", "first"),
    "an unknown status": ("assignments", "status", "lost"),
    "systems that are not there": ("assignments", "shown", '["x"]'),
    "targets that are a number": ("units", "targets", "7"),
    "a word that is not there": (
        "units",
        "targets",
        '[{"system": "s", "pronoun": [[0, 9999]], "heads": [], "outcome": ""}]',
    ),
    "marks without words": ("items", "marks", "null"),
    "a pronoun without a word": ("items", "marks", '{"pronoun": [], "heads": []}'),
    "an antecedent without a word": ("items", "marks", '{"pronoun": [[0, 0]], "heads": [[]]}'),
    "a line without the word that is marked": ("texts", "line", " "),
    "a selected word that is not there": (
        "answers",
        "content",
        '{"antecedent": "yes", "pronoun": "yes", "words": [[0, 9999]]}',
    ),
    "a context outside of the texts": ("items", "last", 10**9),
    "tokens that are numbers": ("texts", "tokens", "[1, 2]"),
    "a line that is not text": ("texts", "line", b"\xff\xfe"),
    "a role that nobody has": ("people", "role", "king"),
    "a time that is none": ("people", "created", "yesterday"),
    "bytes instead of text": ("assignments", "category", b"anaphoric"),
    "a category that the campaign lacks": ("units", "category", "other"),
    "a label that is none": ("assignments", "overall_label", "é"),
    "links that are none": ("texts", "links", "0-0 1"),
    "practice without an expected answer": ("units", "feedback", "Look at the noun."),
}


def damaged(path: Path, table: str, column: str, value: object) -> str:
    """Changes the first row of a table; its number."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("PRAGMA ignore_check_constraints = ON")
        (number,) = connection.execute(f"SELECT min(rowid) FROM {table}").fetchone()  # noqa: S608
        connection.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (value, number))  # noqa: S608
    return str(number)


@contextmanager
def naming_the_row(store: Store, text: str) -> Iterator[None]:
    """What fails inside the block must be explained by a damaged row."""
    with pytest.raises(DamagedRowError, match=text), naming_damage(store):
        yield


@pytest.fixture
def answered_copy(answered_file: Path, tmp_path: Path) -> Path:
    path = tmp_path / "campaign.db"
    path.write_bytes(answered_file.read_bytes())
    return path


@pytest.mark.parametrize(("table", "column", "value"), DAMAGE.values(), ids=DAMAGE.keys())
def test_a_damaged_row_is_named_and_moved_aside(
    answered_copy: Path, tmp_path: Path, table: str, column: str, value: object
) -> None:
    damaged(answered_copy, table, column, value)
    with open_store(answered_copy) as store:
        (first, *_) = check(store)["rows"]
        assert first.startswith(f"{table} ")
        moved = repair(store, tmp_path / "aside.jsonl")
        assert moved[0].table == table
        checked = check(store)
        assert not any(checked[name] for name in ("rows", "pages", "rows point at rows"))
        read_status(store)
        export_bytes(store, "jsonl")
    lines = [json.loads(line) for line in (tmp_path / "aside.jsonl").read_text().splitlines()]
    assert [line["table"] for line in lines] == [one.table for one in moved]


@pytest.mark.parametrize(
    ("table", "column", "value", "ask"),
    [
        ("answers", "content", "{", lambda store: export_bytes(store, "jsonl")),
        ("units", "targets", "7", read_status),
        ("campaign", "facts", "[]", read_status),
        ("answers", "content", b"\xff", lambda store: export_bytes(store, "jsonl")),
        ("answers", "seconds", "long", read_status),
        ("assignments", "category", b"anaphoric", read_status),
        ("answers", "version", "first", lambda store: export_bytes(store, "jsonl")),
        ("items", "document", b"d", lambda store: export_bytes(store, "label-studio")),
    ],
)
def test_what_needs_a_damaged_row_says_which(
    answered_copy: Path, table: str, column: str, value: object, ask: Callable[[Store], object]
) -> None:
    damaged(answered_copy, table, column, value)
    damage_of = f"{table} .*: {column} "
    with open_store(answered_copy) as store, naming_the_row(store, damage_of):
        ask(store)


def test_rows_that_nobody_reads_to_their_end_are_left_without_a_word(
    answered_copy: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """An export that stops at a damaged row leaves them to Python, after the database was closed."""
    with open_store(answered_copy) as store, store.read() as connection:
        rows = plain_rows(connection, select(schema.units.c.id), at_once=1)
        assert len(next(rows)) == 1
    del rows
    gc.collect()
    assert not caplog.records


def test_new_work_of_somebody_who_is_not_there_is_named(answered_copy: Path) -> None:
    """It is counted by the database, so that its rows are not read."""
    ordinary = "SELECT max(a.id) FROM assignments a JOIN units u ON u.id = a.unit WHERE u.expected IS NULL"
    with closing(sqlite3.connect(answered_copy)) as connection, connection:
        (number,) = connection.execute(ordinary).fetchone()
        connection.execute("DELETE FROM answers WHERE assignment = ?", (number,))
        connection.execute("UPDATE assignments SET person = 'x', status = 'new' WHERE id = ?", (number,))
    wanted = "assignments .*: person points at a row of people"
    with (
        open_store(answered_copy) as store,
        pytest.raises(DamagedRowError, match=wanted),
        naming_damage(store),
    ):
        read_status(store)


def test_an_index_that_leads_to_other_rows_is_found_out(answered_copy: Path) -> None:
    """Every row of the tables is sound, but what a query finds by the index is not."""
    with closing(sqlite3.connect(answered_copy)) as connection, connection:
        connection.execute("PRAGMA journal_mode = DELETE")
        pages = dict(connection.execute("SELECT name, rootpage FROM sqlite_master WHERE type = 'index'"))
        (size,) = connection.execute("PRAGMA page_size").fetchone()
        units = [one for (one,) in connection.execute("SELECT id FROM units")]
    data = bytearray(answered_copy.read_bytes())
    start = (pages["sqlite_autoindex_units_1"] - 1) * size
    place = next(at for unit in units if (at := data.find(unit.encode(), start, start + size)) >= 0)
    data[place] ^= 1
    answered_copy.write_bytes(data)
    with open_store(answered_copy) as store:
        assert check(store)["pages"]
        assert check(store)["rows"] == ()
        with (
            pytest.raises(DamagedRowError, match=r"file is damaged: .*sqlite_autoindex_units_1"),
            naming_damage(store),
        ):
            _look_at_every_unit(store, units)


def _look_at_every_unit(store: Store, units: list[str]) -> None:
    with store.read() as connection:
        for unit in units:
            connection.exec_driver_sql("SELECT id FROM units WHERE id = ?", (unit,)).one()


def test_a_document_without_end_is_not_written(answered_copy: Path) -> None:
    damaged(answered_copy, "documents", "segments", 2**50)
    with (
        open_store(answered_copy) as store,
        pytest.raises(DamagedRowError, match=r"documents .*: segment"),
        naming_damage(store),
    ):
        export_bytes(store, "mtme")


def test_the_rest_of_a_damaged_campaign_can_be_used(answered_copy: Path) -> None:
    damaged(answered_copy, "answers", "content", "{")
    with open_store(answered_copy) as store:
        person = find_person(store, "ann")
        shown, refused = 0, 0
        for row in list_assignments(store, person.id):
            try:
                with naming_damage(store):
                    assignment_view(store, person.id, row.id)
                shown += 1
            except DamagedRowError:
                refused += 1
    assert shown > 5
    assert refused <= 1


def test_a_request_does_not_search_the_whole_database_for_damage(
    answered_copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(damage, "damaged_rows", lambda _: pytest.fail("every table was read"))
    with open_store(answered_copy) as store, pytest.raises(KeyError), store.read():
        raise KeyError("a name that is not there")


def test_a_campaign_without_its_own_row_is_not_repaired(answered_copy: Path, tmp_path: Path) -> None:
    damaged(answered_copy, "campaign", "facts", "[]")
    damaged(answered_copy, "answers", "content", "{")
    before = sqlite3.connect(answered_copy).execute("SELECT count(*) FROM answers").fetchone()
    with open_store(answered_copy) as store, pytest.raises(InputError, match="the campaign itself"):
        repair(store, tmp_path / "aside.jsonl")
    assert sqlite3.connect(answered_copy).execute("SELECT count(*) FROM answers").fetchone() == before
    assert not (tmp_path / "aside.jsonl").exists()


def test_nothing_is_moved_where_all_is_well(answered_copy: Path, tmp_path: Path) -> None:
    with open_store(answered_copy) as store:
        assert repair(store, tmp_path / "aside.jsonl") == ()
        assert not (tmp_path / "aside.jsonl").exists()
        (tmp_path / "there").write_text("")
        with pytest.raises(OptionError, match="already exists"):
            repair(store, tmp_path / "there")
        assert not any(check(store).values())


@pytest.mark.parametrize("version", ["null", float("inf"), -1, b"7"])
def test_a_damaged_version_of_the_schema_is_refused(answered_copy: Path, version: object) -> None:
    damaged(answered_copy, "schema_version", "version", version)
    with pytest.raises(InputError, match="the version of the schema is"):
        open_store(answered_copy)


def test_a_name_too_long_for_a_file_is_refused(answered_copy: Path) -> None:
    damaged(answered_copy, "systems", "name", "x" * 70_000)
    with open_store(answered_copy) as store, pytest.raises(InputError, match="too long"):
        export_bytes(store, "mtme")


def test_a_damaged_schema_is_refused(answered_copy: Path) -> None:
    """A column whose name is not UTF-8, which the driver cannot even quote."""
    data = answered_copy.read_bytes()
    assert b"suite_digest" in data
    answered_copy.write_bytes(data.replace(b"suite_digest", b"suite_dig\xffst"))
    with pytest.raises(UserError), open_store(answered_copy) as store:
        read_status(store)
