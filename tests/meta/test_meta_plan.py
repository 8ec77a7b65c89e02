"""Plans: who is drawn, what a larger plan keeps, and the file between plan and estimate."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from anaphor.core import InputError, InputWarning, MismatchError, OptionError, Outcome, UserError
from anaphor.meta.plan import (
    PlannedUnit,
    SamplingPlan,
    extend_plan,
    guessed,
    make_plan,
    plan_json,
    random_number,
    read_categories,
    read_plan,
    read_population,
    require_plan_of,
    require_result,
    result_digest,
    stratify,
)
from anaphor.meta.scores import CaseCounts

CASES = [Outcome.IDENTICAL] * 6 + [Outcome.DIFFERENT] * 3 + [Outcome.EQUIVALENT]


def population(*systems: str, pronouns: int = 100) -> list[PlannedUnit]:
    return [
        PlannedUnit(system, f"{i}:0", CASES[(i + shift) % 10], "they" if i % 4 == 0 else "it", "-")
        for shift, system in enumerate(systems)
        for i in range(pronouns)
    ]


UNITS = population("a", "b")


def plan(budget: int = 40, *, seed: int = 1) -> SamplingPlan:
    return make_plan(UNITS, result="r", budget=budget, seed=seed, least=30)


def drawn(found: SamplingPlan) -> set[tuple[str, str]]:
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
        [PlannedUnit(s, f"{i}:0", Outcome.DIFFERENT, "it", "-") for s in "ab" for i in range(100)],
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
    with pytest.raises(MismatchError, match="differ from those of the previous plan"):
        extend_plan(population("a", "b", pronouns=90), plan(), {})


@pytest.mark.parametrize(("budget", "what"), [(7, "not enough"), (201, "only 200 items")])
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
    strata = list(json.loads(plan_json(plan()))["strata"])
    assert strata
    for stratum in strata:
        assert stratum["probability"] == stratum["planned"] / stratum["size"]


def test_a_plan_belongs_to_one_result() -> None:
    content = {"scores": [1, 2]}
    own = make_plan(UNITS, result=result_digest(content), budget=40, seed=1, least=30)
    require_plan_of(own, content, path="plan.json")
    with pytest.raises(MismatchError, match="the plan belongs to the result"):
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
        (without("strata"), "strata: missing"),
        (change("strata", to=[]), "strata: there are none"),
        (change("seed", to=-1), "seed: expected an integer of at least 0, got -1"),
        (change("result", to=7), "result: expected a string, got 7"),
        (change("strata", 0, "kinds", 0, "outcome", to="fine"), "outcome: unknown value: fine"),
        (change("strata", 0, "kinds", to=[]), "is empty"),
        (change("strata", 0, "planned", to=1), "are not those that were drawn"),
        (change("items", 0, "system", to="z"), "are not those that were drawn"),
        (change("items", 0, "category", to="z"), "are not those that were drawn"),
        (lambda content: content["items"].append(content["items"][0]), "an item occurs twice"),
        (lambda content: content["strata"].append(content["strata"][0]), "occurs twice"),
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


ITEMS = """\
system\tdocument\tsegment\ttoken\tpronoun\toutcome
a\tone\t0\t0\tit\tidentical
a\tone\t1\t2\tthey\tdifferent
b\tone\t0\t0\tit\tequivalent
b\tone\t1\t2\tthey\tidentical
"""


def write(folder: Path, content: str, name: str = "items.tsv") -> Path:
    path = folder / name
    path.write_text(content, encoding="utf-8")
    return path


def units(system: str, **counts: int) -> list[PlannedUnit]:
    """So many units of each case; every third is `they`, the others `it`."""
    found: list[PlannedUnit] = []
    for outcome, count in counts.items():
        for i in range(count):
            category = "they" if i % 3 == 0 else "it"
            found.append(PlannedUnit(system, f"{len(found)}:0", Outcome[outcome], category, "-"))
    return found


def test_without_categories_the_form_of_a_pronoun_is_its_category(tmp_path: Path) -> None:
    found = read_population(write(tmp_path, ITEMS))
    assert found[1] == PlannedUnit("a", "1:2", Outcome.DIFFERENT, "they", "one")
    assert [unit.category for unit in found] == ["it", "they", "it", "they"]


def test_a_table_gives_categories(tmp_path: Path) -> None:
    table = write(tmp_path, "segment\ttoken\tcategory\n0\t0\tpleonastic\n1\t2\tanaphoric\n", "c.tsv")
    found = read_population(write(tmp_path, ITEMS), categories=table)
    assert [unit.category for unit in found] == ["pleonastic", "anaphoric"] * 2


def test_categories_of_no_item_are_noted(tmp_path: Path) -> None:
    table = write(tmp_path, "id\tcategory\n0:0\tx\n1:2\ty\n9:9\tz\n", "c.tsv")
    with pytest.warns(InputWarning, match="1 categories match no item"):
        read_population(write(tmp_path, ITEMS), categories=table)


@pytest.mark.parametrize(
    ("table", "what"),
    [
        ("id\tcategory\n0:0\tx\n", "1:2 has no category"),
        ("id\tcategory\n0:0\tx\n0:0\ty\n", "0:0 is x and y"),
        ("id\tcategory\n0:0\t\n1:2\tx\n", "category: missing"),
    ],
)
def test_a_table_that_does_not_name_one_category_each_is_refused(
    tmp_path: Path, table: str, what: str
) -> None:
    with pytest.raises(UserError, match=what):
        read_population(write(tmp_path, ITEMS), categories=write(tmp_path, table, "c.tsv"))


def test_the_same_category_may_be_named_twice(tmp_path: Path) -> None:
    assert read_categories(write(tmp_path, "id\tcategory\n0:0\tx\n0:0\tx\n")) == {"0:0": "x"}


def test_an_item_with_two_rows_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="0:0 of a has two rows"):
        read_population(write(tmp_path, ITEMS + ITEMS.splitlines()[1] + "\n"))


@pytest.mark.parametrize(
    "systems",
    [
        {"a": (1, 0, 1, 0, 0, 0)},
        {"a": (1, 0, 1, 0, 0, 0), "b": (2, 0, 0, 0, 0, 0)},
        {"a": (1, 0, 1, 0, 0, 0), "b": (1, 1, 0, 0, 0, 0), "c": (1, 1, 0, 0, 0, 0)},
    ],
    ids=["system too many", "other cases", "system missing"],
)
def test_items_of_another_result_are_refused(tmp_path: Path, systems: dict[str, tuple[int, ...]]) -> None:
    found = read_population(write(tmp_path, ITEMS))
    with pytest.raises(MismatchError, match="are not those of the result"):
        require_result(found, CaseCounts("paper", "the result", systems), path="items.tsv")


def test_items_of_the_result_are_taken(tmp_path: Path) -> None:
    counts = {"a": (1, 0, 1, 0, 0, 0), "b": (1, 1, 0, 0, 0, 0)}
    require_result(read_population(write(tmp_path, ITEMS)), CaseCounts("paper", "r", counts), path="i")


def test_strata_are_system_then_case_then_category() -> None:
    found = stratify([*units("a", IDENTICAL=90, DIFFERENT=20), *units("b", IDENTICAL=30)], least=30)
    assert {stratum.name: len(stratum.units) for stratum in found} == {
        "a/identical/it": 60,
        "a/identical/they": 30,
        "a/rare": 20,
        "b/identical": 30,
    }


def test_rare_cases_are_joined_but_never_with_identical_ones() -> None:
    found = stratify(units("a", IDENTICAL=3, EQUIVALENT=4, DIFFERENT=40, BOTH_MISSING=2), least=30)
    assert {stratum.name: len(stratum.units) for stratum in found} == {
        "a/identical": 3,
        "a/different": 40,
        "a/rare": 6,
    }


def test_small_categories_of_a_case_are_joined() -> None:
    found = stratify(units("a", IDENTICAL=60), least=30)
    assert [stratum.name for stratum in found] == ["a/identical/it", "a/identical/*"]


def test_a_case_of_one_category_is_not_parted() -> None:
    same = [PlannedUnit("a", f"{i}:0", Outcome.IDENTICAL, "it", "-") for i in range(40)]
    assert [stratum.name for stratum in stratify(same, least=30)] == ["a/identical"]


def test_strata_that_cannot_be_told_apart_are_refused() -> None:
    star = [PlannedUnit("a", f"{i}:1", Outcome.IDENTICAL, "*", "-") for i in range(30)]
    with pytest.raises(InputError, match=r"two strata would be called a/identical/\*"):
        stratify([*units("a", IDENTICAL=60), *star], least=30)


def test_strata_need_a_size() -> None:
    with pytest.raises(OptionError, match="minimum size of strata: 0"):
        stratify(units("a", IDENTICAL=3), least=0)


# Plans that follow a guess


def guessed_units() -> tuple[PlannedUnit, ...]:
    """The units with a score from 0 to 1, every tenth of them open."""
    return guessed(
        [replace(u, score=None if i % 10 == 7 else (i * 37 % 100) / 100) for i, u in enumerate(UNITS)]
    )


def guess_plan(budget: int = 60) -> SamplingPlan:
    return make_plan(guessed_units(), result="r", budget=budget, seed=1, least=15, guess="accept")


def test_verdicts_are_shares_of_the_scores_with_more_of_them_at_the_lower_end() -> None:
    units = guessed_units()
    sizes = Counter(unit.verdict for unit in units)
    assert sizes["open"] == 20
    assert [sizes[name] for name in ("lowest", "low", "middle", "high")] == pytest.approx(
        [18, 27, 45, 90], abs=2
    )
    by_verdict: dict[str, list[float]] = {}
    for unit in units:
        if unit.score is not None:
            by_verdict.setdefault(unit.verdict, []).append(unit.score)
    assert max(by_verdict["lowest"]) < min(by_verdict["low"]) < min(by_verdict["middle"])


def test_a_plan_by_verdicts_judges_what_is_unsure_and_never_mixes_the_surest() -> None:
    found = guess_plan()
    assert found.budget == 60
    assert found.guess is not None
    assert list(found.guess.expected) == ["lowest", "low", "open", "middle", "high"]
    # What is open expects the mean of all scores, which may lie above that of the middle.
    shares = [found.guess.expected[name] for name in ("lowest", "low", "middle", "high")]
    assert shares == sorted(shares)
    assert shares[0] >= 0.05
    for name, stratum in found.strata.items():
        assert ({kind.verdict for kind in stratum.kinds} == {"high"}) is ("/high" in name)
    # The lowest tenth of a system has 9 items, too few to stand alone.
    assert any(name.startswith("a/lowest+low") for name in found.strata)


def test_a_plan_with_a_guess_is_read_back_and_extended(tmp_path: Path) -> None:
    found = guess_plan()
    path = tmp_path / "plan.json"
    path.write_text(plan_json(found), encoding="utf-8")
    content = json.loads(path.read_text(encoding="utf-8"))
    assert content["guess"]["metric"] == "accept"
    read = read_plan(path)
    assert plan_json(read) == plan_json(found)
    larger = extend_plan(guessed_units(), read, {name: s.planned + 1 for name, s in read.strata.items()})
    assert larger.guess == found.guess
    assert drawn(found) < drawn(larger)


@pytest.mark.parametrize(
    "change",
    [
        lambda content: content.pop("guess"),
        lambda content: content.update(format_version=2),
        lambda content: content["items"][0].update(verdict="certain"),
        lambda content: content["items"][0].pop("verdict"),
        lambda content: content["guess"]["expected"].update(high=2),
    ],
)
def test_a_changed_guess_is_refused(tmp_path: Path, change: Callable[[dict[str, Any]], Any]) -> None:
    content = guess_plan().to_dict()
    change(content)
    path = tmp_path / "plan.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(InputError):
        read_plan(path)


def test_a_plan_without_a_guess_has_no_trace_of_one() -> None:
    text = plan_json(plan())
    assert '"format_version": 1' in text
    assert "verdict" not in text
    assert "guess" not in text


def test_the_metric_of_a_guess_must_be_in_the_items(tmp_path: Path) -> None:
    path = tmp_path / "items.tsv"
    rows = ["system segment token pronoun outcome accept accept_reason", "a 0 0 it identical 0.9 fits"]
    path.write_text("\n".join(rows).replace(" ", "\t") + "\n", encoding="utf-8")
    assert read_population(path, guess="accept")[0].score == 0.9
    with pytest.raises(UserError, match="accpt"):
        read_population(path, guess="accpt")
