"""Plans: who is drawn, what a larger plan keeps, and the file between plan and estimate."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from anaphor.core import InputError, MismatchError, OptionError, Outcome
from anaphor.meta.plan import Plan, extend_plan, make_plan, random_number
from anaphor.meta.plan_file import plan_json, read_plan, require_plan_of, result_digest
from anaphor.meta.population import Unit

CASES = [Outcome.IDENTICAL] * 6 + [Outcome.DIFFERENT] * 3 + [Outcome.EQUIVALENT]


def population(*systems: str, pronouns: int = 100) -> list[Unit]:
    return [
        Unit(system, f"{i}:0", CASES[(i + shift) % 10], "they" if i % 4 == 0 else "it", "-")
        for shift, system in enumerate(systems)
        for i in range(pronouns)
    ]


UNITS = population("a", "b")


def plan(budget: int = 40, *, seed: int = 1) -> Plan:
    return make_plan(UNITS, result="r", budget=budget, seed=seed, least=30)


def drawn(found: Plan) -> set[tuple[str, str]]:
    return {(unit.system, unit.id) for units in found.items.values() for unit in units}


def test_a_plan_spends_its_budget_in_every_stratum() -> None:
    found = plan()
    assert (found.budget, found.size, found.systems) == (40, 200, ("a", "b"))
    assert all(stratum.planned >= 2 for stratum in found.strata.values())
    assert len(drawn(found)) == 40


def test_what_is_less_certain_is_judged_more() -> None:
    shares = {name: stratum.planned / stratum.size for name, stratum in plan().strata.items()}
    assert shares["a/different"] > shares["a/identical/it"]


def test_a_stratum_takes_the_smallest_random_numbers() -> None:
    found = plan()
    members = [u for u in UNITS if u.system == "a" and u.outcome is Outcome.DIFFERENT]
    numbers = sorted(random_number(unit.id, seed=1) for unit in members)
    taken = found.items["a/different"]
    assert sorted(random_number(unit.id, seed=1) for unit in taken) == numbers[: len(taken)]


def test_random_numbers_are_the_same_everywhere_and_even() -> None:
    assert random_number("3:1", seed=1) == pytest.approx(0.80574, abs=1e-5)  # SHA-256 of "1\n3:1"
    tenths = Counter(int(10 * random_number(f"{i}:0", seed=2)) for i in range(10_000))
    assert all(900 < tenths[i] < 1100 for i in range(10))


def test_systems_are_judged_on_the_same_pronouns() -> None:
    same = make_plan(
        [Unit(s, f"{i}:0", Outcome.DIFFERENT, "it", "-") for s in "ab" for i in range(100)],
        result="r",
        budget=40,
        seed=1,
        least=30,
    )
    first, second = ({unit.id for unit in units} for units in same.items.values())
    assert first == second


def test_another_seed_draws_others() -> None:
    assert drawn(plan(seed=1)) != drawn(plan(seed=2))


def test_a_larger_plan_keeps_what_was_drawn() -> None:
    first = plan()
    larger = extend_plan(UNITS, first, {name: s.planned + 3 for name, s in first.strata.items()})
    assert drawn(first) < drawn(larger)
    assert (larger.seed, larger.result, larger.budget) == (1, "r", 40 + 3 * len(first.strata))


def test_a_plan_of_other_items_is_not_extended() -> None:
    with pytest.raises(MismatchError, match="not those of the previous plan"):
        extend_plan(population("a", "b", pronouns=90), plan(), {})


@pytest.mark.parametrize(("budget", "what"), [(7, "do not reach"), (201, "only 200 items")])
def test_a_budget_that_cannot_be_spent_is_refused(budget: int, what: str) -> None:
    with pytest.raises(OptionError, match=what):
        plan(budget)


def test_a_plan_comes_back_from_its_file(tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    path.write_text(plan_json(plan()), encoding="utf-8")
    found = read_plan(path)
    assert plan_json(found) == plan_json(plan())
    assert (found.strata, drawn(found)) == (plan().strata, drawn(plan()))


def test_items_of_one_pronoun_stand_together() -> None:
    ids = [item["id"] for item in json.loads(plan_json(plan()))["items"]]
    changes = sum(one != other for one, other in pairwise(ids))
    assert changes == len(set(ids)) - 1


def test_inclusion_probabilities_are_in_the_file() -> None:
    for stratum in json.loads(plan_json(plan()))["strata"]:
        assert stratum["probability"] == stratum["planned"] / stratum["size"]


def test_a_plan_belongs_to_one_result() -> None:
    content = {"scores": [1, 2]}
    own = make_plan(UNITS, result=result_digest(content), budget=40, seed=1, least=30)
    require_plan_of(own, content, path="plan.json")
    with pytest.raises(MismatchError, match="the plan is of the result"):
        require_plan_of(own, {"scores": [1, 3]}, path="plan.json")


def without(key: str) -> Callable[[Any], object]:
    return lambda content: content.pop(key)


def change(*path: Any, to: object) -> Callable[[Any], object]:
    def changed(content: Any) -> None:
        for step in path[:-1]:
            content = content[step]
        content[path[-1]] = to

    return changed


@pytest.mark.parametrize(
    ("damage", "what"),
    [
        (without("format"), "not a plan file"),
        (change("format_version", to=2), "not a plan file"),
        (without("strata"), "not a plan file"),
        (change("strata", to=[]), "strata are missing"),
        (change("seed", to=-1), "not a plan file"),
        (change("result", to=7), "not a plan file"),
        (change("strata", 0, "kinds", 0, "outcome", to="fine"), "not a plan file"),
        (change("strata", 0, "kinds", to=[]), "is empty"),
        (change("strata", 0, "planned", to=1), "are not those that were drawn"),
        (change("items", 0, "system", to="z"), "are not those that were drawn"),
        (change("items", 0, "category", to="z"), "are not those that were drawn"),
        (lambda content: content["items"].append(content["items"][0]), "an item is there twice"),
        (lambda content: content["strata"].append(content["strata"][0]), "there twice"),
    ],
)
def test_a_changed_plan_is_refused(tmp_path: Path, damage: Callable[[Any], object], what: str) -> None:
    content = json.loads(plan_json(plan()))
    damage(content)
    path = tmp_path / "plan.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(InputError, match=what) as raised:
        read_plan(path)
    assert raised.value.where.path == str(path)


def test_a_missing_plan_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read_plan(tmp_path / "nowhere.json")
