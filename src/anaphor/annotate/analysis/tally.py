"""A running count of all labels of a campaign, updated from the journal.

The lead's pages (progress, agreement, disagreements) depend on the labels of all answers. The tally reads
them once, and afterwards only new journal entries, so a page costs the same for a hundred answers as for a
hundred thousand. It is thread-safe.
"""

from __future__ import annotations

import math
import threading
import time
from collections import Counter, defaultdict, deque
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import median
from typing import Any

from sqlalchemy import Connection, FromClause, func, select

from anaphor.annotate.answer_json import read_answer
from anaphor.annotate.campaign.facts import system_names
from anaphor.annotate.judging.adjudication import Adjudication, last_decisions
from anaphor.annotate.labels import QUESTIONS, Labels, judgement
from anaphor.annotate.store import Store, schema
from anaphor.annotate.store.database import ROWS_AT_ONCE
from anaphor.annotate.types import Mark, Status, read_targets

#: Entries of the journal are read again for so long: a transaction that began earlier may end later, and its
#: entries then have lower numbers than those that were seen before it.
_OVERLAP_SECONDS = 60.0
#: Seconds after which an answer counts as a pause rather than work.
_PAUSE = 900.0
#: Questions in which different answers are a disagreement.
_DIFFERING = (0, 2)
_NONE = Labels()


@dataclass(slots=True)
class _Given:
    """The current state of an assignment."""

    unit: str
    person: str
    category: str
    status: str
    labels: Labels
    seconds: float | None


@dataclass(frozen=True, slots=True)
class TalliedUnit:
    """A unit: its position in the suite, category and systems, and whether it is an attention or practice
    item.

    In both cases `attention` is true, and the unit does not count.
    """

    place: int
    category: str
    systems: tuple[str, ...]
    attention: bool
    expected: str | None
    practice: bool = False


