"""What a database can refuse, said to people: here errors of drivers become errors of users."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from sqlalchemy.exc import DatabaseError, DBAPIError, IntegrityError, ProgrammingError, SQLAlchemyError

from anaphor.core import UserError


class StoreError(UserError):
    """The database cannot do its work now: no room, no right, no answer. Nothing was saved."""


class _Explained(NamedTuple):
    what: str
    fix: str


_FULL = _Explained("the disk of the database is full: nothing was saved", "make room, then try again")
_READ_ONLY = _Explained(
    "the database cannot be written to: nothing was saved",
    "give yourself the right to write to the database, and to the folder it is in",
)
_NOT_OPEN = _Explained(
    "the database cannot be opened", "check the path, and your rights on the file and its folder"
)
_BUSY = _Explained(
    "another program holds the database: nothing was saved", "end the other program, then try again"
)
_OUTRUN = _Explained("another change came first: nothing was saved", "load the page again, then try again")
_BROKEN = _Explained(
    "the file is no database, or a broken one", "name a campaign's database, or put its last backup in place"
)
_AWAY = _Explained("the database server does not answer", "check the address, and that the server runs")
_STRANGER = _Explained(
    "the database server does not let us in", "check user name and password in the address"
)
_NO_DATABASE = _Explained(
    "there is no such database on the server", "create it with createdb, then try again"
)

#: The primary result codes of SQLite.
_SQLITE = {
    "SQLITE_FULL": _FULL,
    "SQLITE_READONLY": _READ_ONLY,
    "SQLITE_PERM": _READ_ONLY,
    "SQLITE_CANTOPEN": _NOT_OPEN,
    "SQLITE_BUSY": _BUSY,
    "SQLITE_LOCKED": _BUSY,
    "SQLITE_CORRUPT": _BROKEN,
    "SQLITE_NOTADB": _BROKEN,
    "SQLITE_IOERR": _Explained(
        "the disk of the database fails: nothing was saved", "check disk and file system"
    ),
}

#: What a trigger of ours raises, such as that of a table that only grows.
_RAISED = "P0001"

#: Conditions of PostgreSQL, by SQLSTATE.
_POSTGRESQL = {
    "53100": _FULL,
    "25006": _READ_ONLY,
    "42501": _READ_ONLY,
    "55P03": _BUSY,
    "40001": _OUTRUN,
    "40P01": _OUTRUN,
    "28P01": _STRANGER,
    "28000": _STRANGER,
    "3D000": _NO_DATABASE,
    "53300": _Explained("the database server has no connection left", "raise max_connections, or try later"),
}


@contextmanager
def explained(address: str) -> Iterator[None]:
    """Turn what a driver raises inside the block into an error that names the database and a remedy.

    Wrong SQL is a mistake of ours, not of users: it stays what it is.
    """
    try:
        yield
    except IntegrityError as error:
        if getattr(error.orig, "sqlite_errorname", "") == "SQLITE_CONSTRAINT_TRIGGER":
            raise _error(error, address) from error
        # Every change is checked before it is written, so that somebody else was quicker.
        raise StoreError(_OUTRUN.what, where=address, fix=_OUTRUN.fix) from error
    except ProgrammingError as error:
        if _sqlstate(error) not in (*_POSTGRESQL, _RAISED):
            raise
        raise _error(error, address) from error
    except DatabaseError as error:
        raise _error(error, address) from error
    except SQLAlchemyError as error:  # such as a pool without a free connection
        raise StoreError(f"{_BUSY.what} ({error})", where=address, fix=_BUSY.fix) from error


def _error(error: DBAPIError, address: str) -> StoreError:
    known = _find(error)
    if known is None:
        return StoreError(
            f"the database refuses: {error.orig}", where=address, fix="look into the log of the database"
        )
    return StoreError(known.what, where=address, fix=known.fix)


def _find(error: DBAPIError) -> _Explained | None:
    name = getattr(error.orig, "sqlite_errorname", None)
    if name is not None:
        return next((found for code, found in _SQLITE.items() if str(name).startswith(code)), None)
    state = _sqlstate(error)
    return _AWAY if state is None or state.startswith(("08", "57")) else _POSTGRESQL.get(state)


def _sqlstate(error: DBAPIError) -> str | None:
    return getattr(error.orig, "sqlstate", None)
