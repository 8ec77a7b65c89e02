"""A result file is computed again; whatever differs is named."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from anaphor import __version__, demo
from anaphor.core import Settings
from anaphor.evaluation.experiment import Experiment
from anaphor.evaluation.pipeline import evaluate_experiment
from anaphor.report.result_file import sealed
from anaphor.scoring.verification import Verification, verify
from tests.support.results import result_json

Content = dict[str, Any]


@pytest.fixture(scope="module")
def made() -> str:
    """The result file of the demo, with intervals and comparisons."""
    settings = Settings(pair="en-fr", paired=True, samples=100)
    files = demo.files(alignments=True)
    return result_json(evaluate_experiment(Experiment.read(files, settings)), files)


@pytest.fixture
def changed(made: str, tmp_path: Path) -> Callable[[Callable[[Content], object]], Verification]:
    """Verifies the result file after a change to its content, sealed again as a forger would."""

    def after(change: Callable[[Content], object]) -> Verification:
        content = json.loads(made)
        change(content)
        path = tmp_path / "result.json"
        path.write_text(json.dumps(sealed(content)), encoding="utf-8")
        return verify(str(path))

    return after


Changed = Callable[[Callable[[Content], object]], Verification]


def apt_of_baldur(content: Content) -> Content:
    found: Content = content["systems"][0]["metrics"][0]
    return found


def test_an_untouched_result_is_equal(changed: Changed) -> None:
    assert changed(lambda content: None) == Verification(scores=6, differences=())


def test_scores_may_differ_in_their_last_bits(changed: Changed) -> None:
    """Sums of floats are not the same on every machine."""

    def nudge(content: Content) -> None:
        apt_of_baldur(content)["score"] += 1e-12

    assert changed(nudge).differences == ()


def test_a_tampered_score_is_named_with_both_values(changed: Changed) -> None:
    def tamper(content: Content) -> None:
        apt_of_baldur(content)["score"] = 0.99

    (difference,) = changed(tamper).differences
    assert difference.startswith("systems.baldur.metrics.apt.score: 0.99 then, 0.69")


def test_a_changed_input_is_named_by_its_role(changed: Changed) -> None:
    def other_content(content: Content) -> None:
        content["digests"]["candidate baldur"] = "000000000000"

    (difference,) = changed(other_content).differences
    assert difference.startswith('digests.candidate baldur: "000000000000" then, ')


@pytest.mark.parametrize(
    ("change", "difference"),
    [
        (lambda content: content["digests"].pop("documents"), "digests.documents: absent then, "),
        (
            lambda content: content["digests"].update(positions="1234"),
            'digests.positions: "1234" then, absent now',
        ),
    ],
)
def test_an_input_that_came_or_went_is_named(
    changed: Changed, change: Callable[[Content], object], difference: str
) -> None:
    assert changed(change).differences[0].startswith(difference)


def test_another_option_shows_in_the_scores_it_moves(changed: Changed) -> None:
    differences = changed(lambda content: content["settings"].update(repair=False)).differences
    assert differences[0].startswith("systems.baldur.metrics.apt.score: 0.69")
    assert differences[1].startswith("systems.cormoran.metrics.apt.score: 0.50")
    assert not any(".autoprf." in difference for difference in differences)  # it takes links as they are


def test_another_version_is_named_first_where_something_differs(changed: Changed) -> None:
    def older(content: Content) -> None:
        content["version"] = "0.0.1"
        apt_of_baldur(content)["score"] = 0.99

    assert changed(older).differences[0] == f"version: 0.0.1 then, {__version__} now"
    assert changed(lambda content: content.update(version="0.0.1")).differences == ()


def test_a_change_of_what_is_not_computed_again_breaks_the_seal(made: str, tmp_path: Path) -> None:
    content = json.loads(made)
    content["notes"].append("all is well")
    path = tmp_path / "result.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    (difference,) = verify(str(path)).differences
    assert difference.startswith("seal: ")


def test_what_was_changed_is_named_where_the_seal_is_broken_too(made: str, tmp_path: Path) -> None:
    content = json.loads(made)
    apt_of_baldur(content)["score"] = 0.99
    path = tmp_path / "result.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    (difference,) = verify(str(path)).differences
    assert difference.startswith("systems.baldur.metrics.apt.score: 0.99 then")


@pytest.mark.parametrize(
    "change",
    [
        lambda content: content["ceiling"].update(apt=0.5),
        lambda content: apt_of_baldur(content).update(interval=[0.68, 0.7]),
        lambda content: apt_of_baldur(content)["details"].update(case_1=100),
        lambda content: apt_of_baldur(content)["by_pronoun"].update(it=0.9),
        lambda content: apt_of_baldur(content)["by_document"].update(coffee=0.9),
        lambda content: content["comparisons"][0].update(p_adjusted=0.001),
        lambda content: content["comparisons"][0].update(difference=0.5),
        lambda content: content["systems"][0]["confusion"]["il"].update(il=99),
        lambda content: content["systems"].pop(2),
        lambda content: content.update(pronouns=1000),
    ],
    ids=[
        "ceiling",
        "interval",
        "details",
        "score by pronoun",
        "score by document",
        "p-value",
        "difference",
        "confusion",
        "a system left out",
        "number of pronouns",
    ],
)
def test_no_part_of_the_file_can_be_tampered_with(
    changed: Changed, change: Callable[[Content], object]
) -> None:
    assert changed(change).differences
