"""Figures on pages are those of the recorded results.

A mark behind figures names the file below benchmarks/ (without `results/`) and the keys, one for each of the
figures just before it:

    right in 75 %<!-- figure: verdict/fit.json sets/de, given/precision % -->

A key ends in ` %` where the page has percent and the result a share; a step `*` is the mean over all entries;
records of a `.jsonl` file are counted from 0; several keys are joined by `; `. Figures agree when the result,
rounded to the digits of the page, is the figure. After a new measurement:

    python -m tests.docs.test_docs_figures --write
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from decimal import ROUND_HALF_EVEN, Decimal
from functools import cache
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "benchmarks").rglob("README.md")),
]
MARK = re.compile(r"<!-- figure: (?P<file>\S+) (?P<keys>[^>]+?) -->")
NUMBER = re.compile(r"[-−]?(?:\d[\d,]*)?\.?\d+")
#: An AUC in a sentence, without the interval that belongs to it.
BARE_AUC = re.compile(r"\bAUC (?:of |is |was )?0?\.\d+(?!\d)(?! ?(?:<!--[^>]*-->)? ?\[)")


@cache
def result(file: str) -> Any:
    folder, name = file.split("/")
    text = (ROOT / "benchmarks" / folder / "results" / name).read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()] if name.endswith(".jsonl") else json.loads(text)


def value(file: str, key: str) -> Decimal:
    """The number at a key, steps joined by `/`; a step in a list is a place, `*` the mean over all."""
    path, percent, _ = key.strip().partition(" %")
    return at(result(file), path.split("/")) * (100 if percent else 1)


def at(found: Any, steps: list[str]) -> Decimal:
    for place, step in enumerate(steps):
        if step == "*":
            parts = found if isinstance(found, list) else [*found.values()]
            return sum((at(part, steps[place + 1 :]) for part in parts), Decimal()) / len(parts)
        found = found[int(step)] if isinstance(found, list) else found[step]
    return Decimal(str(found))


def updated(text: str) -> str:
    """The text with every marked figure as it is recorded, in as many digits and the same style."""
    parts, end = [], 0
    for mark in MARK.finditer(text):
        keys = mark["keys"].split("; ")
        before = text[end : mark.start()]
        figures = [*NUMBER.finditer(MARK.sub(lambda other: " " * len(other[0]), before))][-len(keys) :]
        for figure, key in reversed([*zip(figures, keys, strict=True)]):
            plain = Decimal(figure[0].replace("−", "-").replace(",", ""))
            recorded = value(mark["file"], key).quantize(plain, rounding=ROUND_HALF_EVEN)
            if recorded != plain:
                shown = f"{recorded:,}" if "," in figure[0] else str(recorded)
                shown = shown.replace("0.", ".", 1) if figure[0].lstrip("-−").startswith(".") else shown
                shown = shown.replace("-", "−") if "−" in figure[0] else shown
                before = before[: figure.start()] + shown + before[figure.end() :]
        parts += [before, mark[0]]
        end = mark.end()
    return "".join(parts) + text[end:]


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


@pytest.mark.parametrize(
    "page",
    [page for page in PAGES if "benchmarks" not in page.parts],
    ids=lambda page: str(page.relative_to(ROOT)),
)
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


def test_figures_are_updated_in_the_style_of_the_page() -> None:
    recorded = value("verdict/fit.json", "sets/de, given/precision")
    mark = "<!-- figure: verdict/fit.json sets/de, given/precision; sets/de, given/precision % -->"
    text = f"from .01 to 99 %{mark} and 5"
    assert updated(text) == f"from {recorded:.2f} to {100 * recorded:.0f} %{mark} and 5".replace(" 0.", " .")
    for page in PAGES:
        assert updated(page.read_text(encoding="utf-8")) == page.read_text(encoding="utf-8")


if __name__ == "__main__" and sys.argv[1:] == ["--write"]:
    for written_page in PAGES:
        written_page.write_text(updated(written_page.read_text(encoding="utf-8")), encoding="utf-8")
