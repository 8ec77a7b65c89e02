"""PROTEST databases: what is written is read, and nothing else is."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from anaphor.core import InputError, InputWarning, OptionError
from anaphor.suite.protest.database import (
    VERSION,
    AnnotationRow,
    AnnotatorRow,
    AntecedentRow,
    CandidateRow,
    CategoryRow,
    CorpusRow,
    MetaData,
    ProtestDatabase,
    SentenceRow,
    TranslationRow,
    new_protest,
    read_protest,
    write_protest,
)

DATABASE = ProtestDatabase(
    meta_data=(MetaData("file_version", VERSION), MetaData("file_type", "master")),
    corpora=(CorpusRow(1, "source", 0), CorpusRow(2, "it's", 1)),
    sentences=(SentenceRow(1, 1, 0, "It is red ."), SentenceRow(2, 2, 0, "Il est rouge .")),
    categories=(CategoryRow(1, "pleonastic_it", 0),),
    pro_candidates=(CandidateRow(1, 1, 2, 1, 0, "It", 0, None, 1, 1),),
    pro_antecedents=(AntecedentRow(1, 1, 2, 1, 1, 0, 1, 2, "red", 2, 0),),
    translations=(TranslationRow(1, 2, 1, None, 0, 0),),
    annotations=(AnnotationRow(1, 1, -1, "unset", "ok", None, "ana_ok ant_ok"),),
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    write_protest(tmp_path / "suite.db", DATABASE)
    return tmp_path / "suite.db"


def change(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        for statement in statements:
            connection.execute(statement)


def test_what_is_written_is_read(path: Path) -> None:
    assert read_protest(path) == DATABASE


def test_reading_changes_nothing_and_leaves_nothing_beside_the_file(path: Path) -> None:
    before = path.read_bytes()
    path.chmod(0o400)
    read_protest(path)
    assert path.read_bytes() == before
    assert [file.name for file in path.parent.iterdir()] == ["suite.db"]


def test_the_same_rows_give_the_same_bytes(path: Path, tmp_path: Path) -> None:
    write_protest(tmp_path / "again.db", DATABASE)
    assert (tmp_path / "again.db").read_bytes() == path.read_bytes()


@pytest.mark.parametrize("number", [0, 1, 499, 500, 501, 1201])
def test_however_many_rows_are_added_all_are_written_in_order(tmp_path: Path, number: int) -> None:
    with new_protest(tmp_path / "new.db") as file:
        file.extend("meta_data", [("file_version", "PROTEST 1.1")])
        file.extend("annotators", ((one, f"first {one}") for one in range(1, number + 1)))
        assert [file.add("annotators", f"second {one}") for one in range(number)] == list(
            range(number + 1, 2 * number + 1)
        )
        file.extend("annotators", [(2 * number + 1, "last")])
    names = [f"first {one}" for one in range(1, number + 1)] + [f"second {one}" for one in range(number)]
    expected = tuple(AnnotatorRow(place, name) for place, name in enumerate([*names, "last"], start=1))
    assert read_protest(tmp_path / "new.db").annotators == expected


def test_copied_sentences_are_numbered_after_those_that_are_there(tmp_path: Path) -> None:
    with new_protest(tmp_path / "new.db") as file:
        file.extend("meta_data", [("file_version", "PROTEST 1.1")])
        for corpus, line, sentence in ((1, 0, "a"), (2, 0, "b"), (2, 1, "c")):
            file.add("sentences", corpus, line, sentence)
        file.copy_sentences(of=2, to=3)
        file.add("sentences", 4, 0, "d")
    found = [
        (one.id, one.corpus, one.line, one.sentence) for one in read_protest(tmp_path / "new.db").sentences
    ]
    assert found == [
        (1, 1, 0, "a"),
        (2, 2, 0, "b"),
        (3, 2, 1, "c"),
        (4, 3, 0, "b"),
        (5, 3, 1, "c"),
        (6, 4, 0, "d"),
    ]


def test_the_tables_of_ours_are_only_there_when_they_have_rows(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        names = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
    assert names == set(ProtestDatabase._fields[:14])


@pytest.mark.parametrize(
    ("statement", "allowed"),
    [
        ("INSERT INTO translations VALUES (9, 2, 1, NULL, 0, 0)", True),
        ("INSERT INTO translations VALUES (9, 2, NULL, NULL, 0, 0)", False),
        ("INSERT INTO sentences VALUES (9, 1, 0, NULL)", False),
        ("INSERT INTO sentences VALUES (1, 1, 0, 'again')", False),
    ],
)
def test_tables_accept_null_only_where_rows_may_have_none(path: Path, statement: str, allowed: bool) -> None:
    if allowed:
        change(path, statement)
        assert read_protest(path).translations[-1].ant_no is None
    else:
        with pytest.raises(sqlite3.IntegrityError):
            change(path, statement)


def test_a_file_that_cannot_be_written_leaves_the_old_one(path: Path) -> None:
    before = path.read_bytes()
    broken = DATABASE._replace(corpora=(CorpusRow(1, "a", 0), CorpusRow(1, "b", 0)))
    with pytest.raises(OptionError, match="UNIQUE"):
        write_protest(path, broken)
    assert path.read_bytes() == before
    assert [file.name for file in path.parent.iterdir()] == ["suite.db"]


@pytest.mark.parametrize(
    ("statement", "what"),
    [
        ("DROP TABLE tag_annotations", "the table tag_annotations lacks annotator_id, candidate, id, tag"),
        ("ALTER TABLE corpora DROP COLUMN srctgt", "the table corpora lacks srctgt"),
        ("UPDATE meta_data SET tag_value = 'PROTEST 1.0'", "does not say that it is of PROTEST 1.1"),
        ("CREATE VIEW v AS SELECT * FROM corpora", "a view that is not part of PROTEST: 'v'"),
        (
            "CREATE TRIGGER t AFTER INSERT ON corpora BEGIN DELETE FROM corpora; END",
            "a trigger that is not part of PROTEST: 't'",
        ),
        ("UPDATE sentences SET sentence = x'00ff'", "row 1 of sentences: sentence cannot be b'\\x00\\xff'"),
        ("UPDATE pro_candidates SET srcpos = 'first'", "row 1 of pro_candidates: srcpos cannot be 'first'"),
        ("UPDATE translations SET tgtpos = 0.5", "row 1 of translations: tgtpos cannot be 0.5"),
    ],
)
def test_other_schemas_and_values_of_other_kinds_are_refused(path: Path, statement: str, what: str) -> None:
    change(path, statement)
    with pytest.raises(InputError) as caught:
        read_protest(path)
    assert what in caught.value.what
    assert caught.value.where.path == str(path)


def test_a_view_in_the_place_of_a_table_is_refused(path: Path) -> None:
    change(
        path,
        "ALTER TABLE sentences RENAME TO hidden",
        "CREATE VIEW sentences AS SELECT id, corpus, line, load_extension('x') AS sentence FROM hidden",
    )
    with pytest.raises(InputError, match="view"):
        read_protest(path)


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: b"not a database, but long enough to be one",
        lambda data: data[:100],
        lambda data: data[: len(data) // 2],
        lambda data: data[:4096] + b"\xff" * 2000 + data[6096:],
        lambda data: data[:16] + b"\x00\x00" + data[18:],
    ],
)
def test_broken_files_are_refused(path: Path, damage: Callable[[bytes], bytes]) -> None:
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(InputError) as caught:
        read_protest(path)
    assert caught.value.where.path == str(path)


def test_a_missing_file_and_a_folder_are_refused(tmp_path: Path) -> None:
    for path in (tmp_path / "none.db", tmp_path):
        with pytest.raises(InputError, match="cannot be read"):
            read_protest(path)


def test_a_file_with_unfinished_changes_beside_it_is_refused(path: Path) -> None:
    path.with_name("suite.db-wal").write_bytes(b"something")
    with pytest.raises(InputError, match="uncommitted changes"):
        read_protest(path)


def test_a_file_beyond_the_size_limit_is_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("anaphor.suite.protest.database.MAX_BYTES", 1000)
    with pytest.raises(InputError, match="larger than 1000 bytes"):
        read_protest(path)


def test_a_table_beyond_the_row_limit_is_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("anaphor.suite.protest.database.MAX_ROWS", 1)
    with pytest.raises(InputError, match="more than 1 rows"):
        read_protest(path)


def test_unknown_tables_and_columns_are_left_out_with_a_warning(path: Path) -> None:
    change(path, "CREATE TABLE notes (id)", "ALTER TABLE corpora ADD COLUMN colour TEXT")
    with pytest.warns(InputWarning) as caught:
        assert read_protest(path) == DATABASE
    assert [str(warning.message).partition(": left out ")[2] for warning in caught] == [
        "unknown columns of corpora: colour",
        "unknown tables: notes",
    ]
