"""The status of a campaign: progress, speed, attention, agreement, and the remaining work."""

from __future__ import annotations

import math
import threading
import time
import warnings
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from sqlalchemy import Connection, select

from anaphor.annotate.analysis.agreement import COEFFICIENTS, AgreementRow, agreement_table
from anaphor.annotate.analysis.suggestion_effect import (
    SuggestionEffect,
    suggestion_difference,
    suggestion_effect,
)
from anaphor.annotate.analysis.tally import CampaignTally
from anaphor.annotate.campaign.facts import campaign_plan, read_campaign, system_names
from anaphor.annotate.campaign.people import people
from anaphor.annotate.campaign.sampling import stored_population
from anaphor.annotate.judging.answer_rows import judged_rows
from anaphor.annotate.judging.assignments import progress_of
from anaphor.annotate.labels import OVERALL
from anaphor.annotate.store import Store, schema
from anaphor.annotate.store.database import StoreError
from anaphor.annotate.types import Campaign, PersonRole, Status, read_targets
from anaphor.core import InputWarning, MismatchError, Outcome, UserError
from anaphor.core.table import (
    Block,
    JsonFields,
    Listing,
    Paragraph,
    Table,
    count,
    counted,
    number,
    percent,
    plain,
    text,
)
from anaphor.meta import SamplingPlan, further_judgements, take_sample
from anaphor.meta.estimate import planned_for_target
from anaphor.meta.plan import PlannedStratum, PlannedUnit, UnitKind
from anaphor.stats.agreement import AgreementCoefficient
from anaphor.suite import ItemOutcome

_CONFLICTS = (
    "conflicts: answers that contradict themselves, such as a yes without a chosen word; they count, and "
    "their annotators were warned"
)


@dataclass(frozen=True, slots=True)
class CampaignTotals:
    """Assignments and units, and those of them that are answered; without practice and attention items."""

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
    """The speed of one person, from times measured by the pages; None if nothing was measured."""

    person: str
    answers: int
    median_seconds: float | None
    per_hour: float | None

    json_keys: ClassVar = {"person": "annotator", "per_hour": None}


@dataclass(frozen=True, slots=True)
class AttentionRow(JsonFields):
    """Attention or practice items of one person: their number, and how many were answered correctly and
    incorrectly.
    """

    person: str
    items: int
    right: int
    wrong: int

    json_keys: ClassVar = {"person": "annotator"}


