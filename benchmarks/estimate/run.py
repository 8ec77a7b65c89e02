"""Do the intervals of the semi-automatic estimate cover the truth, and is the promised width reached?

Usage: python benchmarks/estimate/run.py [--repeats 1000] [--stops 200] [--workers 2] [--write]
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import defaultdict
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from anaphor.core import Outcome
from anaphor.meta.estimate import Figure, estimate, further_judgements, planned_for_target
from anaphor.meta.judgements import JudgedPronoun, Judgement
from anaphor.meta.plan import PlannedUnit, SamplingPlan, extend_plan, make_plan
from anaphor.meta.sample import JudgedSample, take_sample

LEVEL = 0.95
TARGET = 0.05
ROUNDS = 5

Hits = dict[str, list[tuple[bool, float]]]


@dataclass(frozen=True, slots=True)
class World:
    """How systems and metric behave.

    `quality` is the mean log-odds that a pronoun is right; systems spread around it, categories too, and
    pronouns are easy or hard for all systems alike. The metric calls the share `found` of what is right
    identical, and the share `fooled` of what is wrong.
    """

    systems: int
    pronouns: int
    categories: tuple[float, ...]
    found: float
    fooled: float
    quality: float


WORLDS = {
    "precise metric": World(3, 500, (0.5, 0.3, 0.2), found=0.75, fooled=0.03, quality=0.6),
    "imprecise metric": World(3, 500, (0.5, 0.3, 0.2), found=0.6, fooled=0.3, quality=0.3),
    "ten systems, ten categories": World(10, 250, (0.1,) * 10, found=0.7, fooled=0.12, quality=0.8),
    "nearly all right, small categories": World(
        4, 400, (0.7, 0.2, 0.07, 0.03), found=0.85, fooled=0.1, quality=2.5
    ),
    "nearly all wrong": World(2, 300, (0.6, 0.4), found=0.7, fooled=0.03, quality=-2.0),
    "one small system": World(1, 200, (0.6, 0.4), found=0.7, fooled=0.1, quality=0.8),
}


@dataclass(frozen=True, slots=True)
class Case:
    """One draw of a world: all items, and which of them are right."""

    units: tuple[PlannedUnit, ...]
    right: dict[tuple[str, str], bool]

    def accuracy(self, *, system: str | None = None, category: str | None = None) -> float:
        """The true share of right items in a part."""
        wanted = [
            self.right[unit.system, unit.id]
            for unit in self.units
            if system in (None, unit.system) and category in (None, unit.category)
        ]
        return sum(wanted) / len(wanted)

    def judge(self, plan: SamplingPlan) -> list[JudgedPronoun]:
        """What a person who never errs says of the items of a plan."""
        planned = [unit for part in plan.items.values() for unit in part]
        return [
            JudgedPronoun(unit.system, unit.id, _answer(self.right[unit.system, unit.id]), None, None, "")
            for unit in planned
        ]


def draw(world: World, *, seed: int) -> Case:
    rng = np.random.default_rng(seed)
    categories = rng.choice(len(world.categories), world.pronouns, p=world.categories)
    ease = np.linspace(0.5, -0.5, len(world.categories))[categories] - 0.8 * rng.normal(size=world.pronouns)
    quality = world.quality + np.linspace(0.35, -0.35, world.systems) * (world.systems > 1)
    shape = world.systems, world.pronouns
    right = quality[:, None] + ease[None, :] + rng.logistic(size=shape) > 0
    cases = _cases(world, right, rng.random(shape))
    units = tuple(
        PlannedUnit(f"system {s}", f"{i}:0", Outcome(int(cases[s, i])), f"category {categories[i]}", "-")
        for s in range(world.systems)
        for i in range(world.pronouns)
    )
    return Case(units, {(unit.system, unit.id): bool(r) for unit, r in zip(units, right.flat, strict=True)})


def _cases(world: World, right: np.ndarray, chance: np.ndarray) -> np.ndarray:
    """Cases 1 to 6: what is right is seldom missing, what is wrong seldom identical."""
    of_right = np.select(
        [chance < world.found, chance < world.found + 0.05, chance < 0.93, chance < 0.97], [1, 2, 3, 4], 5
    )
    of_wrong = np.select(
        [chance < world.fooled, chance < world.fooled + 0.06, chance < 0.85, chance < 0.95], [1, 2, 3, 4], 6
    )
    return np.where(right, of_right, of_wrong)


def _answer(right: bool) -> Judgement:
    return Judgement.CORRECT if right else Judgement.INCORRECT


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=1000, help="draws of every world")
    parser.add_argument("--stops", type=int, default=200, help="of them followed to the wanted width")
    parser.add_argument("--share", type=float, default=0.2, help="of the items that are judged")
    parser.add_argument("--workers", type=int, default=1, help="worlds at a time")
    parser.add_argument("--write", action="store_true", help="keep the result under results/")
    options = parser.parse_args()
    work = partial(_report, repeats=options.repeats, stops=options.stops, share=options.share)
    with ProcessPoolExecutor(options.workers) as pool:
        reports = list(pool.map(work, WORLDS))
    for report in reports:
        print(json.dumps(report))
    if options.write:
        content = {
            "benchmark": "estimate",
            "repeats": options.repeats,
            "stops": options.stops,
            "share": options.share,
            "target": TARGET,
            "python": sys.version.split()[0],
            "worlds": reports,
        }
        target = Path(__file__).parent / "results" / "estimate.json"
        target.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


def _report(name: str, *, repeats: int, stops: int, share: float) -> dict[str, object]:
    start = time.perf_counter()
    found = _world(WORLDS[name], repeats=repeats, stops=stops, share=share)
    return {"world": name, **found, "seconds": round(time.perf_counter() - start, 1)}


def _world(world: World, *, repeats: int, stops: int, share: float) -> dict[str, object]:
    """Coverage, mean half-width and effort at a fixed share, then the same with the stopping rule."""
    hits: Hits = defaultdict(list)
    random = []
    for seed in range(repeats):
        case = draw(world, seed=seed)
        sample = _judge(case, _plan(case, share=share, seed=seed))
        random += _look(case, sample, hits)
    runs = [_stop(draw(world, seed=seed), seed=seed) for seed in range(stops)]
    judged = int(share * world.systems * world.pronouns) / world.systems
    return {
        "items": world.systems * world.pronouns,
        "saved": 1 - share,
        "judged_per_system": judged,
        "as_random": float(np.mean(random)),
        "coverage": {kind: float(np.mean([hit for hit, _ in found])) for kind, found in hits.items()},
        "half_width": {kind: float(np.mean([width for _, width in found])) for kind, found in hits.items()},
        "stopping": {
            key: float(np.mean([one[key] for one in runs]))
            for key in ("judged", "rounds", "reached", "reached_first", "coverage")
        },
    }


def _plan(case: Case, *, share: float, seed: int) -> SamplingPlan:
    budget = int(share * len(case.units))
    return make_plan(case.units, result="simulated", budget=budget, seed=seed, least=30)


def _judge(case: Case, plan: SamplingPlan) -> JudgedSample:
    return take_sample(plan, case.judge(plan), path="simulated")


def _look(case: Case, sample: JudgedSample, hits: Hits) -> list[float]:
    """Notes which intervals cover; gives how many random judgements each system's would be worth."""
    found = estimate(sample, level=LEVEL)
    for one in found.systems:
        _note(hits, "system", case.accuracy(system=one.name), one.stratified, one.powered)
    for one in found.categories:
        _note(hits, "category", case.accuracy(category=one.name), one.stratified, one.powered)
    for pair in found.differences:
        truth = case.accuracy(system=pair.system) - case.accuracy(system=pair.baseline)
        _note(hits, "difference", truth, pair.stratified, pair.powered)
    return [one.as_random for one in found.systems if one.as_random is not None]


