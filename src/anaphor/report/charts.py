"""Charts drawn as SVG: scores with intervals, shares of the six cases."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from anaphor.core import Outcome
from anaphor.report.svg import drawing, element, text, titled
from anaphor.report.text import percent

CASE_NAMES = {
    Outcome.IDENTICAL: "identical",
    Outcome.EQUIVALENT: "equivalent",
    Outcome.DIFFERENT: "different",
    Outcome.CANDIDATE_MISSING: "no candidate",
    Outcome.REFERENCE_MISSING: "no reference",
    Outcome.BOTH_MISSING: "neither",
}
_ROW, _PLOT, _GAP = 24.0, 480.0, 12.0
_LETTER = 8.0  # the width of a letter at the size of the labels, rather too much than too little


@dataclass(frozen=True, slots=True)
class Bar:
    """A score to draw with its interval, None where there is none."""

    name: str
    value: float
    interval: tuple[float, float] | None


def interval_chart(bars: Sequence[Bar], *, label: str, style: str = "") -> str:
    """A dot for each score and a line for its interval, over an axis from 0 to 100 percent."""
    left = _label_width([bar.name for bar in bars])
    parts = _percent_axis(left, len(bars))
    for row, bar in enumerate(bars):
        middle = row * _ROW + _ROW / 2
        parts.append(text(bar.name, x=left - _GAP, y=middle + 4, text_anchor="end", kind="label"))
        if math.isnan(bar.value):
            continue
        told = f"{bar.name}: {percent(bar.value)}"
        if bar.interval is not None:
            low, high = (left + _PLOT * edge for edge in bar.interval)
            told += f" [{percent(bar.interval[0])}, {percent(bar.interval[1])}]"
            parts.append(element("line", x1=low, x2=high, y1=middle, y2=middle, kind="whisker"))
        parts.append(titled("circle", told, cx=left + _PLOT * bar.value, cy=middle, r=5, kind="dot"))
    return drawing(parts, width=left + _PLOT + 30, height=len(bars) * _ROW + 26, label=label, style=style)


def cases_chart(counts: Mapping[str, Sequence[int]], *, label: str, style: str = "") -> str:
    """The share of each of the six cases by name, as stacked bars (apt-2017, Figure 2)."""
    left = _label_width(counts)
    parts = _legend(left)
    for row, (name, cases) in enumerate(counts.items()):
        top = 30 + row * _ROW
        parts.append(text(name, x=left - _GAP, y=top + 15, text_anchor="end", kind="label"))
        start, total = left, max(sum(cases), 1)
        for outcome, count in zip(Outcome, cases, strict=True):
            width = _PLOT * count / total
            if count:
                told = f"{name}, {CASE_NAMES[outcome]}: {count} of {total}"
                size = {"x": start, "y": top + 2, "width": width, "height": _ROW - 6}
                parts.append(titled("rect", told, kind=f"case{outcome.value}", **size))
            start += width
    return drawing(
        parts, width=max(left + _PLOT + 30, 740), height=34 + len(counts) * _ROW, label=label, style=style
    )


def _percent_axis(left: float, rows: int) -> list[str]:
    bottom = rows * _ROW
    parts = []
    for tick in range(0, 101, 20):
        x = left + _PLOT * tick / 100
        parts.append(element("line", x1=x, x2=x, y1=0, y2=bottom, kind="grid"))
        parts.append(text(str(tick), x=x, y=bottom + 18, text_anchor="middle"))
    return parts


def _legend(left: float) -> list[str]:
    parts, x = [], min(left, 60.0)
    for outcome, name in CASE_NAMES.items():
        parts.append(element("rect", x=x, y=6, width=12, height=12, kind=f"case{outcome.value}"))
        parts.append(text(name, x=x + 17, y=16))
        x += 30 + _LETTER * len(name)
    return parts


def _label_width(names: Sequence[str] | Mapping[str, object]) -> float:
    return _GAP + min(280.0, _LETTER * max(map(len, names)))
