"""Result files for reports: read with types, refused when their numbers do not fit each other."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from anaphor.core import InputError, MismatchError, Result, Settings
from anaphor.corpus import Inputs
from anaphor.demo import files as demo_files
from anaphor.evaluation.experiment import Experiment
from anaphor.evaluation.pipeline import evaluate_experiment
from anaphor.metrics import METRICS
from anaphor.report.ranking import difference, require_comparable, sort_out
from anaphor.report.result_file import parse_result, sealed
from anaphor.report.stored import StoredResult, read_stored, stored_of
from tests.support.networks import WITHOUT_NETWORKS
from tests.support.results import result_json

DEMO = demo_files(alignments=True)
Change = Callable[[dict[str, Any]], object]


def changed(demo_json: str, change: Change, path: str = "other.json") -> StoredResult:
    content = json.loads(demo_json)
    change(content)
    return stored_of(parse_result(json.dumps(sealed(content)).encode(), path=path), path=path)


def renamed(demo_json: str, suffix: str, path: str, more: Change = lambda _: None) -> StoredResult:
    """The same result under other names of systems and without cards."""

    def change(content: dict[str, Any]) -> None:
        del content["cards"]
        for system in content["systems"]:
            system["system"] += suffix
        for comparison in content["comparisons"]:
            comparison.update(system=comparison["system"] + suffix, baseline=comparison["baseline"] + suffix)
        more(content)

    return changed(demo_json, change, path)


def test_scores_cases_and_confusion_are_read(demo_stored: StoredResult) -> None:
    assert [system.name for system in demo_stored.systems] == ["baldur", "cormoran", "dahlia"]
    apt = demo_stored.systems[0].score("apt")
    assert apt is not None
    assert apt.cases is not None
    assert sum(apt.cases) == demo_stored.pronouns == 142
    assert apt.interval is not None
    assert apt.interval[0] < apt.value < apt.interval[1]
    assert demo_stored.systems[0].score("bleu") is None
    assert len(demo_stored.comparisons) == 4


def test_an_undefined_score_is_nan(demo_json: str) -> None:
    def change(content: dict[str, Any]) -> None:
        content["systems"][0]["metrics"][1]["score"] = None
        content["comparisons"] = []

    score = changed(demo_json, change).systems[0].score("autoprf")
    assert score is not None
    assert math.isnan(score.value)


def _metric(number: int, key: str, value: object) -> Change:
    return lambda content: content["systems"][0]["metrics"][number].update({key: value})


def _detail(key: str, value: float | None) -> Change:
    def change(content: dict[str, Any]) -> None:
        details = content["systems"][0]["metrics"][0]["details"]
        if value is None:
            del details[key]
        else:
            details[key] = value

    return change


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (_metric(0, "score", 0.99), "the apt of baldur is 0.99, but its cases give"),
        (_metric(0, "score", None), "the apt of baldur is nan"),
        (_metric(0, "score", "high"), r"systems\[0\]\.metrics\[0\]\.score: expected a number, got 'high'"),
        (_metric(1, "score", 1.01), "a score of autoprf is 1.01"),
        (_metric(1, "score", -0.01), "a score of autoprf is -0.01"),
        (_metric(0, "details", {}), "the cases of baldur are not six counts"),
        (_metric(0, "details", []), r"metrics\[0\]\.details: expected a table"),
        (_detail("case_6", None), "the cases of baldur are not six counts"),
        (_detail("case_1", 4.0), "but its cases give"),
        (_detail("case_1", 0.5), "the cases of baldur are not six counts"),
        (_detail("case_1", -1), "the cases of baldur are not six counts"),
        (_metric(1, "name", "apt"), "two scores of apt"),
        (lambda c: c["systems"][1]["metrics"].pop(), "the metrics of cormoran are not those of baldur"),
        (lambda c: c["systems"][2].update(metrics=[]), "the metrics of dahlia are not those of baldur"),
        (lambda c: c.pop("systems"), "systems: missing"),
        (lambda c: c["systems"].append(3), r"systems\[3\]: expected a table"),
        (_metric(0, "interval", [1]), r"metrics\[0\]\.interval: expected two numbers"),
        (_metric(0, "by_pronoun", None), r"metrics\[0\]\.by_pronoun: expected a table"),
        (lambda c: c["systems"][0].update(confusion={"il": {"il": 3}}), "do not add up to its confusion"),
        (lambda c: c["systems"][1].update(system="baldur"), "missing or not unique"),
        (lambda c: c.update(systems=[]), "or not unique"),
        (lambda c: c.pop("comparisons"), "comparisons: missing"),
        (lambda c: c["systems"][0].update(system="other"), "cards of other do not add up"),
    ],
)
def test_numbers_that_do_not_fit_are_refused(demo_json: str, change: Change, what: str) -> None:
    with pytest.raises(InputError, match=what):
        changed(demo_json, change)


def _score(number: int) -> Change:
    def change(content: dict[str, Any]) -> None:
        content["systems"][2]["metrics"][number]["score"] *= 0.999

    return change


#: All but COMET, whose package is not installed with this one.
INSTALLED = tuple(name for name in METRICS if name not in ("comet", "judge"))


@pytest.fixture(scope="module")
def all_metrics(demo: tuple[Result, Inputs]) -> str:
    """A result with every metric that is installed."""
    settings = Settings(pair="en-fr", metrics=INSTALLED, paired=True, samples=100, options=WITHOUT_NETWORKS)
    return result_json(evaluate_experiment(Experiment.of(demo[1], settings)), DEMO, notes=["a note"])


@pytest.mark.parametrize("number", range(len(INSTALLED)), ids=INSTALLED)
def test_a_tampered_score_of_any_metric_is_refused(all_metrics: str, number: int) -> None:
    content = json.loads(all_metrics)
    _score(number)(content)
    with pytest.raises(InputError, match="the result was changed after it was written") as caught:
        parse_result(json.dumps(content).encode(), path="forged.json")
    assert str(caught.value.where) == "forged.json"
    with pytest.raises(InputError, match=r"but its cases give|but their comparison says"):
        changed(all_metrics, _score(number))


def _comparison(key: str, value: object) -> Change:
    return lambda content: content["comparisons"][5].update({key: value})


@pytest.mark.parametrize(
    "change",
    [
        _comparison("p_adjusted", 0.001),
        _comparison("interval", [0.1, 0.2]),
        lambda content: content["systems"][1]["metrics"][3].update(interval=[0.1, 0.2]),
        lambda content: content["systems"][1]["metrics"][1]["details"].update(matches=1),
        lambda content: content["notes"].append("all is well"),
        lambda content: content.update(segments=1),
        lambda content: content.pop("seal"),
    ],
    ids=["p-value", "difference", "interval", "details", "notes", "segments", "no seal"],
)
def test_no_other_part_can_be_changed_either(all_metrics: str, change: Change) -> None:
    content = json.loads(all_metrics)
    change(content)
    with pytest.raises(InputError, match="changed after it was written"):
        parse_result(json.dumps(content).encode(), path="forged.json")


def test_the_seal_does_not_depend_on_the_layout_of_the_file(all_metrics: str) -> None:
    content = dict(reversed(json.loads(all_metrics).items()))
    assert parse_result(json.dumps(content, indent=7).encode(), path="x").content == json.loads(all_metrics)


def test_a_file_that_is_not_there_is_an_input_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read_stored(tmp_path / "nothing.json")


def test_results_on_one_set_with_the_same_options_are_comparable(
    demo_json: str, demo_stored: StoredResult
) -> None:
    require_comparable([demo_stored, renamed(demo_json, "-2", "b.json")])


def _sign(key: str, value: str) -> Change:
    def change(content: dict[str, Any]) -> None:
        for system in content["systems"]:
            for metric in system["metrics"]:
                metric["signature_fields"][key] = value

    return change


@pytest.mark.parametrize(
    ("key", "value", "why"),
    [
        ("test", "abc", "apt has test abc, not"),
        ("version", "0.0.1", "apt has version 0.0.1, not"),
        ("weights", "1,1,0,0,0,0", "apt has weights 1,1,0,0,0,0, not 1,0.5,0,0,0,0"),
        ("new", "x", "apt has new x, not none"),
    ],
)
def test_a_result_of_another_set_version_or_option_is_refused(
    demo_json: str, demo_stored: StoredResult, key: str, value: str, why: str
) -> None:
    other = renamed(demo_json, "-2", "b.json", _sign(key, value))
    with pytest.raises(MismatchError, match=why) as caught:
        require_comparable([demo_stored, other])
    assert str(caught.value.where) == "b.json"


@pytest.mark.parametrize("key", ["cand", "links"])
def test_what_is_the_candidates_own_may_differ(demo_json: str, demo_stored: StoredResult, key: str) -> None:
    require_comparable([demo_stored, renamed(demo_json, "-2", "b.json", _sign(key, "other"))])


def test_one_system_in_two_results_is_refused(demo_stored: StoredResult) -> None:
    with pytest.raises(MismatchError, match="baldur occurs in two results"):
        require_comparable([demo_stored, demo_stored])


def test_other_metrics_are_refused(demo_json: str, demo_stored: StoredResult) -> None:
    def change(content: dict[str, Any]) -> None:
        for system in content["systems"]:
            del system["metrics"][1]
        content["comparisons"] = []

    with pytest.raises(MismatchError, match="it has apt, not apt, autoprf"):
        require_comparable([demo_stored, renamed(demo_json, "-2", "b.json", change)])


def test_every_result_is_compared_with_the_first(demo_json: str, demo_stored: StoredResult) -> None:
    fine, odd = (
        renamed(demo_json, "-2", "b.json"),
        renamed(demo_json, "-3", "c.json", _sign("test", "abc")),
    )
    with pytest.raises(MismatchError, match="apt has test abc") as caught:
        require_comparable([demo_stored, fine, odd])
    assert str(caught.value.where) == "c.json"


def test_as_many_other_metrics_are_a_difference() -> None:
    first, second = (("apt", ()), ("bleu", ())), (("apt", ()), ("chrf", ()))
    assert difference(first, second) == "it has apt, chrf, not apt, bleu"


def test_most_results_decide_which_are_refused(demo_json: str) -> None:
    odd = renamed(demo_json, "-odd", "a.json", _sign("test", "abc"))
    fine = [renamed(demo_json, f"-{n}", f"{n}.json") for n in range(2)]
    again = renamed(demo_json, "-0", "z.json")
    kept, refused = sort_out([odd, *fine, again])
    assert [stored.path for stored in kept] == ["0.json", "1.json"]
    assert [(one.path, one.reason.split(",")[0]) for one in refused] == [
        ("a.json", "apt has test abc"),
        ("z.json", "baldur-0 is already listed"),
    ]


def test_a_result_that_was_refused_takes_no_name(demo_json: str) -> None:
    odd = renamed(demo_json, "-0", "a.json", _sign("test", "abc"))
    fine = [renamed(demo_json, f"-{n}", f"{n}.json") for n in range(2)]
    kept, refused = sort_out([odd, *fine])
    assert [stored.path for stored in kept] == ["0.json", "1.json"]
    assert [one.path for one in refused] == ["a.json"]
