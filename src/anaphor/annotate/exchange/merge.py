"""Merging answers from offline copies of the database and from files of third-party tools.

Answers are matched by the ids of units and the names of people, never by row numbers. An existing answer is
never overwritten: a different answer to the same question is a conflict, which is reported. All files of a
merge are checked before any is written.
"""

from __future__ import annotations

import json
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from msgspec import Struct
from sqlalchemy import BindParameter, Column, Connection, Float, bindparam, case, func, insert, select, update

from anaphor.annotate.answer_json import answer_content, answer_json, read_answer
from anaphor.annotate.campaign.facts import read_campaign, system_names
from anaphor.annotate.campaign.people import insert_person
from anaphor.annotate.campaign.pool import content_id
from anaphor.annotate.campaign.workload import PlannedAssignment
from anaphor.annotate.judging.assignments import mode_and_choices, require_places, task_of
from anaphor.annotate.labels import Labels, labels_of
from anaphor.annotate.rules import AnswerTask, check_answer, status_of
from anaphor.annotate.store import Store, open_store, schema
from anaphor.annotate.store.audit import fresh_ids, note, now
from anaphor.annotate.store.damage import naming_damage
from anaphor.annotate.store.database import analyse, insert_many, plain_rows
from anaphor.annotate.types import AnnotatorAnswer, Mode, PersonRole, read_targets
from anaphor.core import InputError, MismatchError, Where
from anaphor.core.table import Block, Paragraph

_EMPTY = answer_json(AnnotatorAnswer())
#: Answers that are committed together, and the seconds in which annotators can save before the next ones.
_ANSWERS_AT_ONCE = 500
_PAUSE = 0.02


class IncomingAnswer(Struct, frozen=True, kw_only=True):
    """One answer from a file. `earlier` are the answers, as JSON, that it replaced at its origin."""

    unit: str
    person: str
    answer: AnnotatorAnswer
    where: Where
    earlier: frozenset[str] = frozenset()
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class MergeConflict:
    """Two answers of one person to one unit: the existing one, which stays, and the incoming one."""

    unit: str
    person: str
    present: AnnotatorAnswer
    incoming: AnnotatorAnswer
    where: Where

    def to_dict(self) -> dict[str, Any]:
        return {
            "unit": self.unit,
            "annotator": self.person,
            "where": str(self.where),
            "here": answer_content(self.present),
            "there": answer_content(self.incoming),
        }

    def lines(self) -> list[str]:
        """A readable description of the conflict, without empty fields."""
        lines = [f"conflict: {self.person}, example {self.unit} ({self.where})"]
        for name, answer in (("here: ", self.present), ("there:", self.incoming)):
            given = {
                key: value for key, value in answer_content(answer).items() if value not in ("", "unset", ())
            }
            lines.append(f"  {name} {json.dumps(given, ensure_ascii=False)}")
        return lines


@dataclass(slots=True)
class MergeReport:
    """The outcome for the answers of a file. `unknown` says why an answer has no assignment.

    `written` is False after a dry run, and if conflicts or unknown answers in any file stopped the merge.
    """

    title: str
    new: list[IncomingAnswer] = field(default_factory=list)
    unchanged: int = 0
    conflicts: list[MergeConflict] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    written: bool = False

    @property
    def added(self) -> int:
        return len(self.new)

    def to_dict(self) -> dict[str, Any]:
        return {
            **({"file": self.title} if self.title else {}),
            "added": self.added,
            "known": self.unchanged,
            "written": self.written,
            "unknown": self.unknown,
            "conflicts": [conflict.to_dict() for conflict in self.conflicts],
        }

    def tables(self) -> Sequence[Block]:
        return [Paragraph(self.lines())]

    def lines(self) -> list[str]:
        head = f"{self.title}: " if self.title else ""
        state = "written" if self.written else "nothing written"
        lines = [f"{head}{self.added} new answers, {self.unchanged} known, {state}"]
        lines += [f"no place: {answer}" for answer in self.unknown]
        return lines + [line for conflict in self.conflicts for line in conflict.lines()]


@dataclass(frozen=True, slots=True)
class MergedCopies:
    """The reports of several copies, merged all together or not at all."""

    reports: tuple[MergeReport, ...]

    @property
    def written(self) -> bool:
        return all(report.written for report in self.reports)

    def to_dict(self) -> dict[str, Any] | list[Any]:
        """One object for a single copy, otherwise a list."""
        contents = [report.to_dict() for report in self.reports]
        return contents[0] if len(contents) == 1 else contents

    def tables(self) -> Sequence[Block]:
        return [Paragraph([line for report in self.reports for line in report.lines()])]


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeRules:
    """How far a merge may go. `skip` leaves out conflicts, unknown answers and those that do not fit.

    `create` makes missing annotators and assignments.
    """

    dry_run: bool = False
    skip: bool = False
    create: bool = False


