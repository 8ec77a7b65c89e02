"""Every analysis is declared once; the command line, Python and result files follow from it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import anaphor
from anaphor import demo
from anaphor.analyses import ANALYSES, ScoreAnalysis, choose_analyses, known_analyses, take_options
from anaphor.cli.commands import CommandParser
from anaphor.cli.main import main
from anaphor.cli.score import configure
from anaphor.core import OptionError, Settings, UnknownNameError
from anaphor.evaluation.experiment import Experiment
from anaphor.scoring.score_report import ScoreReport
from anaphor.scoring.verification import verify

SETTINGS = Settings(pair="en-fr", metrics=("apt",), samples=0)


def test_the_table_names_every_analysis_by_its_own_name() -> None:
    assert [kind.name for kind in known_analyses()] == [*ANALYSES]
    assert all(issubclass(kind, ScoreAnalysis) and kind.options for kind in known_analyses())


def test_no_two_analyses_have_the_same_option() -> None:
    options = [option for kind in known_analyses() for option in kind.options]
    for names in ([one.name for one in options], [one.keyword for one in options]):
        assert len(set(names)) == len(names)


def test_the_command_line_has_every_option_with_its_default() -> None:
    parser = CommandParser(prog="anaphor score")
    configure(parser)
    given = ["--pair", "en-fr", "--source", "s", "--reference", "r", "--candidate", "c"]
    parsed = vars(parser.parse_args(given))
    kinds = list(known_analyses())
    assert kinds
    for kind in kinds:
        for option in kind.options:
            assert parsed[option.dest] == option.default, option.name


def test_only_what_is_asked_for_is_chosen_in_the_order_of_the_table() -> None:
    assert choose_analyses({}, SETTINGS) == {}
    # A limit without a predictor asks for nothing.
    assert choose_analyses({"unlikely": 0.2, "cards": False, "fail_under": []}, SETTINGS) == {}
    chosen = choose_analyses({"cards": True, "bounds": True, "fail_under": ["apt=0.5"]}, SETTINGS)
    assert [*chosen] == ["bounds", "cards", "gates"]


def test_options_are_taken_out_of_keywords_and_checked() -> None:
    values: dict[str, Any] = {"samples": 0, "bounds": True, "predictor": None, "fail_under": ["apt=0.5"]}
    assert take_options(values) == {"bounds": True, "predictor": None, "fail_under": ["apt=0.5"]}
    assert values == {"samples": 0}
    for wrong in ({"bounds": "yes"}, {"predictor": 3}, {"unlikely": "x"}, {"fail_under": "apt=0.5"}):
        (name,) = wrong
        with pytest.raises(OptionError, match=name):
            take_options(dict(wrong))


def test_settings_that_cannot_be_analysed_are_refused_before_anything_is_read() -> None:
    with pytest.raises(OptionError, match="English sources"):
        choose_analyses({"functions": True}, Settings(pair="de-en"))
    with pytest.raises(UnknownNameError, match="no-such-model"):
        choose_analyses({"predictor": "no-such-model"}, SETTINGS)
    with pytest.raises(OptionError, match="no metric bleu"):
        choose_analyses({"fail_under": ["bleu=0.5"]}, SETTINGS)


def test_texts_that_cannot_be_analysed_are_refused_before_they_are_scored() -> None:
    experiment = Experiment.read(demo.files(alignments=True), SETTINGS)
    steps: list[str] = []
    with pytest.raises(OptionError, match="the alignments are given"):
        ScoreReport.of(experiment, choose_analyses({"sensitivity": True}, SETTINGS), steps.append)
    with pytest.raises(OptionError, match="no candidate was cut"):
        ScoreReport.of(
            experiment, choose_analyses({"segmentation_sensitivity": True}, SETTINGS), steps.append
        )
    assert steps == []


@pytest.fixture(scope="module")
def report() -> ScoreReport:
    experiment = Experiment.read(demo.files(alignments=True), SETTINGS)
    asked = {"bounds": True, "functions": True, "cards": True, "fail_under": ["apt=0.99"]}
    return ScoreReport.of(experiment, choose_analyses(asked, SETTINGS))


def test_what_is_found_stands_in_tables_and_file_under_its_name(report: ScoreReport) -> None:
    assert [*report.findings] == ["functions", "bounds", "cards", "gates"]
    content = report.to_dict()
    # Cards have a digest of their own, and gates are about one build.
    assert {"functions", "bounds"} == set(content) & set(ANALYSES)
    assert [*content["bounds"]] == ["reference", "baldur shuffled"]
    text = str(report)
    assert "\nreference " in text
    assert "predicted function of *it*" in text
    assert report.stored().bounds == report.findings["bounds"]
    assert report.stored().cards == report.findings["cards"]


def test_analyses_change_no_score(report: ScoreReport) -> None:
    plain = ScoreReport.of(Experiment.read(demo.files(alignments=True), SETTINGS))
    assert plain.result == report.result
    assert plain.findings == {}
    content = report.to_dict()
    for name in ("functions", "bounds", "seal"):
        content.pop(name)
    bare = plain.to_dict()
    bare.pop("seal")
    assert content == bare


def test_gates_can_be_asked_for_from_python(report: ScoreReport) -> None:
    outcomes = report.findings["gates"]
    assert [gate.status for gate in outcomes.gates] == ["failed"] * len(report.systems)
    with pytest.raises(anaphor.UserError, match="below 0"):
        outcomes.require_passed()


def test_a_file_with_analyses_verifies_without_them(tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    files = demo.files(alignments=True)
    command = ["score", "-p", "en-fr", "-s", str(files.source), "-r", *files.references, "-m", "apt"]
    command += ["-c", *(f"{name}={place}" for name, place in files.candidates), "--samples", "0"]
    command += ["--alignment-reference", *files.reference_alignments]
    command += ["--alignment-candidate", *files.candidate_alignments, "--documents", str(files.documents)]
    assert main([*command, "--bounds", "--functions", "--output", str(path)]) == 0
    assert {"bounds", "functions"} <= json.loads(path.read_text("utf-8")).keys()
    assert verify(str(path)).differences == ()
