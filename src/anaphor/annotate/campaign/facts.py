"""What a campaign is about, read from its database: facts, categories, systems, plan, suite and texts."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from msgspec import convert
from msgspec.json import Decoder
from sqlalchemy import Connection, select

from anaphor.annotate.store import Store, schema
from anaphor.annotate.store.database import plain_rows, reading
from anaphor.annotate.types import Campaign, Mode
from anaphor.core import Category, InputError, Item, OptionError, digest
from anaphor.corpus import Text
from anaphor.meta import SamplingPlan, parse_plan
from anaphor.suite import LoadedSuite, SuiteTexts
from anaphor.suite.format import parse_header, with_items

SOURCE, REFERENCE, SYSTEM = "source", "reference", "system"
"""The sides of the table of texts."""

_TASKS = {Mode.JUDGE: "judge", Mode.GAPS: "fill gaps", Mode.COMPARE: "compare"}
_ITEMS = Decoder(Item)
#: The columns that are facts as such; `facts` has the others as JSON.
_FACTS = ("id", "name", "mode", "suite_digest", "created")


def read_campaign(source: Store | Connection) -> Campaign:
    """The facts of a campaign; they never change."""
    with reading(source) as connection:
        row = connection.execute(
            select(*(schema.campaign.c[name] for name in (*_FACTS, "facts")))
        ).one_or_none()
        if row is None:
            fix = "create one with `anaphor annotate init`"
            raise InputError("the database contains no campaign", where="campaign", fix=fix)
        # Inside the block, where a row that cannot be read is named.
        return convert(facts_of(row.facts) | {name: getattr(row, name) for name in _FACTS}, Campaign)


def require_mode(connection: Connection, mode: Mode) -> None:
    """Refuse a campaign of another mode."""
    own = read_campaign(connection).mode
    if own is not mode:
        what = f"the campaign asks annotators to {_TASKS[own]}, not to {_TASKS[mode]}"
        raise OptionError(what, where="the campaign", fix="choose a format that fits, such as jsonl")


@lru_cache(maxsize=32)
def facts_of(text: str) -> dict[str, Any]:
    """The column `facts` of a campaign, which is read for every page and must not be modified."""
    facts: dict[str, Any] = json.loads(text)
    return facts


def read_categories(connection: Connection) -> Mapping[str, Category]:
    """The categories of the items by name, in the order of the suite."""
    return categories_of(connection.execute(select(schema.campaign.c.categories)).scalar_one())


@lru_cache(maxsize=32)
def categories_of(text: str) -> Mapping[str, Category]:
    """The column `categories` of a campaign."""
    content = json.loads(text)
    return {
        category["name"]: Category(category["name"], category["antecedent"], category["description"])
        for category in content
    }


def system_names(connection: Connection) -> dict[str, str]:
    """The name of every system by its id, in the order in which they were given."""
    rows = connection.execute(select(schema.systems).order_by(schema.systems.c.place))
    return {row.id: row.name for row in rows}


def document_rows(connection: Connection) -> list[Any]:
    """The documents in order."""
    return list(connection.execute(select(schema.documents).order_by(schema.documents.c.first)))


def side_lines(connection: Connection, side: str, name: str) -> tuple[str, ...]:
    """The lines of one side in the order of the segments; empty ones where a reference lacks a document."""
    table = schema.texts
    query = select(table.c.line).where(table.c.side == side, table.c.name == name).order_by(table.c.segment)
    return tuple(line for rows in plain_rows(connection, query) for (line,) in rows)


def campaign_plan(connection: Connection) -> SamplingPlan | None:
    """The sampling plan that the campaign was made from; None for a campaign without one."""
    content: str | None = connection.execute(select(schema.campaign.c.sampling_plan)).scalar_one()
    if content is None:
        return None
    return parse_plan(content.encode("utf-8"), path="the plan in the database")


def campaign_suite(connection: Connection) -> LoadedSuite:
    """The suite that the campaign was made from, with its texts."""
    (suite, texts), items, _ = stored_suite(connection)
    return LoadedSuite(replace(suite, items=tuple(items)), texts)


def stored_suite(
    connection: Connection, *, lines_of: Callable[[Connection, str, str], Sequence[str]] | None = None
) -> tuple[LoadedSuite, Iterator[Item], str]:
    """The same without its items, which need much memory.

    They are generated on demand, and as the text of `items.jsonl`. `lines_of` replaces `side_lines` for
    callers that need more than the lines of the texts.
    """
    table = schema.campaign
    row = connection.execute(select(table.c.suite_header, table.c.suite_items, table.c.suite_digest)).one()
    suite, _ = parse_header(Text.of(row.suite_header.split("\n"), path="the database [suite.toml]"))
    if row.suite_digest == digest([row.suite_header.encode(), row.suite_items.encode()]):
        # What this package wrote and nobody changed needs none of the checks of a file.
        lines = re.finditer("[^\n]+", row.suite_items)
        items: Iterator[Item] = (_ITEMS.decode(row[0]) for row in lines)
    else:
        records = Text.of(row.suite_items.split("\n")[:-1], path="the database [items.jsonl]")
        items = iter(with_items(suite, records, referenced=False).items)  # plain text has none
    references = {document.id: document.references for document in suite.documents}

    def texts(side: str, name: str) -> dict[str, Text]:
        lines = (lines_of or side_lines)(connection, side, name)
        return {
            document.id: Text.of(
                lines[document.first : document.first + document.segments],
                path=f"the database [{name or side} {document.id}]",
            )
            for document in document_rows(connection)
            if name == "" or name in references[document.id]
        }

    named = {name: texts(REFERENCE, name) for name in suite.references()}
    return LoadedSuite(suite, SuiteTexts(texts(SOURCE, ""), named)), items, row.suite_items


def tokens_end(line: str, tokens: Sequence[str]) -> int:
    """How many characters the first tokens of a line take, with the gaps of `tokens_with_gaps`.

    Exports call this for every marked word, for which building all gaps would be wasteful.
    """
    length = end = 0
    for token in tokens:
        start = line.find(token, end)
        if start < 0:
            length += 1 + len(token)
        else:
            length += start - end + len(token)
            end = start + len(token)
    return length


def tokens_with_gaps(line: str, tokens: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Every token with the white space before it; a space where the line does not contain the token."""
    end = 0
    for token in tokens:
        start = line.find(token, end)
        if start < 0:
            yield " ", token
        else:
            yield line[end:start], token
            end = start + len(token)
