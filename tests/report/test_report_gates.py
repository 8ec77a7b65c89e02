"""Gates: a score that is too low or fell too far, in words and as JUnit XML."""

from __future__ import annotations

import json
import warnings
import xml.etree.ElementTree as ET
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from anaphor.cli.main import main
from anaphor.core import Counts, GateError, InputWarning, MismatchError, OptionError, Settings
from anaphor.report.gates import Gate, GateLimits, junit_xml, regression_gates, require_passed
from anaphor.report.stored import StoredResult

Nightly = Callable[..., tuple[int, str, ET.Element]]


def _with_outcomes(stored: StoredResult, system: str, worse: int) -> StoredResult:
    """The same result in which a system has some identical pronouns of its first lines different instead."""
    assert stored.counts is not None
    found = stored.counts["apt"][system]
    identical, different = map(found.names.index, ("identical", "different"))
    rows = found.rows.copy()
    for row in rows:
        lost = min(worse, row[identical])
        row[identical] -= lost
        row[different] += lost
        worse -= lost
    apt = {**stored.counts["apt"], system: Counts(found.names, rows)}
    return replace(stored, counts={**stored.counts, "apt": apt})


def test_every_system_is_checked_against_every_limit(demo_stored: StoredResult) -> None:
    gates = GateLimits(least={"apt": 0.5}).check(demo_stored)
    assert [(gate.system, gate.status) for gate in gates] == [
        ("baldur", "passed"),
        ("cormoran", gates[1].status),
        ("dahlia", "failed"),
    ]
    assert gates[2].message.startswith("apt of dahlia is 0.")
    assert gates[2].message.endswith(", below 0.5")


def test_the_same_result_is_no_regression(demo_stored: StoredResult) -> None:
    gates = regression_gates(demo_stored, demo_stored, {"apt": 0})
    assert [(gate.system, gate.status) for gate in gates] == [
        ("baldur", "passed"),
        ("cormoran", "passed"),
        ("dahlia", "passed"),
    ]


def test_a_large_loss_in_all_documents_fails_and_only_for_its_system(demo_stored: StoredResult) -> None:
    worse = _with_outcomes(demo_stored, "baldur", 95)
    gates = {gate.system: gate for gate in regression_gates(worse, demo_stored, {"apt": 0.02})}
    # 95 of 142 pronouns lost: 0.6690.
    assert gates["baldur"].message.startswith("apt of baldur fell by 0.6690 (p = 0.")
    assert (gates["baldur"].status, gates["cormoran"].status) == ("failed", "passed")


def test_a_gain_passes(demo_stored: StoredResult) -> None:
    worse = _with_outcomes(demo_stored, "baldur", 95)
    gates = {gate.system: gate for gate in regression_gates(demo_stored, worse, {"apt": 0})}
    assert gates["baldur"].status == "passed"
    assert "rose by 0.6690" in gates["baldur"].message


def test_a_loss_that_may_be_chance_passes_with_a_note(demo_stored: StoredResult) -> None:
    """Five pronouns of the first document: one document among seven says nothing, whatever it lost."""
    worse = _with_outcomes(demo_stored, "baldur", 5)
    with pytest.warns(InputWarning, match="this may be chance, so it passes"):
        gates = regression_gates(worse, demo_stored, {"apt": 0.02})
    assert gates[0].status == "passed"


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
    regression_gates(now, demo_stored, {"apt": 0.01})
    assert drawn == [(swaps, demo_stored.settings.seed)] * 3


def test_a_baseline_without_counts_cannot_be_compared(demo_stored: StoredResult) -> None:
    with pytest.raises(OptionError, match="has no document counts"):
        regression_gates(demo_stored, replace(demo_stored, counts=None), {"apt": 0.02})


def test_a_baseline_without_the_system_is_named(demo_stored: StoredResult) -> None:
    fewer = replace(demo_stored, systems=demo_stored.systems[1:])
    with pytest.raises(MismatchError, match="no system baldur; it has cormoran, dahlia"):
        regression_gates(demo_stored, fewer, {"apt": 0.02})


def test_two_results_of_one_system_are_compared_whatever_its_name(demo_stored: StoredResult) -> None:
    first, second = (replace(demo_stored, systems=(system,)) for system in demo_stored.systems[:2])
    (gate,) = regression_gates(second, first, {"apt": 0.02})
    assert gate.system == "cormoran"
    assert "fell by" in gate.message


def test_a_baseline_of_one_system_stands_for_one_system_only(demo_stored: StoredResult) -> None:
    """With several systems now, or several then, names decide."""
    one = replace(demo_stored, systems=demo_stored.systems[:1])
    two = replace(demo_stored, systems=demo_stored.systems[:2])
    with pytest.raises(MismatchError, match="no system cormoran; it has baldur"):
        regression_gates(two, one, {"apt": 0.02})
    with pytest.warns(InputWarning, match="cormoran is new"):
        gates = regression_gates(two, one, {"apt": 0.02}, skip_new=True)
    assert [(gate.system, gate.status) for gate in gates if gate.status != "skipped"] == [
        ("baldur", "passed")
    ]
    other = replace(demo_stored, systems=demo_stored.systems[2:])
    with pytest.raises(MismatchError, match="no system dahlia; it has baldur, cormoran"):
        regression_gates(other, two, {"apt": 0.02})


