"""Precision, recall and F0.5 on GATE, counted by hand by the formulas of its script."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from anaphor.bench.precision import AnswerCounts
from anaphor.cli.main import main

ROWS = [
    "labels\tsource\tf\tm\tkw_s",
    "SUBJ;PROF\tMy boss left.\tMi jefa se fue.\tMi jefe se fue.\tboss",
    "SUBJ;FAM;PLUR\tThe children sleep.\tLas hijas duermen.\tLos hijos duermen.\tchildren",
    "DOBJ;PROF\tI saw a doctor.\tVi a una doctora.\tVi a un doctor.\tdoctor",
    "SCMP;NAT\tI am Russian.\tSoy rusa.\tSoy ruso.\tRussian",
]
#: Right, the other gender, no answer, right but for a letter.
ANSWERS = ["Mi jefe se fue. ", "Las hijas duermen.", "", "soy ruso."]


@pytest.fixture
def scored(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, dict[str, object]]:
    """The rows of the result by label."""
    (tmp_path / "gate.tsv").write_text("".join(f"{row}\n" for row in ROWS), encoding="utf-8")
    (tmp_path / "answers").write_text("".join(f"{line}\n" for line in ANSWERS), encoding="utf-8")
    bench = str(tmp_path / "bench.jsonl")
    make = [
        "bench",
        "make",
        "gate-masculine",
        str(tmp_path / "gate.tsv"),
        "--pair",
        "en-es",
        "--output",
        bench,
    ]
    assert main(make) == 0
    capsys.readouterr()
    score = ["bench", "score", bench, "--translations", str(tmp_path / "answers"), "--rule", "official"]
    assert main(score) == 0
    assert "label  items  precision  recall  F0.5" in capsys.readouterr().out
    assert main([*score, "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["precision"]["answers"]
    return {row["name"]: row for row in rows}


def test_a_blank_line_costs_recall_alone(scored: dict[str, dict[str, object]]) -> None:
    # All: 1 right, 2 wrong, 1 blank. 1.25 * (1/3 * 1/4) / (0.25 * 1/3 + 1/4) = 0.3125.
    assert scored["all"] == {
        "name": "all",
        "items": 4,
        "right": 1,
        "wrong": 2,
        "precision": pytest.approx(1 / 3),
        "recall": 0.25,
        "f_half": pytest.approx(0.3125),
    }
    assert [scored["PROF"][key] for key in ("items", "right", "wrong", "precision", "recall")] == [
        2,
        1,
        0,
        1.0,
        0.5,
    ]
    # F0.5 of precision 1 and recall 1/2: 0.625 by 0.75.
    assert scored["PROF"]["f_half"] == pytest.approx(5 / 6)


def test_nothing_right_and_nothing_answered_are_zero(scored: dict[str, dict[str, object]]) -> None:
    assert [scored["DOBJ"][key] for key in ("right", "wrong", "precision", "recall", "f_half")] == [
        0,
        0,
        0.0,
        0.0,
        0.0,
    ]
    assert [scored["NAT"][key] for key in ("right", "wrong", "precision", "f_half")] == [0, 1, 0.0, 0.0]
    assert set(scored) == {"all", "SUBJ", "PROF", "FAM", "PLUR", "DOBJ", "SCMP", "NAT"}


def test_no_items_are_zero() -> None:
    nothing = AnswerCounts("none", 0, 0, 0)
    assert (nothing.precision, nothing.recall, nothing.f_half) == (0.0, 0.0, 0.0)
