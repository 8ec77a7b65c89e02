"""What an annotator's page shows of one assignment: never a system's name, never a hidden word."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, select

from anaphor.annotate import schema
from anaphor.annotate.answers import stored_in
from anaphor.annotate.asked import AskedRow, read_asked
from anaphor.annotate.assignments import last_place
from anaphor.annotate.campaign import campaign_facts, read_categories
from anaphor.annotate.conflicts import Conflict
from anaphor.annotate.lines import LineView, SlotView, TokenView, find_window, read_lines
from anaphor.annotate.nouns import Campaign, Mode, Stored, TokenAt
from anaphor.annotate.rules import SLOTS, warnings_of
from anaphor.annotate.store import Store

__all__ = ["AssignmentView", "LineView", "SlotView", "TokenView", "assignment_view"]


@dataclass(frozen=True, slots=True)
class AssignmentView:
    """One assignment with its context. `position` counts from 1; `highlighted` are the words to choose from.

    `slots` are the names of the translations shown, one for judging and gap filling.
    """

    assignment: str
    position: int
    total: int
    batch: int
    mode: Mode
    category: str
    category_description: str
    asks_antecedent: bool
    document: str
    lines: tuple[LineView, ...]
    more_before: bool
    more_after: bool
    slots: tuple[str, ...]
    highlighted: tuple[TokenAt, ...]
    tags: tuple[str, ...]
    choices: tuple[str, ...]
    stored: Stored
    warnings: tuple[Conflict, ...]


def assignment_view(
    store: Store, person: str, assignment: str, *, before: int = 0, after: int = 0
) -> AssignmentView:
    """One assignment of a person, with so many lines of context more than pronoun and antecedents need."""
    with store.read() as connection:
        row = read_asked(connection, person, assignment)
        campaign = campaign_facts(connection)
        window = find_window(
            connection, row.document, first=row.first, last=row.last, before=before, after=after
        )
        slots = SLOTS[: len(row.targets)]
        lines = read_lines(
            connection,
            window,
            row.marks,
            dict(zip(slots, row.targets, strict=True)),
            hidden=campaign.mode is Mode.GAPS,
        )
        stored = stored_in(connection, row)
        return AssignmentView(
            assignment=row.assignment,
            position=row.position,
            total=last_place(connection, person),
            batch=row.batch,
            mode=campaign.mode,
            category=row.category,
            category_description=_description(connection, row.category),
            asks_antecedent=row.asked.asks_antecedent,
            document=row.document,
            lines=lines,
            more_before=window.more_before,
            more_after=window.more_after,
            slots=slots,
            highlighted=row.asked.highlight.words if campaign.mode is Mode.JUDGE else (),
            tags=_tags(connection, person, campaign, row),
            choices=row.asked.choices,
            stored=stored,
            warnings=warnings_of(row.asked, stored.answer),
        )


def _description(connection: Connection, category: str) -> str:
    found = read_categories(connection).get(category)
    return "" if found is None else found.description


def _tags(connection: Connection, person: str, campaign: Campaign, row: AskedRow) -> tuple[str, ...]:
    """The tags of the guidelines, those of the category, and those that the person used before."""
    table = schema.own_tags
    own = connection.execute(select(table.c.tag).where(table.c.person == person).order_by(table.c.tag))
    offered = (*campaign.tags, *campaign.category_tags.get(row.category, ()), *own.scalars())
    return tuple(dict.fromkeys(offered))