def test_a_baseline_on_another_set_is_refused(demo_stored: StoredResult) -> None:
    system = demo_stored.systems[0]
    score = replace(system.scores[0], signature={**system.scores[0].signature, "test": "abc"})
    other = replace(demo_stored, systems=(replace(system, scores=(score, *system.scores[1:])),))
    with pytest.raises(MismatchError, match="cannot be compared with the baseline: apt has test"):
        regression_gates(demo_stored, other, {"apt": 0.02})


@pytest.mark.parametrize("most", [-0.1, 1.5, float("nan")])
def test_a_limit_must_be_a_difference_of_scores(demo_stored: StoredResult, most: float) -> None:
    with pytest.raises(OptionError, match="not a difference of scores"):
        regression_gates(demo_stored, demo_stored, {"apt": most})


GATES = (
    Gate("--fail-under", "apt", "fine", "passed", "apt of fine is 0.7, not below 0.5"),
    Gate("--max-regression", "apt", '<b>"bad\u0007', "failed", "apt of bad fell & broke\u202e"),
)


def test_all_failed_gates_are_reported_at_once() -> None:
    require_passed(GATES[:1])
    with pytest.raises(GateError) as caught:
        require_passed(GATES)
    assert (caught.value.what, str(caught.value.where)) == (GATES[1].message, "--max-regression")


def test_the_fix_of_several_options_names_each() -> None:
    gates = [Gate(option, "apt", "a", "failed", "low") for option in ("--fail-under", "--max-regression")]
    with pytest.raises(GateError) as caught:
        require_passed(gates)
    assert all(f" of {gate.option}" in caught.value.fix for gate in gates)


@pytest.mark.parametrize(("losses", "baseline"), [(["0.1"], None), ([], "old.json")])
def test_a_limit_of_losses_and_a_baseline_need_each_other(losses: list[str], baseline: str | None) -> None:
    with pytest.raises(OptionError, match="needs both a limit and a baseline"):
        GateLimits.parse([], losses, baseline, settings=Settings(pair="en-fr"))


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


