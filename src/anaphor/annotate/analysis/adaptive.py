"""Adaptive order: annotators next see the example whose judgement improves the estimate most.

The gain of an example is that of its stratum: the reduction in variance of its system's estimate from one
more judgement. The strata are those of the plan: with `anaphor estimate plan --guess accept` they are
verdicts of that metric; without a plan, whether the automatic check matched. Within a stratum the order stays
random, so the judged items are a random sample of it, however few they are.
"""

from __future__ import annotations

import math
import threading
import time
from collections import deque

from sqlalchemy import Connection, select

from anaphor.annotate.analysis.status import census
from anaphor.annotate.analysis.tally import CampaignTally
from anaphor.annotate.campaign.facts import campaign_plan, system_names
from anaphor.annotate.judging.assignments import progress_of
from anaphor.annotate.store import Store, schema
from anaphor.annotate.types import Status, read_targets
from anaphor.meta import SamplingPlan
from anaphor.meta.estimate import Gain, judgement_gains
from anaphor.meta.judgements import Judgement

#: Seconds for which the gains of a large campaign are good enough; those of a small one are always new.
_KEPT_SECONDS = 5.0
_SMALL = 2000


class AdaptiveOrder:
    """The order of open assignments by gain. It is thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._units = -1
        self._stratum: dict[str, str] = {}
        self._plan: SamplingPlan | None = None
        self._judged: dict[str, list[float]] = {}
        self._gains: dict[str, Gain] = {}
        self._at = -math.inf

    def open_assignments(
        self, store: Store, tally: CampaignTally, person: str, *, limit: int = 1, besides: str | None = None
    ) -> list[str]:
        """The open assignments of a person, best first. `besides` is excluded.

        Practice and attention items keep their positions: the tenth comes after nine answers.
        """
        given = schema.assignments
        query = select(given.c.id, given.c.unit, given.c.place).where(
            given.c.person == person, given.c.status == Status.NEW.value
        )
        with store.read() as connection:
            self._refresh(connection, tally)
            answered = progress_of(connection, person).answered
            rows = [row for row in connection.execute(query.order_by(given.c.place)) if row.id != besides]
        queues: dict[str, deque[str]] = {}
        fixed: deque[tuple[int, str]] = deque()
        for row in rows:
            stratum = self._stratum.get(row.unit)
            if stratum is None:
                fixed.append((row.place, row.id))
            else:
                queues.setdefault(stratum, deque()).append(row.id)
        counts = {name: len(self._judged.get(name, ())) for name in queues}
        chosen: list[str] = []
        while len(chosen) < limit and (queues or fixed):
            if fixed and (not queues or fixed[0][0] <= answered + len(chosen) + 1):
                chosen.append(fixed.popleft()[1])
                continue
            # The first of equals is the one with the lowest place, because queues are in that order.
            best = max(queues, key=lambda name: self._gains[name](counts[name]))
            chosen.append(queues[best].popleft())
            counts[best] += 1
            if not queues[best]:
                del queues[best]
        return chosen

    def _refresh(self, connection: Connection, tally: CampaignTally) -> None:
        """Add new units and new judgements."""
        with self._lock:
            if len(tally.units) != self._units:
                self._plan = campaign_plan(connection) or census(connection)
                strata = {
                    (unit.system, unit.id): name for name, part in self._plan.items.items() for unit in part
                }
                unit, item, names = schema.units, schema.items, system_names(connection)
                query = select(unit.c.id, unit.c.targets, item.c.pronoun_key).join(item)
                self._stratum = {
                    row.id: strata[names[read_targets(row.targets)[0].system], row.pronoun_key]
                    for row in connection.execute(query.where(unit.c.expected.is_(None)))
                }
                self._units, self._at = len(tally.units), -math.inf
            if len(tally.units) > _SMALL and time.monotonic() - self._at < _KEPT_SECONDS:
                return
            judged: dict[str, list[float]] = {}
            for key, labels in tally.overall_labels().items():
                if key in self._stratum:
                    right = sum(label == Judgement.CORRECT.value for label in labels)
                    judged.setdefault(self._stratum[key], []).append(right / len(labels))
            assert self._plan is not None  # noqa: S101 - set above
            self._judged, self._gains = judged, judgement_gains(self._plan, judged)
            self._at = time.monotonic()
