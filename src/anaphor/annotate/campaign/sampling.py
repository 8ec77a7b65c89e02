"""Campaigns that judge a sample: the population, and how to draw more of it.

A plan comes from `anaphor estimate plan`, or the campaign draws it from its own examples. The population is
stored with the plan: a larger plan is drawn from it in the same random order, so all judgements remain
usable.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

from sqlalchemy import Connection, select

from anaphor.annotate.campaign.pool import ItemPool, PoolUnit
from anaphor.annotate.store import schema
from anaphor.core import MismatchError, Outcome
from anaphor.meta import PlannedUnit, SamplingPlan, make_plan
from anaphor.meta.plan import extend_plan
from anaphor.suite import ItemOutcome

#: Items that a stratum of our own plans needs, as for `anaphor estimate plan`.
LEAST = 30


def own_units(pool: ItemPool, units: Sequence[PoolUnit]) -> dict[tuple[str, str], PoolUnit]:
    """The units of a campaign by system and pronoun, as in plans."""
    names = {system.id: system.name for system in pool.systems.values()}
    return {(names[unit.targets[0].system], unit.item.key): unit for unit in units}


def own_population(pool: ItemPool, units: Sequence[PoolUnit]) -> tuple[PlannedUnit, ...]:
    """Units in plan terms: those matched by the automatic check are identical, all others different."""
    population = []
    for (system, key), unit in own_units(pool, units).items():
        matched = unit.targets[0].outcome == ItemOutcome.MATCH.value
        outcome = Outcome.IDENTICAL if matched else Outcome.DIFFERENT
        population.append(PlannedUnit(system, key, outcome, unit.item.category, unit.item.document))
    return tuple(population)


def own_plan(
    pool: ItemPool, units: Sequence[PoolUnit], *, budget: int, seed: int
) -> tuple[SamplingPlan, tuple[PlannedUnit, ...]]:
    """A plan that the campaign draws from its own units, with these units."""
    population = own_population(pool, units)
    return make_plan(population, result="", budget=budget, seed=seed, least=LEAST), population


def with_new_systems(
    plan: SamplingPlan, population: Sequence[PlannedUnit], new: Sequence[PlannedUnit]
) -> tuple[SamplingPlan, tuple[PlannedUnit, ...]]:
    """Extend the campaign's own plan to new systems, drawing the same share as from the others."""
    share = plan.budget / plan.size
    fresh = make_plan(new, result="", budget=round(share * len(new)), seed=plan.seed, least=plan.least)
    joined = replace(plan, strata={**plan.strata, **fresh.strata}, items={**plan.items, **fresh.items})
    return joined, (*population, *new)


def drawn_units(pool: ItemPool, units: Sequence[PoolUnit], plan: SamplingPlan) -> tuple[PoolUnit, ...]:
    """The units drawn by the campaign's own plan, in suite order."""
    drawn = {(unit.system, unit.id) for part in plan.items.values() for unit in part}
    return tuple(unit for key, unit in own_units(pool, units).items() if key in drawn)


def is_own(plan: SamplingPlan) -> bool:
    """Whether the campaign drew the plan itself."""
    return plan.result == ""


def check_population(plan: SamplingPlan, population: Sequence[PlannedUnit], *, path: str) -> None:
    """Reject items that the plan was not drawn from."""
    again = extend_plan(population, plan, {name: stratum.planned for name, stratum in plan.strata.items()})
    if {name: set(units) for name, units in again.items.items()} != {
        name: set(units) for name, units in plan.items.items()
    }:
        fix = "pass the file of `anaphor score --items` that the plan was made from"
        raise MismatchError("the plan was not drawn from these items", where=path, fix=fix)


def population_json(units: Sequence[PlannedUnit]) -> str:
    """The population in the form stored in the database."""
    rows = [
        [unit.system, unit.id, unit.outcome.label, unit.category, unit.document, unit.verdict]
        for unit in units
    ]
    return json.dumps(rows, ensure_ascii=False, separators=(",", ":"))


def read_population(content: str) -> tuple[PlannedUnit, ...]:
    """A population that `population_json` wrote."""
    return tuple(
        PlannedUnit(system, key, Outcome[outcome.upper()], category, document, verdict)
        for system, key, outcome, category, document, verdict in json.loads(content)
    )


def stored_population(connection: Connection) -> tuple[PlannedUnit, ...] | None:
    """The population of a campaign's sample; None if unknown."""
    content: str | None = connection.execute(select(schema.campaign.c.population)).scalar_one()
    return None if content is None else read_population(content)