@pytest.fixture
def nightly(
    demo_json: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Nightly:
    """Scores the demo's systems as candidates of other names, with gates against `old.json`.

    Gives the exit code, what was said on standard error, and the root of the JUnit file.
    """
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(warnings, "showwarning", warnings.showwarning)
    Path("old.json").write_text(demo_json, encoding="utf-8")
    files = json.loads(demo_json)["files"]
    paths = dict(files["candidates"])
    command = ["score", "--pair", "en-fr", "--source", files["source"], "--reference", *files["references"]]
    command += ["--alignment-reference", *files["reference_alignments"], "--documents", files["documents"]]

    def run(candidates: Mapping[str, str], *gates: str) -> tuple[int, str, ET.Element]:
        given = [f"{name}={paths.get(system, system)}" for name, system in candidates.items()]
        links = [
            paths[system].removesuffix("fr") + "align" for system in candidates.values() if system in paths
        ]
        Path("gates.xml").unlink(missing_ok=True)
        with warnings.catch_warnings():
            code = main(
                [
                    *command,
                    "--candidate",
                    *given,
                    "--alignment-candidate",
                    *links,
                    *gates,
                    "--junit",
                    "gates.xml",
                ]
            )
        return code, capsys.readouterr().err, ET.parse("gates.xml").getroot()

    return run


SAME = {"baldur": "baldur", "cormoran": "cormoran", "dahlia": "dahlia"}
SWAPPED = {"baldur": "dahlia", "cormoran": "cormoran", "dahlia": "baldur"}
REGRESSION = ("--max-regression", "0.02", "--baseline", "old.json")


def _cases(root: ET.Element) -> list[tuple[str | None, str | None, list[str]]]:
    return [
        (case.get("classname"), case.get("name"), [child.tag for child in case])
        for case in root.iter("testcase")
    ]


def test_a_regression_by_any_metric_ends_with_code_3(nightly: Nightly) -> None:
    """baldur and dahlia change places: apt and autoprf of baldur fall by more than forty points."""
    code, err, root = nightly(SWAPPED, *REGRESSION)
    assert code == 3
    assert err.startswith("error: apt of baldur fell by 0.")
    assert "       autoprf of baldur fell by 0." in err
    assert err.endswith("or raise the limit\n")
    assert root.get("failures") == "2"


def test_a_limit_can_be_for_one_metric(nightly: Nightly) -> None:
    worse = SWAPPED
    code, err, root = nightly(
        worse, "--max-regression", "bleu=0.1", *REGRESSION[2:], "--metrics", "apt", "bleu"
    )
    assert (code, root.get("tests")) == (1, "3")  # the baseline has no bleu: bad input
    assert "it has apt, bleu, not apt, autoprf" in err
    code, err, root = nightly(worse, "--max-regression", "autoprf=0.1", *REGRESSION[2:])
    assert code == 3
    assert "error: autoprf of baldur fell by 0." in err
    assert [name for _, name, _ in _cases(root)] == ["--max-regression autoprf"] * 3


def test_a_score_below_the_limit_ends_with_code_3_and_the_limit_may_be_lowered(nightly: Nightly) -> None:
    code, err, root = nightly(SAME, "--fail-under", "apt=0.3", "autoprf=0.1")
    assert code == 3
    what, where, fix = err.splitlines()
    assert what == "error: apt of dahlia is 0.2148, below 0.3"
    assert where == "where: --fail-under"
    assert fix.startswith("fix:")
    assert "--items" in fix
    assert (root.get("tests"), root.get("failures")) == ("6", "1")


def test_bleu_alone_is_a_gate_too(nightly: Nightly) -> None:
    """No metric judges pronouns here, so there are no cards: the counts are enough."""
    common = ("--metrics", "bleu")
    assert nightly(SAME, *common, "--cards", "--output", "bleu.json", "--fail-under", "bleu=0.1")[0] == 0
    code, err, _ = nightly(SWAPPED, *common, "--max-regression", "0.1", "--baseline", "bleu.json")
    assert code == 3
    assert "error: bleu of baldur fell by 0.3" in err


@pytest.mark.parametrize(
    ("candidates", "gates", "message"),
    [
        pytest.param({**SAME, "dahlia": "lost.fr"}, REGRESSION, "lost.fr", id="a candidate"),
        pytest.param(SAME, (*REGRESSION[:3], "lost.json"), "lost.json", id="a baseline"),
        pytest.param({**SAME, "new": "dahlia"}, REGRESSION, "no system new", id="a system of the baseline"),
    ],
)
def test_something_missing_is_an_error_with_a_junit_file(
    nightly: Nightly, candidates: dict[str, str], gates: tuple[str, ...], message: str
) -> None:
    code, err, root = nightly(candidates, *gates)
    assert code == 1
    assert message in err
    assert (root.get("failures"), root.get("errors")) == ("0", str(len(candidates)))
    assert _cases(root) == [(name, "input", ["error"]) for name in candidates]
    assert message in str(next(root.iter("error")).get("message"))


def test_a_new_system_can_be_skipped(nightly: Nightly) -> None:
    code, err, root = nightly({**SAME, "new": "dahlia"}, *REGRESSION, "--skip-new")
    assert code == 0
    assert "note: new is new: the baseline lacks it, so it is skipped" in err
    assert [case for case in _cases(root) if case[0] == "new"] == [
        ("new", "--max-regression apt", ["skipped"]),
        ("new", "--max-regression autoprf", ["skipped"]),
    ]
    assert next(root.iter("testsuite")).get("skipped") == "2"


def test_counts_that_were_changed_are_refused(nightly: Nightly) -> None:
    content = json.loads(Path("old.json").read_text(encoding="utf-8"))
    content["counts"]["metrics"]["apt"]["baldur"]["rows"][0][0] += 1
    Path("old.json").write_text(json.dumps(content), encoding="utf-8")
    code, err, _ = nightly(SAME, *REGRESSION)
    assert code == 1
    assert "the counts were changed after they were written" in err


@pytest.mark.parametrize(
    ("option", "text", "what", "fix"),
    [
        ("--fail-under", "apt=45", "apt=45 is a percentage, as in the tables", "write apt=0.45"),
        ("--fail-under", "apt=100", "apt=100 is a percentage", "write apt=1"),
        ("--max-regression", "2", "2 is a percentage, as in the tables", "write 0.02"),
        ("--max-regression", "apt=2.5", "apt=2.5 is a percentage, as in the tables", "write apt=0.025"),
        ("--fail-under", "bleu=0.4", "there is no metric bleu in this run", "one of apt, autoprf"),
        ("--fail-under", "0.4", "not a limit: 0.4", "write METRIC=SCORE"),
        ("--fail-under", "apt=high", "not a limit: apt=high", "from 0 to 1, such as apt=0.6"),
        ("--max-regression", "-1", "not a limit: -1", "write METRIC=SCORE"),
    ],
)
def test_a_limit_that_is_none_says_what_would_be(option: str, text: str, what: str, fix: str) -> None:
    under, losses = ([text] if option == name else [] for name in ("--fail-under", "--max-regression"))
    with pytest.raises(OptionError) as caught:
        GateLimits.parse(under, losses, None, settings=Settings(pair="en-fr", metrics=("apt", "autoprf")))
    assert what in caught.value.what
    assert fix in caught.value.fix
    assert str(caught.value.where) == option
