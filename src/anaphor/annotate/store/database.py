"""A campaign's database: SQLite in one file, or PostgreSQL by address.

There are two kinds of transaction, `read` and `write`. Changes are durable when the block of `write` ends:
SQLite runs with a write-ahead log and full synchronization, PostgreSQL with synchronous commits. Driver
errors become user errors that name the database and a fix.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import URL, Connection, Engine, Select, Table, create_engine, event, insert, make_url
from sqlalchemy.exc import (
    ArgumentError,
    DatabaseError,
    IntegrityError,
    ProgrammingError,
    SQLAlchemyError,
)

from anaphor.annotate.store import schema
from anaphor.core import InputError, MismatchError, OptionError, UserError

#: How long a writer waits for another program.
_BUSY_MILLISECONDS = 10_000
_WRITING = "anaphor_writing"
#: Rows that are read or written together where a campaign may have many.
ROWS_AT_ONCE = 2000
_T = TypeVar("_T")


class StoreError(UserError):
    """The database is unavailable: disk full, no permission, no response. Nothing was saved."""


class Store:
    """An open, thread-safe database."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.is_sqlite = engine.dialect.name == "sqlite"
        # A read transaction of SQLite always sees one state of the database; PostgreSQL needs options for it.
        steady = {} if self.is_sqlite else {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}
        self._reading = engine.execution_options(**steady)
        # SQLite has one writer at a time. A lock of our own is fairer and faster than its polling.
        self._turn: AbstractContextManager[Any] = threading.Lock() if self.is_sqlite else nullcontext()
        self.address = str(engine.url.database) if self.is_sqlite else _public_address(engine.url)

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A transaction that sees a consistent state of the database."""
        with explained(self.address), self._reading.connect() as connection, connection.begin():
            yield connection

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """A transaction that is durable when the block ends, and rolled back if it raises."""
        with explained(self.address), self._turn, self._engine.connect() as connection:
            writing = connection.execution_options(**{_WRITING: True})
            with writing.begin():
                yield writing

    def close(self) -> None:
        self._engine.dispose()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def reading(source: Store | Connection) -> AbstractContextManager[Connection]:
    """A new read transaction, or the one already open."""
    return source.read() if isinstance(source, Store) else nullcontext(source)


def writing(source: Store | Connection) -> AbstractContextManager[Connection]:
    """A new write transaction, or the one already open."""
    return source.write() if isinstance(source, Store) else nullcontext(source)


def insert_many(connection: Connection, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert rows whose keys are the columns."""
    if rows:
        connection.execute(insert(table), rows)


def plain_rows(
    connection: Connection,
    query: Select[Any],
    parameters: Mapping[str, Any] | None = None,
    *,
    at_once: int = 0,
) -> Iterator[Sequence[Sequence[Any]]]:
    """The rows of a query in batches, or in a single list."""
    options = {"yield_per": at_once} if at_once else {}
    result = connection.execute(query, parameters, execution_options=options)
    yield from result.partitions() if at_once else [result.all()]


def analyse(connection: Connection) -> None:
    """Update PostgreSQL's statistics after many rows were written.

    It would do so itself about a minute later, and until then scan whole tables to find one row. SQLite
    always uses the indexes.
    """
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql(f"ANALYZE {', '.join(schema.METADATA.tables)}")


def from_row(kind: type[_T], row: Any, /, **derived: Any) -> _T:
    """Build a dataclass from the columns of a row, except for derived fields."""
    names = _field_names(kind)  # type: ignore[arg-type]
    return kind(**{name: getattr(row, name) for name in names if name not in derived}, **derived)


@cache
def _field_names(kind: Any) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))


def to_row(table: Table, record: Any, **derived: Any) -> dict[str, Any]:
    """The table row for a dataclass: the fields named like its columns, and derived values."""
    names = [column.name for column in table.columns]
    return {name: derived[name] if name in derived else getattr(record, name) for name in names}


