"""Charts drawn as SVG: scores with intervals, shares of the six cases, scores against human scores."""

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


@dataclass(frozen=True, slots=True)
class Point:
    """A system in a scatter plot."""

    name: str
    x: float
    y: float


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


def scatter_chart(points: Sequence[Point], *, labels: tuple[str, str], told: str, style: str = "") -> str:
    """Points with their names and the least-squares line (apt-2017, Figure 1); `labels` name x and y.

    Where all x are equal there is no such line, and none is drawn.
    """
    width, height, edge = 560.0, 440.0, 60.0
    across = _Scale.of([point.x for point in points], start=edge, end=width - 20)
    up = _Scale.of([point.y for point in points], start=height - edge, end=20)
    parts = [element("rect", x=edge, y=20, width=width - edge - 20, height=height - edge - 20, kind="frame")]
    parts += [
        text(f"{tick:.3g}", x=across(tick), y=height - edge + 18, text_anchor="middle")
        for tick in across.ticks()
    ]
    parts += [text(f"{tick:.3g}", x=edge - 8, y=up(tick) + 4, text_anchor="end") for tick in up.ticks()]
    parts.append(text(labels[0], x=(edge + width) / 2, y=height - 14, text_anchor="middle", kind="label"))
    turned = f"rotate(-90 16 {height / 2:g})"
    parts.append(text(labels[1], x=16, y=height / 2, text_anchor="middle", transform=turned, kind="label"))
    line = least_squares([(point.x, point.y) for point in points])
    if line is not None:
        slope, start = line
        ends = [(x, start + slope * x) for x in (across.low, across.high)]
        (x1, y1), (x2, y2) = ((across(x), up(y)) for x, y in ends)
        parts.append(element("line", x1=x1, y1=y1, x2=x2, y2=y2, kind="whisker"))
    for point in points:
        parts.append(
            titled(
                "circle",
                f"{point.name}: {point.x:g}, {point.y:g}",
                cx=across(point.x),
                cy=up(point.y),
                r=4,
                kind="dot",
            )
        )
        parts.append(text(point.name, x=across(point.x) + 7, y=up(point.y) - 6))
    return drawing(parts, width=width + 60, height=height, label=told, style=style)


def least_squares(points: Sequence[tuple[float, float]]) -> tuple[float, float] | None:
    """Slope and intercept; None where all x are equal."""
    n = len(points)
    mean_x, mean_y = sum(x for x, _ in points) / n, sum(y for _, y in points) / n
    spread = sum((x - mean_x) ** 2 for x, _ in points)
    if spread == 0:
        return None
    slope = sum((x - mean_x) * (y - mean_y) for x, y in points) / spread
    return slope, mean_y - slope * mean_x


@dataclass(frozen=True, slots=True)
class _Scale:
    low: float
    high: float
    start: float
    end: float

    @classmethod
    def of(cls, values: Sequence[float], *, start: float, end: float) -> _Scale:
        """Room for all values and a tenth more on both sides; equal values stand in the middle."""
        margin = (max(values) - min(values)) / 10 or 0.1
        return cls(min(values) - margin, max(values) + margin, start, end)

    def __call__(self, value: float) -> float:
        return self.start + (self.end - self.start) * (value - self.low) / (self.high - self.low)

    def ticks(self) -> list[float]:
        return [self.low + (self.high - self.low) * (i + 0.5) / 4 for i in range(4)]


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
