"""All answers of a campaign in context, for agreement, adjudication and export."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from sys import intern
from typing import Any, TypeAlias

from msgspec import Struct
from sqlalchemy import Connection, bindparam, or_, select

from anaphor.annotate.answer_json import answer_json, read_answer
from anaphor.annotate.campaign.facts import require_mode, system_names
from anaphor.annotate.judging.adjudication import last_decisions
from anaphor.annotate.judging.assignments import in_order, mode_and_choices, task_of
from anaphor.annotate.labels import Labels, judgement, labels_of, ranking
from anaphor.annotate.rules import AnswerTask
from anaphor.annotate.store import schema
from anaphor.annotate.store.database import ROWS_AT_ONCE, plain_rows
from anaphor.annotate.types import AnnotatorAnswer, Mode, Status, Target, read_targets
from anaphor.meta.judgements import JudgedPronoun, Judgement

ADJUDICATED = "adjudicated"
"""The annotator's name of a lead's decision in exported judgements."""

#: An answer that says nothing, as the database has it.
EMPTY = answer_json(AnnotatorAnswer())
#: Fewer than the database allows as parameters of one query. PostgreSQL takes its time for each query.
_UNITS_AT_ONCE, _POSTGRESQL_UNITS_AT_ONCE = 500, 5000
StoredContent: TypeAlias = tuple[str, str, bool]
"""The name of an annotator, an answer as the database has it, and whether others are asked the same."""

_STATUS = {status.value: status for status in Status}
#: Most answers are a few marks that many others have, too.
stored_answer = lru_cache(maxsize=4096)(read_answer)


class AnswerRow(Struct, frozen=True, kw_only=True):
    """One answer. `key` identifies the pronoun for `anaphor meta`; `systems` are names in slot order.

    `unit_systems` are in the unit's own order, which decisions use.
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
        """A comparison by system names, from best to worst; ties in alphabetical order."""
        return ranking(self.answer, self.systems)

    @property
    def labels(self) -> Labels:
        """The labels of the answer, on which agreement is computed."""
        return labels_of(self.task.mode, self.answer, self.systems)


def answer_rows(
    connection: Connection,
    *,
    units: Sequence[str] | None = None,
    attention: bool | None = False,
    unanswered: bool = False,
) -> Iterator[AnswerRow]:
    """The non-empty answers by item, unit and person; of some units, or of all.

    With `unanswered`, assignments without an answer are included as empty answers.

    Rows are read lazily. Attention items are left out; `attention=True` returns only those, and `None`
    everything.
    """
    given, unit, item = schema.assignments, schema.units, schema.items
    answer, known = schema.answers, unit.c.expected
    about = (
        select(unit.c.id, unit.c.item, unit.c.category, unit.c.targets, known, item.c.suite_item)
        .add_columns(item.c.pronoun_key, item.c.document, item.c.antecedent)
        .join(item)
        .order_by(item.c.place, unit.c.id)
    )
    if attention is not None:
        about = about.where(known.is_not(None) if attention else known.is_(None))
    if units is not None:
        about = about.where(unit.c.id.in_(units))
    # Some units at a time, put in order here: to sort all answers costs more than to read them.
    answers = (
        select(given.c.id, given.c.unit, given.c.person, given.c.shown, given.c.status, given.c.overlap)
        .add_columns(answer.c.content, answer.c.version, answer.c.saved, answer.c.seconds)
        .select_from(given.join(answer, isouter=unanswered))
        .where(given.c.unit.in_(bindparam("units", expanding=True)))
    )
    if unanswered:
        answers = answers.where(or_(answer.c.content.is_(None), answer.c.content == EMPTY))
    else:
        answers = answers.where(answer.c.content != EMPTY)
    people = connection.execute(select(schema.people.c.id, schema.people.c.name))
    who = {row.id: row.name for row in people}
    names = system_names(connection)
    mode, choices = mode_and_choices(connection)
    at_once = _POSTGRESQL_UNITS_AT_ONCE if connection.dialect.name == "postgresql" else _UNITS_AT_ONCE
    for block in plain_rows(connection, about, at_once=at_once):
        answers_to_unit: dict[str, list[Any]] = {}
        for part in plain_rows(connection, answers, {"units": [row[0] for row in block]}):
            for row in part:
                answers_to_unit.setdefault(row[1], []).append((who[row[2]], row))
        for (
            unit_id,
            own_item,
            category,
            encoded,
            known_answer,
            suite_item,
            key,
            document,
            antecedent,
        ) in block:
            rows = sorted(answers_to_unit.get(unit_id, ()))
            targets = read_targets(encoded) if rows else ()
            unit_systems = tuple(names[target.system] for target in targets)
            expected = None if known_answer is None else read_answer(known_answer)
            last = None
            for person, row in rows:
                assignment, _, _, order, status, overlap, content, version, saved, seconds = row
                if order != last:  # most people see the translations of a unit in the same order
                    last, shown = order, in_order(targets, order)
                    systems = tuple(names[target.system] for target in shown)
                    task = task_of(mode, choices, shown, antecedent=bool(antecedent))
                yield AnswerRow(
                    assignment=assignment,
                    unit=unit_id,
                    item=own_item,
                    suite_item=suite_item,
                    key=key,
                    document=document,
                    category=category,
                    systems=systems,
                    unit_systems=unit_systems,
                    targets=shown,
                    task=task,
                    person=person,
                    answer=stored_answer(content or EMPTY),
                    version=version or 0,
                    saved=saved or "",
                    seconds=seconds,
                    status=_STATUS[status],
                    overlap=bool(overlap),
                    expected=expected,
                )


