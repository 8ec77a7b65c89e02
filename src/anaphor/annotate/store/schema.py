"""The tables of a campaign as queries use them, the same for SQLite and PostgreSQL.

They are made by `migrations/*.sql`, which also have indexes and checks; a test compares the two.
Everything that is exported or referred to has a text id, random or made from its content. Auto-incremented
numbers (`seq`) only keep the order of journal and audit log. JSON is stored as text and written and read by
this package alone, so that both databases hold the same characters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from sqlalchemy import BigInteger, Boolean, Column, ColumnElement, ForeignKey, MetaData, Table, types

METADATA = MetaData()


class _Checked:
    """A type whose values are checked as they are read: SQLite gives whatever a row has in the column.

    A value of another type is an error, for which the store then names the damaged row.
    """

    kinds: tuple[type, ...]

    def result_processor(self, dialect: Any, _coltype: object) -> Callable[[Any], Any] | None:
        if dialect.name != "sqlite":
            return None
        allowed = frozenset((*self.kinds, type(None)))

        def check(value: Any) -> Any:
            if value.__class__ not in allowed:
                raise TypeError(f"{value!r:.40} is not of the type of its column")
            return value

        return check


class Text(_Checked, types.Text):
    kinds = (str,)


class Integer(_Checked, types.Integer):
    kinds = (int,)


class Float(_Checked, types.Float[float]):
    kinds = (int, float)


def check_values(column: ColumnElement[Any], values: Iterable[Any]) -> None:
    """Check values of a column together, as its type checks them one by one."""
    kinds = getattr(column.type, "kinds", (int,))  # flags are numbers
    for kind in {value.__class__ for value in values} - {*kinds, type(None)}:
        raise TypeError(f"a value of {kind.__name__} is not of the type of its column")


def _table(name: str, *columns: str | Column[Any]) -> Table:
    """A table; a name alone is a column of text that is never null."""
    made = (Column(one, Text, nullable=False) if isinstance(one, str) else one for one in columns)
    return Table(name, METADATA, *made)


def _number(name: str) -> Column[int]:
    return Column(name, Integer, nullable=False)


def _flag(name: str) -> Column[bool]:
    return Column(name, Boolean, nullable=False)


def _id_of(table: Table, name: str, *, null: bool = False) -> Column[str]:
    """A column with ids of another table, by which `join` finds it."""
    return Column(name, Text, ForeignKey(table.c.id), nullable=null)


def _sequence() -> Column[int]:
    return Column("seq", BigInteger, primary_key=True)


campaign = _table(
    "campaign",
    *("id", "name", "mode", "created"),
    "facts",  # JSON: seed, overlap, batch size, tags, choices
    *("suite_header", "suite_items", "suite_digest"),  # suite.toml, items.jsonl
    Column("sampling_plan", Text),  # the file of `anaphor estimate plan`
    "categories",  # JSON: name, antecedent, description
    Column("population", Text),  # JSON: what the plan was drawn from, so that more can be drawn
)

systems = _table(
    "systems",
    *("id", "name", _number("place"), "digest"),
    _flag("attention"),  # made for attention items, not a candidate
)

#: `first` is the first segment of a document, counted over all documents.
documents = _table("documents", "id", _number("first"), _number("segments"))

texts = _table(
    "texts",
    "side",  # source, reference or system
    "name",  # of the reference, id of the system; empty for the source
    *(_number("segment"), "line"),
    "tokens",  # JSON
    Column("links", Text),  # Pharaoh: source-target, for systems
)

items = _table(
    "items",
    "id",
    "suite_item",  # id in the suite, or in the plan
    "pronoun_key",  # how judgements name it: SEGMENT:TOKEN or id
    *(_id_of(documents, "document"), "category"),
    _flag("antecedent"),  # whether the antecedent question is asked
    _number("place"),
    "marks",  # JSON: source tokens of pronoun and heads
    "reference_words",  # JSON: what each reference has for the pronoun
    *(_number("first"), _number("last")),  # the segments of the context that is needed
)

units = _table(
    "units",
    *("id", _id_of(items, "item"), "category"),
    "targets",  # JSON: system, highlighted words, outcome; one or more
    Column("expected", Text),  # JSON answer of an attention item or of practice
    Column("feedback", Text),  # what is said about practice; null for all that is no practice
)

people = _table(
    "people",
    *("id", "name", "role", _flag("active"), "created"),
    Column("password", Text),  # argon2, for leads
)

assignments = _table(
    "assignments",
    *("id", _id_of(units, "unit"), _id_of(people, "person"), _number("batch")),
    _number("place"),  # 1-based, in the order of this person
    "shown",  # JSON: the systems in the order of their slots
    *(_flag("overlap"), "category", "status"),
    # The labels of its answer (see labels.py), written together with it.
    *(Column("overall_label", Text), Column("pronoun_label", Text), Column("antecedent_label", Text)),
)

answers = _table(
    "answers",
    *("id", _id_of(assignments, "assignment"), _number("version"), "content", "saved"),
    Column("seconds", Float),  # spent on it in all
)

own_tags = _table("own_tags", _id_of(people, "person"), "tag")

journal = _table(
    "journal",
    *(_sequence(), "id", _id_of(assignments, "assignment"), _id_of(people, "person")),
    "request",  # made by the client, so that a retry is recognized
    *("at", "kind", _number("version"), Column("content_before", Text), "content_after"),
    Column("seconds", Float),
)

#: Answers that met a newer one. They are never changed or deleted; `resolved` is when the person chose.
conflicts = _table(
    "conflicts",
    *("id", _id_of(assignments, "assignment"), _id_of(people, "person"), "request", "at"),
    _number("version"),  # that the person had seen
    *("content", Column("seconds", Float), Column("resolved", Text)),
)

decisions = _table(
    "decisions",
    *("id", _id_of(units, "unit"), _id_of(people, "person")),
    *(_number("version"), "request", "content", "at"),
)

messages = _table(
    "messages",
    *(_sequence(), "id", _id_of(assignments, "assignment"), _id_of(people, "person")),
    *("request", "at", "content"),
)

links = _table(
    "links",
    *("id", _id_of(people, "person"), "token_hash", "created", "expires"),
    *(Column("revoked", Text), Column("used", Text)),
)

sessions = _table(
    "sessions",
    *("token_hash", _id_of(people, "person"), _id_of(links, "link", null=True)),
    *("csrf", "created", "expires"),
    Column("closed", Text),
)

audit = _table("audit", _sequence(), "at", "actor", "action", "detail", Column("address", Text))
