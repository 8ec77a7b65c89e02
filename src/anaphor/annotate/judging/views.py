"""Data for the pages: an assignment for its annotator, a unit for leads, lists of units.

Annotators never see system names or the hidden words of gap filling.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from msgspec import Struct, structs
from sqlalchemy import Connection, bindparam, literal_column, select

from anaphor.annotate import types
from anaphor.annotate.answer_json import read_answer
from anaphor.annotate.campaign.facts import (
    SOURCE,
    SYSTEM,
    read_categories,
    system_names,
    tokens_with_gaps,
)
from anaphor.annotate.campaign.practice import is_right
from anaphor.annotate.judging.adjudication import Adjudication, decisions
from anaphor.annotate.judging.answer_rows import AnswerRow, answer_rows, by_unit
from anaphor.annotate.judging.assignments import Assignment, read_assignment, unit_rows
from anaphor.annotate.rules import SLOTS, AnswerTask, RuleConflict, warnings_of
from anaphor.annotate.store import Store, schema
from anaphor.annotate.store.database import reading
from anaphor.annotate.types import (
    AnnotatorAnswer,
    Highlight,
    Mark,
    Mode,
    Status,
    StoredAnswer,
    Target,
    TokenAt,
)
from anaphor.core import Category, UnknownNameError

PRONOUN, HEAD, GAP = "pronoun", "head", "gap"
"""The roles that a token can have; most have none."""


class TokenView(Struct, frozen=True):
    """A token: its preceding white space, text, role, and linked tokens of the other side.

    `head` is the number of the antecedent, for a token of a head. A hidden token (role `gap`) has no text.
    """

    at: TokenAt
    text: str
    gap: str
    role: str
    head: int | None
    links: tuple[TokenAt, ...]


@dataclass(frozen=True, slots=True)
class SlotView:
    """One translation of a line. `source_links` has the linked tokens of each source position."""

    slot: str
    tokens: tuple[TokenView, ...]
    source_links: Mapping[int, tuple[TokenAt, ...]]


@dataclass(frozen=True, slots=True)
class LineView:
    """A line of the context; `number` is 1-based within the document. The slots have the links."""

    segment: int
    number: int
    source: tuple[TokenView, ...]
    slots: tuple[SlotView, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemView:
    """The common part of assignments and units: an item in context, and the question about it.

    `slots` are the names of the translations shown, one for judging and gap filling; `highlighted` are the
    words to choose from, and `framed` says whether any of them is the pronoun's. `first` and `last` are the
    segments that the item needs; `more_before` and `more_after` say whether the document has more lines.
    """

    mode: Mode
    category: str
    category_description: str
    asks_antecedent: bool
    document: str
    lines: tuple[LineView, ...]
    first: int
    last: int
    more_before: bool
    more_after: bool
    slots: tuple[str, ...]
    highlighted: tuple[TokenAt, ...]
    framed: bool
    choices: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PracticeView:
    """Feedback on practice: empty before it is answered, then the correct answer and an explanation."""

    is_right: bool | None = None
    expected: AnnotatorAnswer | None = None
    explanation: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AssignmentView(ItemView):
    """One assignment with its context. `position` is 1-based; `practice` is None for everything that counts.

    `is_discussed` says whether there are messages about it.
    """

    assignment: str
    position: int
    total: int
    batch: int
    tags: tuple[str, ...]
    stored: StoredAnswer
    warnings: tuple[RuleConflict, ...]
    practice: PracticeView | None
    is_discussed: bool
    suggestion: Mark

    @property
    def prefilled(self) -> AnnotatorAnswer | None:
        """What the form of an open item says already, if the guess is shown before the answer."""
        if self.suggestion is Mark.UNSET or self.stored.suggestion is not Mark.UNSET or self.stored.version:
            return None
        shown = [token for line in self.lines for slot in line.slots for token in slot.tokens]
        framed = tuple(token.at for token in shown if token.role == PRONOUN)
        chosen = framed if self.suggestion is Mark.YES and len(framed) == 1 else ()
        return AnnotatorAnswer(pronoun=self.suggestion, words=chosen)


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitView(ItemView):
    """A unit with its context. `systems` and `outcomes` are in slot order; nothing is hidden, not even a gap.

    `references` are the words of the suite's references for the pronoun; `decisions` come newest first.
    """

    unit: str
    item: str
    systems: Mapping[str, str]
    outcomes: Mapping[str, str]
    references: tuple[str, ...]
    answers: tuple[AnswerRow, ...]
    decisions: tuple[Adjudication, ...]

    @property
    def decision(self) -> Adjudication | None:
        """The current decision."""
        return self.decisions[0] if self.decisions else None


_OWN_TAGS = (
    select(schema.own_tags.c.tag)
    .where(schema.own_tags.c.person == bindparam("person"))
    .order_by(schema.own_tags.c.tag)
)


def assignment_view(
    source: Store | Connection, person: str, assignment: str, *, before: int = 0, after: int = 0
) -> AssignmentView:
    """One assignment of a person, with extra lines of context around pronoun and antecedents."""
    with reading(source) as connection:
        row = read_assignment(connection, person, assignment)
        own_tags = connection.execute(_OWN_TAGS, {"person": person}).scalars() if row.has_tags else ()
        segments = _shown_segments(row, before, after)
        stored = _read_lines(connection, [(segments, row.targets)])
        return AssignmentView(
            **_item_fields(stored, segments, row, row.task, row.targets, row.categories, blind=True),
            assignment=row.id,
            position=row.place,
            total=row.total,
            batch=row.batch,
            tags=tuple(dict.fromkeys((*row.tags, *own_tags))),
            stored=row.stored,
            warnings=warnings_of(row.task, row.stored.answer),
            practice=_practice(row),
            is_discussed=row.is_discussed,
            suggestion=row.suggestion,
        )


def _practice(assignment: Assignment) -> PracticeView | None:
    """The feedback on a practice answer; None if the unit is not practice."""
    if assignment.feedback is None:
        return None
    if assignment.stored.status is Status.NEW:
        return PracticeView()
    answer = read_answer(assignment.expected or "")
    return PracticeView(is_right(answer, assignment.stored.answer), answer, assignment.feedback)


def unit_views(
    source: Store | Connection, units: Sequence[str], *, before: int = 0, after: int = 0
) -> list[UnitView]:
    """Some units, with extra lines of context around pronoun and antecedents."""
    views = []
    with reading(source) as connection:
        names, categories = system_names(connection), read_categories(connection)
        answers = by_unit(answer_rows(connection, units=units, attention=None))
        all_decisions = decisions(connection, *units) if units else ()
        shown = [
            (row, task, _shown_segments(row, before, after), types.read_targets(row.targets))
            for row, task in unit_rows(connection, units)
        ]
        stored = _read_lines(connection, [(segments, targets) for _, _, segments, targets in shown])
        for row, task, segments, targets in shown:
            slots = dict(zip(SLOTS, targets, strict=False))
            view = UnitView(
                **_item_fields(stored, segments, row, task, targets, categories),
                unit=row.unit,
                item=row.suite_item,
                systems={slot: names[target.system] for slot, target in slots.items()},
                outcomes={slot: target.outcome for slot, target in slots.items()},
                references=tuple(json.loads(row.reference_words)),
                answers=tuple(answers.get(row.unit, ())),
                decisions=tuple(decision for decision in all_decisions if decision.unit == row.unit),
            )
            views.append(view)
    return views


def units(
    store: Store,
    *,
    category: str = "",
    system: str = "",
    mark: str = "",
    person: str | None = None,
    start: int = 0,
    limit: int | None = None,
) -> tuple[str, ...]:
    """Ids of answered units in suite order; `mark` filters by any annotator's answer about the pronoun.

    With `person`, the id of an annotator, only their answers count. `start` and `limit` select a page.
    """
    unit, item, given = schema.units, schema.items, schema.assignments
    answered = select(given.c.id).where(given.c.unit == unit.c.id, given.c.status != Status.NEW.value)
    if person is not None:
        answered = answered.where(given.c.person == person)
    if mark:
        label = given.c.pronoun_label
        answered = answered.where(label.is_(None) if mark == Mark.UNSET.value else label == mark)
    query = (
        select(unit.c.id)
        # An outer join, so that SQLite goes through the items in order and stops at the end of the page.
        .select_from(item.outerjoin(unit))
        .where(answered.exists(), unit.c.expected.is_(None))
        .order_by(item.c.place, unit.c.id)
        .offset(start)
        .limit(limit)
    )
    if category:
        query = query.where(unit.c.category == category)
    with store.read() as connection:
        names = system_names(connection)
        if system:
            # Targets are stored as JSON with the id of the system, which occurs nowhere else in them.
            key = next((key for key, name in names.items() if name == system), None)
            if key is None:
                raise UnknownNameError.among(system, names.values(), kind="system", where="systems")
            query = query.where(unit.c.targets.contains(key, autoescape=True))
        return tuple(connection.execute(query).scalars())


#: Source lines have no name, and no system is nameless: three lists express that without an OR and without
#: tuples, for which SQLite would read all lines of each side.
_LINES = select(schema.texts).where(
    schema.texts.c.side.in_([literal_column(f"'{side}'") for side in (SOURCE, SYSTEM)]),
    schema.texts.c.name.in_(bindparam("names", expanding=True)),
    schema.texts.c.segment.in_(bindparam("segments", expanding=True)),
)


def _shown_segments(item: Any, before: int, after: int) -> range:
    """The segments that an item needs and so many more, within its document."""
    start, end = item.document_first, item.document_first + item.document_segments - 1
    return range(max(start, item.first - max(0, before)), min(end, item.last + max(0, after)) + 1)


def _read_lines(
    connection: Connection, shown: Iterable[tuple[range, Sequence[Target]]]
) -> dict[tuple[str, str, int], Any]:
    """The source lines and translations of some segments, by side, system and segment.

    One query for all items of a page: with PostgreSQL, a page waits longer for its queries than for the rows.
    """
    names, segments = {""}, set[int]()
    for own_segments, targets in shown:
        names.update(target.system for target in targets)
        segments.update(own_segments)
    rows = connection.execute(_LINES, {"names": sorted(names), "segments": sorted(segments)})
    return {(row.side, row.name, row.segment): row for row in rows}


def _item_fields(
    stored: Mapping[tuple[str, str, int], Any],
    segments: range,
    item: Any,
    task: AnswerTask,
    shown: Sequence[Target],
    categories: Mapping[str, Category],
    *,
    blind: bool = False,
) -> dict[str, Any]:
    """The fields of `ItemView`, with these segments from the stored lines.

    With `blind`, the text of pronouns to fill in is removed.
    """
    hidden = blind and task.mode is Mode.GAPS
    targets = dict(zip(SLOTS, shown, strict=False))
    category = categories.get(item.category)
    start, end = item.document_first, item.document_first + item.document_segments - 1
    first, last = segments[0], segments[-1]
    marks = types.read_marks(item.marks)
    lines = []
    for segment in segments:
        slots = []
        for slot, own in targets.items():
            row = stored[SYSTEM, own.system, segment]
            backward: dict[int, list[TokenAt]] = {}
            forward: dict[int, list[TokenAt]] = {}
            for pair in (row.links or "").split():  # Pharaoh format: 0-0 1-2
                source, target = map(int, pair.split("-"))
                backward.setdefault(target, []).append(TokenAt(segment, source))
                forward.setdefault(source, []).append(TokenAt(segment, target))
            tokens = _tokens(segment, row, own.highlight, backward, hidden=hidden)
            slots.append(SlotView(slot, tokens, {at: tuple(linked) for at, linked in forward.items()}))
        tokens = _tokens(segment, stored[SOURCE, "", segment], marks, {}, hidden=False)
        lines.append(LineView(segment, segment - start + 1, tokens, tuple(slots)))
    return {
        "mode": task.mode,
        "category": item.category,
        "category_description": "" if category is None else category.description,
        "asks_antecedent": task.asks_antecedent,
        "document": item.document,
        "lines": tuple(lines),
        "first": item.first,
        "last": item.last,
        "more_before": first > start,
        "more_after": last < end,
        "slots": tuple(targets),
        "highlighted": () if hidden else task.highlight.words,
        "framed": bool(task.highlight.pronoun),
        "choices": task.choices,
    }


def _tokens(
    segment: int, row: Any, marked: Highlight, links: Mapping[int, Sequence[TokenAt]], *, hidden: bool
) -> tuple[TokenView, ...]:
    pronoun = frozenset(marked.pronoun)
    heads = {at: number for number, head in enumerate(marked.heads) for at in head}
    views = []
    for number, (gap, token) in enumerate(tokens_with_gaps(row.line, json.loads(row.tokens))):
        at = TokenAt(segment, number)
        head = None if at in pronoun else heads.get(at)
        role = (GAP if hidden else PRONOUN) if at in pronoun else "" if head is None else HEAD
        text = "" if role == GAP else token
        views.append(TokenView(at, text, gap, role, head, tuple(links.get(number, ()))))
    return around_gaps(views) if hidden else tuple(views)


def around_gaps(tokens: Sequence[TokenView]) -> tuple[TokenView, ...]:
    """Render the tokens around a hidden word so that they do not reveal it.

    Consecutive hidden words form one gap. A gap is surrounded by spaces, even if a hyphen or an apostrophe
    joined the hidden word to its neighbours. An elided word before it ends in three dots: *qu'* would reveal
    that a vowel follows.
    """
    views: list[TokenView] = []
    for token in tokens:
        after_gap = bool(views) and views[-1].role == GAP
        if token.role == GAP:
            if after_gap:
                continue
            if views:
                before = views[-1]
                if len(before.text) > 1 and before.text.endswith(("'", "’")):
                    views[-1] = structs.replace(before, text=before.text[:-1] + "…")
                token = structs.replace(token, gap=" ")
        elif after_gap and any(map(str.isalnum, token.text)):
            token = structs.replace(token, gap=" ")
        views.append(token)
    return tuple(views)
