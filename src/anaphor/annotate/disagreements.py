"""Units on which people do not agree, for somebody to decide."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, func, select

from anaphor.annotate import schema
from anaphor.annotate.adjudicate import Decision, Given, given, last_decisions
from anaphor.annotate.gathered import Gathered, gather
from anaphor.annotate.labels import ANTECEDENT, OVERALL, label
from anaphor.annotate.nouns import Status
from anaphor.annotate.store import Store


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A unit on which people do not agree. `system` joins several names by a comma."""

    unit: str
    item: str
    system: str
    category: str
    answers: tuple[Given, ...]
    decision: Decision | None


def disagreements(
    store: Store,
    *,
    category: str | None = None,
    open_only: bool = True,
    limit: int = 50,
    offset: int = 0,
) -> tuple[Disagreement, ...]:
    """Units on which people differ, in the order of the suite; with `open_only` those without a decision."""
    with store.read() as connection:
        found = _all(connection, category=category, open_only=open_only)
    return tuple(found[offset : offset + limit])


def count_disagreements(store: Store, *, category: str | None = None, open_only: bool = True) -> int:
    with store.read() as connection:
        return len(_all(connection, category=category, open_only=open_only))


def differ(rows: Sequence[Gathered]) -> bool:
    """Whether the answers to one unit differ in what they say of pronoun or antecedent."""
    return any(
        len({found for row in rows if (found := label(question, row)) is not None}) > 1
        for question in (OVERALL, ANTECEDENT)
    )


def _all(connection: Connection, *, category: str | None, open_only: bool) -> list[Disagreement]:
    table = schema.assignments
    shared = (
        select(table.c.unit)
        .where(table.c.status != Status.NEW.value)
        .group_by(table.c.unit)
        .having(func.count() > 1)
    )
    if category is not None:
        shared = shared.where(table.c.category == category)
    rows: dict[str, list[Gathered]] = {}
    for row in gather(connection, units=shared):
        rows.setdefault(row.unit, []).append(row)
    decided = last_decisions(connection)
    return [
        _disagreement(part, decided.get(unit))
        for unit, part in rows.items()
        if differ(part) and not (open_only and unit in decided)
    ]


def _disagreement(rows: Sequence[Gathered], decision: Decision | None) -> Disagreement:
    first = rows[0]
    system = ", ".join(sorted(first.systems))
    return Disagreement(first.unit, first.suite_item, system, first.category, given(rows), decision)
