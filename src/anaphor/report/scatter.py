"""A scatter plot drawn as SVG: scores of systems against human scores, with the least-squares line."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from anaphor.report.svg import drawing, element, text, titled

_WIDTH, _HEIGHT, _EDGE, _MARGIN = 620.0, 440.0, 60.0, 20.0
_TICKS = 4  # at least so many on an axis


@dataclass(frozen=True, slots=True)
class ScatterPoint:
    """A system in a scatter plot."""

    name: str
    x: float
    y: float


def scatter_chart(
    points: Sequence[ScatterPoint], *, labels: tuple[str, str], told: str, style: str = ""
) -> str:
    """Points with their names and the least-squares line (apt-2017, Figure 1); `labels` name x and y.

    Where all x are equal there is no such line, and none is drawn.
    """
    across = _Scale.of([point.x for point in points], start=_EDGE, end=_WIDTH - _MARGIN)
    up = _Scale.of([point.y for point in points], start=_HEIGHT - _EDGE, end=_MARGIN)
    parts = [*_axes(across, up, labels), *_line(points, across, up)]
    for point in points:
        x, y = across(point.x), up(point.y)
        parts.append(titled("circle", f"{point.name}: {point.x:g}, {point.y:g}", cx=x, cy=y, r=4, kind="dot"))
        # A name in the right half stands left of its point, so that it stays inside the frame.
        anchor, shift = ("end", -7) if x > (_EDGE + _WIDTH) / 2 else ("start", 7)
        parts.append(text(point.name, x=x + shift, y=y - 6, text_anchor=anchor))
    return drawing(parts, width=_WIDTH, height=_HEIGHT, label=told, style=style)


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
    """Values from `low` to `high` on the way from `start` to `end`."""

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

    def ticks(self) -> list[str]:
        """Round numbers, as few as there may be."""
        size = 10 ** math.ceil(math.log10(self.high - self.low))
        step = next(s for s in _steps(size) if len(_multiples(s, self.low, self.high)) >= _TICKS)
        return [f"{i * step:.10g}" for i in _multiples(step, self.low, self.high)]


def _steps(size: float) -> list[float]:
    return [size * part for part in (0.5, 0.2, 0.1, 0.05, 0.02, 0.01)]


def _multiples(step: float, low: float, high: float) -> range:
    # A bound that is a multiple itself counts, whatever its last bits.
    return range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)


def _axes(across: _Scale, up: _Scale, labels: tuple[str, str]) -> list[str]:
    width, height = across.end - across.start, up.start - up.end
    parts = [element("rect", x=across.start, y=up.end, width=width, height=height, kind="frame")]
    for tick in across.ticks():
        x = across(float(tick))
        parts.append(element("line", x1=x, x2=x, y1=up.end, y2=up.start, kind="grid"))
        parts.append(text(tick, x=x, y=up.start + 18, text_anchor="middle"))
    for tick in up.ticks():
        y = up(float(tick))
        parts.append(element("line", x1=across.start, x2=across.end, y1=y, y2=y, kind="grid"))
        parts.append(text(tick, x=across.start - 8, y=y + 4, text_anchor="end"))
    middle, centre = (across.start + across.end) / 2, (up.start + up.end) / 2
    parts.append(text(labels[0], x=middle, y=_HEIGHT - 14, text_anchor="middle", kind="label"))
    turned = f"rotate(-90 16 {centre:g})"
    parts.append(text(labels[1], x=16, y=centre, text_anchor="middle", transform=turned, kind="label"))
    return parts


def _line(points: Sequence[ScatterPoint], across: _Scale, up: _Scale) -> list[str]:
    """The least-squares line as far as the frame reaches."""
    found = least_squares([(point.x, point.y) for point in points])
    if found is None:
        return []
    slope, start = found
    ends = [across.low, across.high]
    if slope:
        sides = sorted((edge - start) / slope for edge in (up.low, up.high))
        ends = [max(across.low, sides[0]), min(across.high, sides[1])]
    x1, x2 = map(across, ends)
    y1, y2 = (up(start + slope * end) for end in ends)
    return [element("line", x1=x1, y1=y1, x2=x2, y2=y2, kind="whisker")]
