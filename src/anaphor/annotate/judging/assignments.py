"""The assignments of one annotator: their questions, progress and navigation.

Every query uses an index on the rows of one person, so its cost does not grow with the number of annotators.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from operator import attrgetter
from typing import Any, NamedTuple

from sqlalchemy import (
    ColumnElement,
    Connection,
    ScalarSelect,
    Select,
    bindparam,
    case,
    exists,
    func,
    select,
    true,
)

from anaphor.annotate.answer_json import read_answer
from anaphor.annotate.campaign.facts import categories_of, facts_of
from anaphor.annotate.rules import SLOTS, AnswerTask
from anaphor.annotate.store import Store, schema
from anaphor.annotate.store.database import from_row, reading
from anaphor.annotate.suggested import AFTER, suggested
from anaphor.annotate.types import (
    AnnotatorAnswer,
    Highlight,
    Mark,
    Mode,
    Status,
    StoredAnswer,
    Target,
    TokenAt,
    read_targets,
)
from anaphor.core import Category, InputError, OptionError, UnknownNameError, Where

_TABLE = schema.assignments


class AssignmentProgress(NamedTuple):
    """The number of assignments, and of those with an answer without and with a conflict.

    Practice is counted separately: its size, and how much of it is open.
    """

    total: int = 0
    done: int = 0
    conflicts: int = 0
    practice: int = 0
    practice_open: int = 0

    @property
    def answered(self) -> int:
        return self.done + self.conflicts

    @property
    def is_complete(self) -> bool:
        """Whether nothing is open, practice included."""
        return self.answered == self.total and not self.practice_open


@dataclass(frozen=True, slots=True)
class AssignmentRow:
    """One assignment in a list."""

    id: str
    position: int
    batch: int
    category: str
    status: Status


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """One assignment with its task, its answer and the rows it refers to; `marks` is JSON.

    The `targets` are in slot order. `total` is the number of assignments of the same person. `expected` is
    the JSON answer of an attention or practice item; only practice has `feedback`. `has_tags` says whether
    the person has defined tags, `is_discussed` whether there are messages.
    """

    id: str
    unit: str
    item: str
    place: int
    batch: int
    category: str
    status: Status
    document: str
    first: int
    last: int
    marks: str
    targets: tuple[Target, ...]
    task: AnswerTask
    document_first: int
    document_segments: int
    categories: Mapping[str, Category]
    tags: tuple[str, ...]
    total: int
    has_tags: bool
    is_discussed: bool
    expected: str | None
    feedback: str | None
    stored: StoredAnswer
    suggestion: Mark


def _progress() -> Select[Any]:
    """The progress of a person, counting answered or open assignments, whichever are fewer.

    Annotators usually work from first to last, so the first open assignment shows which are fewer.
    """

    def own(what: ColumnElement[Any], status: Status | None = None) -> ScalarSelect[Any]:
        query = select(what).where(_TABLE.c.person == bindparam("person"))
        return (query if status is None else query.where(_TABLE.c.status == status.value)).scalar_subquery()

    # Practice comes first, so that only the first few assignments can be practice.
    unit = schema.units
    known = select(func.count()).select_from(unit).where(unit.c.feedback.is_not(None)).scalar_subquery()

    def practice(status: Status | None = None) -> ScalarSelect[Any]:
        query = select(func.count()).select_from(_TABLE.join(unit)).where(_TABLE.c.place <= known)
        query = query.where(_TABLE.c.person == bindparam("person"), unit.c.feedback.is_not(None))
        return (query if status is None else query.where(_TABLE.c.status == status.value)).scalar_subquery()

    total = func.coalesce(own(func.max(_TABLE.c.place)), 0)
    first_new = func.coalesce(own(func.min(_TABLE.c.place), Status.NEW), total + 1)
    new, done, conflicts = (
        own(func.count(), status) for status in (Status.NEW, Status.DONE, Status.CONFLICT)
    )
    counted = case((2 * first_new > total, total - new - conflicts), else_=done)
    return select(
        (total - practice()).label("total"),
        (counted - practice(Status.DONE)).label("done"),
        (conflicts - practice(Status.CONFLICT)).label("conflicts"),
        practice().label("practice"),
        practice(Status.NEW).label("practice_open"),
    )


_PROGRESS = _progress()


def progress_of(source: Store | Connection, person: str) -> AssignmentProgress:
    with reading(source) as connection:
        return AssignmentProgress(*connection.execute(_PROGRESS, {"person": person}).one())


def batches_of(store: Store, person: str) -> dict[int, AssignmentProgress]:
    """The batches of a person in order."""
    counts: dict[int, Counter[str]] = {}
    for row in list_assignments(store, person):
        counts.setdefault(row.batch, Counter())[row.status.value] += 1
    return {
        batch: AssignmentProgress(statuses.total(), statuses["done"], statuses["conflict"])
        for batch, statuses in sorted(counts.items())
    }


def list_assignments(store: Store, person: str) -> tuple[AssignmentRow, ...]:
    """All assignments of a person in order."""
    query = select(_TABLE).where(_TABLE.c.person == person).order_by(_TABLE.c.place)
    with store.read() as connection:
        return tuple(
            from_row(AssignmentRow, row, position=row.place, status=Status(row.status))
            for row in connection.execute(query)
        )


def _following() -> Select[Any]:
    here = _TABLE.alias()
    place = select(here.c.place).where(
        here.c.id == bindparam("assignment"), here.c.person == bindparam("person")
    )
    query = select(_TABLE.c.id).where(_TABLE.c.person == bindparam("person"))
    return query.where(_TABLE.c.place > place.scalar_subquery()).order_by(_TABLE.c.place).limit(1)


_FOLLOWING = _following()


def next_assignment(source: Store | Connection, person: str, *, after: str | None = None) -> str | None:
    """The next assignment by position, None after the last; without `after`, the first new one, or the very
    first.
    """
    with reading(source) as connection:
        if after is not None:
            following = connection.execute(_FOLLOWING, {"person": person, "assignment": after}).scalar()
            if following is None:
                _place_of(connection, person, after)  # refuses another person's
            return following
        query = select(_TABLE.c.id).where(_TABLE.c.person == person).order_by(_TABLE.c.place).limit(1)
        new = connection.execute(query.where(_TABLE.c.status == Status.NEW.value)).scalar()
        return new or connection.execute(query).scalar()


def previous_assignment(source: Store | Connection, person: str, before: str) -> str | None:
    """The previous assignment by position; None before the first."""
    with reading(source) as connection:
        place = _place_of(connection, person, before)
        query = select(_TABLE.c.id).where(_TABLE.c.person == person, _TABLE.c.place < place)
        return connection.execute(query.order_by(_TABLE.c.place.desc()).limit(1)).scalar()


def assignment_at(store: Store, person: str, position: int) -> str:
    """The assignment with a number, counted from 1."""
    with store.read() as connection:
        last = select(func.max(_TABLE.c.place)).where(_TABLE.c.person == person)
        total = connection.execute(last).scalar() or 0
        query = select(_TABLE.c.id).where(_TABLE.c.person == person, _TABLE.c.place == position)
        assignment: str | None = connection.execute(query).scalar() if 1 <= position <= total else None
    if assignment is None:
        fix = f"choose a number from 1 to {total}"
        raise OptionError(f"there is no example {position}", where="your examples", fix=fix)
    return assignment


def _place_of(connection: Connection, person: str, assignment: str) -> int:
    query = select(_TABLE.c.place).where(_TABLE.c.id == assignment, _TABLE.c.person == person)
    return int(own_row(connection, query).place)


def own_row(connection: Connection, query: Select[Any], **values: str) -> Any:
    """The row of an assignment that must belong to the requesting person.

    An unknown id and another person's id give the same error, so ids cannot be probed.
    """
    row = connection.execute(query, values).one_or_none()
    if row is None:
        fix = "go back to your list"
        raise UnknownNameError("this example is not assigned to you", where="your examples", fix=fix)
    return row


def assignments_with_items() -> Select[Any]:
    """Assignments joined with their units and items."""
    unit, item = schema.units, schema.items
    about = (item.c.antecedent, item.c.document, item.c.marks, item.c.first, item.c.last)
    columns = (_TABLE, unit.c.item, unit.c.targets, *about)
    return select(*columns).select_from(_TABLE.join(unit).join(item))


def _one_assignment() -> Select[Any]:
    """Everything needed to save an answer and display an assignment, in one row."""
    unit, item, document = schema.units, schema.items, schema.documents
    answer, campaign, others = schema.answers, schema.campaign, _TABLE.alias()
    total = select(func.max(others.c.place)).where(others.c.person == _TABLE.c.person).scalar_subquery()
    tagged = exists().where(schema.own_tags.c.person == _TABLE.c.person)
    discussed = exists().where(schema.messages.c.assignment == _TABLE.c.id)
    return (
        assignments_with_items()
        .add_columns(document.c.first.label("document_first"), document.c.segments.label("document_segments"))
        .add_columns(unit.c.expected, unit.c.feedback, total.label("total"))
        .add_columns(tagged.label("has_tags"), discussed.label("is_discussed"))
        .add_columns(answer.c.version, answer.c.content, answer.c.saved)
        .add_columns(campaign.c.mode, campaign.c.facts, campaign.c.categories.label("all_categories"))
        .outerjoin(document, document.c.id == item.c.document)
        .outerjoin(campaign, true())  # there is one, and a row that is missing is found out when it is used
        .outerjoin(answer, answer.c.assignment == _TABLE.c.id)
        .where(_TABLE.c.id == bindparam("assignment"), _TABLE.c.person == bindparam("person"))
    )


_ONE = _one_assignment()
_LOCKED = select(_TABLE.c.id).where(_TABLE.c.id == bindparam("assignment")).with_for_update()


def read_assignment(
    connection: Connection, person: str, assignment: str, *, lock: bool = False
) -> Assignment:
    """One assignment, which must be this person's; `lock` prevents concurrent changes."""
    if lock and connection.dialect.name == "postgresql":
        # Locked before anything of it is read: a query that waits for a lock sees the other tables as they
        # were when it began. With SQLite a writer is alone anyway.
        connection.execute(_LOCKED, {"assignment": assignment})
    row = own_row(connection, _ONE, person=person, assignment=assignment)
    facts, targets, status = (
        facts_of(row.facts),
        in_order(read_targets(row.targets), row.shown),
        Status(row.status),
    )
    suggestion = suggested(facts, row.unit, person, targets) if row.expected is None else Mark.UNSET
    stored = StoredAnswer(
        row.id,
        0,
        AnnotatorAnswer(),
        Status.NEW,
        None,
        is_practice=row.feedback is not None,
        is_known=row.expected is not None,
        suggestion=suggestion if facts.get("suggestions") == AFTER else Mark.UNSET,
    )
    if row.version is not None:
        answer = read_answer(row.content)
        stored = replace(stored, version=row.version, answer=answer, status=status, saved=row.saved)
    mode, choices = Mode(row.mode), tuple(facts["choices"])
    return from_row(
        Assignment,
        row,
        status=status,
        targets=targets,
        task=task_of(mode, choices, targets, antecedent=row.antecedent),
        categories=categories_of(row.all_categories),
        tags=(*facts["tags"], *facts["category_tags"].get(row.category, ())),
        stored=stored,
        suggestion=suggestion,
    )


