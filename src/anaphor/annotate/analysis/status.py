"""The status of a campaign: progress, speed, attention, agreement, and how much is left to judge."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from sqlalchemy import Connection, distinct, func, select

from anaphor.annotate.analysis.agreement import AgreementRow, agreement_table, count_disagreements
from anaphor.annotate.analysis.labels import OVERALL, final_rows
from anaphor.annotate.campaign.facts import campaign_plan, read_campaign, system_names
from anaphor.annotate.campaign.people import Person, people
from anaphor.annotate.judging.answer_rows import answer_rows
from anaphor.annotate.judging.assignments import AssignmentProgress, progress_of
from anaphor.annotate.store import Store, schema
from anaphor.annotate.types import Campaign, Mark, PersonRole, Status, read_targets
from anaphor.core import InputWarning, MismatchError, Outcome, UserError
from anaphor.core.table import Block, Paragraph, Table, count, number, text
from anaphor.meta import FurtherJudgements, SamplingPlan, estimate, further_judgements, take_sample
from anaphor.meta.estimate import PartEstimate
from anaphor.meta.plan import PlannedStratum, Unit, UnitKind
from anaphor.stats import AgreementCoefficient
from anaphor.suite import ItemOutcome

#: Seconds after which an answer counts as a pause rather than work.
_PAUSE = 900.0
_COEFFICIENTS = ("observed", "cohen", "fleiss", "alpha", "ac1")


@dataclass(frozen=True, slots=True)
class CampaignTotals:
    """All assignments and those answered; all units without attention items, and those answered."""

    assignments: int
    answered: int
    units: int
    units_answered: int


@dataclass(frozen=True, slots=True)
class ProgressRow:
    """The progress of one person in one category."""

    person: str
    category: str
    total: int
    done: int
    conflicts: int


@dataclass(frozen=True, slots=True)
class AnnotatorSpeed:
    """The speed of one person, by the times that pages measured; None where nothing was measured."""

    person: str
    answers: int
    median_seconds: float | None
    per_hour: float | None


@dataclass(frozen=True, slots=True)
class AttentionRow:
    """The attention items of one person: how many were assigned, answered right and answered wrong."""

    person: str
    asked: int
    right: int
    wrong: int


@dataclass(frozen=True, slots=True)
class RemainingWork:
    """What is left. `more` is None where too little is judged to tell; `note` says it in a sentence.

    `systems` has the half-width and the judgements that each system still needs, `estimate` the accuracy now.
    """

    more: int | None
    target: float
    note: str
    systems: tuple[FurtherJudgements, ...] = ()
    estimate: tuple[PartEstimate, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CampaignStatus:
    """The progress of a campaign, the agreement, speed and attention of annotators, and what is left."""

    campaign: Campaign
    overall: CampaignTotals
    progress: tuple[ProgressRow, ...]
    speeds: tuple[AnnotatorSpeed, ...]
    attention: tuple[AttentionRow, ...]
    question: str
    agreement: tuple[AgreementRow, ...]
    open_disagreements: int
    remaining: RemainingWork

    def to_dict(self) -> dict[str, Any]:
        return {
            "campaign": self.campaign.name,
            "mode": self.campaign.mode,
            "assignments": self.overall.assignments,
            "answered": self.overall.answered,
            "units": self.overall.units,
            "units_answered": self.overall.units_answered,
            "progress": [
                {
                    "annotator": one.person,
                    "category": one.category,
                    "total": one.total,
                    "done": one.done,
                    "conflicts": one.conflicts,
                }
                for one in self.progress
            ],
            "speed": [
                {"annotator": one.person, "answers": one.answers, "median_seconds": one.median_seconds}
                for one in self.speeds
            ],
            "attention": [
                {"annotator": one.person, "asked": one.asked, "right": one.right, "wrong": one.wrong}
                for one in self.attention
            ],
            "question": self.question,
            "agreement": [
                {
                    "category": one.category,
                    "items": one.items,
                    "raters": one.raters,
                    **{name: _coefficient(getattr(one, name)) for name in _COEFFICIENTS},
                }
                for one in self.agreement
            ],
            "open_disagreements": self.open_disagreements,
            "target": self.remaining.target,
            "more": self.remaining.more,
            "note": self.remaining.note,
        }

    def tables(self) -> Sequence[Block]:
        overall = self.overall
        speeds = {one.person: one.median_seconds for one in self.speeds}
        attention = {
            one.person: f"{one.right} right, {one.wrong} wrong of {one.asked}" for one in self.attention
        }
        annotators = []
        for name in dict.fromkeys(one.person for one in self.progress):
            own = [one for one in self.progress if one.person == name]
            done, conflicts = sum(one.done for one in own), sum(one.conflicts for one in own)
            total = sum(one.total for one in own)
            annotators.append((name, done, conflicts, total, speeds.get(name), attention.get(name, "-")))
        columns = (text("annotator"), count("done"), count("conflicts"), count("of"))
        agreement = []
        for row in self.agreement:
            found: list[AgreementCoefficient | None] = [getattr(row, name) for name in _COEFFICIENTS]
            values = (None if one is None else one.value for one in found)
            agreement.append((row.category, row.items, *values))
        return [
            f"{self.campaign.name} ({self.campaign.mode.value}): {overall.answered} of "
            f"{overall.assignments} answers, {overall.units_answered} of {overall.units} examples",
            Table((*columns, number("median s", 1, missing="-"), text("attention")), annotators),
            Table(
                (
                    text(f"agreement ({self.question})"),
                    count("items"),
                    *(number(name, 3, missing="-") for name in _COEFFICIENTS),
                ),
                agreement,
            ),
            f"{self.open_disagreements} disagreements without a decision",
            self.remaining.note,
        ]


def _coefficient(found: AgreementCoefficient | None) -> dict[str, Any] | None:
    if found is None:
        return None
    interval = found.interval
    return {"value": found.value, "interval": None if interval is None else [interval.low, interval.high]}


def read_status(store: Store, *, question: str = OVERALL, target: float = 0.02) -> CampaignStatus:
    """The status of a campaign; `target` is the half-width of the intervals that is aimed at."""
    return CampaignStatus(
        campaign=read_campaign(store),
        overall=overall(store),
        progress=progress_table(store),
        speeds=speeds(store),
        attention=attention_results(store),
        question=question,
        agreement=agreement_table(store, question=question),
        open_disagreements=count_disagreements(store),
        remaining=remaining(store, target=target),
    )


@dataclass(frozen=True, slots=True)
class AnnotatorList:
    """All annotators with their progress."""

    annotators: tuple[tuple[Person, AssignmentProgress], ...]

    def to_dict(self) -> list[Any]:
        return [
            {
                "annotator": one.name,
                "active": one.active,
                "answered": progress.total - progress.new,
                "total": progress.total,
            }
            for one, progress in self.annotators
        ]

    def tables(self) -> Sequence[Block]:
        lines = []
        for one, progress in self.annotators:
            state = "" if one.active else ", no longer active"
            answered = progress.total - progress.new
            lines.append(f"{one.name}: {answered} of {progress.total} answered{state}")
        return [Paragraph(lines)]


def annotator_list(store: Store) -> AnnotatorList:
    """All annotators, in alphabetical order."""
    found = [one for one in people(store) if one.role is PersonRole.ANNOTATOR]
    return AnnotatorList(tuple((one, progress_of(store, one.id)) for one in found))


def overall(store: Store) -> CampaignTotals:
    given, unit = schema.assignments, schema.units
    answered = given.c.status != Status.NEW.value
    real = unit.c.expected.is_(None)
    queries = (
        select(func.count()).select_from(given),
        select(func.count()).select_from(given).where(answered),
        select(func.count()).select_from(unit).where(real),
        select(func.count(distinct(given.c.unit)))
        .join(unit, unit.c.id == given.c.unit)
        .where(answered, real),
    )
    with store.read() as connection:
        return CampaignTotals(*(connection.execute(query).scalar_one() for query in queries))


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


def speeds(store: Store) -> tuple[AnnotatorSpeed, ...]:
    """Everybody who has answered something, in alphabetical order."""
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
    found = []
    for name, all_times in sorted(times.items()):
        measured = [one for one in all_times if one is not None and 0 < one < _PAUSE]
        typical = median(measured) if measured else None
        per_hour = 3600 * len(measured) / sum(measured) if measured else None
        found.append(AnnotatorSpeed(name, len(all_times), typical, per_hour))
    return tuple(found)


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
        rows = answer_rows(connection, attention=True)
    right: Counter[str] = Counter()
    answered = Counter(row.person for row in rows)
    for row in rows:
        expected = row.expected
        if expected is None or row.answer.pronoun is not expected.pronoun:
            continue
        # An antecedent that is left unset is not held against the annotator; one called wrong is.
        if not (expected.antecedent is Mark.YES and row.answer.antecedent is Mark.NO):
            right[row.person] += 1
    return tuple(
        AttentionRow(name, number, right[name], answered[name] - right[name])
        for name, number in sorted(asked.items())
    )


def remaining(store: Store, *, target: float = 0.02, level: float = 0.95) -> RemainingWork:
    """How many more judgements bring every system's interval to ± `target`.

    Without a sampling plan the population is everything that the campaign asks about.
    """
    with store.read() as connection:
        try:
            judged = final_rows(connection)
        except UserError as error:
            return RemainingWork(None, target, error.what)
        plan = campaign_plan(connection) or _census(connection)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", InputWarning)  # it warns of missing judgements, our very topic
            sample = take_sample(plan, judged, path=store.address)
    except MismatchError as error:
        return RemainingWork(None, target, f"too early to tell: {error.what}")
    systems = further_judgements(sample, target=target, level=level)
    more = sum(one.total for one in systems)
    points = f"±{100 * target:g} points"
    note = f"enough: every system is known to {points}"
    if more:
        parts = ", ".join(f"{one.system} {one.total}" for one in systems if one.total)
        note = f"judge {more} more for {points} in every system: {parts}"
    found = estimate(sample, level=level, baseline=None)
    return RemainingWork(more, target, note, systems, found.systems)


def _census(connection: Connection) -> SamplingPlan:
    """A plan that samples everything; its strata are what the automatic check matched and what it did not."""
    names = system_names(connection)
    strata: dict[str, list[Unit]] = {}
    unit, item = schema.units, schema.items
    query = select(unit.c.targets, item.c.pronoun_key, item.c.category, item.c.document).join(
        item, item.c.id == unit.c.item
    )
    for row in connection.execute(query.where(unit.c.expected.is_(None)).order_by(item.c.place)):
        (target,) = read_targets(row.targets)
        outcome = Outcome.IDENTICAL if target.outcome == ItemOutcome.MATCH.value else Outcome.DIFFERENT
        system = names[target.system]
        one = Unit(system, row.pronoun_key, outcome, row.category, row.document)
        strata.setdefault(f"{system}/{outcome.name.lower()}", []).append(one)
    order = list(names.values())
    ordered = sorted(strata, key=lambda name: order.index(strata[name][0].system))
    planned = {
        name: PlannedStratum(
            name,
            strata[name][0].system,
            Counter(UnitKind(one.outcome, one.category) for one in strata[name]),
            len(strata[name]),
        )
        for name in ordered
    }
    return SamplingPlan("", 0, 1, planned, {name: tuple(strata[name]) for name in ordered})