class _Place(Struct, frozen=True):
    """An assignment with its current answer (version 0 and None before the first), and all earlier ones."""

    assignment: str
    person: str
    version: int = 0
    content: str | None = None
    history: frozenset[str] = frozenset()

    def is_free_for(self, answer: IncomingAnswer, content: str) -> bool:
        """Whether an answer overwrites nothing: there is none yet, or it was derived from the current one."""
        if self.content is None or self.content == _EMPTY:
            return self.content != content
        return self.content in answer.earlier and self.content != content

    def after(self, content: str) -> _Place:
        """The place with one more answer."""
        known = self.history | {content}
        return _Place(self.assignment, self.person, self.version + 1, content, known)


_Places = dict[tuple[str, str], _Place]


def merge_copies(store: Store, copies: Sequence[str | Path], *, by: str, rules: MergeRules) -> MergedCopies:
    """Merge offline copies of the database; a conflict in one stops them all."""
    answers = []
    for path in copies:
        with open_store(path) as copy, naming_damage(copy):
            answers.append((str(path), copy_answers(store, copy)))
    return MergedCopies(merge_files(store, answers, by=by, kind="merge", rules=rules))


def merge_files(
    store: Store,
    files: Sequence[tuple[str, Sequence[IncomingAnswer]]],
    *,
    by: str,
    kind: str,
    rules: MergeRules,
) -> tuple[MergeReport, ...]:
    """Merge the answers of several files with titles; return one report per file.

    Later files are compared with the answers of earlier ones, so two files can be in conflict. Everything is
    checked before anything is written. Answers are then committed in batches, so annotators can save in
    between; after an interruption, repeating the merge writes the rest.
    """
    for _, incoming in files:
        seen: dict[tuple[str, str], IncomingAnswer] = {}
        for answer in incoming:
            first = seen.setdefault((answer.unit, answer.person), answer)
            if first.answer != answer.answer:
                what = f"{answer.person} answers the same example twice, first at {first.where}"
                raise InputError(what, where=answer.where, fix="keep one of the two")
    with store.read() as connection:
        places = _places(connection)
        tasks = _tasks(connection)
        for _, incoming in files:
            _require_renderings(connection, incoming)
    planned = dict(places)  # places as they will be after each file, while nothing is written yet
    reports = [
        _plan(title, incoming, planned, tasks, create=rules.create, skip=rules.skip)
        for title, incoming in files
    ]
    stopped = any(report.conflicts or report.unknown for report in reports) and not rules.skip
    for report in reports:
        report.written = not stopped and not rules.dry_run
        if report.written:
            # By person, and with ascending ids: what is written together then shares the pages of indexes.
            new = sorted(report.new, key=lambda answer: answer.person)
            ids = iter(fresh_ids(2 * len(new)))
            for start in range(0, len(new), _ANSWERS_AT_ONCE):
                if start and store.is_sqlite:
                    time.sleep(_PAUSE)  # whoever waits for the database gets it; PostgreSQL has many writers
                with store.write() as connection:
                    part = new[start : start + _ANSWERS_AT_ONCE]
                    _write(connection, report, part, places, tasks, kind=kind, ids=ids)
            detail = {"kind": kind, "answers": str(report.added), "conflicts": str(len(report.conflicts))}
            with store.write() as connection:
                note(connection, actor=by, action="answers merged", detail=detail)
                analyse(connection)
    return tuple(reports)


def _tasks(connection: Connection) -> dict[str, AnswerTask]:
    """The questions of every unit."""
    mode, choices = mode_and_choices(connection)
    unit, item = schema.units, schema.items
    query = select(unit.c.id, unit.c.targets, item.c.antecedent).join(item)
    return {
        key: task_of(mode, choices, read_targets(targets), antecedent=bool(antecedent))
        for rows in plain_rows(connection, query)
        for key, targets, antecedent in rows
    }


def _require_renderings(connection: Connection, incoming: Iterable[IncomingAnswer]) -> None:
    """Reject answers that name words missing from the translation."""
    unit = schema.units
    for answer in incoming:
        if answer.answer.rendering:
            targets = connection.execute(select(unit.c.targets).where(unit.c.id == answer.unit)).scalar()
            if targets is not None:
                system = read_targets(targets)[0].system
                require_places(connection, system, answer.answer.rendering, where=answer.where)