def _note(hits: Hits, kind: str, truth: float, plain: Figure | None, helped: Figure | None) -> None:
    for name, figure in ((kind, plain), (f"{kind}, powered", helped)):
        if figure is not None:
            low, high = figure.interval.low, figure.interval.high
            # Sums in another order differ in their last bits where everything was judged.
            hits[name].append((low - 1e-9 <= truth <= high + 1e-9, (high - low) / 2))


def _stop(case: Case, *, seed: int) -> dict[str, float]:
    """Starts with a tenth, then judges what the rule asks for until it says enough."""
    sample = _judge(case, _plan(case, share=0.1, seed=seed))
    widths = []
    for _ in range(ROUNDS):
        if not sum(one.total for one in further_judgements(sample, target=TARGET, level=LEVEL)):
            break
        planned = planned_for_target(sample, target=TARGET, level=LEVEL)
        sample = _judge(case, extend_plan(case.units, sample.plan, planned))
        widths.append(max(one.half_width for one in further_judgements(sample, target=TARGET, level=LEVEL)))
    found = estimate(sample, level=LEVEL).systems
    covered = [_covers(case.accuracy(system=one.name), one.stratified) for one in found]
    return {
        "judged": sample.judged / sample.plan.size,
        "rounds": len(widths),
        "reached": not widths or widths[-1] <= TARGET,
        "reached_first": not widths or widths[0] <= 1.1 * TARGET,
        "coverage": float(np.mean(covered)),
    }


def _covers(truth: float, figure: Figure | None) -> bool:
    return figure is not None and figure.interval.low - 1e-9 <= truth <= figure.interval.high + 1e-9


if __name__ == "__main__":
    main()
