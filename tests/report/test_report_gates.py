"""Gates: a score that is too low or fell too far, in words and as JUnit XML."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import pytest

from anaphor.core import CheckError, InputWarning, MismatchError, OptionError, Outcome
from anaphor.report.gates import Gate, junit_xml, limit_gates, regression_gates, require_passed
from anaphor.report.result_file import StoredResult


def _with_outcomes(stored: StoredResult, system: str, worse: int) -> StoredResult:
    """The same result in which a system has some identical pronouns of its first lines different instead."""
    assert stored.cards is not None
    cards = list(stored.cards.judged[system])
    right = [i for i, card in enumerate(cards) if card.outcome is Outcome.IDENTICAL][:worse]
    for i in right:
        cards[i] = replace(cards[i], outcome=Outcome.DIFFERENT)
    judged = {**stored.cards.judged, system: tuple(cards)}
    return replace(stored, cards=replace(stored.cards, judged=judged))


def test_every_system_is_checked_against_every_limit(demo_stored: StoredResult) -> None:
    gates = limit_gates(demo_stored, {"apt": 0.5})
    assert [(gate.system, gate.passed) for gate in gates] == [
        ("baldur", True),
        ("cormoran", gates[1].passed),
        ("dahlia", False),
    ]
    assert gates[2].message.startswith("apt of dahlia is 0.")
    assert gates[2].message.endswith(", below 0.5")


def test_the_same_result_is_no_regression(demo_stored: StoredResult) -> None:
    gates = regression_gates(demo_stored, demo_stored, most=0)
    assert [(gate.system, gate.passed) for gate in gates] == [
        ("baldur", True),
        ("cormoran", True),
        ("dahlia", True),
    ]


def test_a_large_loss_in_all_documents_fails_and_only_for_its_system(demo_stored: StoredResult) -> None:
    worse = _with_outcomes(demo_stored, "baldur", 95)
    gates = {gate.system: gate for gate in regression_gates(worse, demo_stored, most=0.02)}
    # 95 of 142 pronouns lost: 0.6690.
    assert gates["baldur"].message.startswith("apt of baldur fell by 0.6690 (p = 0.")
    assert (gates["baldur"].passed, gates["cormoran"].passed) == (False, True)


def test_a_gain_passes(demo_stored: StoredResult) -> None:
    worse = _with_outcomes(demo_stored, "baldur", 95)
    gates = {gate.system: gate for gate in regression_gates(demo_stored, worse, most=0)}
    assert gates["baldur"].passed
    assert "rose by 0.6690" in gates["baldur"].message


def test_a_loss_that_may_be_chance_passes_with_a_note(demo_stored: StoredResult) -> None:
    """Five pronouns of the first document: one document among seven says nothing, whatever it lost."""
    worse = _with_outcomes(demo_stored, "baldur", 5)
    with pytest.warns(InputWarning, match="this may be chance, so it passes"):
        gates = regression_gates(worse, demo_stored, most=0.02)
    assert gates[0].passed


@pytest.mark.parametrize(("samples", "swaps"), [(0, 1000), (100, 1000), (1000, 1000), (2000, 2000)])
def test_the_test_of_a_regression_draws_a_thousand_swaps_or_more(
    demo_stored: StoredResult, monkeypatch: pytest.MonkeyPatch, samples: int, swaps: int
) -> None:
    """Scored without intervals, or with few resamples, the p-value would be too coarse to stop a build."""
    drawn = []

    def test(*_: object, samples: int, seed: int) -> float:
        drawn.append((samples, seed))
        return 1.0

    monkeypatch.setattr("anaphor.report.gates.paired_permutation", test)
    now = replace(demo_stored, settings=replace(demo_stored.settings, samples=samples, paired=False))
    regression_gates(now, demo_stored, most=0.01)
    assert drawn == [(swaps, demo_stored.settings.seed)] * 3


def test_a_baseline_without_cards_cannot_be_compared(demo_stored: StoredResult) -> None:
    with pytest.raises(OptionError, match="has no cards"):
        regression_gates(demo_stored, replace(demo_stored, cards=None), most=0.02)


def test_a_baseline_without_the_system_is_named(demo_stored: StoredResult) -> None:
    fewer = replace(demo_stored, systems=demo_stored.systems[1:])
    with pytest.raises(MismatchError, match="no system baldur; it has cormoran, dahlia"):
        regression_gates(demo_stored, fewer, most=0.02)


def test_two_results_of_one_system_are_compared_whatever_its_name(demo_stored: StoredResult) -> None:
    first, second = (replace(demo_stored, systems=(system,)) for system in demo_stored.systems[:2])
    (gate,) = regression_gates(second, first, most=0.02)
    assert gate.system == "cormoran"
    assert "fell by" in gate.message


def test_a_baseline_on_another_set_is_refused(demo_stored: StoredResult) -> None:
    system = demo_stored.systems[0]
    score = replace(system.scores[0], signature={**system.scores[0].signature, "test": "abc"})
    other = replace(demo_stored, systems=(replace(system, scores=(score, *system.scores[1:])),))
    with pytest.raises(MismatchError, match="cannot be compared with the baseline: apt has test"):
        regression_gates(demo_stored, other, most=0.02)


@pytest.mark.parametrize("most", [-0.1, 1.5, float("nan")])
def test_a_limit_must_be_a_difference_of_scores(demo_stored: StoredResult, most: float) -> None:
    with pytest.raises(OptionError, match="not a difference of scores"):
        regression_gates(demo_stored, demo_stored, most=most)


GATES = (
    Gate("--fail-under", "apt", "fine", True, "apt of fine is 0.7, not below 0.5"),
    Gate("--max-regression", "apt", '<b>"bad\u0007', False, "apt of bad fell & broke\u202e"),
)


def test_all_failed_gates_are_reported_at_once() -> None:
    require_passed(GATES[:1])
    with pytest.raises(CheckError) as caught:
        require_passed(GATES)
    assert (caught.value.what, str(caught.value.where)) == (GATES[1].message, "--max-regression")


def test_junit_has_a_case_for_each_gate_and_a_failure_for_each_that_did_not_pass() -> None:
    root = ET.fromstring(junit_xml(GATES))
    assert (root.get("tests"), root.get("failures")) == ("2", "1")
    fine, bad = root.iter("testcase")
    assert (fine.get("classname"), fine.get("name"), fine.find("failure")) == (
        "fine",
        "--fail-under apt",
        None,
    )
    assert bad.get("classname") == '<b>"bad[U+0007]'
    failure = bad.find("failure")
    assert failure is not None
    assert failure.get("message") == "apt of bad fell & broke[U+202E]"


def test_the_command_is_a_gate_against_an_older_result(
    demo_json: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from anaphor.cli.main import main

    stored = json.loads(demo_json)
    baseline = tmp_path / "old.json"
    baseline.write_text(demo_json, encoding="utf-8")
    files = stored["files"]
    command = ["score", "--pair", "en-fr", "--source", files["source"], "--reference", *files["references"]]
    command += ["--alignment-reference", *files["reference_alignments"], "--documents", files["documents"]]
    swapped = [files["candidates"][i][1] for i in (2, 1, 0)]
    names = [name for name, _ in files["candidates"]]
    command += ["--candidate", *(f"{name}={path}" for name, path in zip(names, swapped, strict=True))]
    command += ["--alignment-candidate", *(path.removesuffix("fr") + "align" for path in swapped)]
    junit = tmp_path / "gates.xml"
    gates = ["--max-regression", "0.02", "--baseline", str(baseline), "--junit", str(junit)]
    assert main([*command, *gates]) == 1
    assert capsys.readouterr().err.startswith("error: apt of baldur fell by 0.")
    assert ET.parse(junit).getroot().get("failures") == "1"
