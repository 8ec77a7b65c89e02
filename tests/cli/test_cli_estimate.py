"""`anaphor estimate` on the small experiment: seven pronouns of two systems, fourteen items."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Command = Callable[..., tuple[int, str, str]]

PLAN = ("estimate", "plan", "result.json", "--items", "items.tsv", "--least", "3", "--output", "plan.json")
RUN = ("estimate", "run", "result.json", "--plan", "plan.json", "--judgements", "judged.tsv")


def judge(folder: Path, plan: str = "plan.json") -> None:
    """A person for whom every pronoun but the first and the last segment is right."""
    lines = ["system\tid\tjudgement"]
    for item in json.loads((folder / plan).read_text(encoding="utf-8"))["items"]:
        answer = "incorrect" if item["id"][0] in "05" else "correct"
        lines.append(f"{item['system']}\t{item['id']}\t{answer}")
    (folder / "judged.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")


@pytest.fixture
def place(score: Command, anaphor: Command, folder: Path) -> Path:
    """The folder with a result, its items, a plan and the judgements of it."""
    assert score("--output", "result.json", "--items", "items.tsv", "--metrics", "apt")[0] == 0
    code, out, err = anaphor(*PLAN, "--budget", "10")
    assert (code, err) == (0, "")
    assert "a/identical" in out
    judge(folder)
    return folder


@pytest.fixture
def found(place: Path, anaphor: Command) -> Any:
    code, out, err = anaphor(*RUN, "--json")
    assert (code, err) == (0, "")
    return json.loads(out)


def test_the_figures_of_systems_cases_and_differences_are_printed(found: Any) -> None:
    assert (found["population"], found["planned"], found["judged"]) == (14, 10, 10)
    assert [one["name"] for one in found["systems"]] == ["a", "b"]
    assert [one["name"] for one in found["categories"]] == ["it", "they"]
    assert [(one["system"], one["baseline"]) for one in found["differences"]] == [("b", "a")]
    for one in (*found["systems"], *found["differences"]):
        low, high = one["stratified"]["interval"]
        assert low <= one["stratified"]["value"] <= high


def test_the_text_says_how_many_more_to_judge(place: Path, anaphor: Command) -> None:
    code, out, _ = anaphor(*RUN, "--target", "0.1")
    assert code == 0
    assert out.startswith("10 of 14 items judged (71 %, 29 % saved)\n")
    assert "more for ±10 points in every system: a " in out
    assert "enough: every system is known to ±90 points" in anaphor(*RUN, "--target", "0.9")[1]


def test_a_second_plan_adds_to_the_first(place: Path, anaphor: Command) -> None:
    more = (*PLAN[:-1], "plan2.json", "--previous", "plan.json", "--judgements", "judged.tsv")
    assert anaphor(*more, "--budget", "12")[0] == 0
    first, second = (
        {(item["system"], item["id"]) for item in json.loads((place / name).read_text("utf-8"))["items"]}
        for name in ("plan.json", "plan2.json")
    )
    assert first < second
    assert len(second) == 12


def test_a_second_plan_keeps_the_guess_of_the_first_or_that_there_was_none(
    place: Path, anaphor: Command
) -> None:
    """Two metrics have guesses, and the second plan is asked for the other one."""
    header, *rows = (place / "items.tsv").read_text(encoding="utf-8").splitlines()
    lines = [f"{header}\taccept\taccept_reason\tother\tother_reason"]
    lines += [f"{row}\t0.{1 + at % 9}\tfits\t0.{9 - at % 9}\tfits" for at, row in enumerate(rows)]
    (place / "items.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    more = ("--previous", "first.json", "--judgements", "judged.tsv", "--budget", "12", "--guess", "other")
    for given, kept in ((("--guess", "accept"), "accept"), ((), None)):
        assert anaphor(*PLAN[:-1], "first.json", "--budget", "10", *given)[0] == 0
        judge(place, "first.json")
        code, _, err = anaphor(*PLAN[:-1], "second.json", *more)
        assert code == 0, err
        plans = [json.loads((place / f"{name}.json").read_text("utf-8")) for name in ("first", "second")]
        assert [plan.get("guess", {}).get("metric") for plan in plans] == [kept, kept]
        assert [len(plan["items"]) for plan in plans] == [10, 12]


def test_a_plan_for_a_width_judges_all_where_it_must(place: Path, anaphor: Command) -> None:
    more = (*PLAN[:-1], "plan2.json", "--previous", "plan.json", "--judgements", "judged.tsv")
    assert anaphor(*more, "--target", "0.001")[0] == 0
    judge(place, "plan2.json")
    code, out, _ = anaphor("estimate", "run", "result.json", "--plan", "plan2.json", *RUN[5:], "--json")
    assert code == 0
    content = json.loads(out)
    # Of a, segments 1 to 4 are right (4 of 7 pronouns), of b the same.
    assert [one["stratified"]["value"] for one in content["systems"]] == pytest.approx([4 / 7, 4 / 7])
    assert [one["judgements"] for one in content["more"]] == [0, 0]


def test_the_plan_can_be_printed(place: Path, anaphor: Command) -> None:
    code, out, _ = anaphor(*PLAN[:-2], "--budget", "10", "--json")
    assert code == 0
    assert out == (place / "plan.json").read_text(encoding="utf-8")


def test_categories_come_from_a_table(place: Path, anaphor: Command) -> None:
    rows = ["0:0 p", "1:4 a", "2:0 a", "3:0 e", "4:2 a", "5:0 a", "5:3 a"]
    table = "id\tcategory\n" + "".join(row.replace(" ", "\t") + "\n" for row in rows)
    (place / "functions.tsv").write_text(table, encoding="utf-8")
    code, out, err = anaphor(*PLAN[:-2], "--budget", "10", "--json", "--categories", "functions.tsv")
    assert code == 0, err
    assert {item["category"] for item in json.loads(out)["items"]} <= {"p", "a", "e"}


STRAY = "system\tid\tjudgement\na\t9:9\tcorrect\n"
TWICE = "system\tid\tjudgement\na\t0:0\tcorrect\na\t0:0\tincorrect\n"
UNKNOWN = "system\tid\tjudgement\na\t0:0\tgreat\n"
PREVIOUS = ("--previous", "plan.json")
#: Results that the plan and the items are not of, each made where a test names it.
OTHERS = {
    "other.json": ("--metrics", "apt", "--repair", "none"),
    "bleu.json": ("--metrics", "bleu"),
    "one.json": ("--candidate", "a.fr", "--alignment-candidate", "a.align"),
}


@pytest.mark.parametrize(
    ("arguments", "what", "where"),
    [
        ((*RUN[:-1], "stray.tsv"), "9:9 of a is judged, but not in the plan", "stray.tsv"),
        ((*RUN[:-1], "twice.tsv"), "0:0 of a is judged twice", "twice.tsv:3"),
        ((*RUN[:-1], "unknown.tsv"), "judgement: unknown value: great", "unknown.tsv:2"),
        ((*RUN[:-1], "nowhere.tsv"), "cannot be read", "nowhere.tsv"),
        ((*RUN[:4], "result.json", *RUN[5:]), "not a plan file", "result.json"),
        (("estimate", "run", "other.json", *RUN[3:]), "the plan belongs to the result", "plan.json"),
        ((*RUN, "--baseline", "z"), "unknown system: z", "--baseline"),
        ((*RUN, "--level", "95"), "confidence level must be between", "--level"),
        ((*RUN, "--target", "5"), "invalid half-width: 5", "--target"),
        ((*PLAN, "--budget", "3"), "not enough", "--budget"),
        ((*PLAN, "--budget", "99"), "only 14 items", "--budget"),
        ((*PLAN, "--budget", "10", "--seed", "-1"), "the random seed must not be negative", "--seed"),
        ((*PLAN[:-4], "--budget", "10", "--least", "0", "--json"), "minimum size of strata: 0", "--least"),
        ((*PLAN[:-2], "--budget", "10"), "there is no output for the plan", "--output"),
        ((*PLAN, "--budget", "10", *PREVIOUS), "needs the judgements of an earlier plan", "--previous"),
        ((*PLAN, "--target", "0.1"), "needs the judgements of an earlier plan", "--previous"),
        ((*PLAN[:2], "bleu.json", *PLAN[3:], "--budget", "10"), "has no cases of apt", "bleu.json"),
        ((*PLAN[:2], "one.json", *PLAN[3:], "--budget", "10"), "the cases of b are not those", "items.tsv"),
    ],
)
def test_mistakes_are_explained(
    place: Path, score: Command, anaphor: Command, arguments: tuple[str, ...], what: str, where: str
) -> None:
    for name, content in (("stray", STRAY), ("twice", TWICE), ("unknown", UNKNOWN)):
        (place / f"{name}.tsv").write_text(content, encoding="utf-8")
    for name, options in OTHERS.items():
        if name in arguments:
            assert score("--output", name, *options)[0] == 0
    before = (place / "plan.json").read_bytes()
    code, out, err = anaphor(*arguments)
    assert (code, out) == (1, "")
    first, second, third = err.strip().split("\n")[-3:]
    assert first.startswith("error: ")
    assert what in first
    assert where in second
    assert third.startswith("fix:   ")
    assert (place / "plan.json").read_bytes() == before


def test_a_plan_needs_a_budget_or_a_target(place: Path, anaphor: Command) -> None:
    with pytest.raises(SystemExit, match="2"):
        anaphor(*PLAN)
