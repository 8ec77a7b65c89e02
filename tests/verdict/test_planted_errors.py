"""Verdicts on invented segments into Italian and Portuguese, with and without planted errors.

Two candidates have every second error each, because a candidate with all of them would have a telling base
rate.
"""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

import pytest

import anaphor

DATA = Path(__file__).parent / "data"


@pytest.mark.parametrize(
    ("code", "wrong", "right"),
    # 16 wrong and 28 right pronouns, and 17 and 27: the rest are open, or follow a statue that is taken for a
    # museum.
    [("it", 14, 23), ("pt", 13, 23)],
)
def test_most_planted_errors_are_rejected_and_most_right_pronouns_accepted(
    code: str, wrong: int, right: int
) -> None:
    with (DATA / f"planted.{code}.tsv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    with_error = [number for number, row in enumerate(rows) if row["wrong"]]
    planted = {"odd": {*with_error[::2]}, "even": {*with_error[1::2]}}
    report = anaphor.evaluate(
        source=[row["english"] for row in rows],
        systems={
            name: [row["wrong" if number in errors else "right"] for number, row in enumerate(rows)]
            for name, errors in planted.items()
        },
        pair=f"en-{code}",
        metrics="accept",
        objects=True,
        samples=0,
    )
    found: Counter[tuple[bool, str]] = Counter()
    for system in report.result.systems:
        seen: Counter[int] = Counter()
        for verdict, score in zip(system.verdicts, system.pronoun_scores["accept"], strict=True):
            segment = verdict.pair.source.segment
            is_wrong = segment in planted[system.name] and str(seen[segment]) in rows[segment]["planted"]
            seen[segment] += 1
            found[is_wrong, score.verdict] += 1
    assert found.total() == 88 // 2
    assert found[True, "rejected"] >= wrong
    assert found[False, "accepted"] >= right
    assert found[True, "accepted"] <= 1
    assert found[False, "rejected"] <= 1
