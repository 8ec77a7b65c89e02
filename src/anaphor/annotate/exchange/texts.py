"""The texts of a campaign in memory, and the characters of tokens in a stretch of context."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, select

from anaphor.annotate import schema
from anaphor.annotate.campaign import SOURCE, SYSTEM, system_names
from anaphor.annotate.lines import placed
from anaphor.annotate.nouns import TokenAt
from anaphor.core import Span


@dataclass(frozen=True, slots=True)
class Side:
    """One text: its lines and tokens."""

    lines: tuple[str, ...]
    tokens: tuple[tuple[str, ...], ...]

    def shown(self, first: int, last: int) -> Shown:
        """The lines from one segment to another, joined by newlines."""
        spans: dict[TokenAt, Span] = {}
        start = 0
        for segment in range(first, last + 1):
            end = start
            for number, (gap, token) in enumerate(placed(self.lines[segment], self.tokens[segment])):
                spans[TokenAt(segment, number)] = Span(end + len(gap), end + len(gap) + len(token))
                end += len(gap) + len(token)
            start += len(self.lines[segment]) + 1
        return Shown("\n".join(self.lines[first : last + 1]), spans)

    def words(self, places: Sequence[TokenAt]) -> str:
        return " ".join(self.tokens[at.segment][at.token] for at in places)


@dataclass(frozen=True, slots=True)
class Shown:
    """A stretch of text, and where its tokens stand in it."""

    text: str
    spans: Mapping[TokenAt, Span]

    def overlapping(self, start: int, end: int, among: Sequence[TokenAt]) -> tuple[TokenAt, ...]:
        """The tokens, of some, that share a character with a span whose end is not part of it."""
        return tuple(at for at in among if self.spans[at].start < end and start < self.spans[at].end)


@dataclass(frozen=True, slots=True)
class Texts:
    """The source, and every system by its name."""

    source: Side
    systems: Mapping[str, Side]


def read_all_texts(connection: Connection) -> Texts:
    names = system_names(connection)
    return Texts(
        _side(connection, SOURCE, ""),
        {name: _side(connection, SYSTEM, key) for key, name in names.items()},
    )


def _side(connection: Connection, side: str, name: str) -> Side:
    table = schema.texts
    query = select(table.c.line, table.c.tokens).where(table.c.side == side, table.c.name == name)
    rows = connection.execute(query.order_by(table.c.segment)).all()
    return Side(tuple(row.line for row in rows), tuple(tuple(json.loads(row.tokens)) for row in rows))
