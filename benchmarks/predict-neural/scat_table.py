"""The figures of results/scat.json as tables, and the pages that show them between two marks."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
RESULTS = Path(__file__).parent / "results" / "scat.json"
PAGES = (Path(__file__).parent / "README.md",)
MARKS = ("<!-- scat: python benchmarks/predict-neural/scat.py --write -->", "<!-- end of scat -->")
ORDERS = ("occlusion", "nearest noun", "chance")


def scat_table(result: Mapping[str, Any]) -> str:
    """Overlap with the highlighted words by each order, then the accuracy with and without context."""
    groups = result["groups"]
    left_out = sum(result["left_out"].values())
    count = groups["all"]["items"]
    return "\n\n".join(
        [
            f"`{result['model']}` on {count} of {count + left_out} items of SCAT's validation part, "
            f"{groups['all']['words']:.0f} French words each, {groups['all']['highlighted']:.1f} of them "
            "highlighted; in brackets 95 % intervals.",
            _markdown(["words ordered by", "precision at k", "rank of the best", "AUC"], _overlap(groups)),
            f"Without the highlighted word the probability of the chosen class falls by "
            f"{_number(groups['all']['fall'], 3)}, without another one by "
            f"{_number(groups['all']['fall of others'], 3)}. The word with the largest fall is in "
            "the sentence of the placeholder in "
            f"{_percent(groups['all']['strongest in the sentence'])} % of the items.",
            _markdown(
                ["items", "number", "precision at k", "AUC", "accuracy", "without context"], _accuracy(groups)
            ),
        ]
    )


def _overlap(groups: Mapping[str, Any]) -> list[list[str]]:
    found = {order: groups["all"][order] for order in ORDERS}
    return [
        [order, _percent(one["precision"]), _number(one["rank"], 1), _number(one["auc"], 2)]
        for order, one in found.items()
    ]


def _accuracy(groups: Mapping[str, Any]) -> list[list[str]]:
    return [
        [
            name,
            str(found["items"]),
            _percent(found["occlusion"]["precision"]),
            _number(found["occlusion"]["auc"], 2),
            _percent(found["accuracy"]),
            _percent(found["accuracy without context"]),
        ]
        for name, found in groups.items()
    ]


def _percent(value: Mapping[str, float]) -> str:
    mean, low, high = (100 * value[key] for key in ("mean", "low", "high"))
    return f"{mean:.1f} [{low:.1f}, {high:.1f}]"


def _number(value: Mapping[str, float], digits: int) -> str:
    mean, low, high = (f"{value[key]:.{digits}f}" for key in ("mean", "low", "high"))
    return f"{mean} [{low}, {high}]"


def _markdown(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def pages() -> dict[Path, str]:
    """Every page with the text that it should have."""
    table = scat_table(json.loads(RESULTS.read_text(encoding="utf-8")))
    return {page: _filled(page.read_text(encoding="utf-8"), table) for page in PAGES}


def _filled(text: str, table: str) -> str:
    start, end = MARKS
    head, found, rest = text.partition(start)
    if not found or end not in rest:
        raise ValueError("the page has no place for the figures")
    return f"{head}{start}\n\n{table}\n\n{end}{rest.partition(end)[2]}"
