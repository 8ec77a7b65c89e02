"""How far annotators agree, in all and by category; and whom each of them disagrees with.

The coefficients are those of `anaphor.stats`. For the question `overall` they are the same as what `anaphor
meta cases` shows for the exported judgements: every answer takes part, also those of one person alone, which
tell of habits.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from anaphor.annotate.adjudicate import Decision, last_decisions
from anaphor.annotate.gathered import Gathered, gather
from anaphor.annotate.labels import OVERALL, label
from anaphor.annotate.store import Store
from anaphor.stats import (
    AgreementCoefficient,
    cohen_kappa,
    fleiss_kappa,
    gwet_ac1,
    krippendorff_alpha,
    observed_agreement,
)

TOTAL = "total"
Labelled = Mapping[str, Mapping[str, str]]
"""The label of each person for each unit."""


@dataclass(frozen=True, slots=True)
class AgreementRow:
    """One category. Coefficients are None where no unit has two answers, Cohen's unless two people answered.

    `items` counts the units with two answers or more.
    """

    category: str
    items: int
    raters: int
    observed: AgreementCoefficient | None
    cohen: AgreementCoefficient | None
    fleiss: AgreementCoefficient | None
    alpha: AgreementCoefficient | None
    ac1: AgreementCoefficient | None


@dataclass(frozen=True, slots=True)
class Confusion:
    """How often one gave a label and another one another: rows are the labels of `first`."""

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


def agreement_table(store: Store, *, question: str = OVERALL) -> tuple[AgreementRow, ...]:
    """A row for every category in the order of the suite, and one for all, which is the last."""
    with store.read() as connection:
        rows = gather(connection)
    names = dict.fromkeys(row.category for row in rows)
    parts = {name: [row for row in rows if row.category == name] for name in names}
    return tuple(_row(name, labelled(part, question)) for name, part in {**parts, TOTAL: rows}.items())


def confusions(store: Store, *, question: str = OVERALL) -> tuple[Confusion, ...]:
    """Every pair of people who answered the same units."""
    with store.read() as connection:
        units = labelled(gather(connection), question)
    people = sorted({name for given in units.values() for name in given})
    tables = (
        confusion(first, second, [(given.get(first), given.get(second)) for given in units.values()])
        for first, second in combinations(people, 2)
    )
    return tuple(table for table in tables if table.total)


def against_adjudicated(store: Store) -> tuple[Confusion, ...]:
    """Every annotator beside the decisions of leads; those without a decided unit are left out."""
    with store.read() as connection:
        rows = gather(connection)
        decided = last_decisions(connection)
    people = sorted({row.person for row in rows})
    tables = (
        confusion(
            name,
            "decision",
            [
                (label(OVERALL, row), label(OVERALL, _as_decided(row, decided[row.unit])))
                for row in rows
                if row.person == name and row.unit in decided
            ],
        )
        for name in people
    )
    return tuple(table for table in tables if table.total)


def _as_decided(row: Gathered, decision: Decision) -> Gathered:
    """What the label would be if the person had answered as the lead decided."""
    return replace(row, answer=decision.answer, systems=row.unit_systems)


def labelled(rows: Iterable[Gathered], question: str) -> dict[str, dict[str, str]]:
    """The labels that were given, by unit and person."""
    units: dict[str, dict[str, str]] = {}
    for row in rows:
        found = label(question, row)
        if found is not None:
            units.setdefault(row.unit, {})[row.person] = found
    return units


def confusion(first: str, second: str, pairs: Iterable[tuple[str | None, str | None]]) -> Confusion:
    counts = Counter(pair for pair in pairs if None not in pair)
    labels = tuple(sorted({str(one) for pair in counts for one in pair}))
    table = tuple(tuple(counts[row, column] for column in labels) for row in labels)
    return Confusion(first, second, labels, table)


def _row(category: str, units: Labelled) -> AgreementRow:
    people = sorted({name for given in units.values() for name in given})
    ratings = [[given.get(name) for name in people] for given in units.values()]
    shared = sum(len(given) > 1 for given in units.values())
    if not shared:
        return AgreementRow(category, 0, len(people), None, None, None, None, None)
    return AgreementRow(
        category=category,
        items=shared,
        raters=len(people),
        observed=observed_agreement(ratings),
        cohen=_cohen(ratings, len(people)),
        fleiss=fleiss_kappa(ratings),
        alpha=krippendorff_alpha(ratings),
        ac1=gwet_ac1(ratings),
    )


def _cohen(ratings: Sequence[Sequence[str | None]], people: int) -> AgreementCoefficient | None:
    return cohen_kappa(ratings) if people == 2 else None
