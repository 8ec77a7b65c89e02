"""Answers to examples about which the automatic verdict has a guess, whether it was shown or not."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct
from sqlalchemy import Connection, select

from anaphor.annotate.campaign.facts import read_campaign, system_names
from anaphor.annotate.judging.answer_rows import stored_answer
from anaphor.annotate.store import schema
from anaphor.annotate.store.database import ROWS_AT_ONCE
from anaphor.annotate.suggested import is_shown
from anaphor.annotate.types import Mark, read_targets


class SuggestionRow(Struct, frozen=True, kw_only=True):
    """An answer to an example with a guess; `first` is what the annotator said first about the pronoun."""

    unit: str
    item: str
    system: str
    annotator: str
    guess: Mark
    shown: bool
    first: Mark
    answer: Mark


def suggestion_rows(connection: Connection) -> Iterator[SuggestionRow]:
    """Every answer to an example with a guess, whether it was shown or not."""
    campaign = read_campaign(connection)
    if not campaign.suggestions:
        return
    given, unit, item, who = schema.assignments, schema.units, schema.items, schema.people
    answer, entry = schema.answers, schema.journal
    query = (
        select(given.c.unit, given.c.person, item.c.suite_item, unit.c.targets, who.c.name)
        .add_columns(entry.c.content_after.label("first"), answer.c.content)
        .select_from(
            given.join(unit)
            .join(item, item.c.id == unit.c.item)
            .join(who, who.c.id == given.c.person)
            .join(answer, answer.c.assignment == given.c.id)
            .join(entry, (entry.c.assignment == given.c.id) & (entry.c.version == 1))
        )
        .where(unit.c.expected.is_(None))
        .order_by(item.c.place, given.c.unit, who.c.name)
    )
    names = system_names(connection)
    for row in connection.execute(query.execution_options(yield_per=ROWS_AT_ONCE)):
        (target,) = read_targets(row.targets)
        if target.guess:
            yield SuggestionRow(
                unit=row.unit,
                item=row.suite_item,
                system=names[target.system],
                annotator=row.name,
                guess=Mark(target.guess),
                shown=is_shown(row.unit, row.person, campaign.suggestion_share),
                first=stored_answer(row.first).pronoun,
                answer=stored_answer(row.content).pronoun,
            )