def _plan(
    title: str,
    incoming: Iterable[IncomingAnswer],
    places: _Places,
    known: Mapping[str, AnswerTask],
    *,
    create: bool,
    skip: bool,
) -> MergeReport:
    """What to do with every answer; `places` are changed to what they will be.

    With `skip`, an answer that does not fit its example is left out like an unknown one.
    """
    report = MergeReport(title)
    for answer in incoming:
        key, content = (answer.unit, answer.person), answer_json(answer.answer)
        if answer.unit in known:
            try:
                check_answer(known[answer.unit], answer.answer, where=answer.where)
            except InputError as error:
                if not skip:
                    raise
                report.unknown.append(f"{answer.where}: {error.what}: {answer.unit:.60}")
                continue
        place = places.get(key)
        if place is None and not (create and answer.unit in known):
            what = f"not an example of {answer.person}" if answer.unit in known else "unknown example"
            report.unknown.append(f"{answer.where}: {what}: {answer.unit:.60}")
        elif place is None or place.is_free_for(answer, content):
            report.new.append(answer)
            places[key] = (place or _Place("", "")).after(content)
        elif content in place.history:
            report.unchanged += 1  # it is there, or was there and has been corrected since
        else:
            present = read_answer(place.content or "{}")
            report.conflicts.append(
                MergeConflict(answer.unit, answer.person, present, answer.answer, answer.where)
            )
    return report


def _write(
    connection: Connection,
    report: MergeReport,
    answers: Sequence[IncomingAnswer],
    places: _Places,
    tasks: Mapping[str, AnswerTask],
    *,
    kind: str,
    ids: Iterator[str],
) -> None:
    """Write some of the new answers of a file; `places` are updated accordingly.

    If an annotator has saved since the merge was planned, that is a conflict, and the saved answer stays.
    """
    _create_missing(connection, answers, places)
    keys = [places[answer.unit, answer.person].assignment for answer in answers]
    given, table = schema.assignments, schema.answers
    # Locked first, as by a save: on PostgreSQL an answer could otherwise change after it is read.
    these: BindParameter[Any] = bindparam("keys", keys, expanding=True)
    locked = select(given.c.id, given.c.shown).where(given.c.id.in_(these)).order_by(given.c.id)
    shown = dict(connection.execute(locked.with_for_update()).all())
    saved = select(table.c.assignment, table.c.version, table.c.content).where(table.c.assignment.in_(these))
    present = {key: (version, content) for key, version, content in connection.execute(saved).all()}
    names, at = system_names(connection), now()
    new: list[dict[str, Any]] = []
    changed: list[dict[str, Any]] = []
    entries: list[dict[str, Any]] = []
    states = defaultdict[tuple[str, Labels], list[str]](list)
    tags: set[tuple[str, str]] = set()
    for answer in answers:
        place, task, content = (
            places[answer.unit, answer.person],
            tasks[answer.unit],
            answer_json(answer.answer),
        )
        version, before = present.get(place.assignment, (0, None))
        if version != place.version:
            current = read_answer(before or _EMPTY)
            report.new.remove(answer)
            if before == content:
                report.unchanged += 1
            else:
                report.conflicts.append(
                    MergeConflict(answer.unit, answer.person, current, answer.answer, answer.where)
                )
            continue
        # Made from content, so that the same merge again is recognized as the same request.
        request = content_id(kind, [place.assignment, str(version), content])
        row = {
            "assignment": place.assignment,
            "version": version + 1,
            "content": content,
            "saved": at,
            "id": next(ids),
            "seconds": answer.seconds,
        }
        (changed if version else new).append(row)
        entry = {
            "id": next(ids),
            "assignment": place.assignment,
            "person": place.person,
            "request": request,
            "at": at,
            "kind": kind,
            "version": version + 1,
            "seconds": answer.seconds,
            "content_before": before,
            "content_after": content,
        }
        entries.append(entry)
        several = task.mode is Mode.COMPARE  # whose labels name systems
        systems = [names[key] for key in json.loads(shown[place.assignment])] if several else ()
        labels = labels_of(task.mode, answer.answer, systems)
        states[status_of(task, answer.answer).value, labels].append(place.assignment)
        tags |= {(place.person, tag) for tag in answer.answer.tags}
        places[answer.unit, answer.person] = place.after(content)
    insert_many(connection, table, new)
    if changed:
        spent = case(
            (bindparam("spent", type_=Float).is_(None), table.c.seconds),
            else_=func.coalesce(table.c.seconds, 0.0) + func.coalesce(bindparam("spent", type_=Float), 0.0),
        )
        values: dict[str, Any] = {name: bindparam(f"new_{name}") for name in ("version", "content", "saved")}
        connection.execute(
            update(table).where(table.c.assignment == bindparam("key")).values(**values, seconds=spent),
            [
                {"key": row["assignment"], "spent": row["seconds"]}
                | {f"new_{name}": row[name] for name in values}
                for row in changed
            ],
        )
    if entries:
        insert_many(connection, schema.journal, entries)
        for (status, labels), those in states.items():  # of which there are few
            state = update(given).where(given.c.id.in_(bindparam("keys", those, expanding=True)))
            connection.execute(state.values(status=status, **labels.columns()))
        _keep_tags(connection, tags)