class CampaignTally:
    """The labels of all answers, by unit and person. `refresh` updates it."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._clear()

    @classmethod
    def of(cls, source: Store | CampaignTally) -> CampaignTally:
        """The current tally of a campaign; an existing one is returned unchanged."""
        return cls().refresh(source) if isinstance(source, Store) else source

    @property
    def answers(self) -> int:
        """How many assignments were counted individually: those with an answer, and attention items."""
        return len(self._given)

    def _clear(self) -> None:
        self._given: dict[str, _Given] = {}
        self._assigned: tuple[int, ...] = ()
        self.units: dict[str, TalliedUnit] = {}
        self._categories: list[str] = []
        self._by_unit: dict[str, dict[str, Labels]] = {}
        self.names: dict[str, str] = {}
        #: When everybody saved an answer for the last time, by name.
        self.last_saved: dict[str, str] = {}
        #: Items by question, category and labels; people by question and category; pairs of labels.
        self._patterns: Counter[tuple[int, str, tuple[str, ...]]] = Counter()
        self._of_system: Counter[tuple[str, tuple[str, ...]]] = Counter()
        self._raters: Counter[tuple[int, str, str]] = Counter()
        self._pairs: Counter[tuple[int, str, str, str, str, str]] = Counter()
        self._differing: set[str] = set()
        self._differing_in_order: list[str] | None = None  # until an answer changes
        self.decided: dict[str, Adjudication] = {}
        self._decisions = 0
        self._status: Counter[tuple[str, str, str]] = Counter()
        self._answered_units: Counter[str] = Counter()
        self._seen: deque[tuple[float, int]] = deque()

    def refresh(self, store: Store) -> CampaignTally:
        """Read the changes since the last refresh."""
        with self._lock, store.read() as connection:
            # Somebody who joins may take assignments over from others, which leaves their number as it was.
            given, who = schema.assignments, schema.people
            counted = [select(func.count()).select_from(table).scalar_subquery() for table in (given, who)]
            assigned = tuple(connection.execute(select(*counted)).one())
            if assigned != self._assigned:  # a new campaign for this tally, or one that has grown
                self._clear()
                self._load(connection, assigned)
            else:
                self._follow(connection)
            count = connection.execute(select(func.count()).select_from(schema.decisions)).scalar_one()
            if count != self._decisions:
                self.decided, self._decisions = last_decisions(connection), count
            return self

    def _load(self, connection: Connection, assigned: tuple[int, ...]) -> None:
        self._assigned = assigned
        self._note_last(connection)
        unit, item, who = schema.units, schema.items, schema.people
        systems = system_names(connection)
        shared: dict[tuple[str, ...], tuple[str, ...]] = {}  # one tuple for all units with the same systems
        for row in connection.execute(select(unit, item.c.place).join(item)):
            names = tuple(systems[target.system] for target in read_targets(row.targets))
            names, attention = shared.setdefault(names, names), row.expected is not None
            self.units[row.id] = TalliedUnit(
                row.place, row.category, names, attention, row.expected, row.feedback is not None
            )
        by_place = sorted(self.units.values(), key=lambda unit: unit.place)
        self._categories = list(dict.fromkeys(unit.category for unit in by_place))
        self.names = dict(connection.execute(select(who.c.id, who.c.name)).all())
        # What nobody has answered is counted by the database: to read every row of a large campaign would
        # keep annotators waiting meanwhile. Attention items are needed one by one.
        given, answer = schema.assignments, schema.answers
        joined = given.join(unit).outerjoin(answer)
        untouched = (given.c.status == Status.NEW.value) & answer.c.id.is_(None) & unit.c.expected.is_(None)
        counted = select(given.c.person, given.c.category, func.count()).select_from(joined).where(untouched)
        for person, category, number in connection.execute(
            counted.group_by(given.c.person, given.c.category)
        ):
            # Somebody who is not there is damage, and found out here, where it is named.
            _ = self.names[person]
            self._status[person, category, Status.NEW.value] = number
        rows = _state(joined).where(~untouched).execution_options(yield_per=ROWS_AT_ONCE)
        for row in connection.execute(rows):
            self._put(row, counted=False)

    def _note_last(self, connection: Connection) -> None:
        last = connection.execute(select(func.max(schema.journal.c.seq))).scalar() or 0
        self._seen.append((time.monotonic(), last))
        while len(self._seen) > 1 and self._seen[1][0] < time.monotonic() - _OVERLAP_SECONDS:
            self._seen.popleft()

    def _follow(self, connection: Connection) -> None:
        since = self._seen[0][1]
        self._note_last(connection)
        if self._seen[-1][1] > since:
            changed = select(schema.journal.c.assignment).where(schema.journal.c.seq > since)
            joined = schema.assignments.outerjoin(schema.answers)
            for row in connection.execute(_state(joined).where(schema.assignments.c.id.in_(changed))):
                self._put(row, counted=True)

    def _put(self, row: Any, *, counted: bool) -> None:
        """Apply the state of one assignment, after subtracting its previous state, `counted`."""
        name = self.names[row.person]
        if row.saved is not None:
            self.last_saved[name] = max(row.saved, self.last_saved.get(name, ""))
        labels = Labels(row.overall_label, row.pronoun_label, row.antecedent_label)
        new = _Given(row.unit, row.person, row.category, row.status, labels, row.seconds)
        old = self._given.get(row.id)
        if old == new:
            return
        self._given[row.id] = new
        if self.units[new.unit].attention:
            return  # neither practice nor attention items are progress
        if old is None and counted:
            self._status[new.person, new.category, Status.NEW.value] -= 1
        if old is not None:
            self._status[old.person, old.category, old.status] -= 1
            self._answered_units[old.unit] -= old.status != Status.NEW.value
        self._status[new.person, new.category, new.status] += 1
        self._answered_units[new.unit] += new.status != Status.NEW.value
        before = old.labels if old else _NONE
        if labels != before:
            answers = self._by_unit.setdefault(new.unit, {})
            self._count_patterns(new.unit, -1)
            self._count_pairs(new.unit, name, before, -1)
            answers[name] = labels
            self._count_pairs(new.unit, name, labels, 1)
            self._count_patterns(new.unit, 1)

    def _count_patterns(self, unit: str, by: int) -> None:
        """Add or remove the labels of one unit."""
        answers, category = self._by_unit[unit].values(), self.units[unit].category
        differs = False
        for question in range(len(QUESTIONS)):
            if given := sorted(label for answer in answers if (label := answer[question])):
                self._patterns[question, category, tuple(given)] += by
                if question == 0:
                    self._of_system[self.units[unit].systems[0], tuple(given)] += by
                differs |= question in _DIFFERING and given[0] != given[-1]
        self._differing_in_order = None
        if differs and by > 0:
            self._differing.add(unit)
        else:
            self._differing.discard(unit)

    def _count_pairs(self, unit: str, name: str, labels: Labels, by: int) -> None:
        """Add or remove the answers of one person, compared with those of all others."""
        category = self.units[unit].category
        for question, label in enumerate(labels):
            if label is None:
                continue
            self._raters[question, category, name] += by
            for other, given in self._by_unit[unit].items():
                theirs = given[question]
                if theirs is None or other == name:
                    continue
                pair = (name, other, label, theirs) if name < other else (other, name, theirs, label)
                self._pairs[question, category, *pair] += by

    # What pages and reports ask for.

    @property
    def categories(self) -> list[str]:
        """The categories with labels, in the order of the suite."""
        with self._lock:
            answered = {category for (_, category, _), number in self._patterns.items() if number}
            return [name for name in self._categories if name in answered]

    def patterns(self, question: str, category: str | None = None) -> dict[tuple[str, ...], int]:
        """How many units have the same labels, sorted; in one category or in all."""
        number, numbers = QUESTIONS.index(question), Counter[tuple[str, ...]]()
        with self._lock:
            for (about, where, labels), count in self._patterns.items():
                if about == number and count and category in (None, where):
                    numbers[labels] += count
        return numbers

    def raters(self, question: str, category: str | None = None) -> list[str]:
        """Everyone who gave a label, in alphabetical order."""
        number = QUESTIONS.index(question)
        with self._lock:
            return sorted(
                {
                    name
                    for (about, where, name), count in self._raters.items()
                    if about == number and count and category in (None, where)
                }
            )

    def pairs(
        self, question: str, category: str | None = None
    ) -> dict[tuple[str, str], Counter[tuple[str, str]]]:
        """The labels of two people for the same units, by name; every pair of people occurs once."""
        number, pairs = QUESTIONS.index(question), dict[tuple[str, str], Counter[tuple[str, str]]]()
        with self._lock:
            for (about, where, first, second, *labels), count in self._pairs.items():
                if about == number and count and category in (None, where):
                    pairs.setdefault((first, second), Counter())[labels[0], labels[1]] += count
        return pairs

    def differing(self, *, category: str = "", person: str = "", open_only: bool = True) -> list[str]:
        """Units on which annotators disagree, in the order of the suite; with `open_only` undecided ones.

        With `person`, the name of an annotator, only those that they have answered.
        """
        with self._lock:
            if self._differing_in_order is None:
                places = sorted((self.units[unit].place, unit) for unit in self._differing)
                self._differing_in_order = [unit for _, unit in places]
            return [
                unit
                for unit in self._differing_in_order
                if not (open_only and unit in self.decided)
                and category in ("", self.units[unit].category)
                and (not person or person in self._by_unit[unit])
            ]

    def labels(self, unit: str) -> dict[str, Labels]:
        """The labels of a unit by the names of those who gave them."""
        with self._lock:
            return dict(self._by_unit.get(unit, {}))

    def progress(self) -> dict[tuple[str, str, str], int]:
        """Assignments by name of the person, category and status, without practice and attention items."""
        with self._lock:
            return {
                (self.names[person], category, status): number
                for (person, category, status), number in self._status.items()
                if number
            }

    def answered_units(self) -> int:
        """The number of units with an answer, without attention items."""
        with self._lock:
            answers = self._answered_units.items()
            return sum(number > 0 for _, number in answers)

    def times(self) -> dict[str, tuple[int, float | None, float | None]]:
        """For everyone who answered: the number of answers, the median seconds, and answers per hour."""
        practice = {key for key, unit in self.units.items() if unit.practice}
        new, every = Status.NEW.value, defaultdict[str, list[float | None]](list)
        with self._lock:
            for assignment in self._given.values():
                if assignment.status != new and assignment.unit not in practice:
                    every[assignment.person].append(assignment.seconds)
        speeds: dict[str, tuple[int, float | None, float | None]] = {}
        for name, all_times in sorted((self.names[person], times) for person, times in every.items()):
            # The median resists pauses that are too short to be recognized as such.
            measured = [seconds for seconds in all_times if seconds is not None and 0 < seconds < _PAUSE]
            typical = median(measured) if measured else None
            speeds[name] = (
                len(all_times),
                typical,
                3600 * len(measured) / math.fsum(measured) if measured else None,
            )
        return speeds

    def judged_patterns(self) -> dict[tuple[str, tuple[str, ...]], int]:
        """How many units of a system have the same overall labels, sorted; decisions replace them."""
        with self._lock:
            numbers = self._of_system.copy()
            for unit, decision in self.decided.items():
                answers, system = self._by_unit.get(unit, {}).values(), self.units[unit].systems[0]
                if given := sorted(answer.overall for answer in answers if answer.overall):
                    numbers[system, tuple(given)] -= 1
                    if label := judgement(decision.answer):
                        numbers[system, (label.value,)] += 1
        return numbers

    def overall_labels(self) -> dict[str, list[str]]:
        """The labels of every judged unit."""
        with self._lock:
            labels_of = {
                unit: [answer.overall for answer in answers.values() if answer.overall]
                for unit, answers in self._by_unit.items()
            }
        return {unit: labels for unit, labels in labels_of.items() if labels}

    def attention(self, *, practice: bool = False) -> Iterator[tuple[str, bool | None]]:
        """All attention items of all people: the name, and whether the answer was right, None if unanswered.

        With `practice`, the practice items instead.
        """
        with self._lock:
            attention = {
                key for key, unit in self.units.items() if unit.attention and unit.practice == practice
            }
            rows = (
                [assignment for assignment in self._given.values() if assignment.unit in attention]
                if attention
                else []
            )
        for assignment in rows:
            expected = read_answer(self.units[assignment.unit].expected or "{}")
            right: bool | None = None
            if assignment.status != Status.NEW.value or assignment.labels != _NONE:
                # An antecedent that is left unset is not held against the annotator; one called wrong is.
                wrong_head = expected.antecedent is Mark.YES and assignment.labels.antecedent == Mark.NO.value
                right = assignment.labels.pronoun == expected.pronoun.value and not wrong_head
                if expected.choices:
                    right = assignment.labels.overall == ", ".join(expected.choices)
            yield self.names[assignment.person], right


def _state(joined: FromClause) -> Any:
    """The state of assignments, with the time spent on their answers."""
    given, answer = schema.assignments, schema.answers
    return select(
        *(given.c.id, given.c.unit, given.c.person, given.c.category, given.c.status),
        *(given.c.overall_label, given.c.pronoun_label, given.c.antecedent_label),
        *(answer.c.seconds, answer.c.saved),
    ).select_from(joined)