def stored_answers(connection: Connection) -> dict[str, tuple[StoredContent, ...]]:
    """The answers to every unit that has any, sorted by name.

    Exports that need nothing else use this, because fetching answers unit by unit is slower.
    """
    given, answer, who = schema.assignments, schema.answers, schema.people
    names = {row.id: row.name for row in connection.execute(select(who.c.id, who.c.name))}
    query = select(given.c.unit, given.c.person, answer.c.content, given.c.overlap).join(answer)
    by_unit_id: dict[str, list[StoredContent]] = {}
    for part in plain_rows(connection, query.where(answer.c.content != EMPTY), at_once=ROWS_AT_ONCE):
        for unit, person, content, overlap in part:
            by_unit_id.setdefault(unit, []).append((names[person], intern(content), overlap))
    return {unit: tuple(sorted(rows)) for unit, rows in by_unit_id.items()}


def by_unit(rows: Iterable[AnswerRow]) -> dict[str, list[AnswerRow]]:
    """The answers to every unit, in the order of the rows."""
    rows_of: dict[str, list[AnswerRow]] = {}
    for row in rows:
        rows_of.setdefault(row.unit, []).append(row)
    return rows_of


def judged_rows(connection: Connection, *, final: bool = False) -> Iterator[JudgedPronoun]:
    """Every judgement of every annotator; with `final`, decisions of leads replace them."""
    require_mode(connection, Mode.JUDGE)
    decided = last_decisions(connection) if final else {}
    names = system_names(connection)
    given, unit, item, who = schema.assignments, schema.units, schema.items, schema.people
    query = (
        select(given.c.unit, given.c.overall_label, given.c.category)
        .add_columns(unit.c.targets, item.c.pronoun_key, who.c.name)
        .select_from(given.join(unit).join(item).join(who))
        .where(unit.c.expected.is_(None), given.c.overall_label.is_not(None))
        .order_by(item.c.place, unit.c.id, who.c.name)
    )
    # The answers to a unit are neighbours, and reading its targets costs more than they do.
    system_of = lru_cache(maxsize=64)(lambda targets: names[read_targets(targets)[0].system])
    waiting: dict[str, JudgedPronoun] = {}
    for row in connection.execute(query.execution_options(yield_per=ROWS_AT_ONCE)):
        decision = decided.get(row.unit)
        label = row.overall_label if decision is None else judgement(decision.answer)
        if label is None or row.unit in waiting:
            continue
        system = system_of(row.targets)
        by = row.name if decision is None else ADJUDICATED
        judged = JudgedPronoun(system, row.pronoun_key, Judgement(label), row.category, None, by)
        if decision is None:
            yield judged
        else:
            waiting[row.unit] = judged
    yield from waiting.values()