def _keep_tags(connection: Connection, used: set[tuple[str, str]]) -> None:
    """Store a person's own tags, so the page offers them again."""
    table = schema.own_tags
    if not used:
        return
    known = {(row.person, row.tag) for row in connection.execute(select(table))}
    if missing := used - known:
        connection.execute(insert(table), [{"person": person, "tag": tag} for person, tag in sorted(missing)])


def _places(connection: Connection) -> _Places:
    """Every assignment by unit and person."""
    given, who, answer = schema.assignments, schema.people, schema.answers
    query = select(
        given.c.id, given.c.unit, given.c.person, who.c.name, answer.c.version, answer.c.content
    ).select_from(given.join(who).outerjoin(answer))
    history = _journal_contents(connection, schema.journal.c.content_after)
    return {
        (unit, name): _Place(key, person, version or 0, content, frozenset(history.get(key, ())))
        for rows in plain_rows(connection, query)
        for key, unit, person, name, version, content in rows
    }


def _journal_contents(connection: Connection, column: Column[Any]) -> defaultdict[str, set[str]]:
    """All answers in a journal column, as JSON, by assignment."""
    contents: defaultdict[str, set[str]] = defaultdict(set)
    for assignment, content in connection.execute(select(schema.journal.c.assignment, column)):
        if content is not None:
            contents[assignment].add(content)
    return contents


def _create_missing(connection: Connection, answers: Sequence[IncomingAnswer], places: _Places) -> None:
    """Append assignments for answers that have none, creating annotators if necessary."""
    missing = [key for answer in answers if (key := (answer.unit, answer.person)) not in places]
    if not missing:
        return
    table, who = schema.assignments, schema.people
    people = {row.name: row.id for row in connection.execute(select(who.c.name, who.c.id))}
    wanted = schema.units.c.id.in_({unit for unit, _ in missing})
    units = {row.id: row for row in connection.execute(select(schema.units).where(wanted))}
    batch_size = read_campaign(connection).batch_size
    last: dict[str, int] = dict(
        connection.execute(select(table.c.person, func.max(table.c.place)).group_by(table.c.person)).all()
    )
    for key in dict.fromkeys(missing):
        unit, name = units[key[0]], key[1]
        if name not in people:
            people[name] = insert_person(connection, name, PersonRole.ANNOTATOR).id
        person = people[name]
        place = last[person] = last.get(person, 0) + 1
        shown = tuple(target.system for target in read_targets(unit.targets))
        batch = (place - 1) // batch_size + 1
        row = PlannedAssignment(unit.id, unit.category, batch, place, shown, overlap=True).row(person)
        connection.execute(insert(table).values(row))
        places[key] = _Place(row["id"], person)


def copy_answers(store: Store, copy: Store) -> list[IncomingAnswer]:
    """The answers of a copy of the same campaign. Its journal shows which answers each of them replaced.

    An answer corrected offline thus follows the one it was derived from; two that were changed independently
    are a conflict.
    """
    given, who, answer = schema.assignments, schema.people, schema.answers
    query = (
        select(given.c.id, given.c.unit, who.c.name, answer.c.content, answer.c.seconds)
        .select_from(given.join(who).join(answer))
        .order_by(who.c.name, given.c.place)
    )
    with store.read() as here, copy.read() as there:
        if read_campaign(here).id != read_campaign(there).id:
            fix = "merge copies of the same database; use `import` for answers from other tools"
            raise MismatchError("the file is a copy of another campaign", where=copy.address, fix=fix)
        earlier = _journal_contents(there, schema.journal.c.content_before)
        return [
            IncomingAnswer(
                unit=row.unit,
                person=row.name,
                answer=read_answer(row.content),
                where=Where(f"{copy.address} [{row.id}]"),
                earlier=frozenset(earlier[row.id]),
                seconds=row.seconds,
            )
            for row in there.execute(query)
        ]
