"""A campaign that judges a sample: what it was drawn from, and how more of it is drawn.

A plan comes from `anaphor estimate plan`, or the campaign draws one from its own examples. The population is
kept beside the plan: a larger plan is drawn from it in the same random order, so that all judgements stay in
use.
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
    """The units of a campaign by system and pronoun, as plans name them."""
    names = {system.id: system.name for system in pool.systems.values()}
    return {(names[unit.targets[0].system], unit.item.key): unit for unit in units}


def own_population(pool: ItemPool, units: Sequence[PoolUnit]) -> tuple[PlannedUnit, ...]:
    """Units as a plan knows them: what the automatic check matched is identical, all else different."""
    population = []
    for (system, key), unit in own_units(pool, units).items():
        matched = unit.targets[0].outcome == ItemOutcome.MATCH.value
        outcome = Outcome.IDENTICAL if matched else Outcome.DIFFERENT
        population.append(PlannedUnit(system, key, outcome, unit.item.category, unit.item.document))
    return tuple(population)


def own_plan(
    pool: ItemPool, units: Sequence[PoolUnit], *, budget: int, seed: int
) -> tuple[SamplingPlan, tuple[PlannedUnit, ...]]:
    """A plan that the campaign draws from its own units, and these units."""
    population = own_population(pool, units)
    return make_plan(population, result="", budget=budget, seed=seed, least=LEAST), population


def with_new_systems(
    plan: SamplingPlan, population: Sequence[PlannedUnit], new: Sequence[PlannedUnit]
) -> tuple[SamplingPlan, tuple[PlannedUnit, ...]]:
    """An own plan with systems that join: as large a share of them is drawn as of the others."""
    share = plan.budget / plan.size
    fresh = make_plan(new, result="", budget=round(share * len(new)), seed=plan.seed, least=plan.least)
    joined = replace(plan, strata={**plan.strata, **fresh.strata}, items={**plan.items, **fresh.items})
    return joined, (*population, *new)


def drawn_units(pool: ItemPool, units: Sequence[PoolUnit], plan: SamplingPlan) -> tuple[PoolUnit, ...]:
    """Those units that an own plan has drawn, in the order of the suite."""
    drawn = {(unit.system, unit.id) for part in plan.items.values() for unit in part}
    return tuple(unit for key, unit in own_units(pool, units).items() if key in drawn)


def is_own(plan: SamplingPlan) -> bool:
    """Whether the campaign drew the plan itself."""
    return plan.result == ""


def check_population(plan: SamplingPlan, population: Sequence[PlannedUnit], *, path: str) -> None:
    """Refuse items that the plan was not drawn from."""
    again = extend_plan(population, plan, {name: stratum.planned for name, stratum in plan.strata.items()})
    if {name: set(units) for name, units in again.items.items()} != {
        name: set(units) for name, units in plan.items.items()
    }:
        fix = "give the file of `anaphor score --items` that the plan was made from"
        raise MismatchError("the plan was not drawn from these items", where=path, fix=fix)


def population_json(units: Sequence[PlannedUnit]) -> str:
    """The population as the database stores it."""
    rows = [
        [unit.system, unit.id, unit.outcome.name.lower(), unit.category, unit.document, unit.verdict]
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
    """What the sample of a campaign was drawn from; None where that is not known."""
    content: str | None = connection.execute(select(schema.campaign.c.population)).scalar_one()
    return None if content is None else read_population(content)