def open_store(address: str | Path) -> Store:
    """Open the database of a campaign; other schema versions are rejected."""
    store = connected(address, new=False)
    try:
        with store.read() as connection:
            version = schema.found_version(connection)
        if version == 0:
            fix = "create one with `anaphor annotate init`"
            raise InputError("the database contains no campaign", where=store.address, fix=fix)
        if version != schema.VERSION:
            what = f"the database has schema {version}, this version works with schema {schema.VERSION}"
            fix = "use the version of anaphor that wrote it"
            raise MismatchError(what, where=store.address, fix=fix)
    except BaseException:
        store.close()
        raise
    return store


def create_store(address: str | Path, fill: Callable[[Connection], None] = lambda _: None) -> Store:
    """Create a database with all tables and the rows that `fill` writes, in one transaction.

    A database with existing tables is rejected.
    """
    fresh = not is_address(str(address)) and not Path(address).exists()
    store = connected(address, new=True)
    try:
        with store.write() as connection:
            if schema.found_version(connection):
                fix = "name a new file or an empty database; nothing is ever overwritten"
                raise OptionError("the database already contains a campaign", where=store.address, fix=fix)
            schema.create(connection)
            fill(connection)
            analyse(connection)
    except BaseException:
        store.close()
        if fresh:
            Path(address).unlink(missing_ok=True)
            remove_logs(Path(address))
        raise
    return store


def is_address(text: str) -> bool:
    """Whether a text is a server address rather than a path."""
    return "://" in text


def connected(address: str | Path, *, new: bool) -> Store:
    """A store of any schema; `new` allows a file that does not exist yet."""
    text = str(address)
    return Store(_server_engine(text) if is_address(text) else _file_engine(Path(text), new=new))


def remove_logs(path: Path) -> None:
    """Delete the auxiliary files that SQLite keeps while a database is open."""
    for suffix in ("-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)


def _public_address(url: URL) -> str:
    """The address of a server as other programs write it: without our driver's name and any password."""
    query = url.difference_update_query(["password", "sslpassword"]).query
    return str(URL.create("postgresql", url.username, None, url.host, url.port, url.database, query))


def _server_engine(text: str) -> Engine:
    where, fix = "the address of the database", "write postgresql://USER@HOST/DATABASE, or a path"
    try:
        url = make_url(text)
        given = url.drivername
    except (ArgumentError, ValueError) as error:
        raise OptionError("invalid address", where=where, fix=fix) from error
    if given not in ("postgresql", "postgres", "postgresql+psycopg") or not url.database:
        raise OptionError(f"not the address of a PostgreSQL database: {given}://", where=where, fix=fix)
    try:
        return create_engine(
            url.set(drivername="postgresql+psycopg"),
            pool_pre_ping=True,  # a server that was restarted must not fail the next request
            pool_size=10,
            max_overflow=20,
            # Not left to the server's configuration: an answer is acknowledged after its commit.
            # To compile the queries of a page would take longer than to run them.
            connect_args={"options": "-c synchronous_commit=on -c jit=off", "connect_timeout": 10},
        )
    except ModuleNotFoundError as error:
        what = "the PostgreSQL driver is not installed"
        raise InputError(what, where="psycopg", fix='install it: pip install "anaphor[annotate]"') from error


def _file_engine(path: Path, *, new: bool) -> Engine:
    if not new and not path.is_file():
        raise InputError("file not found", where=str(path), fix="create it with `anaphor annotate init`")
    if new and (path.is_dir() or not path.resolve().parent.is_dir()):
        fix = "choose a file in a folder that exists"
        raise OptionError("the file cannot be created", where=str(path), fix=fix)
    if new:  # what annotators write is nobody else's business; SQLite's other files follow its permissions
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    engine = create_engine(URL.create("sqlite", database=str(path.resolve())), connect_args={"timeout": 10})

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, _record: object) -> None:
        # Transactions are begun below; the driver would begin them late, and none for reading.
        connection.isolation_level = None
        pragmas = (
            *("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON", "trusted_schema = OFF"),
            f"busy_timeout = {_BUSY_MILLISECONDS}",
            "cache_size = -4000",  # KiB, twice the default: an import changes pages all over the indexes
        )
        try:
            for pragma in pragmas:
                connection.execute(f"PRAGMA {pragma}")
        except UnicodeDecodeError as error:  # of a message that quotes a damaged schema
            raise StoreError(_BROKEN[0], where=str(path), fix=_BROKEN[1]) from error

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        # A writer takes the lock at once: if it read first, another could write in between.
        is_writing = connection.get_execution_options().get(_WRITING, False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if is_writing else "BEGIN")

    return engine


