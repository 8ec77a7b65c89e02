"""PROTEST databases (SQLite, version 1.1): tables, a reader with everything risky off, a writer.

Lines and tokens are counted from 0. `srctgt` is 0 for a source and 1 for a reference or the output of a
system; `ant_no` is null if a row is about the pronoun. Tables whose names begin with `anaphor_` are our own;
other programs ignore them.
"""

from __future__ import annotations

import sqlite3
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from itertools import chain, islice
from pathlib import Path
from types import NoneType
from typing import Any, NamedTuple, NoReturn, get_args, get_type_hints
from urllib.parse import quote

from anaphor.core import InputError, InputWarning
from anaphor.corpus.text import unreadable
from anaphor.files.writing import atomic_path

VERSION = "PROTEST 1.1"
#: A suite of 250 items with seven systems has 20 MB; nobody annotates a file of a gigabyte.
MAX_BYTES = 2**30
MAX_VALUE = 16 * 2**20
MAX_ROWS = 20_000_000
_ROWS_AT_ONCE = 500

_MAGIC = b"SQLite format 3\0"
_OWN = "anaphor_"
_FIX = f"pass a database of {VERSION}, as `anaphor suite export` or PROTEST itself writes it"
_READING = (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_PRAGMA)


class MetaData(NamedTuple):
    tag: str
    tag_value: str | None


class CorpusRow(NamedTuple):
    id: int
    name: str
    srctgt: int


class SentenceRow(NamedTuple):
    id: int
    corpus: int
    line: int
    sentence: str


class DocumentRow(NamedTuple):
    """`start` and `end` are lines, the end included."""

    id: int
    corpus: int
    start: int
    end: int


class CategoryRow(NamedTuple):
    id: int
    description: str
    antagreement: int


class CandidateRow(NamedTuple):
    """One example in one translation."""

    id: int
    srccorpus: int
    tgtcorpus: int
    example_no: int
    line: int
    srcpro: str
    srcpos: int
    srcproindex: int | None
    category_no: int
    sequence_no: int | None


class AntecedentRow(NamedTuple):
    id: int
    srccorpus: int
    tgtcorpus: int
    example_no: int
    ant_no: int
    line: int
    srcstartpos: int
    srcendpos: int
    srchead: str
    srcheadpos: int
    srcheadindex: int | None


class TranslationRow(NamedTuple):
    """One target token that translates a pronoun or an antecedent head."""

    id: int
    tgtcorpus: int
    example_no: int
    ant_no: int | None
    line: int
    tgtpos: int


class AnnotatorRow(NamedTuple):
    id: int
    name: str


class AnnotationRow(NamedTuple):
    id: int
    candidate: int
    annotator_id: int
    ant_annotation: str | None
    anaph_annotation: str | None
    remarks: str | None
    conflict_status: str | None


class TokenAnnotationRow(NamedTuple):
    id: int
    candidate: int
    line: int
    token: int
    annotation: str
    annotator_id: int


class TagAnnotationRow(NamedTuple):
    id: int
    candidate: int
    annotator_id: int
    tag: str


class AnnotationTaskRow(NamedTuple):
    task_no: int
    candidate: int


class TaskDefinitionRow(NamedTuple):
    id: int
    taskset: int | None
    label: str


class OwnHeader(NamedTuple):
    """The `suite.toml` of a suite that was exported."""

    header: str


class OwnItem(NamedTuple):
    """The line of an item in `items.jsonl`."""

    example_no: int
    record: str


class OwnText(NamedTuple):
    """The text of a document on one side, its lines with newlines between them."""

    side: str
    document: str
    content: str


class ProtestDatabase(NamedTuple):
    """All rows of a file, by table; the last three tables are empty if anaphor did not write the file."""

    meta_data: tuple[MetaData, ...] = ()
    corpora: tuple[CorpusRow, ...] = ()
    sentences: tuple[SentenceRow, ...] = ()
    documents: tuple[DocumentRow, ...] = ()
    categories: tuple[CategoryRow, ...] = ()
    pro_candidates: tuple[CandidateRow, ...] = ()
    pro_antecedents: tuple[AntecedentRow, ...] = ()
    translations: tuple[TranslationRow, ...] = ()
    annotators: tuple[AnnotatorRow, ...] = ()
    annotations: tuple[AnnotationRow, ...] = ()
    token_annotations: tuple[TokenAnnotationRow, ...] = ()
    tag_annotations: tuple[TagAnnotationRow, ...] = ()
    annotation_tasks: tuple[AnnotationTaskRow, ...] = ()
    task_definition: tuple[TaskDefinitionRow, ...] = ()
    anaphor_suite: tuple[OwnHeader, ...] = ()
    anaphor_items: tuple[OwnItem, ...] = ()
    anaphor_texts: tuple[OwnText, ...] = ()


