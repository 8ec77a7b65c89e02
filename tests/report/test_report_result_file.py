"""The result file: everything that made the numbers, and nothing that cannot be read back."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from anaphor import __version__
from anaphor.core import Files, InputError, OptionError, Result, Settings
from anaphor.report.result_file import read_result
from tests.support.results import result_json

FILES = Files(
    source="src.en",
    references=("r1.fr", "r2.fr"),
    candidates=(("good_1", "a.fr"), ("bad", "b.fr")),
    reference_alignments=("r1.align", "r2.align"),
    documents="docs",
)


@pytest.fixture
def content(result: Result) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(result_json(result, FILES, notes=["a note"]))
    return loaded


def stored(content: dict[str, Any], folder: Path) -> Path:
    path = folder / "result.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def test_the_file_says_what_it_is_and_what_was_done(content: dict[str, Any]) -> None:
    assert (content["format"], content["format_version"], content["version"]) == (
        "anaphor-result",
        2,
        __version__,
    )
    assert (content["segments"], content["documents"], content["pronouns"]) == (3, 2, 3)
    assert content["settings"]["pair"] == "en-fr"
    assert content["notes"] == ["a note"]


def test_a_score_has_its_signature_interval_and_parts(content: dict[str, Any]) -> None:
    apt, b_l = content["systems"][0]["metrics"]
    assert apt == {
        "name": "apt",
        "score": 0.8,
        "signature": "apt|pair:en-fr|cand:hash-good_1|version:9.9",
        "signature_fields": {"name": "apt", "pair": "en-fr", "cand": "hash-good_1", "version": "9.9"},
        "interval": [pytest.approx(0.7), pytest.approx(0.9)],
        "details": {"case_1": 1.0},
        "by_pronoun": {"it": 0.8, "they": None},
        "by_document": {"d1": 0.8, "d2": 0.25},
    }
    assert (b_l["score"], b_l["interval"], b_l["by_pronoun"]) == (None, None, {})


def test_nan_is_written_as_null_and_the_file_is_strict_json(result: Result) -> None:
    text = result_json(result, FILES)
    assert "NaN" not in text
    assert "Infinity" not in text
    assert text.endswith("}\n")


def test_the_confusion_has_a_row_for_each_reference_label(content: dict[str, Any]) -> None:
    assert content["systems"][0]["confusion"] == {"elle": {}, "il": {"elle": 2, "il": 1}}


def test_a_comparison_is_written_whole(content: dict[str, Any]) -> None:
    assert content["comparisons"][0] == {
        "metric": "apt",
        "baseline": "good_1",
        "system": "bad",
        "difference": -0.3,
        "interval": [-0.5, -0.1],
        "p_bootstrap": 0.01,
        "p_permutation": 0.02,
        "p_mcnemar": 0.5,
        "p_adjusted": 0.04,
        "detectable": 0.2,
    }


def test_what_is_written_is_read_back(result: Result, tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    path.write_text(result_json(result, FILES), encoding="utf-8")
    back = read_result(path)
    assert (back.files, back.settings) == (FILES, result.settings)
    assert back.content["digests"] == {"source": "abc"}
    assert [system["system"] for system in back.content["systems"]] == ["good_1", "bad"]


def test_settings_of_every_kind_survive(result: Result, tmp_path: Path) -> None:
    settings = Settings.of(
        pair="de-en",
        metrics=("apt",),
        pronouns=("es",),
        weights=(1, 0.25, 0, 0, 0, 1),
        discard=(5, 6),
        objects=True,
        repair=False,
        outside_links="drop",
        level=0.9,
        packs="my packs",
    )
    path = tmp_path / "result.json"
    path.write_text(result_json(replace(result, settings=settings), FILES), encoding="utf-8")
    assert read_result(path).settings == settings


def test_a_result_says_how_pronouns_were_recognized(result: Result, tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    for recognize in ("list", "analysis"):
        settings = replace(result.settings, recognize=recognize)
        path.write_text(result_json(replace(result, settings=settings), FILES), encoding="utf-8")
        assert read_result(path).content["settings"]["recognize"] == recognize
        assert read_result(path).settings == settings


def test_the_same_result_gives_the_same_bytes(result: Result) -> None:
    assert result_json(result, FILES) == result_json(result, FILES)


@pytest.mark.parametrize("key", ["format", "format_version", "version", "files", "settings"])
def test_a_file_without_a_part_is_refused(content: dict[str, Any], tmp_path: Path, key: str) -> None:
    del content[key]
    with pytest.raises(InputError, match="not a result file"):
        read_result(stored(content, tmp_path))


@pytest.mark.parametrize(
    ("part", "key", "value"),
    [
        ("settings", "pair", 5),
        ("settings", "metrics", "apt"),
        ("settings", "metrics", [1]),
        ("settings", "weights", ["one"]),
        ("settings", "discard", [[1]]),
        ("settings", "samples", "many"),
        ("settings", "tokenized", "yes"),
        ("settings", "pronouns", [None]),
        ("settings", "packs", 7),
        ("files", "source", 5),
        ("files", "references", "ref.fr"),
        ("files", "references", [None]),
        ("files", "candidates", [["a"]]),
        ("files", "documents", ["docs"]),
    ],
)
def test_a_value_of_the_wrong_kind_is_refused(
    content: dict[str, Any], tmp_path: Path, part: str, key: str, value: object
) -> None:
    content[part][key] = value
    with pytest.raises(InputError, match="not a result file"):
        read_result(stored(content, tmp_path))


def test_a_setting_that_makes_no_sense_is_an_option_error(content: dict[str, Any], tmp_path: Path) -> None:
    content["settings"]["level"] = 7
    with pytest.raises(OptionError, match="confidence level must be between"):
        read_result(stored(content, tmp_path))


def test_bytes_that_are_not_utf_8_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    path.write_bytes(b"\xff\xfe{}")
    with pytest.raises(InputError, match="not a result file") as caught:
        read_result(path)
    assert str(caught.value.where) == str(path)


def test_infinite_values_are_null_too(result: Result) -> None:
    endless = replace(result.comparisons[0], detectable=math.inf)
    text = result_json(replace(result, comparisons=(endless,)), FILES)
    assert json.loads(text)["comparisons"][0]["detectable"] is None
