"""The tables of a campaign, the same for SQLite and PostgreSQL, with their indexes, checks and triggers.

Everything that is exported or referred to has a text id, random or derived from its content. Auto-incremented
numbers (`seq`) only define the order of journal and audit log. JSON is stored as text and only read and
written by this package, so both databases hold the same characters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from sqlalchemy import (
    DDL,
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Connection,
    ForeignKey,
    Identity,
    Index,
    MetaData,
    Table,
    UniqueConstraint,
    event,
    insert,
    inspect,
    literal_column,
    select,
    types,
)

from anaphor.core import InputError

#: Who made a database, and the number of its schema.
PROGRAM, VERSION = "anaphor annotate", 10

METADATA = MetaData()


class _Checked:
    """A column type whose values are checked when read: SQLite returns whatever is stored in the column.

    A value of another type is an error, and the store then names the damaged row.
    """

    kinds: tuple[type, ...]

    def result_processor(self, dialect: Any, _coltype: object) -> Callable[[Any], Any] | None:
        if dialect.name != "sqlite":
            return None
        allowed = frozenset((*self.kinds, type(None)))

        def check(value: Any) -> Any:
            if value.__class__ not in allowed:
                raise TypeError(f"{value!r:.40} does not have the type of its column")
            return value

        return check


class StoredText(_Checked, types.Text):
    kinds = (str,)


class StoredInteger(_Checked, types.Integer):
    kinds = (int,)


class StoredFloat(_Checked, types.Float[float]):
    kinds = (int, float)


def _table(
    name: str, *columns: str | Column[Any] | CheckConstraint | UniqueConstraint | Index, **options: Any
) -> Table:
    """Define a table; a bare name is a non-null text column, and `id` is the key."""
    parts = (
        Column(
            column, StoredText, nullable=False, primary_key=column == "id" and "seq" not in _names(columns)
        )
        if isinstance(column, str)
        else column
        for column in columns
    )
    return Table(name, METADATA, *parts, **options)


def _names(columns: Iterable[object]) -> list[str]:
    return [column.name for column in columns if isinstance(column, Column)]


def _key(name: str, kind: Any = StoredText) -> Column[Any]:
    return Column(name, kind, nullable=False, primary_key=True)


def _number(name: str) -> Column[int]:
    return Column(name, StoredInteger, nullable=False)


def _flag(name: str) -> Column[bool]:
    return Column(name, Boolean, nullable=False)


def _id_of(table: Table, name: str, *, null: bool = False, key: bool = False) -> Column[str]:
    """A column with ids of another table, used by `join`."""
    return Column(name, StoredText, ForeignKey(table.c.id), nullable=null, primary_key=key)


def _sequence() -> Column[int]:
    """An auto-incremented number that is never reused."""
    return Column("seq", BigInteger().with_variant(StoredInteger, "sqlite"), Identity(), primary_key=True)


#: What makes SQLite keep the promise of `_sequence`.
_COUNTED = {"sqlite_autoincrement": True}


#: Apart from the other tables, for it says whether they are there.
version = Table(
    "schema_version",
    MetaData(),
    Column("program", types.Text, nullable=False),
    Column("version", types.Integer, nullable=False),
)

campaign = _table(
    "campaign",
    *("id", "name", "mode", "created"),
    "facts",  # JSON: seed, overlap, batch size, tags, choices
    *("suite_header", "suite_items", "suite_digest"),  # suite.toml, items.jsonl
    Column("sampling_plan", StoredText),  # the file of `anaphor estimate plan`
    "categories",  # JSON: name, antecedent, description
    Column("population", StoredText),  # JSON: what the plan was drawn from, so that more can be drawn
)

systems = _table(
    "systems",
    *("id", "name", _number("place"), "digest"),
    _flag("attention"),  # made for attention items, not a candidate
    UniqueConstraint("name"),
)

#: `first` is the first segment of a document, counted over all documents.
documents = _table("documents", "id", _number("first"), _number("segments"))

texts = _table(
    "texts",
    _key("side"),  # source, reference or system
    _key("name"),  # of the reference, id of the system; empty for the source
    *(_key("segment", StoredInteger), "line"),
    "tokens",  # JSON
    Column("links", StoredText),  # Pharaoh: source-target, for systems
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
    Index("items_place", "place"),
)

units = _table(
    "units",
    *("id", _id_of(items, "item"), "category"),
    "targets",  # JSON: system, highlighted words, outcome; one or more
    Column("expected", StoredText),  # JSON answer of an attention item or of practice
    Column("feedback", StoredText),  # what is said about practice; null for all that is no practice
    Index("units_item", "item"),
)
#: Few units are practice, and an index has them.
Index(
    "units_practice",
    units.c.id,
    sqlite_where=units.c.feedback.is_not(None),
    postgresql_where=units.c.feedback.is_not(None),
)

people = _table(
    "people",
    *("id", "name", "role", _flag("active"), "created"),
    Column("password", StoredText),  # argon2, for leads
    Column("begun", StoredText),  # when they had read what comes first, and agreed to it
    Column("stopped", StoredText),  # which gate stopped them; empty if a lead let them go on
    CheckConstraint("role IN ('annotator', 'lead')", name="people_role"),
    UniqueConstraint("name"),
)

assignments = _table(
    "assignments",
    *("id", _id_of(units, "unit"), _id_of(people, "person"), _number("batch")),
    _number("place"),  # 1-based, in the order of this person
    "shown",  # JSON: the systems in the order of their slots
    *(_flag("overlap"), "category", "status"),
    # The labels of its answer (see labels.py), written together with it.
    *(
        Column("overall_label", StoredText),
        Column("pronoun_label", StoredText),
        Column("antecedent_label", StoredText),
    ),
    UniqueConstraint("person", "unit", name="assignments_once"),
    UniqueConstraint("person", "place", name="assignments_place"),
    CheckConstraint("status IN ('new', 'done', 'conflict')", name="assignments_status"),
    Index("assignments_unit", "unit"),
    Index("assignments_progress", "person", "status", "place"),
)

answers = _table(
    "answers",
    *("id", _id_of(assignments, "assignment"), _number("version"), "content", "saved"),
    Column("seconds", StoredFloat),  # spent on it in all
    CheckConstraint("version >= 1", name="answers_version"),
    UniqueConstraint("assignment"),
)
#: Few answers have a remark, and an index has them. A query that uses it must have the very same condition.
REMARKED = answers.c.content.not_like(literal_column('\'%"remark":""%\''))
Index("answers_remarked", answers.c.saved, sqlite_where=REMARKED, postgresql_where=REMARKED)

own_tags = _table("own_tags", _id_of(people, "person", key=True), _key("tag"))

journal = _table(
    "journal",
    *(_sequence(), "id", _id_of(assignments, "assignment"), _id_of(people, "person")),
    "request",  # made by the client, so that a retry is recognized
    *("at", "kind", _number("version"), Column("content_before", StoredText), "content_after"),
    Column("seconds", StoredFloat),
    UniqueConstraint("assignment", "version", name="journal_once"),
    UniqueConstraint("person", "request", name="journal_request"),
    UniqueConstraint("id"),
    **_COUNTED,
)

#: Answers that met a newer one. They are never changed or deleted; `resolved` is when the person chose.
conflicts = _table(
    "conflicts",
    *("id", _id_of(assignments, "assignment"), _id_of(people, "person"), "request", "at"),
    _number("version"),  # that the person had seen
    *("content", Column("seconds", StoredFloat), Column("resolved", StoredText)),
    UniqueConstraint("person", "request", name="conflicts_request"),
    Index("conflicts_assignment", "assignment"),
    Index("conflicts_open", "person", "resolved"),
)

decisions = _table(
    "decisions",
    *("id", _id_of(units, "unit"), _id_of(people, "person")),
    *(_number("version"), "request", "content", "at"),
    UniqueConstraint("unit", "version", name="decisions_once"),
    UniqueConstraint("person", "request", name="decisions_request"),
)

messages = _table(
    "messages",
    *(_sequence(), "id", _id_of(assignments, "assignment"), _id_of(people, "person")),
    *("request", "at", "content"),
    UniqueConstraint("person", "request", name="messages_request"),
    UniqueConstraint("id"),
    Index("messages_assignment", "assignment"),
    **_COUNTED,
)

#: The last message of a conversation that its annotator has seen.
seen = _table("seen", _id_of(assignments, "assignment", key=True), _number("message"))

links = _table(
    "links",
    *("id", _id_of(people, "person"), "token_hash", "created", "expires"),
    *(Column("revoked", StoredText), Column("used", StoredText)),
    UniqueConstraint("token_hash"),
)

sessions = _table(
    "sessions",
    *(_key("token_hash"), _id_of(people, "person"), _id_of(links, "link", null=True)),
    *("csrf", "created", "expires"),
    Column("closed", StoredText),
)

audit = _table(
    "audit", _sequence(), "at", "actor", "action", "detail", Column("address", StoredText), **_COUNTED
)

_FUNCTION = (
    "CREATE FUNCTION anaphor_append_only() RETURNS trigger LANGUAGE plpgsql AS "
    "$$ BEGIN RAISE EXCEPTION '%% is append-only', TG_TABLE_NAME; END $$"
)
event.listen(METADATA, "before_create", DDL(_FUNCTION).execute_if(dialect="postgresql"))  # type: ignore[no-untyped-call]


def _append_only(table: Table, columns: str = "") -> None:
    """Make the database itself reject changes to rows, or to these columns."""
    name = table.name
    raised = f"BEGIN SELECT RAISE(ABORT, '{name} is append-only'); END"
    statements = {
        f"CREATE TRIGGER {name}_keeps_update BEFORE UPDATE {columns} ON {name} {raised}": "sqlite",
        f"CREATE TRIGGER {name}_keeps_delete BEFORE DELETE ON {name} {raised}": "sqlite",
        f"CREATE TRIGGER {name}_keeps BEFORE UPDATE {columns} OR DELETE OR TRUNCATE ON {name} "
        "FOR EACH STATEMENT EXECUTE FUNCTION anaphor_append_only()": "postgresql",
    }
    for statement, dialect in statements.items():
        event.listen(table, "after_create", DDL(statement).execute_if(dialect=dialect))  # type: ignore[no-untyped-call]


for _table_that_keeps in (journal, decisions, audit):
    _append_only(_table_that_keeps)
_append_only(conflicts, "OF id, assignment, person, request, at, version, content, seconds")


def create(connection: Connection) -> None:
    """Create all tables in an empty database."""
    version.create(connection)
    METADATA.create_all(connection, checkfirst=False)
    connection.execute(insert(version).values(program=PROGRAM, version=VERSION))


def found_version(connection: Connection) -> int:
    """The schema version of a database; 0 for an empty one. A database of another program is rejected."""
    tables = inspect(connection).get_table_names()
    if not tables:
        return 0
    rows = connection.execute(select(version)).all() if version.name in tables else []
    if len(rows) != 1 or rows[0].program != PROGRAM:
        fix = "name a database that `anaphor annotate init` made"
        raise InputError("the database does not belong to a campaign", where=version.name, fix=fix)
    number = rows[0].version
    if not isinstance(number, int) or number < 1:
        fix = "restore a backup"
        raise InputError(f"the version of the schema is {number!r:.40}", where=version.name, fix=fix)
    return number
