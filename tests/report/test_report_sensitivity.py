"""The spread of a score over several alignments: table, list of pronouns, JSON."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import Any

import pytest

from anaphor.analyses.sensitivity import AlignmentSensitivity, sensitivity_blocks
from anaphor.core import Files, Flip, Outcome, Pronoun, Result, Sensitivity
from anaphor.report.emit import Paint, render
from anaphor.report.result_file import result_content
from tests.support.results import result_json

PLAIN, COLOUR = Paint(False), Paint(True)
FLIP = Flip("bad", Pronoun(2, 1, "they"), {"few": Outcome.CANDIDATE_MISSING, "many": Outcome.IDENTICAL})
FOUND = Sensitivity(
    {"few": {"good_1": 0.8, "bad": 0.25}, "many": {"good_1": 0.8, "bad": math.nan}}, 6, (FLIP,)
)


def content_of(found: Sensitivity) -> dict[str, Any]:
    return {"alignment_sensitivity": AlignmentSensitivity({}).to_dict(found)}


def test_the_text_is_a_table_of_scores_then_the_pronouns() -> None:
    """Segment 2 and token 1, counted from 0, are line 3 and token 2 for a reader."""
    assert render(sensitivity_blocks(FOUND), paint=PLAIN).splitlines() == [
        "apt by alignment   few  many",
        "good_1            80.0  80.0",
        "bad               25.0   n/a",
        "",
        "1 of 6 outcomes depend on the alignment",
        "bad, line 3 token 2 they: few candidate_missing, many identical",
    ]


def test_no_flips_leave_the_heading_alone() -> None:
    text = render(sensitivity_blocks(replace(FOUND, flips=())), paint=PLAIN)
    assert text.splitlines()[-1] == "0 of 6 outcomes depend on the alignment"


@pytest.mark.parametrize(
    ("flips", "listed", "last"),
    [
        (2, 2, "bad, line 3 token 2 they: few candidate_missing, many identical"),
        (3, 2, "... and 1 more; --json has all of them"),
        (9, 2, "... and 7 more; --json has all of them"),
    ],
)
def test_a_long_list_is_cut_and_says_so(flips: int, listed: int, last: str) -> None:
    lines = render(
        sensitivity_blocks(replace(FOUND, flips=(FLIP,) * flips), most=2), paint=PLAIN
    ).splitlines()
    assert sum(line.startswith("bad, line") for line in lines) == listed
    assert lines[-1] == last
    assert f"{flips} of 6 outcomes depend on the alignment" in lines


def test_the_heading_is_bold_on_a_terminal() -> None:
    assert "\x1b[1m1 of 6 outcomes depend on the alignment\x1b[0m" in render(
        sensitivity_blocks(FOUND), paint=COLOUR
    )


def test_the_content_for_json_counts_from_0(result: Result) -> None:
    found = replace(FOUND, scores={"few": {"bad": 0.25}})
    assert result_content(result, Files(), analyses=content_of(found))["alignment_sensitivity"] == {
        "scores": {"few": {"bad": 0.25}},
        "pronouns": 6,
        "flips": [
            {
                "system": "bad",
                "segment": 2,
                "token": 1,
                "pronoun": "they",
                "outcomes": {"few": "candidate_missing", "many": "identical"},
            }
        ],
    }


def test_a_result_file_has_the_key_only_on_request(result: Result) -> None:
    plain = json.loads(result_json(result, Files()))
    spread = json.loads(result_json(result, Files(), analyses=content_of(FOUND)))
    assert "alignment_sensitivity" not in plain
    assert spread.pop("alignment_sensitivity")["scores"] == {
        "few": {"good_1": 0.8, "bad": 0.25},
        "many": {"good_1": 0.8, "bad": None},  # JSON has no NaN
    }
    assert spread.pop("seal") != plain.pop("seal")
    assert spread == plain
