"""The tables of a campaign, the same for SQLite and PostgreSQL.

Everything that is exported or referred to has a text id, random or made from its content. Auto-incremented
numbers (`seq`) only keep the order of journal and audit log. JSON is stored as text and written and read by
this package alone, so that both databases hold the same characters.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
)

METADATA = MetaData()

#: SQLite auto-increments only a column of exactly this type.
_Counted = BigInteger().with_variant(Integer, "sqlite")


def _key() -> Column[str]:
    return Column("id", Text, primary_key=True)


def _points_at(name: str, target: str, *, null: bool = False) -> Column[str]:
    return Column(name, Text, ForeignKey(target), nullable=null)


campaign = Table(
    "campaign",
    METADATA,
    _key(),
    Column("name", Text, nullable=False),
    Column("mode", Text, nullable=False),
    Column("created", Text, nullable=False),
    Column("facts", Text, nullable=False, comment="JSON: seed, overlap, batch size, tags, choices"),
    Column("suite_header", Text, nullable=False, comment="suite.toml"),
    Column("suite_items", Text, nullable=False, comment="items.jsonl"),
    Column("suite_digest", Text, nullable=False),
    Column("sampling_plan", Text, comment="the file of `anaphor estimate plan`"),
    Column("categories", Text, nullable=False, comment="JSON: name, antecedent, description"),
)

systems = Table(
    "systems",
    METADATA,
    _key(),
    Column("name", Text, nullable=False, unique=True),
    Column("place", Integer, nullable=False),
    Column("digest", Text, nullable=False),
    Column("attention", Boolean, nullable=False, comment="made for attention items, no candidate"),
)

documents = Table(
    "documents",
    METADATA,
    _key(),
    Column("first", Integer, nullable=False, comment="its first segment, counted over all documents"),
    Column("segments", Integer, nullable=False),
)

texts = Table(
    "texts",
    METADATA,
    Column("side", Text, primary_key=True, comment="source, reference or system"),
    Column(
        "name", Text, primary_key=True, comment="of the reference, id of the system; empty for the source"
    ),
    Column("segment", Integer, primary_key=True),
    Column("line", Text, nullable=False),
    Column("tokens", Text, nullable=False, comment="JSON"),
    Column("links", Text, comment="Pharaoh: source-target, for systems"),
)

items = Table(
    "items",
    METADATA,
    _key(),
    Column("suite_item", Text, nullable=False, comment="id in the suite, or in the plan"),
    Column("pronoun_key", Text, nullable=False, comment="how judgements name it: SEGMENT:TOKEN or id"),
    _points_at("document", "documents.id"),
    Column("category", Text, nullable=False),
    Column("antecedent", Boolean, nullable=False, comment="whether the antecedent question is asked"),
    Column("place", Integer, nullable=False),
    Column("marks", Text, nullable=False, comment="JSON: source tokens of pronoun and heads"),
    Column("reference_words", Text, nullable=False, comment="JSON: what each reference has for the pronoun"),
    Column("first", Integer, nullable=False, comment="first segment of the context that is needed"),
    Column("last", Integer, nullable=False),
)

units = Table(
    "units",
    METADATA,
    _key(),
    _points_at("item", "items.id"),
    Column("category", Text, nullable=False),
    Column("targets", Text, nullable=False, comment="JSON: system, highlighted words, outcome; one or more"),
    Column("expected", Text, comment="JSON answer of an attention item"),
    Index("units_item", "item"),
)

people = Table(
    "people",
    METADATA,
    _key(),
    Column("name", Text, nullable=False, unique=True),
    Column("role", Text, nullable=False),
    Column("active", Boolean, nullable=False),
    Column("created", Text, nullable=False),
    Column("password", Text, comment="argon2, for leads"),
    CheckConstraint("role IN ('annotator', 'lead')", name="people_role"),
)

assignments = Table(
    "assignments",
    METADATA,
    _key(),
    _points_at("unit", "units.id"),
    _points_at("person", "people.id"),
    Column("batch", Integer, nullable=False),
    Column("place", Integer, nullable=False, comment="1-based, in the order of this person"),
    Column("shown", Text, nullable=False, comment="JSON: the systems in the order of their slots"),
    Column("overlap", Boolean, nullable=False),
    Column("category", Text, nullable=False),
    Column("status", Text, nullable=False),
    UniqueConstraint("person", "unit", name="assignments_once"),
    UniqueConstraint("person", "place", name="assignments_place"),
    CheckConstraint("status IN ('new', 'done', 'conflict')", name="assignments_status"),
    Index("assignments_unit", "unit"),
    Index("assignments_progress", "person", "status", "place"),
)

answers = Table(
    "answers",
    METADATA,
    _key(),
    Column("assignment", Text, ForeignKey("assignments.id"), nullable=False, unique=True),
    Column("version", Integer, nullable=False),
    Column("content", Text, nullable=False, comment="JSON"),
    Column("saved", Text, nullable=False),
    Column("seconds", Float, comment="spent on it in all"),
    CheckConstraint("version >= 1", name="answers_version"),
)

own_tags = Table(
    "own_tags",
    METADATA,
    Column("person", Text, ForeignKey("people.id"), primary_key=True),
    Column("tag", Text, primary_key=True),
)

journal = Table(
    "journal",
    METADATA,
    Column("seq", _Counted, primary_key=True, autoincrement=True),
    Column("id", Text, nullable=False, unique=True),
    _points_at("assignment", "assignments.id"),
    _points_at("person", "people.id"),
    Column("request", Text, nullable=False, comment="made by the client, so that a retry is known"),
    Column("at", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("version", Integer, nullable=False),
    Column("content_before", Text),
    Column("content_after", Text, nullable=False),
    Column("seconds", Float),
    UniqueConstraint("assignment", "version", name="journal_once"),
    UniqueConstraint("person", "request", name="journal_request"),
)

decisions = Table(
    "decisions",
    METADATA,
    _key(),
    _points_at("unit", "units.id"),
    _points_at("person", "people.id"),
    Column("version", Integer, nullable=False),
    Column("request", Text, nullable=False),
    Column("content", Text, nullable=False),
    Column("at", Text, nullable=False),
    UniqueConstraint("unit", "version", name="decisions_once"),
    UniqueConstraint("person", "request", name="decisions_request"),
)

links = Table(
    "links",
    METADATA,
    _key(),
    _points_at("person", "people.id"),
    Column("token_hash", Text, nullable=False, unique=True),
    Column("created", Text, nullable=False),
    Column("expires", Text, nullable=False),
    Column("revoked", Text),
    Column("used", Text),
)

sessions = Table(
    "sessions",
    METADATA,
    Column("token_hash", Text, primary_key=True),
    _points_at("person", "people.id"),
    _points_at("link", "links.id", null=True),
    Column("csrf", Text, nullable=False),
    Column("created", Text, nullable=False),
    Column("expires", Text, nullable=False),
    Column("closed", Text),
)

audit = Table(
    "audit",
    METADATA,
    Column("seq", _Counted, primary_key=True, autoincrement=True),
    Column("at", Text, nullable=False),
    Column("actor", Text, nullable=False),
    Column("action", Text, nullable=False),
    Column("detail", Text, nullable=False, comment="JSON"),
    Column("address", Text),
)
