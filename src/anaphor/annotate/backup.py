"""An online backup: a whole and consistent copy while people go on answering."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

from anaphor.annotate.store import Store, open_store
from anaphor.core import OptionError

#: Pages that are copied at a time, so that nobody waits long.
_PAGES = 1000


def backup(store: Store, target: str | Path) -> int:
    """Copy the database of a campaign to a new file and check the copy; its size in bytes."""
    path = Path(target)
    if not store.is_sqlite:
        raise OptionError(
            "PostgreSQL makes its own backups",
            where=store.address,
            fix=f"run: pg_dump --format=custom --file={target} {store.address}",
        )
    if path.exists():
        raise OptionError("the file exists already", where=str(path), fix="name a new file")
    part = path.resolve().with_name(f".{path.name}.{os.getpid()}.part")
    try:
        _copy(Path(store.address), part)
        open_store(part).close()
        for suffix in ("-wal", "-shm"):
            part.with_name(part.name + suffix).unlink(missing_ok=True)
        part.rename(path)
        return path.stat().st_size
    except (OSError, sqlite3.Error) as error:
        raise OptionError(
            f"the backup cannot be written ({error})",
            where=str(path),
            fix="choose a file in an existing folder, on a disk with enough room",
        ) from error
    finally:
        for suffix in ("", "-wal", "-shm"):
            part.with_name(part.name + suffix).unlink(missing_ok=True)


def _copy(source: Path, target: Path) -> None:
    with closing(sqlite3.connect(source)) as original, closing(sqlite3.connect(target)) as copy:
        original.backup(copy, pages=_PAGES)
        if copy.execute("PRAGMA integrity_check").fetchone() != ("ok",):
            raise sqlite3.DatabaseError("the copy is broken")
        copy.execute("PRAGMA journal_mode = DELETE")
    with target.open("rb") as file:
        os.fsync(file.fileno())
