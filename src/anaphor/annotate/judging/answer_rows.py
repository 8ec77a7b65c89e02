"""All answers of a campaign with what they are about, for agreement, adjudication and export."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from sqlalchemy import Connection, Select, select

from anaphor.annotate.answer_json import answer_json, read_answer
from anaphor.annotate.campaign.facts import system_names
from anaphor.annotate.judging.assignments import mode_and_choices, shown_targets, task_of
from anaphor.annotate.labels import Labels, labels_of, ranking
from anaphor.annotate.rules import AnswerTask
from anaphor.annotate.store import Store, schema
from anaphor.annotate.store.database import reading
from anaphor.annotate.types import AnnotatorAnswer, Status, Target, read_targets

_EMPTY = answer_json(AnnotatorAnswer())
_ROWS_AT_ONCE = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerRow:
    """One answer. `key` names the pronoun for `anaphor meta`; `systems` are names in the order of the slots.

    `unit_systems` are the same in the order of the unit itself, which decisions use.
    """

    assignment: str
    unit: str
    item: str
    suite_item: str
    key: str
    document: str
    category: str
    systems: tuple[str, ...]
    unit_systems: tuple[str, ...]
    targets: tuple[Target, ...]
    task: AnswerTask
    person: str
    answer: AnnotatorAnswer
    version: int
    saved: str
    seconds: float | None
    status: Status
    overlap: bool
    expected: AnnotatorAnswer | None

    @property
    def ranking(self) -> tuple[tuple[str, ...], ...]:
        """A comparison by names of systems, from best to worst; ties in alphabetical order."""
        return ranking(self.answer, self.systems)

    @property
    def labels(self) -> Labels:
        """The labels of the answer, on which annotators agree or not."""
        return labels_of(self.task.mode, self.answer, self.systems)


def answer_rows(
    connection: Connection, *, units: Select[Any] | Sequence[str] | None = None, attention: bool = False
) -> Iterator[AnswerRow]:
    """The answers that are not empty, by item, unit and person; of some units, or of all.

    They are read as they are asked for. Attention items are left out; with `attention` there is nothing else.
    """
    given, unit, item = schema.assignments, schema.units, schema.items
    answer, who = schema.answers, schema.people
    expected = unit.c.expected
    query = (
        select(
            *(given.c.id.label("assignment"), given.c.unit, given.c.shown, given.c.status, given.c.overlap),
            *(given.c.category, unit.c.targets, expected, unit.c.item),
            *(item.c.suite_item, item.c.pronoun_key.label("key"), item.c.document, item.c.antecedent),
            *(answer.c.content, answer.c.version, answer.c.saved, answer.c.seconds),
            who.c.name.label("person"),
        )
        .select_from(given.join(unit).join(item).join(answer).join(who))
        .where(answer.c.content != _EMPTY)
        .where(expected.is_not(None) if attention else expected.is_(None))
        .order_by(item.c.place, unit.c.id, who.c.name)
    )
    if units is not None:
        query = query.where(unit.c.id.in_(units))
    names = system_names(connection)
    mode, choices = mode_and_choices(connection)

    @lru_cache(maxsize=4096)
    def about(targets: str, shown: str, antecedent: bool) -> dict[str, Any]:
        """What follows from the unit: its answers are neighbours, and reading it costs more than they do."""
        as_shown = shown_targets(targets, shown)
        return {
            "systems": tuple(names[one.system] for one in as_shown),
            "unit_systems": tuple(names[one.system] for one in read_targets(targets)),
            "targets": as_shown,
            "task": task_of(mode, choices, as_shown, antecedent=antecedent),
        }

    for row in connection.execute(query.execution_options(yield_per=_ROWS_AT_ONCE)).mappings():
        fields = dict(row)
        known = about(fields.pop("targets"), fields.pop("shown"), fields.pop("antecedent"))
        fields["answer"] = read_answer(fields.pop("content"))
        fields["status"] = Status(fields["status"])
        if fields["expected"] is not None:
            fields["expected"] = read_answer(fields["expected"])
        yield AnswerRow(**fields, **known)


def answers_to(source: Store | Connection, unit: str) -> tuple[AnswerRow, ...]:
    """Everybody's answer to a unit, attention item or not, by name; empty answers are left out."""
    with reading(source) as connection:
        found = tuple(answer_rows(connection, units=[unit]))
        return found or tuple(answer_rows(connection, units=[unit], attention=True))


def by_unit(rows: Iterable[AnswerRow]) -> dict[str, list[AnswerRow]]:
    """The answers to every unit, in the order of the rows."""
    found: dict[str, list[AnswerRow]] = {}
    for row in rows:
        found.setdefault(row.unit, []).append(row)
    return found
