"""The lead's dashboard: one row per annotator, sorted by urgency, and a ranking of the systems."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from itertools import combinations
from math import fsum
from statistics import median

from anaphor.annotate.analysis.agreement import confusions
from anaphor.annotate.analysis.status import attention_results, progress_table, speeds
from anaphor.annotate.analysis.tally import CampaignTally
from anaphor.annotate.campaign.facts import read_campaign, system_names
from anaphor.annotate.labels import OVERALL, ranks
from anaphor.annotate.store import Store
from anaphor.annotate.types import Mode
from anaphor.core import Interval
from anaphor.meta.judgements import Judgement
from anaphor.stats import wilson

#: What makes an annotator stand out: agreement so far below the median of all, or so small a share of the
#: median time. Neither is a verdict; both say where to look first.
_LOW_AGREEMENT, _FAST = 0.15, 0.4
#: Fewer shared examples or answers say nothing yet.
_ENOUGH = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnotatorOverview:
    """One annotator. `agreement` is the share of shared examples on which another annotator gave the same
    answer.

    `hours_left` estimates the open work at their median pace; `concerns` are the reasons for listing them
    first.
    """

    person: str
    answered: int
    total: int
    warned: int
    agreement: float | None
    shared: int
    median_seconds: float | None
    per_hour: float | None
    hours_left: float | None
    last_seen: str | None
    attention_right: int
    attention_wrong: int
    concerns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SystemOverview:
    """A system: the share of its judged pronouns that are correct, or of its comparisons that it won."""

    system: str
    share: float
    interval: Interval
    judged: int


def annotator_overviews(source: Store | CampaignTally) -> tuple[AnnotatorOverview, ...]:
    """All annotators with work, first those with concerns, then by ascending agreement."""
    tally = CampaignTally.of(source)
    progress: dict[str, list[int]] = {}
    for row in progress_table(tally):
        counts = progress.setdefault(row.person, [0, 0, 0])
        for at, number in enumerate((row.done + row.conflicts, row.total, row.conflicts)):
            counts[at] += number
    agreed: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0])
    for confusion in confusions(tally):
        for name in (confusion.first, confusion.second):
            agreed[name][0] += confusion.agreed
            agreed[name][1] += confusion.total
    pace = {speed.person: speed for speed in speeds(tally)}
    attention = {attention.person: attention for attention in attention_results(tally)}
    rows = []
    for name, (answered, total, warned) in progress.items():
        same, shared = agreed[name]
        speed, checks = pace.get(name), attention.get(name)
        seconds = speed.median_seconds if speed else None
        rows.append(
            AnnotatorOverview(
                person=name,
                answered=answered,
                total=total,
                warned=warned,
                agreement=same / shared if shared else None,
                shared=shared,
                median_seconds=seconds,
                per_hour=speed.per_hour if speed else None,
                hours_left=None if seconds is None else (total - answered) * seconds / 3600,
                last_seen=tally.last_saved.get(name),
                attention_right=checks.right if checks else 0,
                attention_wrong=checks.wrong if checks else 0,
            )
        )
    usual_agreement = median([row.agreement for row in rows if row.agreement is not None] or [0.0])
    usual_seconds = median([row.median_seconds for row in rows if row.median_seconds is not None] or [0.0])
    looked_at = [
        replace(row, concerns=_concerns(row, agreement=usual_agreement, seconds=usual_seconds))
        for row in rows
    ]
    return tuple(
        sorted(
            looked_at,
            key=lambda row: (-len(row.concerns), 1.0 if row.agreement is None else row.agreement, row.person),
        )
    )


def _concerns(row: AnnotatorOverview, *, agreement: float, seconds: float) -> tuple[str, ...]:
    low = row.agreement is not None and row.shared >= _ENOUGH and row.agreement < agreement - _LOW_AGREEMENT
    fast = row.median_seconds is not None and row.answered >= _ENOUGH and row.median_seconds < _FAST * seconds
    reasons = {
        "failed attention items": row.attention_wrong > 0,
        "agrees less than others": low,
        "very fast": fast,
    }
    return tuple(name for name, holds in reasons.items() if holds)


def system_overviews(store: Store, tally: CampaignTally | None = None) -> tuple[SystemOverview, ...]:
    """The systems, best first, with 95 % intervals; empty if nothing is judged or the task is gap filling.

    Every example counts once, regardless of who judged it: with the share of judgements that call it correct,
    or with a lead's decision. A comparison counts for a pair of systems; a tie is half a win for both.
    """
    tally, mode = tally or CampaignTally.of(store), read_campaign(store).mode
    shares: defaultdict[str, list[float]] = defaultdict(list)
    if mode is Mode.JUDGE:
        correct, incorrect = Judgement.CORRECT.value, Judgement.INCORRECT.value
        for (system, labels), units in tally.judged_patterns().items():
            if judged := labels.count(correct) + labels.count(incorrect):
                shares[system] += units * [labels.count(correct) / judged]
    elif mode is Mode.COMPARE:
        with store.read() as connection:
            names = list(system_names(connection).values())
        for rankings, units in tally.patterns(OVERALL).items():
            wins: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
            for label in rankings:
                places = ranks(label, names)
                for first, second in combinations(sorted(places), 2):
                    won = (places[first] < places[second]) + 0.5 * (places[first] == places[second])
                    wins[first, second].append(won)
            for (first, second), wins_of in wins.items():
                share = sum(wins_of) / len(wins_of)
                shares[first] += units * [share]
                shares[second] += units * [1 - share]
    rows = (
        SystemOverview(
            # The exact sum: the order of the tally is that in which answers came.
            name,
            share := fsum(shares_of) / len(shares_of),
            wilson(share, size=len(shares_of), level=0.95),
            len(shares_of),
        )
        for name, shares_of in shares.items()
    )
    return tuple(sorted(rows, key=lambda row: -row.share))
