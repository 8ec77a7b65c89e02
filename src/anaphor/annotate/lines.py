"""Lines of context with their tokens, marks and links, as a page shows them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, select

from anaphor.annotate import schema
from anaphor.annotate.campaign import SOURCE, SYSTEM
from anaphor.annotate.nouns import Highlight, TokenAt
from anaphor.annotate.targets import Marks, Target

PRONOUN, HEAD, GAP = "pronoun", "head", "gap"
"""The roles that a token can have; most have none."""


@dataclass(frozen=True, slots=True)
class TokenView:
    """A token: the white space before it, its text, its role, and the tokens of the other side linked to it.

    `head` is the number of the antecedent for the head of one. A hidden token (role `gap`) has no text.
    """

    at: TokenAt
    text: str
    gap: str
    role: str
    head: int | None
    links: tuple[TokenAt, ...]


@dataclass(frozen=True, slots=True)
class SlotView:
    """One translation of a line. `source_links` are, for positions in the source, the linked tokens."""

    slot: str
    tokens: tuple[TokenView, ...]
    source_links: Mapping[int, tuple[TokenAt, ...]]


@dataclass(frozen=True, slots=True)
class LineView:
    """A line of the context; `number` counts from 1 in the document. Source tokens are linked by slots."""

    segment: int
    number: int
    source: tuple[TokenView, ...]
    slots: tuple[SlotView, ...]


@dataclass(frozen=True, slots=True)
class Window:
    """Which segments to show, and which of the document there are besides."""

    first: int
    last: int
    document_first: int
    more_before: bool
    more_after: bool


@dataclass(frozen=True, slots=True)
class _Roles:
    """The role of every marked token of one text."""

    pronoun: frozenset[TokenAt]
    heads: Mapping[TokenAt, int] = field(default_factory=dict)
    hidden: bool = False

    @classmethod
    def of(cls, marked: Marks | Highlight, *, hidden: bool = False) -> _Roles:
        heads = {at: number for number, head in enumerate(marked.heads) for at in head}
        return cls(frozenset(marked.pronoun), heads, hidden)

    def view(self, at: TokenAt, text: str, gap: str, links: tuple[TokenAt, ...]) -> TokenView:
        if at in self.pronoun:
            if self.hidden:
                return TokenView(at, "", gap, GAP, None, links)
            return TokenView(at, text, gap, PRONOUN, None, links)
        head = self.heads.get(at)
        return TokenView(at, text, gap, "" if head is None else HEAD, head, links)


def find_window(
    connection: Connection, document: str, *, first: int, last: int, before: int, after: int
) -> Window:
    """The needed segments and some more around them, never beyond the document."""
    row = connection.execute(select(schema.documents).where(schema.documents.c.id == document)).one()
    end = row.first + row.segments - 1
    start, stop = max(row.first, first - max(0, before)), min(end, last + max(0, after))
    return Window(start, stop, row.first, start > row.first, stop < end)


def read_lines(
    connection: Connection, window: Window, marks: Marks, targets: Mapping[str, Target], *, hidden: bool
) -> tuple[LineView, ...]:
    """The lines of a window; `targets` go from slots to what is shown there. Hidden pronouns have no text."""
    texts = _texts(connection, window, [one.system for one in targets.values()])
    source = _Roles.of(marks)
    roles = {slot: _Roles.of(one.highlight, hidden=hidden) for slot, one in targets.items()}
    found = []
    for segment in range(window.first, window.last + 1):
        slots = tuple(
            _slot(slot, segment, texts[SYSTEM, one.system, segment], roles[slot])
            for slot, one in targets.items()
        )
        tokens = _tokens(segment, texts[SOURCE, "", segment], source, {})
        found.append(LineView(segment, segment - window.document_first + 1, tokens, slots))
    return tuple(found)


def _texts(connection: Connection, window: Window, systems: Iterable[str]) -> dict[tuple[str, str, int], Any]:
    # Source lines have no name, and no system is nameless: the two lists need no "or", which SQLite would
    # answer by reading all lines of each side.
    table = schema.texts
    wanted = (
        table.c.side.in_((SOURCE, SYSTEM)),
        table.c.name.in_(("", *systems)),
        table.c.segment.between(window.first, window.last),
    )
    rows = connection.execute(select(table).where(*wanted))
    return {(row.side, row.name, row.segment): row for row in rows}


def _slot(slot: str, segment: int, row: Any, roles: _Roles) -> SlotView:
    pairs = read_links(row.links)
    backward: dict[int, list[TokenAt]] = {}
    forward: dict[int, list[TokenAt]] = {}
    for source, target in pairs:
        backward.setdefault(target, []).append(TokenAt(segment, source))
        forward.setdefault(source, []).append(TokenAt(segment, target))
    return SlotView(
        slot,
        _tokens(segment, row, roles, backward),
        {source: tuple(targets) for source, targets in forward.items()},
    )


def _tokens(
    segment: int, row: Any, roles: _Roles, links: Mapping[int, Sequence[TokenAt]]
) -> tuple[TokenView, ...]:
    return tuple(
        roles.view(TokenAt(segment, number), token, gap, tuple(links.get(number, ())))
        for number, (gap, token) in enumerate(placed(row.line, json.loads(row.tokens)))
    )


def placed(line: str, tokens: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Every token with the white space before it; a space where the line does not have the token."""
    end = 0
    for token in tokens:
        start = line.find(token, end)
        if start < 0:
            yield " ", token
        else:
            yield line[end:start], token
            end = start + len(token)


def read_links(text: str | None) -> list[tuple[int, int]]:
    """Links as they are stored: `0-0 1-2`."""
    pairs = (pair.split("-") for pair in (text or "").split())
    return [(int(source), int(target)) for source, target in pairs]
