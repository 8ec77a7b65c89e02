"""Rows damaged by hand or by a disk: the one place that decodes all of a campaign.

Normal reading assumes that all is well. If a command fails, `naming_damage` finds the rows responsible and
names them by table and id; `anaphor annotate check` lists all of them, and `repair` moves them aside. The
server does not do this: it reads every table, and visitors could trigger it repeatedly.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from msgspec import convert
from sqlalchemy import BigInteger, Boolean, Connection, Float, Integer, Table
from sqlalchemy.exc import NoResultFound

from anaphor.annotate.answer_json import read_answer
from anaphor.annotate.store import schema
from anaphor.annotate.store.database import Store, StoreError
from anaphor.annotate.types import Campaign, Mark, Mode, PersonRole, Status, read_marks, read_targets
from anaphor.core import InputError, Outcome, UserError
from anaphor.core.records import strict_json
from anaphor.meta.judgements import Judgement

#: What reading a row can end in that has a value of another kind than its column.
UNREADABLE = (ValueError, LookupError, TypeError, AttributeError, RecursionError, ArithmeticError)


class DamagedRowError(InputError):
    """An unreadable database row."""


@dataclass(frozen=True, slots=True)
class DamagedRow:
    """A row that is unreadable or has a dangling reference: its values, and its row id (SQLite)."""

    table: str
    id: str
    problem: str
    row: Mapping[str, Any]
    number: int | None

    def __str__(self) -> str:
        return f"{self.table} {self.id}: {self.problem}"


def damaged_rows(connection: Connection) -> list[DamagedRow]:
    """Every unreadable row in table order, followed by the rows that need them."""
    tables = {table.name: _rows(connection, table) for table in schema.METADATA.sorted_tables}
    damaged: dict[tuple[str, int], DamagedRow] = {}

    def blame(table: str, place: int, problem: str) -> None:
        row = tables[table][place]
        values = {
            name: value if _is_json(value) else repr(value) for name, value in row.items() if name != _ROW
        }
        damaged.setdefault(
            (table, place), DamagedRow(table, _name(table, row), problem, values, row.get(_ROW))
        )

    for name, rows in tables.items():
        for place, row in enumerate(rows):
            for problem in _problems(schema.METADATA.tables[name], row):
                blame(name, place, problem)
    if len(tables["campaign"]) != 1:
        return [DamagedRow("campaign", "-", f"there are {len(tables['campaign'])} rows, not one", {}, None)]
    # What points at other rows is looked at where both can be read.
    for name, place, problem in _broken_references(tables, set(damaged)):
        blame(name, place, problem)
    return list(damaged.values())


def first_damage(connection: Connection) -> tuple[str, str] | None:
    """What is wrong with the first damaged row or index, and the fix; None if there is none."""
    damaged = damaged_rows(connection)
    if not damaged:
        # Every row can be read where a table is read from its beginning, and not where an index leads to it.
        pages = page_problems(connection)
        return (f"the database file is damaged: {pages[0]}", "restore a backup") if pages else None
    others = f" ({len(damaged) - 1} more rows are damaged)" if len(damaged) > 1 else ""
    return (
        f"the campaign has a row that cannot be read: {damaged[0]}{others}",
        "`anaphor annotate check` lists all; restore a backup, or move them aside with `annotate repair`",
    )


@contextmanager
def naming_damage(store: Store) -> Iterator[None]:
    """If reading fails inside the block because of damaged rows, raise an error that names them."""
    try:
        yield
    except (*UNREADABLE, InputError, StoreError) as error:
        # A row that is missing or is not UTF-8 is found out by the driver, an answer by its decoder.
        cause = error.__cause__
        ours = isinstance(error, UserError) and str(error.where) != "the database"
        if ours and not (isinstance(cause, NoResultFound) or "decode to UTF-8" in str(cause)):
            raise
        with store.read() as connection:
            damage = first_damage(connection)
        if damage is None:
            raise
        # Built here: in a variable, it would keep this frame, and with it a cursor and its lock, alive.
        raise DamagedRowError(damage[0], where=store.address, fix=damage[1]) from error


def page_problems(connection: Connection) -> list[str]:
    """Problems that SQLite reports in its pages and indexes; other databases are not checked."""
    if connection.dialect.name != "sqlite":
        return []
    return [str(row[0]) for row in connection.exec_driver_sql("PRAGMA integrity_check") if row[0] != "ok"]


_ROW = "row number"  # no column has this name
_TIMES = ("created", "saved", "at", "expires", "revoked", "used", "closed")


def _rows(connection: Connection, table: Table) -> list[dict[str, Any]]:
    """All rows as returned by the driver; bytes that are not UTF-8 become lone surrogates."""
    number = f'rowid AS "{_ROW}", ' if connection.dialect.name == "sqlite" else ""
    query = f'SELECT {number}* FROM "{table.name}"'  # noqa: S608 - a name of ours
    if not number:
        return [dict(row) for row in connection.exec_driver_sql(query).mappings()]
    driver: Any = connection.connection.driver_connection
    factory, driver.text_factory = driver.text_factory, lambda data: data.decode("utf-8", "surrogateescape")
    try:
        return [dict(row) for row in connection.exec_driver_sql(query).mappings()]
    except UnicodeDecodeError as error:
        what, fix = f"the columns of the table {table.name} are damaged", "restore a backup"
        raise DamagedRowError(what, where="the database", fix=fix) from error
    finally:
        driver.text_factory = factory


def _is_json(value: object) -> bool:
    return value is None or isinstance(value, str | int | float)


def _name(table: str, row: Mapping[str, Any]) -> str:
    """The name of a row: its id, or a substitute."""
    keys = {"texts": ("side", "name", "segment"), "own_tags": ("person", "tag"), "audit": ("seq",)}
    names = keys.get(table, ("id",) if "id" in row else ("token_hash",))
    return " ".join(str(row.get(column)) for column in names)


def _problems(table: Table, row: Mapping[str, Any]) -> Iterator[str]:
    for column in table.columns:
        if column.name not in row:
            yield f"{column.name} is missing"
            continue
        value = row[column.name]
        if value is None:
            if not column.nullable and not column.primary_key:
                yield f"{column.name} is empty"
            continue
        if not _fits(column.type, value):
            yield f"{column.name} is {value!r:.40}"
            continue
        decode = _DECODERS.get((table.name, column.name))
        if decode is None and column.name in _TIMES:
            decode = datetime.fromisoformat
        try:
            if decode is not None:
                decode(value)
        except UserError as error:
            yield f"{column.name} cannot be read: {error.what:.120}"
        except UNREADABLE as error:
            yield f"{column.name} cannot be read: {error!s:.120}"
    if table.name == "campaign":
        try:
            facts = strict_json(row["facts"])
            convert(
                facts | {name: row[name] for name in ("id", "name", "mode", "suite_digest", "created")},
                Campaign,
            )
        except UNREADABLE as error:
            yield f"facts cannot be read: {error!s:.120}"


def _fits(kind: Any, value: Any) -> bool:
    """Whether a value has the type of its column: SQLite allows any type in any column."""
    if isinstance(kind, Boolean):
        return isinstance(value, int) and value in (0, 1)
    if isinstance(kind, Integer | BigInteger):
        return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53
    if isinstance(kind, Float):
        return isinstance(value, int | float) and math.isfinite(value)
    if not isinstance(value, str) or "\0" in value:
        return False
    try:
        value.encode()  # halves of surrogate pairs are no text
    except UnicodeEncodeError:
        return False
    return True


def _texts(value: str) -> None:
    convert(strict_json(value), list[str])


def _side(value: str) -> None:
    if value not in ("source", "reference", "system"):
        raise ValueError("not a side of the texts")


def _categories(value: str) -> None:
    for category in strict_json(value):
        if (type(category["name"]), type(category["antecedent"]), type(category["description"])) != (
            str,
            bool,
            str,
        ):
            raise ValueError("a category has no name or no description")


def _targets(value: str) -> None:
    strict_json(value)
    targets = read_targets(value)
    if not targets or not all(
        isinstance(target.system, str) and isinstance(target.outcome, str) for target in targets
    ):
        raise ValueError("there is no system")


def _answer(value: str) -> None:
    strict_json(value)
    read_answer(value)


def _population(value: str) -> None:
    for row in convert(strict_json(value), list[tuple[str, str, str, str, str, str]]):
        Outcome[row[2].upper()]


def _links(value: str) -> None:
    for pair in value.split():
        _, _ = map(int, pair.split("-"))


def _marks(value: str) -> None:
    strict_json(value)
    marks = read_marks(value)
    if not marks.pronoun or not all(marks.heads):
        raise ValueError("a pronoun or an antecedent has no words")


_DECODERS: Mapping[tuple[str, str], Callable[[Any], object]] = {
    ("campaign", "mode"): Mode,
    ("campaign", "categories"): _categories,
    ("campaign", "population"): _population,
    ("people", "role"): PersonRole,
    ("assignments", "status"): Status,
    ("assignments", "shown"): _texts,
    ("texts", "side"): _side,
    ("texts", "tokens"): _texts,
    ("texts", "links"): _links,
    ("items", "marks"): _marks,
    ("items", "reference_words"): _texts,
    ("units", "targets"): _targets,
    ("units", "expected"): _answer,
    ("answers", "content"): _answer,
    ("journal", "content_before"): _answer,
    ("journal", "content_after"): _answer,
    ("decisions", "content"): _answer,
    ("conflicts", "content"): _answer,
    ("audit", "detail"): lambda value: convert(strict_json(value), dict[str, str]),
}


def _broken_references(
    tables: Mapping[str, list[dict[str, Any]]], damaged: set[tuple[str, int]]
) -> Iterator[tuple[str, int, str]]:
    """Rows with dangling references, or that refer to missing parts of a text."""
    sound = {
        name: [(place, row) for place, row in enumerate(rows) if (name, place) not in damaged]
        for name, rows in tables.items()
    }
    ids = {name: {row["id"] for _, row in rows if "id" in row} for name, rows in sound.items()}
    for name, rows in sound.items():
        for column in schema.METADATA.tables[name].columns:
            for key in column.foreign_keys:
                other = key.column.table.name
                for place, row in rows:
                    if row[column.name] is not None and row[column.name] not in ids[other]:
                        yield name, place, f"{column.name} points at a row of {other} that does not exist"
    tokens = {
        (row["side"], row["name"], row["segment"]): len(json.loads(row["tokens"]))
        for _, row in sound["texts"]
    }
    marked: dict[int, set[int]] = {}
    ends: dict[str, int] = {}
    for place, row in sound["documents"]:
        ends[row["id"]] = row["first"] + row["segments"]
        for segment in range(row["first"], min(ends[row["id"]], row["first"] + len(tokens) + 1)):
            if ("source", "", segment) not in tokens:
                yield "documents", place, f"segment {segment} has no source text that can be read"
                break
    for place, row in sound["items"]:
        if not row["first"] <= row["last"] < ends.get(row["document"], row["last"] + 1):
            yield "items", place, "its context lies outside the texts"
        elif not all(
            at.token < tokens.get(("source", "", at.segment), 0) for at in read_marks(row["marks"]).words
        ):
            yield "items", place, "it marks a word that the source does not have"
        else:
            for at in read_marks(row["marks"]).words:
                marked.setdefault(at.segment, set()).add(at.token)
    for place, row in sound["texts"]:
        if row["side"] == "source" and row["segment"] in marked:
            words = json.loads(row["tokens"])
            if not all(words[token] in row["line"] for token in marked[row["segment"]]):
                yield "texts", place, "its line does not have a word that an item marks"
    categories = {
        category["name"] for _, row in sound["campaign"] for category in json.loads(row["categories"])
    }
    for name in ("items", "units", "assignments"):
        for place, row in sound[name]:
            if row["category"] not in categories:
                yield name, place, "its category is not part of the campaign"
    shown: dict[str, set[str]] = {}
    for place, row in sound["units"]:
        if row["expected"] is None and row["feedback"] is not None:
            yield "units", place, "it is a practice item without an expected answer"
        targets = read_targets(row["targets"])
        shown[row["id"]] = {target.system for target in targets}
        if not shown[row["id"]] <= ids["systems"] or len(shown[row["id"]]) < len(targets):
            yield "units", place, "it has an unknown system, or one twice"
        for target in targets:
            if not all(
                at.token < tokens.get(("system", target.system, at.segment), 0)
                for at in target.highlight.words
            ):
                yield "units", place, "it highlights a word that a translation does not have"
    for place, row in sound["assignments"]:
        order = json.loads(row["shown"])
        if set(order) != shown.get(row["unit"], set(order)) or len(set(order)) < len(order) or not order:
            yield "assignments", place, "it shows systems that differ from those of its unit"
    unit_of = {row["id"]: row["unit"] for _, row in sound["assignments"]}
    for place, row in sound["answers"]:
        systems = shown.get(unit_of.get(row["assignment"], ""), ())
        answer = read_answer(row["content"])
        for at in (*answer.words, *(answer.rendering or ())):
            if systems and not any(
                at.token < tokens.get(("system", system, at.segment), 0) for system in systems
            ):
                yield "answers", place, "it selects a word that the translation does not have"
    if any(Mode(row["mode"]) is not Mode.JUDGE for _, row in sound["campaign"]):
        return  # other labels are words or names of systems
    marks = {mark.value for mark in Mark}
    labels = {
        "overall_label": {judgement.value for judgement in Judgement},
        "pronoun_label": marks,
        "antecedent_label": marks,
    }
    for place, row in sound["assignments"]:
        for name, known in labels.items():
            if row[name] is not None and row[name] not in known:
                yield "assignments", place, f"{name} is {row[name]!r:.40}"
