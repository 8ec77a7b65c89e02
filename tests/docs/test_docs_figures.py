"""Figures on pages are those of the recorded results.

A mark behind figures names the file below benchmarks/ (without `results/`) and the keys, one for each of the
figures just before it:

    right in 75 %<!-- figure: verdict/fit.json sets/de, given/precision % -->

A key ends in ` %` where the page has percent and the result a share; several keys are joined by `; `. Figures
agree when the result, rounded to the digits of the page, is the figure.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from decimal import ROUND_HALF_EVEN, Decimal
from functools import cache
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
MARK = re.compile(r"<!-- figure: (?P<file>\S+) (?P<keys>[^>]+?) -->")
NUMBER = re.compile(r"[-−]?(?:\d[\d,]*)?\.?\d+")
#: An AUC in a sentence, without the interval that belongs to it.
BARE_AUC = re.compile(r"\bAUC (?:of |is |was )?0?\.\d+(?!\d)(?! ?(?:<!--[^>]*-->)? ?\[)")


@cache
def result(file: str) -> Any:
    folder, name = file.split("/")
    return json.loads((ROOT / "benchmarks" / folder / "results" / name).read_text(encoding="utf-8"))


def value(file: str, key: str) -> Decimal:
    """The number at a key, steps joined by `/`; a step in a list is a place."""
    path, percent, _ = key.strip().partition(" %")
    found = result(file)
    for step in path.split("/"):
        found = found[int(step)] if isinstance(found, list) else found[step]
    return Decimal(str(found)) * (100 if percent else 1)


def wrong_figures(text: str) -> Iterator[str]:
    """A message for every marked figure that differs from its result."""
    for mark in MARK.finditer(text):
        keys = mark["keys"].split("; ")
        before = MARK.sub("", text[: mark.start()])[-400:]
        shown = NUMBER.findall(before)[-len(keys) :]
        for figure, key in zip(shown, keys, strict=True):
            plain = Decimal(figure.replace("−", "-").replace(",", ""))
            recorded = value(mark["file"], key)
            if recorded.quantize(plain, rounding=ROUND_HALF_EVEN) != plain:
                yield f"{figure} is {recorded} in {mark['file']}, {key}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_marked_figures_are_those_of_the_results(page: Path) -> None:
    assert list(wrong_figures(page.read_text(encoding="utf-8"))) == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_an_auc_has_its_interval(page: Path) -> None:
    assert BARE_AUC.findall(" ".join(page.read_text(encoding="utf-8").split())) == []


def test_marks_are_used() -> None:
    """Where pages quote measurements, they say which: at least this many figures."""
    marks = [mark for page in PAGES for mark in MARK.finditer(page.read_text(encoding="utf-8"))]
    assert sum(mark["keys"].count("; ") + 1 for mark in marks) >= 60


def test_a_wrong_figure_is_noticed() -> None:
    mark = "<!-- figure: verdict/fit.json scores/mean error; sets/de, given/precision % -->"
    recorded = [
        value("verdict/fit.json", "scores/mean error"),
        value("verdict/fit.json", "sets/de, given/precision %"),
    ]
    assert not list(wrong_figures(f"off by {recorded[0]} points, right in {recorded[1]:.0f} %{mark}"))
    assert len(list(wrong_figures(f"off by 99.9 points, right in 1.5 %{mark}"))) == 2