#: What users read for a code of SQLite (primary result code) or PostgreSQL (SQLSTATE), and how to fix it.
_FULL = ("the disk of the database is full: nothing was saved", "free some space, then try again")
_READ_ONLY = (
    "the database cannot be written to: nothing was saved",
    "get write permission for the database and for its folder",
)
_BUSY = (
    ("another program is using the database: nothing was saved"),
    "close the other program, then try again",
)
_OVERTAKEN = ("another change was saved first: nothing was saved", "reload the page, then try again")
_BROKEN = (
    "the file is not a database, or is damaged",
    "name a campaign's database, or restore its last backup",
)
_AWAY = ("the database server does not answer", "check the address, and that the server is running")
_REFUSED = (
    "the database server refuses the sign-in",
    "check the user name in the address, and the password in PGPASSWORD or ~/.pgpass",
)
_EXPLANATIONS = {
    "SQLITE_FULL": _FULL,
    "SQLITE_READONLY": _READ_ONLY,
    "SQLITE_PERM": _READ_ONLY,
    "SQLITE_CANTOPEN": (
        "the database cannot be opened",
        "check the path, and the permissions of the file and its folder",
    ),
    "SQLITE_BUSY": _BUSY,
    "SQLITE_LOCKED": _BUSY,
    "SQLITE_CORRUPT": _BROKEN,
    "SQLITE_NOTADB": _BROKEN,
    "SQLITE_IOERR": (
        "the database disk has failed: nothing was saved",
        "check the disk and the file system",
    ),
    "53100": _FULL,
    "25006": _READ_ONLY,
    "42501": _READ_ONLY,
    "55P03": _BUSY,
    "40001": _OVERTAKEN,
    "40P01": _OVERTAKEN,
    "28P01": _REFUSED,
    "28000": _REFUSED,
    "3D000": ("the server does not have this database", "create it with createdb, then try again"),
    "53300": ("the database server has no free connections", "raise max_connections, or try later"),
}

#: The SQLSTATE of our own triggers, which keep journal and audit log append-only.
_RAISED = "P0001"


@contextmanager
def explained(address: str) -> Iterator[None]:
    """Turn driver errors inside the block into errors that name the database and a fix.

    Wrong SQL is our bug, not a user error, and is not caught.
    """
    try:
        yield
    except SQLAlchemyError as error:
        what, fix = _explanation(error)
        raise StoreError(what, where=address, fix=fix) from error


def _explanation(error: SQLAlchemyError) -> tuple[str, str]:
    if not isinstance(error, DatabaseError):  # such as a pool without a free connection
        return f"{_BUSY[0]} ({error})", _BUSY[1]
    name = getattr(error.orig, "sqlite_errorname", None)
    state = getattr(error.orig, "sqlstate", None)
    if isinstance(error, IntegrityError) and name != "SQLITE_CONSTRAINT_TRIGGER":
        return _OVERTAKEN  # every change is checked before it is written: somebody else was faster
    if isinstance(error, ProgrammingError) and state not in (*_EXPLANATIONS, _RAISED):
        raise error
    if name is None and (state is None or state.startswith(("08", "57"))):
        return _AWAY
    code = str(name or state)
    explanation = next((words for known, words in _EXPLANATIONS.items() if code.startswith(known)), None)
    return explanation or (f"the database reports an error: {error.orig}", "see the log of the database")
