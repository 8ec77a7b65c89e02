"""The answers of one annotator as a lead looks at them: with times, warnings and known answers."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

from sqlalchemy import select

from anaphor.annotate.campaign.facts import system_names
from anaphor.annotate.campaign.practice import is_right
from anaphor.annotate.judging.answer_rows import EMPTY, stored_answer
from anaphor.annotate.judging.assignments import in_order, mode_and_choices, task_of
from anaphor.annotate.judging.gates import passes
from anaphor.annotate.rules import RuleConflict, warnings_of
from anaphor.annotate.store import Store, schema
from anaphor.annotate.types import AnnotatorAnswer, Status, read_targets


class Shown(Enum):
    """Which answers of an annotator are shown."""

    ALL = ""
    WARNED = "warned"
    KNOWN = "known"
    FAILED = "failed"


class Order(Enum):
    """Their order: that of the annotator's list, or the shortest or the latest ones first."""

    LIST = ""
    SHORTEST = "shortest"
    LATEST = "latest"


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonAnswer:
    """One answer. `passed` says whether it is the known one of an attention or practice item, else None."""

    assignment: str
    unit: str
    position: int
    item: str
    category: str
    systems: tuple[str, ...]
    answer: AnnotatorAnswer
    version: int
    saved: str
    seconds: float | None
    warnings: tuple[RuleConflict, ...]
    expected: AnnotatorAnswer | None
    passed: bool | None
    is_practice: bool


def person_answers(
    store: Store,
    person: str,
    *,
    show: Shown = Shown.ALL,
    order: Order = Order.LIST,
    start: int = 0,
    limit: int | None = None,
) -> tuple[PersonAnswer, ...]:
    """Some answers of an annotator; `start` and `limit` select a page."""
    given, unit, item, answer = schema.assignments, schema.units, schema.items, schema.answers
    query = (
        select(given.c.id, given.c.unit, given.c.place, given.c.shown, given.c.category)
        .add_columns(unit.c.targets, unit.c.expected, unit.c.feedback, item.c.suite_item, item.c.antecedent)
        .add_columns(answer.c.content, answer.c.version, answer.c.saved, answer.c.seconds)
        .select_from(given.join(answer).join(unit).join(item, item.c.id == unit.c.item))
        .where(given.c.person == person, answer.c.content != EMPTY)
    )
    if show is Shown.WARNED:
        query = query.where(given.c.status == Status.CONFLICT.value)
    if show in (Shown.KNOWN, Shown.FAILED):
        query = query.where(unit.c.expected.is_not(None))
    if order is Order.SHORTEST:
        query = query.order_by(answer.c.seconds.is_(None), answer.c.seconds, given.c.place)
    elif order is Order.LATEST:
        query = query.order_by(answer.c.saved.desc(), given.c.place)
    else:
        query = query.order_by(given.c.place)
    if show is not Shown.FAILED:  # which of the known ones failed is found out below; they are few
        query = query.offset(start).limit(limit)
    with store.read() as connection:
        names = system_names(connection)
        mode, choices = mode_and_choices(connection)
        rows = connection.execute(query).all()
    answers = [_read(row, names, mode, choices) for row in rows]
    if show is Shown.FAILED:
        failed = [row for row in answers if row.passed is False]
        return tuple(failed[start : None if limit is None else start + limit])
    return tuple(answers)


def _read(row: Any, names: dict[str, str], mode: Any, choices: tuple[str, ...]) -> PersonAnswer:
    targets = in_order(read_targets(row.targets), row.shown)
    answer = stored_answer(row.content)
    expected = None if row.expected is None else stored_answer(row.expected)
    is_practice = row.feedback is not None
    passed = None
    if expected is not None:
        passed = is_right(expected, answer) if is_practice else passes(expected, answer)
    task = task_of(mode, choices, targets, antecedent=bool(row.antecedent))
    return PersonAnswer(
        assignment=row.id,
        unit=row.unit,
        position=row.place,
        item=row.suite_item,
        category=row.category,
        systems=tuple(names[target.system] for target in targets),
        answer=answer,
        version=row.version,
        saved=row.saved,
        seconds=row.seconds,
        warnings=warnings_of(task, answer),
        expected=expected,
        passed=passed,
        is_practice=is_practice,
    )
