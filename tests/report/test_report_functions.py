"""Scores by the function of *it*: tables and JSON."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import pytest

from anaphor.analyses.functions import FunctionsOfIt, function_blocks
from anaphor.core import Files, FunctionScores, InputError, Result
from anaphor.report.emit import render
from anaphor.report.html import ReportView, report_page
from anaphor.report.result_file import parse_result, result_content, sealed
from anaphor.report.stored import StoredResult, stored_of
from tests.support.results import result_json

FOUND = FunctionScores(
    {"anaphoric": 12, "pleonastic": 3},
    {
        "apt": {
            "good_1": {"anaphoric": 0.5, "pleonastic": 1.0},
            "bad": {"anaphoric": 0.125, "pleonastic": math.nan},
        }
    },
    "abc",
)
CONTENT = {"functions": FunctionsOfIt({}).to_dict(FOUND)}


def test_the_text_has_systems_below_functions() -> None:
    assert render(function_blocks(FOUND)).splitlines() == [
        "hint, not a score: predicted function of *it* (unreliable for events)",
        "apt     anaphoric (12)  pleonastic (3)",
        "good_1            50.0           100.0",
        "bad               12.5             n/a",
        "function-of-it|model:abc",
    ]


def test_every_metric_has_its_table() -> None:
    both = replace(FOUND, scores={**FOUND.scores, "autoprf": FOUND.scores["apt"]})
    lines = render(function_blocks(both)).splitlines()
    assert [line.split()[0] for line in lines[1:] if line][:6] == [
        "apt",
        "good_1",
        "bad",
        "autoprf",
        "good_1",
        "bad",
    ]


def test_a_text_without_it_says_so() -> None:
    assert render(function_blocks(replace(FOUND, counts={}))).endswith("\nthere is no *it*")


def test_the_content_for_json_is_the_same(result: Result) -> None:
    content = result_content(result, Files(), analyses=CONTENT)["functions"]
    assert content["counts"] == {"anaphoric": 12, "pleonastic": 3}
    assert content["scores"]["apt"]["good_1"] == {"anaphoric": 0.5, "pleonastic": 1.0}
    assert content["classifier"] == "abc"


def test_a_result_file_has_the_key_only_on_request(result: Result) -> None:
    plain = json.loads(result_json(result, Files()))
    told = json.loads(result_json(result, Files(), analyses=CONTENT))
    assert "functions" not in plain
    assert told.pop("functions")["scores"]["apt"]["bad"] == {"anaphoric": 0.125, "pleonastic": None}
    assert told.pop("seal") != plain.pop("seal")
    assert told == plain


def test_a_page_shows_them_and_says_that_they_are_guessed(demo_stored: StoredResult) -> None:
    page = report_page(ReportView.of([replace(demo_stored, functions=FOUND)], title="made"))
    assert "By function of “it”" in page
    assert "a classifier predicts the function of each “it”" in page
    assert "pleonastic (3)" in page
    assert "By function of “it”" not in report_page(ReportView.of([demo_stored], title="made"))


def test_counts_that_are_no_numbers_are_an_error(result: Result) -> None:
    content = json.loads(result_json(result, Files(), analyses=CONTENT))
    content["functions"]["counts"]["anaphoric"] = "many"
    changed = json.dumps(sealed({key: value for key, value in content.items() if key != "seal"}))
    with pytest.raises(InputError, match=r"functions\.counts\.anaphoric: expected an integer"):
        stored_of(parse_result(changed.encode("utf-8"), path="made"), path="made")
