"""What a lead's page shows of a unit: the context, the systems by name, and everybody's answer."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from anaphor.annotate.adjudicate import Decision, Given, answers_in, unit_decisions
from anaphor.annotate.asked import asked_of_unit, unit_row
from anaphor.annotate.campaign import read_categories, system_names
from anaphor.annotate.lines import LineView, find_window, read_lines
from anaphor.annotate.nouns import Mode, TokenAt
from anaphor.annotate.rules import SLOTS
from anaphor.annotate.store import Store
from anaphor.annotate.targets import read_marks, read_targets


@dataclass(frozen=True, slots=True)
class UnitView:
    """A unit with its context. `systems` and `outcomes` go by slot; nothing is hidden, not even a gap.

    `references` are what the references of the suite have for the pronoun.
    """

    unit: str
    item: str
    mode: Mode
    category: str
    category_description: str
    asks_antecedent: bool
    document: str
    lines: tuple[LineView, ...]
    more_before: bool
    more_after: bool
    slots: tuple[str, ...]
    systems: Mapping[str, str]
    outcomes: Mapping[str, str]
    highlighted: tuple[TokenAt, ...]
    choices: tuple[str, ...]
    references: tuple[str, ...]
    answers: tuple[Given, ...]
    decision: Decision | None


def unit_view(store: Store, unit: str, *, before: int = 0, after: int = 0) -> UnitView:
    """One unit, with so many lines of context more than pronoun and antecedents need."""
    with store.read() as connection:
        row = unit_row(connection, unit)
        targets = dict(zip(SLOTS, read_targets(row.targets), strict=False))
        asked = asked_of_unit(connection, row)
        window = find_window(
            connection, row.document, first=row.first, last=row.last, before=before, after=after
        )
        names = system_names(connection)
        found = read_categories(connection).get(row.category)
        return UnitView(
            unit=unit,
            item=row.suite_item,
            mode=asked.mode,
            category=row.category,
            category_description="" if found is None else found.description,
            asks_antecedent=asked.asks_antecedent,
            document=row.document,
            lines=read_lines(connection, window, read_marks(row.marks), targets, hidden=False),
            more_before=window.more_before,
            more_after=window.more_after,
            slots=tuple(targets),
            systems={slot: names[one.system] for slot, one in targets.items()},
            outcomes={slot: one.outcome for slot, one in targets.items()},
            highlighted=asked.highlight.words,
            choices=asked.choices,
            references=tuple(json.loads(row.reference_words)),
            answers=answers_in(connection, unit),
            decision=next(iter(unit_decisions(connection, unit)), None),
        )