@dataclass(frozen=True, slots=True)
class RemainingWork:
    """The remaining work. `more` is None if too little has been judged to estimate it; `note` explains this
    in a sentence.

    `judged` is the number of judgements behind the estimate, `addable` how many more examples can be drawn,
    if the population of the sample is known.
    """

    more: int | None
    target: float
    note: str
    judged: int = 0
    addable: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class CampaignStatus:
    """A campaign's progress, agreement, annotator speed and attention, and the remaining work."""

    campaign: Campaign
    overall: CampaignTotals
    progress: tuple[ProgressRow, ...]
    speeds: tuple[AnnotatorSpeed, ...]
    attention: tuple[AttentionRow, ...]
    practice: tuple[AttentionRow, ...]
    question: str
    agreement: tuple[AgreementRow, ...]
    open_disagreements: int
    remaining: RemainingWork
    suggestions: tuple[SuggestionEffect, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        return {
            "campaign": self.campaign.name,
            "mode": self.campaign.mode,
            **asdict(self.overall),
            "progress": plain(self.progress),
            "speed": plain(self.speeds),
            "attention": plain(self.attention),
            "practice": plain(self.practice),
            "question": self.question,
            "agreement": [
                {"category": row.category, "items": row.items, "raters": row.raters}
                | {name: _coefficient(getattr(row, name)) for name in COEFFICIENTS}
                for row in self.agreement
            ],
            "open_disagreements": self.open_disagreements,
            "target": self.remaining.target,
            "more": self.remaining.more,
            "addable": self.remaining.addable,
            "note": self.remaining.note,
            "suggestions": plain(self.suggestions),
            "suggestion_difference": plain(suggestion_difference(self.suggestions)),
        }

    def tables(self) -> Sequence[Block]:
        overall = self.overall
        speeds = {speed.person: speed.median_seconds for speed in self.speeds}
        attention = {
            row.person: f"{row.right} right, {row.wrong} wrong of {row.items}" for row in self.attention
        }
        annotators = []
        for name in dict.fromkeys(row.person for row in self.progress):
            own = [row for row in self.progress if row.person == name]
            done, conflicts = sum(row.done for row in own), sum(row.conflicts for row in own)
            total = sum(row.total for row in own)
            annotators.append((name, done, conflicts, total, speeds.get(name), attention.get(name, "-")))
        columns = (text("annotator"), count("done"), count("conflicts"), count("of"))
        coefficients = [number(name, 3, missing="-") for name in COEFFICIENTS]
        agreement = []
        for row in self.agreement:
            measured: list[AgreementCoefficient | None] = [getattr(row, name) for name in COEFFICIENTS]
            values = (None if coefficient is None else coefficient.value for coefficient in measured)
            agreement.append((row.category, row.items, *values))
        people = Table((*columns, number("median s", 1, missing="-"), text("attention")), annotators)
        # Only where there are some: a table without them needs no explanation.
        warned = [_CONFLICTS] if any(row.conflicts for row in self.progress) else []
        return [
            f"{self.campaign.name} ({self.campaign.mode.value}): {overall.answered} of "
            f"{overall.assignments} answers, {overall.units_answered} of {overall.units} examples",
            people,
            *warned,
            Table((text(f"agreement ({self.question})"), count("items"), *coefficients), agreement),
            f"{self.open_disagreements} disagreements without a decision",
            self.remaining.note,
            *self._effect(),
        ]

    def _effect(self) -> Sequence[Block]:
        """The effect of suggestions on answers, for a campaign that has them."""
        if not self.campaign.suggestions:
            return []
        difference = suggestion_difference(self.suggestions)
        if difference is None:
            effect = "the effect of suggestions is not measured yet: it needs answers with and without them"
        else:
            low, high = 100 * difference.interval.low, 100 * difference.interval.high
            effect = (
                f"effect of suggestions: {100 * difference.difference:+.1f} points in agreement with the "
                f"guess (95 % interval {low:+.1f} to {high:+.1f})"
            )
        columns = (text("suggestion"), count("answers"), percent("agree"), count("changed to agree"))
        rows = [
            ("shown" if row.shown else "not shown", row.answers, row.share, row.changed)
            for row in self.suggestions
        ]
        return [Table(columns, rows), effect] if rows else [effect]


def _coefficient(coefficient: AgreementCoefficient | None) -> dict[str, Any] | None:
    if coefficient is None:
        return None
    return {"value": coefficient.value, "interval": plain(coefficient.interval)}


def read_status(store: Store, *, question: str = OVERALL, target: float = 0.02) -> CampaignStatus:
    """The status of a campaign; `target` is the intended half-width of the intervals."""
    tally, campaign = CampaignTally.of(store), read_campaign(store)
    return CampaignStatus(
        campaign=campaign,
        overall=overall(tally),
        progress=progress_table(tally),
        speeds=speeds(tally),
        attention=attention_results(tally),
        practice=attention_results(tally, practice=True),
        question=question,
        agreement=agreement_table(tally, question=question),
        open_disagreements=len(tally.differing()),
        remaining=remaining(store, target=target, tally=tally),
        suggestions=suggestion_effect(store) if campaign.suggestions else (),
    )


def annotator_list(store: Store) -> Listing:
    """All annotators with their progress, in alphabetical order."""
    content, lines = [], []
    for person in people(store):
        if person.role is PersonRole.ANNOTATOR:
            progress = progress_of(store, person.id)
            done, total = progress.answered, progress.total
            content.append(
                {"annotator": person.name, "active": person.active, "answered": done, "total": total}
            )
            state = "" if person.active else ", no longer active"
            lines.append(f"{person.name}: {done} of {total} answered{state}")
    return Listing(content, [Paragraph(lines)])


def overall(source: Store | CampaignTally) -> CampaignTotals:
    tally = CampaignTally.of(source)
    progress = tally.progress()
    assigned = sum(progress.values())
    new = sum(total for (_, _, status), total in progress.items() if status == Status.NEW.value)
    units = sum(not unit.attention for unit in tally.units.values())
    return CampaignTotals(assigned, assigned - new, units, tally.answered_units())


def progress_table(source: Store | CampaignTally) -> tuple[ProgressRow, ...]:
    """Every person and category with assignments, in alphabetical order."""
    by_status: dict[tuple[str, str], Counter[str]] = {}
    for (person, category, status), total in CampaignTally.of(source).progress().items():
        by_status.setdefault((person, category), Counter())[status] += total
    return tuple(
        ProgressRow(*key, statuses.total(), statuses[Status.DONE.value], statuses[Status.CONFLICT.value])
        for key, statuses in sorted(by_status.items())
    )


def speeds(source: Store | CampaignTally) -> tuple[AnnotatorSpeed, ...]:
    """Everyone who has answered something, in alphabetical order."""
    return tuple(AnnotatorSpeed(name, *times) for name, times in CampaignTally.of(source).times().items())


def attention_results(source: Store | CampaignTally, *, practice: bool = False) -> tuple[AttentionRow, ...]:
    """Everyone with attention items, or `practice`, in alphabetical order."""
    results: dict[str, Counter[bool | None]] = {}
    for name, right in CampaignTally.of(source).attention(practice=practice):
        results.setdefault(name, Counter())[right] += 1
    return tuple(
        AttentionRow(name, right_or_wrong.total(), right_or_wrong[True], right_or_wrong[False])
        for name, right_or_wrong in sorted(results.items())
    )


#: Units of a campaign whose remaining work is estimated within a page.
_SMALL = 2000
#: Below this, labels say little about the translations; Krippendorff (2004) draws no conclusion below it.
LEAST_ALPHA = 0.667


def remaining(store: Store, *, target: float = 0.02, tally: CampaignTally | None = None) -> RemainingWork:
    """The number of judgements still needed to bring every system's 95 % interval to ± `target`.

    Without a sampling plan the population is everything in the campaign. An interval only reflects sampling
    variation: while annotators disagree, no sample is called large enough.
    """
    tally = tally or CampaignTally.of(store)
    with store.read() as connection:
        try:
            judged = tuple(judged_rows(connection, final=True))
        except UserError as error:
            return RemainingWork(None, target, error.what)
        plan = campaign_plan(connection) or census(connection)
        grows = stored_population(connection) is not None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", InputWarning)  # it warns of missing judgements, our very topic
            sample = take_sample(plan, judged, path=store.address)
    except MismatchError as error:
        return RemainingWork(None, target, f"too early to tell: {error.what}", len(judged))
    systems = further_judgements(sample, target=target, level=0.95)
    more = sum(system.total for system in systems)
    points = f"±{100 * target:g} points"
    if more:
        parts = ", ".join(f"{system.system} {system.total}" for system in systems if system.total)
        note = f"judge {more} more for {points} in every system: {parts}"
    elif reservations := _reservations(tally):
        note = f"the sample is large enough for {points} in every system, but {reservations}"
    else:
        note = f"enough: every system is known to {points}"
    addable = 0
    if more and grows:
        addable = sum(planned_for_target(sample, target=target, level=0.95).values()) - plan.budget
    return RemainingWork(more, target, note, len(judged), addable)


class Forecast:
    """The remaining work as shown on pages, re-estimated in the background at limited intervals.

    The estimate reads every judgement, which takes too long for a page; until it is ready, the previous one
    is shown. In a small campaign it is estimated at once.
    """

    def __init__(self, *, every: float = 30.0) -> None:
        self._every, self._lock = every, threading.Lock()
        self._found = RemainingWork(None, 0.02, "the remaining work is being estimated")
        self._thread: threading.Thread | None = None
        self._at = -math.inf

    def remaining(self, store: Store, tally: CampaignTally) -> RemainingWork:
        """The latest estimate of the remaining work."""
        if len(tally.units) <= _SMALL:
            return remaining(store, tally=tally)
        with self._lock:
            running = self._thread is not None and self._thread.is_alive()
            if not running and time.monotonic() - self._at >= self._every:
                self._thread = threading.Thread(target=self._estimate, args=(store, tally), daemon=True)
                self._thread.start()
        return self._found

    def forget(self) -> None:
        """Re-estimate for the next page, since the campaign has grown."""
        self._at = -math.inf

    def _estimate(self, store: Store, tally: CampaignTally) -> None:
        # A database that is away is reported by whatever else the page needs.
        with suppress(StoreError):
            self._found = remaining(store, tally=tally)
            self._at = time.monotonic()


def _reservations(tally: CampaignTally) -> str:
    """Why the judgements are not reliable yet, however many there are; empty if they are."""
    reasons, waiting = [], len(tally.differing())
    if waiting:
        reasons.append(f"decide {counted(waiting, 'disagreement')} first")
    alpha = agreement_table(tally)[-1].alpha
    if alpha is not None and alpha.value < LEAST_ALPHA:
        reasons.append(
            f"annotators disagree too often (alpha {alpha.value:.2f}, below {LEAST_ALPHA}): "
            "review the guidelines with them"
        )
    return "; ".join(reasons)


def census(connection: Connection) -> SamplingPlan:
    """A plan that samples everything, with two strata: matched by the automatic check or not."""
    names = system_names(connection)
    strata: dict[str, list[PlannedUnit]] = {}
    unit, item = schema.units, schema.items
    query = select(unit.c.targets, item.c.pronoun_key, item.c.category, item.c.document).join(
        item, item.c.id == unit.c.item
    )
    for row in connection.execute(query.where(unit.c.expected.is_(None)).order_by(item.c.place)):
        (target,) = read_targets(row.targets)
        outcome = Outcome.IDENTICAL if target.outcome == ItemOutcome.MATCH.value else Outcome.DIFFERENT
        system = names[target.system]
        entry = PlannedUnit(system, row.pronoun_key, outcome, row.category, row.document)
        strata.setdefault(f"{system}/{outcome.label}", []).append(entry)
    order = list(names.values())
    ordered = sorted(strata, key=lambda name: order.index(strata[name][0].system))
    planned = {
        name: PlannedStratum(
            name,
            strata[name][0].system,
            Counter(UnitKind(stratum.outcome, stratum.category) for stratum in strata[name]),
            len(strata[name]),
        )
        for name in ordered
    }
    return SamplingPlan("", 0, 1, planned, {name: tuple(strata[name]) for name in ordered})
