"""Inter-annotator agreement, overall and by category; confusion matrices; units on which annotators disagree.

The coefficients are those of `anaphor.stats`. For the question `overall` they equal what `anaphor meta cases`
prints for the exported judgements: every answer counts, also those to units that only one person answered,
because they enter the label distributions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from sqlalchemy import func, select

from anaphor import stats
from anaphor.annotate.analysis.labels import ANTECEDENT, OVERALL, label
from anaphor.annotate.judging.adjudication import Adjudication, last_decisions
from anaphor.annotate.judging.answer_rows import AnswerRow, answer_rows, by_unit
from anaphor.annotate.store import Store, schema
from anaphor.annotate.types import Status
from anaphor.stats import AgreementCoefficient

TOTAL = "total"
#: The coefficients of `AgreementRow`.
COEFFICIENTS = {
    "observed": stats.observed_agreement,
    "cohen": stats.cohen_kappa,
    "fleiss": stats.fleiss_kappa,
    "alpha": stats.krippendorff_alpha,
    "ac1": stats.gwet_ac1,
}


@dataclass(frozen=True, slots=True)
class AgreementRow:
    """Agreement in one category.

    Coefficients are None where no unit has two answers; Cohen's also unless exactly two people answered.
    `items` counts the units with two answers or more.
    """

    category: str
    items: int
    raters: int
    observed: AgreementCoefficient | None = None
    cohen: AgreementCoefficient | None = None
    fleiss: AgreementCoefficient | None = None
    alpha: AgreementCoefficient | None = None
    ac1: AgreementCoefficient | None = None


@dataclass(frozen=True, slots=True)
class Confusion:
    """The labels of two people for the same units: rows are the labels of `first`, columns of `second`."""

    first: str
    second: str
    labels: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]

    @property
    def agreed(self) -> int:
        return sum(row[at] for at, row in enumerate(self.counts))

    @property
    def total(self) -> int:
        return sum(map(sum, self.counts))


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A unit on which annotators disagree. `system` joins several names by a comma."""

    unit: str
    item: str
    system: str
    category: str
    answers: tuple[AnswerRow, ...]
    decision: Adjudication | None


def agreement_table(store: Store, *, question: str = OVERALL) -> tuple[AgreementRow, ...]:
    """One row per category in the order of the suite, and a last one for all."""
    with store.read() as connection:
        rows = answer_rows(connection)
    names = dict.fromkeys(row.category for row in rows)
    parts = {name: [row for row in rows if row.category == name] for name in names} | {TOTAL: rows}
    table = []
    for category, part in parts.items():
        units = labelled(part, question)
        people = sorted({name for given in units.values() for name in given})
        ratings = [[given.get(name) for name in people] for given in units.values()]
        shared = sum(len(given) > 1 for given in units.values())
        found = {
            name: measure(ratings)
            for name, measure in COEFFICIENTS.items()
            if shared and (name != "cohen" or len(people) == 2)
        }
        table.append(AgreementRow(category, shared, len(people), **found))
    return tuple(table)


def labelled(rows: Iterable[AnswerRow], question: str) -> dict[str, dict[str, str]]:
    """The labels given, by unit and person."""
    units: dict[str, dict[str, str]] = {}
    for row in rows:
        found = label(question, row)
        if found is not None:
            units.setdefault(row.unit, {})[row.person] = found
    return units


def confusions(store: Store, *, question: str = OVERALL) -> tuple[Confusion, ...]:
    """One matrix per pair of people who answered the same units."""
    with store.read() as connection:
        units = labelled(answer_rows(connection), question)
    people = sorted({name for given in units.values() for name in given})
    tables = (
        confusion(first, second, [(given.get(first), given.get(second)) for given in units.values()])
        for first, second in combinations(people, 2)
    )
    return tuple(table for table in tables if table.total)


def against_adjudicated(store: Store) -> tuple[Confusion, ...]:
    """One matrix per annotator with a decided unit: the annotator's labels beside those of the leads."""
    with store.read() as connection:
        rows = answer_rows(connection)
        decided = last_decisions(connection)
    pairs: dict[str, list[tuple[str | None, str | None]]] = {}
    for row in rows:
        if row.unit in decided:
            # The label as if the annotator had answered like the lead, whose slots are those of the unit.
            as_decided = replace(row, answer=decided[row.unit].answer, systems=row.unit_systems)
            pairs.setdefault(row.person, []).append((label(OVERALL, row), label(OVERALL, as_decided)))
    tables = (confusion(name, "decision", part) for name, part in sorted(pairs.items()))
    return tuple(table for table in tables if table.total)


def confusion(first: str, second: str, pairs: Iterable[tuple[str | None, str | None]]) -> Confusion:
    """The matrix of pairs of labels; a pair with None does not count."""
    counts = Counter(pair for pair in pairs if None not in pair)
    labels = tuple(sorted({str(one) for pair in counts for one in pair}))
    table = tuple(tuple(counts[row, column] for column in labels) for row in labels)
    return Confusion(first, second, labels, table)


def disagreements(store: Store, *, category: str = "", open_only: bool = True) -> tuple[Disagreement, ...]:
    """Units on which annotators disagree, in the order of the suite; with `open_only` undecided ones."""
    table = schema.assignments
    shared = (
        select(table.c.unit)
        .where(table.c.status != Status.NEW.value)
        .group_by(table.c.unit)
        .having(func.count() > 1)
    )
    if category:
        shared = shared.where(table.c.category == category)
    with store.read() as connection:
        decided = last_decisions(connection)
        rows = by_unit(answer_rows(connection, units=shared))
    found = []
    for unit, part in rows.items():
        if differ(part) and not (open_only and unit in decided):
            systems = ", ".join(sorted(part[0].systems))
            about = (unit, part[0].suite_item, systems, part[0].category)
            found.append(Disagreement(*about, tuple(part), decided.get(unit)))
    return tuple(found)


def differ(rows: Sequence[AnswerRow]) -> bool:
    """Whether the answers to one unit differ in the judgement of pronoun or antecedent."""
    return any(
        len({found for row in rows if (found := label(question, row)) is not None}) > 1
        for question in (OVERALL, ANTECEDENT)
    )
