"""Maintenance of a campaign: online backup, the checks of `anaphor annotate check`, and repair."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path

from sqlalchemy import Connection, func, select, text

from anaphor.annotate.answer_json import read_answer
from anaphor.annotate.judging.assignments import assignments_with_items, mode_and_choices, task_in
from anaphor.annotate.rules import check_answer, status_of
from anaphor.annotate.store import Store, open_store, schema
from anaphor.annotate.store.damage import DamagedRow, damaged_rows, page_problems
from anaphor.annotate.store.database import remove_logs
from anaphor.annotate.types import AnnotatorAnswer, Status
from anaphor.core import InputError, OptionError, UserError
from anaphor.files.writing import atomic_path, write_atomically

#: Pages copied at a time; in between, annotators can save.
_PAGES = 1000


def backup(store: Store, target: str | Path) -> int:
    """Copy the database to a new file while annotators keep working, and check the copy; return its size in
    bytes.
    """
    path = Path(target)
    if not store.is_sqlite:
        raise OptionError(
            "a PostgreSQL database is backed up with its own tools",
            where=store.address,
            fix=f"run: pg_dump --format=custom --file={target} '{store.address}'",
        )
    if path.exists():
        raise OptionError("the file already exists", where=str(path), fix="name a new file")
    fix = "choose a file in an existing folder, on a disk with enough space"
    with atomic_path(path, what="backup", fix=fix, sync=True) as part:
        try:
            with closing(sqlite3.connect(store.address)) as original, closing(sqlite3.connect(part)) as copy:
                part.chmod(0o600)
                original.backup(copy, pages=_PAGES)
                if copy.execute("PRAGMA integrity_check").fetchone() != ("ok",):
                    raise sqlite3.DatabaseError("the copy is damaged")
                copy.execute("PRAGMA journal_mode = DELETE")
            open_store(part).close()  # refuses a copy that this version could not open again
        except sqlite3.Error as error:
            raise OSError(str(error)) from error  # explained like any other file that cannot be written
        finally:
            remove_logs(part)
    return path.stat().st_size


def check(store: Store) -> dict[str, tuple[str, ...]]:
    """The problems found by all checks; empty if there are none.

    If rows are unreadable, only they are reported, since other checks depend on them.
    """
    with store.read() as connection:
        problems = {"pages": tuple(page_problems(connection))}
        problems["rows"] = tuple(map(str, damaged_rows(connection)))
        rest = {
            name: () if problems["rows"] else tuple(run(connection, store)) for name, run in _CHECKS.items()
        }
    return problems | rest


def repair(store: Store, output: str | Path) -> tuple[DamagedRow, ...]:
    """Move every damaged row and all rows that need it to a new file of JSON lines; return what was moved.

    Nothing is moved if the campaign's own row is missing.
    """
    if not store.is_sqlite:
        raise OptionError(
            "damaged rows are moved out of SQLite files only",
            where=store.address,
            fix="use psql to correct the rows that `anaphor annotate check` names",
        )
    if Path(output).exists():
        raise OptionError("the file already exists", where=str(output), fix="name a new file")
    moved: list[DamagedRow] = []
    with store.write() as connection:
        execute = connection.exec_driver_sql
        triggers = execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").all()
        for name, _ in triggers:  # they keep journal and audit log from losing rows
            execute(f'DROP TRIGGER "{name}"')
        # Rows that need one which is gone are damaged then: as often as there are tables that need others.
        execute("PRAGMA defer_foreign_keys = ON")
        while damaged := damaged_rows(connection):
            if any(row.table == schema.campaign.name for row in damaged):
                what, fix = f"the campaign itself cannot be read: {damaged[0]}", "restore the last backup"
                raise InputError(what, where=store.address, fix=fix)
            for row in damaged:
                execute(f'DELETE FROM "{row.table}" WHERE rowid = ?', (row.number,))  # noqa: S608 - our name
            moved += damaged
        for _, statement in triggers:
            execute(statement)
        if moved:
            lines = (
                json.dumps({"table": row.table, "problem": row.problem, "row": row.row}) for row in moved
            )
            # Before the rows are gone for good, which they are at the end of the block.
            write_atomically(output, "".join(f"{line}\n" for line in lines))
    return tuple(moved)


def _references(connection: Connection, store: Store) -> Iterator[str]:
    if store.is_sqlite:
        for row in connection.execute(text("PRAGMA foreign_key_check")):
            yield f"a row of {row[0]} points at a row of {row[2]} that does not exist"


def _journal(connection: Connection, _store: Store) -> Iterator[str]:
    """Check that every answer matches the last journal entry, and that no entry is missing."""
    table, answer = schema.journal, schema.answers
    last = (
        select(table.c.assignment, func.count().label("entries"), func.max(table.c.version).label("version"))
        .group_by(table.c.assignment)
        .subquery()
    )
    query = (
        select(answer.c.assignment, answer.c.version, answer.c.content, last.c.entries, table.c.content_after)
        .outerjoin(last, last.c.assignment == answer.c.assignment)
        .outerjoin(table, (table.c.assignment == answer.c.assignment) & (table.c.version == answer.c.version))
    )
    for row in connection.execute(query):
        if row.entries != row.version or row.content_after != row.content:
            yield f"the answer of {row.assignment} does not match the journal"
    lost = select(last.c.assignment).where(last.c.assignment.not_in(select(answer.c.assignment)))
    for name in connection.execute(lost).scalars():
        yield f"the journal has an answer of {name} that does not exist"


def _answers(connection: Connection, _store: Store) -> Iterator[str]:
    """Check that every answer is readable, fits its assignment, and has the right status."""
    mode, choices = mode_and_choices(connection)
    contents = {row.assignment: row.content for row in connection.execute(select(schema.answers))}
    for row in connection.execute(assignments_with_items()):
        task, content = task_in(row, mode, choices), contents.get(row.id)
        try:
            answer = AnnotatorAnswer() if content is None else read_answer(content)
            check_answer(task, answer, where=row.id)
        except (UserError, ValueError) as error:
            yield f"the answer of {row.id} is invalid: {error}"
            continue
        if status_of(task, answer) is not Status(row.status):
            yield f"the status of {row.id} does not match its answer"


_CHECKS: Mapping[str, Callable[[Connection, Store], Iterator[str]]] = {
    "rows point at rows": _references,
    "journal": _journal,
    "answers": _answers,
}