#: The row of every table: its fields are the columns, and their types the types of the columns.
TABLES: dict[str, Any] = {name: get_args(hint)[0] for name, hint in get_type_hints(ProtestDatabase).items()}


def read_protest(path: str | Path) -> ProtestDatabase:
    """All tables of a file. Databases with another schema, views, triggers or broken pages are rejected.

    Unknown tables and columns are ignored with a warning.
    """
    _check_file(Path(path))
    with _reading(Path(path)) as connection:
        names = _checked_schema(connection, path)
        tables = {name: tuple(_rows(connection, name, path)) for name in TABLES if name in names}
    database = ProtestDatabase(**tables)
    if MetaData("file_version", VERSION) not in database.meta_data:
        _refuse(f"the file does not say that it is of {VERSION}", path)
    return database


def write_protest(path: str | Path, database: ProtestDatabase) -> None:
    """Write a new file atomically; our own tables are left out if they have no rows."""
    with new_protest(path) as file:
        for name, rows in database._asdict().items():
            if rows:
                file.extend(name, rows)


class ProtestFile:
    """A file that is being written; its rows need not be in memory together. `rows` counts them by table."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._most = connection.getlimit(sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER)
        self._columns: dict[str, int] = {}
        #: The values of rows that wait to be written, one row after the other.
        self._waiting: dict[str, list[object]] = {}
        self.rows: dict[str, int] = {}
        for name in TABLES:
            if not name.startswith(_OWN):
                self._create(name)

    def add(self, table: str, *values: object) -> int:
        """Add a row whose id is the next number, and return that; the values are its other columns."""
        number = self.rows[table] = self.rows[table] + 1
        waiting = self._waiting[table]
        waiting.append(number)
        waiting += values
        if len(waiting) >= self._columns[table] * _ROWS_AT_ONCE:
            self._write(table)
        return number

    def extend(self, table: str, rows: Iterable[Sequence[object]]) -> None:
        """Add rows with all their columns."""
        if table not in self.rows:
            self._create(table)
        left, waiting = iter(rows), self._waiting[table]
        while part := list(islice(left, _ROWS_AT_ONCE)):
            self.rows[table] += len(part)
            waiting += chain.from_iterable(part)
            self._write(table)

    def copy_sentences(self, *, of: int, to: int) -> None:
        """Copy the sentences of another corpus, instead of computing them again."""
        self._write("sentences")
        columns = "id + ? - (SELECT min(id) FROM sentences WHERE corpus = ?), ?, line, sentence"
        copied = f"INSERT INTO sentences SELECT {columns} FROM sentences WHERE corpus = ? ORDER BY id"  # noqa: S608 - our names
        values = (self.rows["sentences"] + 1, of, to, of)
        self.rows["sentences"] += self._connection.execute(copied, values).rowcount

    def close(self) -> None:
        """Write all pending rows."""
        for table in self._waiting:
            self._write(table)

    def _create(self, table: str) -> None:
        row = TABLES[table]
        self._connection.execute(f"CREATE TABLE {table} ({_columns(row)})")
        self._columns[table] = len(row._fields)
        self._waiting[table], self.rows[table] = [], 0

    def _write(self, table: str) -> None:
        """Write pending rows, many per statement, which takes half the time of one statement per row."""
        waiting, columns = self._waiting[table], self._columns[table]
        row = f"({', '.join('?' * columns)})"
        size = columns * min(_ROWS_AT_ONCE, self._most // columns)
        for start in range(0, len(waiting), size):
            part = waiting[start : start + size]
            rows = ", ".join([row] * (len(part) // columns))
            self._connection.execute(f"INSERT INTO {table} VALUES {rows}", part)  # noqa: S608 - our names
        waiting.clear()


@contextmanager
def new_protest(path: str | Path) -> Iterator[ProtestFile]:
    """A new file with all tables of PROTEST, created when the block ends without an error."""
    with atomic_path(path) as part:
        try:
            with closing(sqlite3.connect(part)) as connection:
                # The file is thrown away if it is not finished, and nobody else knows its name.
                connection.execute("PRAGMA journal_mode = OFF")
                connection.execute("PRAGMA synchronous = OFF")
                with connection:
                    file = ProtestFile(connection)
                    yield file
                    file.close()
        except sqlite3.Error as error:
            raise OSError(str(error)) from error


def _check_file(path: Path) -> None:
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            magic = file.read(len(_MAGIC))
        log = path.with_name(f"{path.name}-wal")
        unfinished = log.is_file() and log.stat().st_size > 0
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from error
    if magic != _MAGIC or size > MAX_BYTES:
        _refuse(f"not an SQLite file, or larger than {MAX_BYTES} bytes", path)
    if unfinished:
        what = "the file has uncommitted changes"
        raise InputError(what, where=str(log), fix="close the program that has the file open, and try again")


@contextmanager
def _reading(path: Path) -> Iterator[sqlite3.Connection]:
    """A read-only connection: the file cannot change, and nothing in its schema is executed."""
    address = f"file:{quote(str(path.resolve()))}?mode=ro&immutable=1"
    try:
        with closing(sqlite3.connect(address, uri=True)) as connection:
            connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_VALUE)
            # A hostile file could call functions from its schema, or hold cells that overlap.
            connection.execute("PRAGMA trusted_schema = OFF")
            connection.execute("PRAGMA cell_size_check = ON")
            if connection.execute("PRAGMA quick_check(1)").fetchone() != ("ok",):
                _refuse("the pages of the file are broken", path)
            connection.set_authorizer(
                lambda action, *_: sqlite3.SQLITE_OK if action in _READING else sqlite3.SQLITE_DENY
            )
            yield connection
    except (sqlite3.Error, OverflowError, UnicodeDecodeError) as error:
        raise InputError(f"unreadable database: {error}", where=str(path), fix=_FIX) from error


def _checked_schema(connection: sqlite3.Connection, path: str | Path) -> dict[str, set[str]]:
    """The columns of every table; a missing table of PROTEST, or one that lacks a column, is an error."""
    tables = {}
    for kind, name, sql in connection.execute("SELECT type, name, sql FROM sqlite_master").fetchall():
        if kind == "index" or str(name).startswith("sqlite_"):
            continue
        if kind != "table" or str(sql).upper().startswith("CREATE VIRTUAL"):
            _refuse(f"the schema has a {kind} that is not part of PROTEST: {name!r:.60}", path)
        quoted = str(name).replace('"', '""')
        tables[str(name)] = {row[1] for row in connection.execute(f'PRAGMA table_info("{quoted}")')}
    for name, row in TABLES.items():
        if name not in tables and name.startswith(_OWN):
            continue
        if missing := set(row._fields) - tables.get(name, set()):
            _refuse(f"the table {name} lacks {', '.join(sorted(missing))}", path)
        if surplus := tables[name] - set(row._fields):
            _left_out(f"unknown columns of {name}: {', '.join(sorted(surplus))}", path)
    if surplus := tables.keys() - TABLES.keys():
        _left_out(f"unknown tables: {', '.join(sorted(surplus))}", path)
    return tables


def _rows(connection: sqlite3.Connection, name: str, path: str | Path) -> Iterator[Any]:
    row = TABLES[name]
    kinds = [get_args(hint) or (hint,) for hint in get_type_hints(row).values()]
    columns = ", ".join(f'"{column}"' for column in row._fields)
    cursor = connection.execute(f"SELECT {columns} FROM {name} ORDER BY rowid")  # noqa: S608 - our names
    for number, values in enumerate(cursor, start=1):
        if number > MAX_ROWS:
            _refuse(f"the table {name} has more than {MAX_ROWS} rows", path)
        for column, value, allowed in zip(row._fields, values, kinds, strict=True):
            if not isinstance(value, allowed):
                _refuse(f"row {number} of {name}: {column} cannot be {value!r:.60}", path)
        yield row(*values)


def _columns(row: Any) -> str:
    """The columns of a table for its creation; an `id` is its key."""
    hints = get_type_hints(row)
    kinds = {
        name: "INTEGER" if int in (get_args(hint) or (hint,)) else "TEXT" for name, hint in hints.items()
    }
    empty = {name: "" if NoneType in get_args(hint) else " NOT NULL" for name, hint in hints.items()}
    return ", ".join(
        f'"{name}" {kinds[name]}' + (" PRIMARY KEY" if name == "id" else empty[name]) for name in row._fields
    )


def _refuse(what: str, path: str | Path) -> NoReturn:
    raise InputError(what, where=str(path), fix=_FIX)


def _left_out(what: str, path: str | Path) -> None:
    warnings.warn(f"{path}: left out {what}", InputWarning, stacklevel=2)
