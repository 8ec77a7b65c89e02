"""The keys of an APT configuration: all must exist, many may be empty."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from anaphor.core import InputError, InputWarning, OptionError, Outcome
from anaphor.legacy import AptRun, run_apt

Apt = Callable[..., AptRun]

KEYS = {
    "lang": ["source", "target", "source_word_separator", "target_word_separator"],
    "files": [
        *("source", "reference", "target", "alignment_source_reference", "alignment_source_target"),
        *("list_source_pronouns", "input_type", "list_target_pronouns"),
    ],
    "dictionary": ["equal", "similar", "source_pronouns", "target_pronouns"],
    "cases": ["cases_to_use", "weigths_per_case", "count_OTHER_as_equal"],
    "output": ["output_file", "counting_multiword_in_matrix", "max_length_matrix"],
}


@pytest.mark.parametrize(("section", "key"), [(section, key) for section in KEYS for key in KEYS[section]])
def test_a_missing_key_is_named(apt: Apt, section: str, key: str) -> None:
    with pytest.raises(InputError, match=rf"section \[{section}\] has no key {key}"):
        apt({}, {f"{section}.{key}": None})


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"cases.cases_to_use": ""}, "cases_to_use is ''"),
        ({"cases.cases_to_use": "7,0"}, "cases_to_use lists no case"),
        ({"cases.cases_to_use": "1;2"}, "cases_to_use is '1;2'"),
        ({"cases.weigths_per_case": "1,half,0,0,0,0"}, "weigths_per_case is '1,half,0,0,0,0'"),
        ({"cases.weigths_per_case": "1,nan,0,0,0,0"}, "weigths_per_case is '1,nan,0,0,0,0'"),
        ({"cases.weigths_per_case": "1,0.5,0"}, "3 weights for 6 listed cases"),
        ({"cases.count_OTHER_as_equal": "maybe"}, "count_OTHER_as_equal is 'maybe'"),
        ({"output.counting_multiword_in_matrix": ""}, "counting_multiword_in_matrix is ''"),
        ({"output.max_length_matrix": "many"}, "max_length_matrix is 'many'"),
        ({"output.max_length_matrix": "-1"}, "max_length_matrix is '-1'"),
        ({"files.source": ""}, "source is ''"),
        ({"lang.source_word_separator": "–"}, "source_word_separator is '–'"),
    ],
)
def test_a_value_the_original_cannot_use_is_refused(apt: Apt, settings: dict[str, str], message: str) -> None:
    with pytest.raises(OptionError, match=message) as caught:
        apt({}, settings)
    assert caught.value.where.line is not None


def test_a_missing_configuration_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        run_apt(tmp_path / "config")


def test_numbers_that_are_no_case_are_dropped(apt: Apt) -> None:
    run = apt({}, {"cases.cases_to_use": "0, 1 ,3,7", "cases.weigths_per_case": "1,0"})
    assert run.cases == (Outcome.IDENTICAL, Outcome.DIFFERENT)
    assert run.score_text.startswith("Score: 1.0000\nCases: 1,3\nWeights: 1.0,0.0\nFindings per case: 1,0\n")


def test_a_single_case_left_over_takes_all_weights(apt: Apt) -> None:
    # One pronoun of case 1, weights 1 and 0.5: (1 + 0.5) / 1, beyond any sense and as the original prints it.
    run = apt({}, {"cases.cases_to_use": "1,7", "cases.weigths_per_case": "1,0.5"})
    assert run.score == 1.5
    assert "Weights: 1.0,0.5\n" in run.score_text


def test_a_single_weight_serves_all_cases(apt: Apt) -> None:
    assert apt({}, {"cases.weigths_per_case": "0.25"}).score == 0.25


@pytest.mark.parametrize("written", ["1", "yes", "TRUE", "on"])
def test_booleans_have_four_spellings(apt: Apt, written: str) -> None:
    files = {"ref": "qui marche\n", "tgt": "que marche\n"}
    assert apt(files, {"cases.count_OTHER_as_equal": written}).judged[0].outcome is Outcome.IDENTICAL


def test_relative_paths_belong_to_the_working_directory(
    apt: Apt, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    apt({})
    (tmp_path / "elsewhere").mkdir()
    config = (tmp_path / "config").rename(tmp_path / "elsewhere" / "config")
    monkeypatch.chdir(tmp_path)
    assert run_apt(config).score == 1.0


def test_an_unknown_input_type_finds_nothing(apt: Apt) -> None:
    with pytest.warns(InputWarning, match="no source pronoun found"):
        run = apt({}, {"files.input_type": "position"})
    assert run.score_text.startswith("Score: nan\n")
    assert "Score: nan\n" in run.console
