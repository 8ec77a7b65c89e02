"""How much is left to judge until every system is known well enough, by the estimate of `anaphor.meta`."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, select

from anaphor.annotate import schema
from anaphor.annotate.campaign import campaign_plan, system_names
from anaphor.annotate.judged import final_rows
from anaphor.annotate.store import Store
from anaphor.annotate.targets import read_targets
from anaphor.core import InputWarning, MismatchError, Outcome, UserError
from anaphor.meta import Needed, Plan, estimate, needed, take_sample
from anaphor.meta.estimate import Finding
from anaphor.meta.plan import Kind, PlannedStratum
from anaphor.meta.population import Unit
from anaphor.suite import ItemOutcome


@dataclass(frozen=True, slots=True)
class Remaining:
    """What is left. `more` is None where too little is judged to say it; `note` is a sentence for people.

    `systems` has the half-width and the judgements that each system still needs; `estimate` the accuracy now.
    """

    more: int | None
    target: float
    note: str
    systems: tuple[Needed, ...] = ()
    estimate: tuple[Finding, ...] = ()


def remaining(store: Store, *, target: float = 0.02, level: float = 0.95) -> Remaining:
    """How many more judgements bring every system's interval to `target` on each side.

    Without a sampling plan the population is all that the campaign asks about.
    """
    with store.read() as connection:
        try:
            judged = final_rows(connection)
        except UserError as error:
            return Remaining(None, target, error.what)
        plan = campaign_plan(connection) or _census(connection)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", InputWarning)  # that some are missing is what we are about to say
            sample = take_sample(plan, judged, path=store.address)
    except MismatchError as error:
        return Remaining(None, target, f"too early to say: {error.what}")
    systems = needed(sample, target=target, level=level)
    more = sum(one.total for one in systems)
    found = estimate(sample, level=level, baseline=None)
    return Remaining(more, target, _note(more, target, systems), systems, found.systems)


def _note(more: int, target: float, systems: Sequence[Needed]) -> str:
    points = f"±{100 * target:g} points"
    if not more:
        return f"enough: every system is known to {points}"
    parts = ", ".join(f"{one.system} {one.total}" for one in systems if one.total)
    return f"judge {more} more for {points} in every system: {parts}"


def _census(connection: Connection) -> Plan:
    """A plan that draws everything; its strata are what the automatic check matched and what it did not."""
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
    planned = {
        name: PlannedStratum(
            name, part[0].system, Counter(Kind(one.outcome, one.category) for one in part), len(part)
        )
        for name, part in strata.items()
    }
    ordered = sorted(planned, key=lambda name: list(names.values()).index(planned[name].system))
    return Plan(
        "",
        0,
        1,
        {name: planned[name] for name in ordered},
        {name: tuple(strata[name]) for name in ordered},
    )
