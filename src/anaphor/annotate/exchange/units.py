"""The units of a campaign with what a file of another tool shows of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sqlalchemy import Connection, select

from anaphor.annotate import schema
from anaphor.annotate.asked import asked_of, mode_and_choices
from anaphor.annotate.campaign import system_names
from anaphor.annotate.exchange.texts import Shown, Texts, read_all_texts
from anaphor.annotate.rules import Asked
from anaphor.annotate.targets import Marks, read_marks, read_targets


@dataclass(frozen=True, slots=True)
class ShownUnit:
    """An item in one system: the context on both sides, and what is asked."""

    unit: str
    item: str
    key: str
    document: str
    category: str
    system: str
    first: int
    marks: Marks
    asked: Asked
    source: Shown
    target: Shown


def shown_units(connection: Connection) -> Iterator[ShownUnit]:
    """All units of a campaign that asks about one system at a time, in the order of the suite."""
    texts: Texts = read_all_texts(connection)
    names = system_names(connection)
    mode, choices = mode_and_choices(connection)
    units, items = schema.units, schema.items
    query = (
        select(units.c.id.label("unit"), units.c.targets, items)
        .join(items, items.c.id == units.c.item)
        .where(units.c.expected.is_(None))
        .order_by(items.c.place, units.c.id)
    )
    for row in connection.execute(query):
        targets = read_targets(row.targets)
        system = names[targets[0].system]
        yield ShownUnit(
            unit=row.unit,
            item=row.suite_item,
            key=row.pronoun_key,
            document=row.document,
            category=row.category,
            system=system,
            first=row.first,
            marks=read_marks(row.marks),
            asked=asked_of(mode, choices, targets, antecedent=row.antecedent),
            source=texts.source.shown(row.first, row.last),
            target=texts.systems[system].shown(row.first, row.last),
        )
