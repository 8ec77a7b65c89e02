"""A campaign's database: SQLite in one file, or PostgreSQL by address.

Two kinds of transaction, `read` and `write`. What was written is durable when the block of `write` is left:
SQLite runs with a write-ahead log and full synchronisation, PostgreSQL with synchronous commits.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError

from anaphor.annotate.faults import explained
from anaphor.annotate.migrations import found_version, migrate, newest_version
from anaphor.core import InputError, MismatchError, OptionError

#: How long a writer waits for another program, in milliseconds.
_PATIENCE = 10_000
_WRITING = "anaphor_writing"


class Store:
    """An open database; safe to use from several threads."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.is_sqlite = engine.dialect.name == "sqlite"
        # SQLite always reads one state of the database; PostgreSQL does when it is asked to.
        steady = {} if self.is_sqlite else {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}
        self._reading = engine.execution_options(**steady)
        # SQLite has one writer at a time. Waiting for our own turn is fairer and quicker than its polling.
        self._turn: AbstractContextManager[Any] = threading.Lock() if self.is_sqlite else nullcontext()

    @property
    def address(self) -> str:
        """Where the database is, without a password."""
        url = self._engine.url
        return str(url.database) if self.is_sqlite else url.render_as_string(hide_password=True)

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A transaction that sees one state of the database."""
        with explained(self.address), self._reading.connect() as connection, connection.begin():
            yield connection

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """A transaction that is durable when the block ends, and leaves no trace when it raises."""
        with explained(self.address), self._turn, self._engine.connect() as connection:
            writing = connection.execution_options(**{_WRITING: True})
            with writing.begin():
                yield writing

    def close(self) -> None:
        self._engine.dispose()


def open_store(address: str | Path) -> Store:
    """The database of a campaign; one of an older or newer schema is refused."""
    store = connected(address, new=False)
    try:
        with store.read() as connection:
            _check_version(found_version(connection), store.address)
    except BaseException:
        store.close()
        raise
    return store


def create_store(address: str | Path, fill: Callable[[Connection], None] = lambda _: None) -> Store:
    """A new database with the newest schema and what `fill` writes, all in one transaction or not at all.

    A database that has tables already is refused.
    """
    fresh = not is_address(str(address)) and not Path(address).exists()
    store = connected(address, new=True)
    try:
        with store.write() as connection:
            if found_version(connection):
                raise OptionError(
                    "the database holds a campaign already",
                    where=store.address,
                    fix="name a new file or an empty database; nothing is ever overwritten",
                )
            migrate(connection, to=newest_version())
            fill(connection)
    except BaseException:
        store.close()
        if fresh:
            _remove(Path(address))
        raise
    return store


def migrate_store(address: str | Path, *, to: int | None = None) -> tuple[int, ...]:
    """Bring a database to another schema, by default the newest; the steps that were taken."""
    store = connected(address, new=False)
    try:
        with store.write() as connection:
            _refuse_newer(found_version(connection), store.address)
            return migrate(connection, to=newest_version() if to is None else to)
    finally:
        store.close()


def is_address(text: str) -> bool:
    """Whether a text is the address of a server and no path."""
    return "://" in text


def connected(address: str | Path, *, new: bool) -> Store:
    """A store of whatever schema; `new` allows a file that is not there yet."""
    text = str(address)
    return Store(_server(text) if is_address(text) else _file(Path(text), new=new))


def _server(text: str) -> Engine:
    try:
        url = make_url(text)
        given = url.drivername
    except (ArgumentError, ValueError) as error:
        raise _bad_address("not an address") from error
    if given not in ("postgresql", "postgres", "postgresql+psycopg") or not url.database:
        raise _bad_address(f"not an address of a PostgreSQL database: {given}://")
    try:
        return create_engine(
            url.set(drivername="postgresql+psycopg"),
            pool_pre_ping=True,
            pool_size=10,
            max_overflow=20,
            connect_args={"options": "-c synchronous_commit=on", "connect_timeout": 10},
        )
    except ModuleNotFoundError as error:
        raise InputError(
            "the driver of PostgreSQL is not installed",
            where="psycopg",
            fix='install it: pip install "anaphor[annotate]"',
        ) from error


def _file(path: Path, *, new: bool) -> Engine:
    if not new and not path.is_file():
        raise InputError("there is no such file", where=str(path), fix="make it with `anaphor annotate init`")
    if new and (path.is_dir() or not path.resolve().parent.is_dir()):
        raise OptionError(
            "the file cannot be made", where=str(path), fix="choose a file in a folder that exists"
        )
    engine = create_engine(URL.create("sqlite", database=str(path.resolve())), connect_args={"timeout": 10})
    event.listen(engine, "connect", _prepare)
    event.listen(engine, "begin", _begin)
    return engine


def _remove(path: Path) -> None:
    """Take away a file that could not be filled, and what SQLite keeps beside it."""
    for suffix in ("", "-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)


def _prepare(connection: Any, _record: object) -> None:
    # Transactions are begun by `_begin`; the driver would begin them late and never for reading.
    connection.isolation_level = None
    for pragma in (
        "journal_mode = WAL",
        "synchronous = FULL",
        "foreign_keys = ON",
        "trusted_schema = OFF",
        f"busy_timeout = {_PATIENCE}",
    ):
        connection.execute(f"PRAGMA {pragma}")


def _begin(connection: Connection) -> None:
    # A writer asks for its turn at once: one that reads first may find that another wrote in between.
    writing = connection.get_execution_options().get(_WRITING, False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writing else "BEGIN")


def _check_version(found: int, address: str) -> None:
    _refuse_newer(found, address)
    if found == 0:
        raise InputError(
            "the database holds no campaign", where=address, fix="make one with `anaphor annotate init`"
        )
    if found < newest_version():
        raise MismatchError(
            f"the database has the schema {found}, this version works with {newest_version()}",
            where=address,
            fix="make a backup, then run `anaphor annotate check DATABASE --migrate`",
        )


def _refuse_newer(found: int, address: str) -> None:
    if found > newest_version():
        raise MismatchError(
            f"the database has the schema {found}; this version knows schemas up to {newest_version()}",
            where=address,
            fix="install the version of anaphor that wrote it, or a newer one",
        )


def _bad_address(what: str) -> OptionError:
    return OptionError(
        what, where="the address of the database", fix="write postgresql://USER@HOST/DATABASE, or a path"
    )
