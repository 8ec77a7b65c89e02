"""The status of a campaign: progress, speed, attention, agreement, and how much is left to judge."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any, ClassVar

from sqlalchemy import Connection, distinct, func, select

from anaphor.annotate.analysis.agreement import COEFFICIENTS, AgreementRow, agreement_table, disagreements
from anaphor.annotate.analysis.labels import OVERALL, judged_rows
from anaphor.annotate.campaign.facts import campaign_plan, read_campaign, system_names
from anaphor.annotate.campaign.people import people
from anaphor.annotate.judging.answer_rows import answer_rows
from anaphor.annotate.judging.assignments import progress_by, progress_of
from anaphor.annotate.store import Store, schema
from anaphor.annotate.types import Campaign, Mark, PersonRole, Status, read_targets
from anaphor.core import InputWarning, MismatchError, Outcome, UserError
from anaphor.core.table import Block, JsonFields, Listing, Paragraph, Table, count, number, plain, text
from anaphor.meta import SamplingPlan, further_judgements, take_sample
from anaphor.meta.plan import PlannedStratum, Unit, UnitKind
from anaphor.stats import AgreementCoefficient
from anaphor.suite import ItemOutcome

#: Seconds after which an answer counts as a pause rather than work.
_PAUSE = 900.0


@dataclass(frozen=True, slots=True)
class CampaignTotals:
    """All assignments and those answered; all units without attention items, and those answered."""

    assignments: int
    answered: int
    units: int
    units_answered: int


@dataclass(frozen=True, slots=True)
class ProgressRow(JsonFields):
    """The progress of one person in one category."""

    person: str
    category: str
    total: int
    done: int
    conflicts: int

    json_keys: ClassVar = {"person": "annotator"}


@dataclass(frozen=True, slots=True)
class AnnotatorSpeed(JsonFields):
    """The speed of one person, by the times that pages measured; None where nothing was measured."""

    person: str
    answers: int
    median_seconds: float | None
    per_hour: float | None

    json_keys: ClassVar = {"person": "annotator", "per_hour": None}


@dataclass(frozen=True, slots=True)
class AttentionRow(JsonFields):
    """The attention items of one person: how many were assigned, answered right and answered wrong."""

    person: str
    asked: int
    right: int
    wrong: int

    json_keys: ClassVar = {"person": "annotator"}


@dataclass(frozen=True, slots=True)
class RemainingWork:
    """What is left. `more` is None where too little is judged to tell; `note` says it in a sentence."""

    more: int | None
    target: float
    note: str


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
            **asdict(self.overall),
            "progress": plain(self.progress),
            "speed": plain(self.speeds),
            "attention": plain(self.attention),
            "question": self.question,
            "agreement": [
                {"category": one.category, "items": one.items, "raters": one.raters}
                | {name: _coefficient(getattr(one, name)) for name in COEFFICIENTS}
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
        coefficients = [number(name, 3, missing="-") for name in COEFFICIENTS]
        agreement = []
        for row in self.agreement:
            found: list[AgreementCoefficient | None] = [getattr(row, name) for name in COEFFICIENTS]
            values = (None if one is None else one.value for one in found)
            agreement.append((row.category, row.items, *values))
        return [
            f"{self.campaign.name} ({self.campaign.mode.value}): {overall.answered} of "
            f"{overall.assignments} answers, {overall.units_answered} of {overall.units} examples",
            Table((*columns, number("median s", 1, missing="-"), text("attention")), annotators),
            Table((text(f"agreement ({self.question})"), count("items"), *coefficients), agreement),
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
        open_disagreements=len(disagreements(store)),
        remaining=remaining(store, target=target),
    )


def annotator_list(store: Store) -> Listing:
    """All annotators with their progress, in alphabetical order."""
    content, lines = [], []
    for one in people(store):
        if one.role is PersonRole.ANNOTATOR:
            progress = progress_of(store, one.id)
            done, total = progress.answered, progress.total
            content.append({"annotator": one.name, "active": one.active, "answered": done, "total": total})
            state = "" if one.active else ", no longer active"
            lines.append(f"{one.name}: {done} of {total} answered{state}")
    return Listing(content, [Paragraph(lines)])


def overall(store: Store) -> CampaignTotals:
    given, unit = schema.assignments, schema.units
    answered = given.c.status != Status.NEW.value
    real = unit.c.expected.is_(None)
    queries = (
        select(func.count()).select_from(given),
        select(func.count()).select_from(given).where(answered),
        select(func.count()).select_from(unit).where(real),
        select(func.count(distinct(given.c.unit))).join(unit).where(answered, real),
    )
    with store.read() as connection:
        return CampaignTotals(*(connection.execute(query).scalar_one() for query in queries))


def progress_table(store: Store) -> tuple[ProgressRow, ...]:
    """Every person and category with work, in alphabetical order."""
    names = {one.id: one.name for one in people(store)}
    found = progress_by(store, schema.assignments.c.person, schema.assignments.c.category)
    rows = [ProgressRow(names[person], category, *one) for (person, category), one in found.items()]
    return tuple(sorted(rows, key=lambda row: (row.person, row.category)))


def speeds(store: Store) -> tuple[AnnotatorSpeed, ...]:
    """Everybody who has answered something, in alphabetical order."""
    given, who, answer = schema.assignments, schema.people, schema.answers
    query = (
        select(who.c.name, answer.c.seconds)
        .select_from(who.join(given).join(answer))
        .where(given.c.status != Status.NEW.value)
    )
    times: dict[str, list[float | None]] = {}
    with store.read() as connection:
        for name, seconds in connection.execute(query):
            times.setdefault(name, []).append(seconds)
    found = []
    for name, all_times in sorted(times.items()):
        # The median resists pauses that are too short to be recognized as such.
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
        .select_from(who.join(given).join(unit))
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


def remaining(store: Store, *, target: float = 0.02) -> RemainingWork:
    """How many more judgements bring every system's 95 % interval to ± `target`.

    Without a sampling plan the population is everything that the campaign asks about.
    """
    with store.read() as connection:
        try:
            judged = judged_rows(connection, final=True)
        except UserError as error:
            return RemainingWork(None, target, error.what)
        plan = campaign_plan(connection) or _census(connection)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", InputWarning)  # it warns of missing judgements, our very topic
            sample = take_sample(plan, judged, path=store.address)
    except MismatchError as error:
        return RemainingWork(None, target, f"too early to tell: {error.what}")
    systems = further_judgements(sample, target=target, level=0.95)
    more = sum(one.total for one in systems)
    points = f"±{100 * target:g} points"
    note = f"enough: every system is known to {points}"
    if more:
        parts = ", ".join(f"{one.system} {one.total}" for one in systems if one.total)
        note = f"judge {more} more for {points} in every system: {parts}"
    return RemainingWork(more, target, note)


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
