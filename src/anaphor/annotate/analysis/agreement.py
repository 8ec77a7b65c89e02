"""Inter-annotator agreement, overall and by category; confusion matrices; units on which annotators disagree.

The coefficients are those of `anaphor.stats`. For the question `overall` they equal the output of `anaphor
meta cases` for the exported judgements: every answer counts, including those to units answered by only one
person, because they enter the label distributions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import fsum, isnan

from sqlalchemy import select

from anaphor.annotate.analysis.tally import CampaignTally
from anaphor.annotate.campaign.facts import read_campaign, system_names
from anaphor.annotate.judging.adjudication import Adjudication
from anaphor.annotate.judging.answer_rows import AnswerRow, answer_rows, by_unit
from anaphor.annotate.labels import OVERALL, QUESTIONS, labels_of
from anaphor.annotate.store import Store, schema
from anaphor.annotate.types import Mode, read_targets
from anaphor.core import UnknownNameError
from anaphor.stats import agreement as coefficients
from anaphor.stats.agreement import AgreementCoefficient

#: Fewer than either database allows as parameters of one query.
_UNITS_AT_ONCE = 500
TOTAL = "total"
#: The coefficients of `AgreementRow`.
COEFFICIENTS = {
    "observed": coefficients.observed_agreement,
    "cohen": coefficients.cohen_kappa,
    "fleiss": coefficients.fleiss_kappa,
    "alpha": coefficients.krippendorff_alpha,
    "ac1": coefficients.gwet_ac1,
}


@dataclass(frozen=True, slots=True)
class AgreementRow:
    """Agreement in one category.

    Coefficients are None if no unit has two answers. With more than two people Cohen's is the mean of all
    pairs who answered the same units, without an interval.
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
    """The labels of two people for the same units: rows are the labels of `first`, columns of `second`.

    `kappa` is Cohen's, of this pair.
    """

    first: str
    second: str
    labels: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]
    kappa: AgreementCoefficient | None = None

    @property
    def agreed(self) -> int:
        return sum(row[at] for at, row in enumerate(self.counts))

    @property
    def total(self) -> int:
        return sum(map(sum, self.counts))


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A unit on which annotators disagree. `system` joins several names with commas."""

    unit: str
    item: str
    system: str
    category: str
    answers: tuple[AnswerRow, ...]
    decision: Adjudication | None


def agreement_table(source: Store | CampaignTally, *, question: str = OVERALL) -> tuple[AgreementRow, ...]:
    """One row per category in suite order, followed by a total."""
    _check(question)
    tally = CampaignTally.of(source)
    return tuple(
        _agreement(tally, question, name, None if name == TOTAL else name)
        for name in (*tally.categories, TOTAL)
    )


def _agreement(tally: CampaignTally, question: str, title: str, category: str | None) -> AgreementRow:
    patterns, people = tally.patterns(question, category), tally.raters(question, category)
    shared = sum(number for labels, number in patterns.items() if len(labels) > 1)
    coefficients: dict[str, AgreementCoefficient] = {}
    for name, measure in COEFFICIENTS.items():
        if shared and name != "cohen":
            coefficients[name] = measure(patterns)
        elif shared:
            coefficients[name] = _mean([measure(pairs) for pairs in tally.pairs(question, category).values()])
    return AgreementRow(title, shared, len(people), **coefficients)


def _mean(kappas: Sequence[AgreementCoefficient]) -> AgreementCoefficient:
    """The kappa of one pair, or the mean of those pairs for which it is defined."""
    defined = [kappa for kappa in kappas if not isnan(kappa.value)]
    if len(kappas) == 1 or not defined:
        return kappas[0]
    means = {
        name: fsum(getattr(kappa, name) for kappa in defined) / len(defined)
        for name in ("value", "observed", "expected")
    }
    items = sum(kappa.items for kappa in defined)
    return AgreementCoefficient(kappas[0].coefficient, **means, items=items, interval=None)


def _check(question: str) -> None:
    if question not in QUESTIONS:
        raise UnknownNameError.among(question, QUESTIONS, kind="question", where="agreement")


def confusions(source: Store | CampaignTally, *, question: str = OVERALL) -> tuple[Confusion, ...]:
    """One matrix per pair of people who answered the same units."""
    _check(question)
    pairs_of = sorted(CampaignTally.of(source).pairs(question).items())
    return tuple(confusion(first, second, pairs) for (first, second), pairs in pairs_of)


def against_adjudicated(store: Store, source: Store | CampaignTally | None = None) -> tuple[Confusion, ...]:
    """One matrix per annotator with a decided unit: the annotator's labels against the leads'."""
    tally = CampaignTally.of(source or store)
    with store.read() as connection:
        mode, names = read_campaign(connection).mode, system_names(connection)
        systems: dict[str, list[str]] = {}
        if mode is Mode.COMPARE:  # the slots of a decision are those of the unit
            unit = schema.units
            for row in connection.execute(select(unit).where(unit.c.id.in_(list(tally.decided)))):
                systems[row.id] = [names[target.system] for target in read_targets(row.targets)]
    pairs: dict[str, Counter[tuple[str, str]]] = {}
    for unit_id, decision in tally.decided.items():
        decided = labels_of(mode, decision.answer, systems.get(unit_id, ())).overall
        for person, given in tally.labels(unit_id).items():
            if given.overall is not None and decided is not None:
                pairs.setdefault(person, Counter())[given.overall, decided] += 1
    return tuple(confusion(name, "decision", part) for name, part in sorted(pairs.items()))


def confusion(first: str, second: str, counts: Mapping[tuple[str, str], int]) -> Confusion:
    """The matrix of pairs of labels."""
    labels = tuple(sorted({label for pair in counts for label in pair}))
    table = tuple(tuple(counts.get((row, column), 0) for column in labels) for row in labels)
    return Confusion(first, second, labels, table, coefficients.cohen_kappa(counts))


def disagreements(
    store: Store,
    *,
    category: str = "",
    person: str = "",
    open_only: bool = True,
    part: slice = slice(None),
    tally: CampaignTally | None = None,
) -> tuple[Disagreement, ...]:
    """Units on which annotators disagree, in suite order; with `open_only` only undecided ones.

    With `person`, the name of an annotator, only those that they have answered. `part` limits how many are
    read.
    """
    tally = tally or CampaignTally.of(store)
    units = tally.differing(category=category, person=person, open_only=open_only)[part]
    disagreeing = {}
    with store.read() as connection:
        for start in range(0, len(units), _UNITS_AT_ONCE):
            rows = by_unit(answer_rows(connection, units=units[start : start + _UNITS_AT_ONCE]))
            for unit, answers in rows.items():
                systems = ", ".join(sorted(answers[0].systems))
                about = (unit, answers[0].suite_item, systems, answers[0].category)
                disagreeing[unit] = Disagreement(*about, tuple(answers), tally.decided.get(unit))
    return tuple(disagreeing[unit] for unit in units if unit in disagreeing)