def task_in(row: Any, mode: Mode, choices: tuple[str, ...]) -> AnswerTask:
    """The questions of a row of `assignments_with_items`."""
    targets = in_order(read_targets(row.targets), row.shown)
    return task_of(mode, choices, targets, antecedent=row.antecedent)


def task_of(
    mode: Mode, choices: tuple[str, ...], targets: tuple[Target, ...], *, antecedent: bool
) -> AnswerTask:
    """The questions about targets in slot order."""
    single = mode is not Mode.COMPARE
    return AnswerTask(
        mode=mode,
        asks_antecedent=antecedent and mode is Mode.JUDGE,
        highlight=targets[0].highlight if single else Highlight(),
        choices=choices if mode is Mode.GAPS else (),
        slots=() if single else SLOTS[: len(targets)],
    )


def unit_rows(connection: Connection, units: Sequence[str]) -> list[tuple[Any, AnswerTask]]:
    """Units with their items, documents and questions, systems in the unit's own order."""
    unit, item, document = schema.units, schema.items, schema.documents
    query = (
        select(unit.c.id.label("unit"), unit.c.targets, item, document.c.first.label("document_first"))
        .add_columns(document.c.segments.label("document_segments"))
        .select_from(unit.join(item).outerjoin(document))
        .where(unit.c.id.in_(units))
    )
    mode, choices = mode_and_choices(connection)
    rows = {row.unit: row for row in connection.execute(query)}
    if unknown := next((unit for unit in units if unit not in rows), None):
        raise UnknownNameError(f"unknown unit: {unknown!r:.60}", where="units", fix="go back to the list")
    return [
        (row, task_of(mode, choices, read_targets(row.targets), antecedent=row.antecedent))
        for row in map(rows.__getitem__, units)
    ]


def require_places(
    connection: Connection, system: str, places: Sequence[TokenAt], *, where: Where | str
) -> None:
    """Reject positions outside the translation."""
    table = schema.texts
    for segment, positions in groupby(sorted(places), key=attrgetter("segment")):
        query = select(table.c.tokens).where(
            table.c.side == "system", table.c.name == system, table.c.segment == segment
        )
        tokens = connection.execute(query).scalar()
        if tokens is None or max(at.token for at in positions) >= len(json.loads(tokens)):
            what = f"the translation has no such word in segment {segment}"
            raise InputError(what, where=where, fix="choose words of the translation shown")


def in_order(targets: Sequence[Target], shown: str) -> tuple[Target, ...]:
    """The targets of a unit in the order in which one person sees them."""
    if len(targets) == 1:
        return tuple(targets)
    by_system = {target.system: target for target in targets}
    return tuple(by_system[system] for system in json.loads(shown))


def mode_and_choices(connection: Connection) -> tuple[Mode, tuple[str, ...]]:
    row = connection.execute(select(schema.campaign.c.mode, schema.campaign.c.facts)).one()
    return Mode(row.mode), tuple(facts_of(row.facts)["choices"])
