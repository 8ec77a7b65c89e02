"""What a lead wants to know of the work: how far, how fast, how attentive. Counted by the database."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from sqlalchemy import distinct, func, select

from anaphor.annotate import schema
from anaphor.annotate.gathered import Gathered, gather
from anaphor.annotate.nouns import Mark, Status
from anaphor.annotate.store import Store

#: A pause, and no work on the next example.
_PAUSE = 900.0


@dataclass(frozen=True, slots=True)
class Overall:
    """All assignments, those with an answer; all units but attention items, and those with an answer."""

    assignments: int
    answered: int
    units: int
    units_answered: int


@dataclass(frozen=True, slots=True)
class ProgressRow:
    """One person and one category."""

    person: str
    category: str
    total: int
    done: int
    conflicts: int


@dataclass(frozen=True, slots=True)
class Speed:
    """How fast one person answers, by the times that pages measured; None where nothing was measured."""

    person: str
    answers: int
    median_seconds: float | None
    per_hour: float | None


@dataclass(frozen=True, slots=True)
class AttentionRow:
    """How one person answered the attention items; `right` and `wrong` of those that were answered."""

    person: str
    asked: int
    right: int
    wrong: int


def overall(store: Store) -> Overall:
    given, unit = schema.assignments, schema.units
    answered = given.c.status != Status.NEW.value
    real = unit.c.expected.is_(None)
    with store.read() as connection:
        return Overall(
            connection.execute(select(func.count()).select_from(given)).scalar_one(),
            connection.execute(select(func.count()).select_from(given).where(answered)).scalar_one(),
            connection.execute(select(func.count()).select_from(unit).where(real)).scalar_one(),
            connection.execute(
                select(func.count(distinct(given.c.unit)))
                .join(unit, unit.c.id == given.c.unit)
                .where(answered, real)
            ).scalar_one(),
        )


def progress_table(store: Store) -> tuple[ProgressRow, ...]:
    """Every person and category with work, in alphabetical order."""
    given, who = schema.assignments, schema.people
    query = (
        select(who.c.name, given.c.category, given.c.status, func.count().label("count"))
        .join(who, who.c.id == given.c.person)
        .group_by(who.c.name, given.c.category, given.c.status)
    )
    found: dict[tuple[str, str], dict[str, int]] = {}
    with store.read() as connection:
        for name, category, status, count in connection.execute(query):
            found.setdefault((name, category), {})[status] = count
    return tuple(
        ProgressRow(*key, sum(counts.values()), counts.get("done", 0), counts.get("conflict", 0))
        for key, counts in sorted(found.items())
    )


def speeds(store: Store) -> tuple[Speed, ...]:
    """Everybody who answered something, in alphabetical order."""
    given, who, answer = schema.assignments, schema.people, schema.answers
    query = (
        select(who.c.name, answer.c.seconds)
        .join(given, given.c.person == who.c.id)
        .join(answer, answer.c.assignment == given.c.id)
        .where(given.c.status != Status.NEW.value)
    )
    times: dict[str, list[float | None]] = {}
    with store.read() as connection:
        for name, seconds in connection.execute(query):
            times.setdefault(name, []).append(seconds)
    return tuple(_speed(name, found) for name, found in sorted(times.items()))


def attention_results(store: Store) -> tuple[AttentionRow, ...]:
    """Everybody who has attention items, in alphabetical order."""
    given, unit, who = schema.assignments, schema.units, schema.people
    query = (
        select(who.c.name, func.count())
        .join(given, given.c.person == who.c.id)
        .join(unit, unit.c.id == given.c.unit)
        .where(unit.c.expected.is_not(None))
        .group_by(who.c.name)
    )
    with store.read() as connection:
        asked = {str(name): int(count) for name, count in connection.execute(query)}
        rows = gather(connection, attention=True)
    return tuple(_attention(name, count, rows) for name, count in sorted(asked.items()))


def _speed(name: str, seconds: Sequence[float | None]) -> Speed:
    measured = [one for one in seconds if one is not None and 0 < one < _PAUSE]
    if not measured:
        return Speed(name, len(seconds), None, None)
    return Speed(name, len(seconds), median(measured), 3600 * len(measured) / sum(measured))


def _attention(name: str, asked: int, rows: Sequence[Gathered]) -> AttentionRow:
    own = [_is_right(row) for row in rows if row.person == name]
    return AttentionRow(name, asked, sum(own), len(own) - sum(own))


def _is_right(row: Gathered) -> bool:
    """Whether the pronoun is judged as expected, and the antecedent not called wrong where it is right."""
    expected = row.expected
    if expected is None:
        return False
    same = row.answer.pronoun is expected.pronoun
    return same and not (expected.antecedent is Mark.YES and row.answer.antecedent is Mark.NO)
