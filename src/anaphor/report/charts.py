"""Charts drawn as SVG: scores with intervals, shares of the six cases."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from statistics import StatisticsError, linear_regression

from anaphor.core import MismatchError, OptionError, Outcome, UserError
from anaphor.core.table import format_percent as percent
from anaphor.report.escape import escaped
from anaphor.report.result_tables import CASE_NAMES
from anaphor.report.stored import StoredResult, StoredScore, StoredSystem
from anaphor.stats.correlation import pearson

_ROW, _PLOT, _GAP = 24.0, 720.0, 12.0
_LETTER = 8.0  # the width of a letter at the size of the labels, rather too much than too little


def interval_chart(scores: Mapping[str, StoredScore], *, label: str) -> str:
    """A dot for each score and a line for its interval, over an axis from 0 to 100 percent."""
    left = _label_width(scores)
    bottom = len(scores) * _ROW
    parts = []
    for tick in range(0, 101, 20):
        x = left + _PLOT * tick / 100
        parts.append(element("line", x1=x, x2=x, y1=0, y2=bottom, kind="grid"))
        parts.append(text(str(tick), x=x, y=bottom + 18, text_anchor="middle"))
    for row, (name, score) in enumerate(scores.items()):
        middle = row * _ROW + _ROW / 2
        parts.append(text(name, x=left - _GAP, y=middle + 4, text_anchor="end", kind="label"))
        if math.isnan(score.value):
            continue
        title = f"{name}: {percent(score.value)}"
        if score.interval is not None:
            low, high = (left + _PLOT * edge for edge in score.interval)
            title += f" [{percent(score.interval[0])}, {percent(score.interval[1])}]"
            parts.append(element("line", x1=low, x2=high, y1=middle, y2=middle, kind="whisker"))
        parts.append(titled("circle", title, cx=left + _PLOT * score.value, cy=middle, r=5, kind="dot"))
    return drawing(parts, width=left + _PLOT + 30, height=bottom + 26, label=label)


def cases_chart(counts: Mapping[str, Sequence[int]], *, label: str, style: str = "") -> str:
    """The share of each of the six cases by name, as stacked bars (apt-2017, Figure 2)."""
    left = _label_width(counts)
    parts = []
    # The legend is wider than the plot, so it begins further left than long names would let it.
    x = min(left, 60.0)
    for outcome, name in CASE_NAMES.items():
        parts.append(element("rect", x=x, y=6, width=12, height=12, kind=f"case{outcome.value}"))
        parts.append(text(name, x=x + 17, y=16))
        x += 30 + _LETTER * len(name)
    for row, (name, cases) in enumerate(counts.items()):
        top = 30 + row * _ROW
        parts.append(text(name, x=left - _GAP, y=top + 15, text_anchor="end", kind="label"))
        start, total = left, max(sum(cases), 1)
        for outcome, count in zip(Outcome, cases, strict=True):
            width = _PLOT * count / total
            if count:
                title = f"{name}, {CASE_NAMES[outcome]}: {count} of {total}"
                size = {"x": start, "y": top + 2, "width": width, "height": _ROW - 6}
                parts.append(titled("rect", title, kind=f"case{outcome.value}", **size))
            start += width
    return drawing(
        parts, width=max(left + _PLOT + 30, x), height=34 + len(counts) * _ROW, label=label, style=style
    )


def _label_width(names: Iterable[str]) -> float:
    return _GAP + min(280.0, _LETTER * max(map(len, names)))


def number(value: float) -> str:
    """A coordinate, short and the same on every machine."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def element(tag: str, content: str = "", /, **attributes: str | float) -> str:
    """An element; underscores in attribute names become hyphens, and `kind` becomes `class`."""
    parts = [
        f" {'class' if key == 'kind' else key.replace('_', '-')}="
        f'"{number(value) if isinstance(value, int | float) else escaped(value)}"'
        for key, value in attributes.items()
    ]
    return f"<{tag}{''.join(parts)}>{content}</{tag}>"


def text(content: str, **attributes: str | float) -> str:
    return element("text", escaped(content), **attributes)


def titled(shape: str, title: str, /, **attributes: str | float) -> str:
    """A shape with a tooltip that explains it."""
    return element(shape, element("title", escaped(title)), **attributes)


def drawing(parts: Iterable[str], *, width: float, height: float, label: str, style: str = "") -> str:
    """A whole drawing. The label is read by screen readers; `style` makes the image usable as a separate
    file.
    """
    paper = element("rect", width=width, height=height, fill="#ffffff") if style else ""
    inside = (element("style", style) + paper if style else "") + "".join(parts)
    size: dict[str, str | float] = {"viewBox": f"0 0 {number(width)} {number(height)}", "width": width}
    return element(
        "svg",
        element("title", escaped(label)) + inside,
        xmlns="http://www.w3.org/2000/svg",
        role="img",
        height=height,
        **size,
    )


_WIDTH, _HEIGHT, _EDGE, _MARGIN = 620.0, 440.0, 60.0, 20.0
_TICKS = 4  # at least so many on an axis


def scatter_chart(
    points: Mapping[str, tuple[float, float]], *, labels: tuple[str, str], label: str, style: str = ""
) -> str:
    """Points by name and their least-squares line (apt-2017, Figure 1); `labels` name x and y.

    If all x are equal, no line is drawn.
    """
    xs, ys = zip(*points.values(), strict=True)
    across = _Scale.of(xs, start=_EDGE, end=_WIDTH - _MARGIN)
    up = _Scale.of(ys, start=_HEIGHT - _EDGE, end=_MARGIN)
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
    parts += _line(xs, ys, across, up)
    for name, point in points.items():
        x, y = across(point[0]), up(point[1])
        title = f"{name}: {point[0]:g}, {point[1]:g}"
        parts.append(titled("circle", title, cx=x, cy=y, r=4, kind="dot"))
        # A name in the right half stands left of its point, so that it stays inside the frame.
        anchor, shift = ("end", -7) if x > (_EDGE + _WIDTH) / 2 else ("start", 7)
        parts.append(text(name, x=x + shift, y=y - 6, text_anchor=anchor))
    return drawing(parts, width=_WIDTH, height=_HEIGHT, label=label, style=style)


@dataclass(frozen=True, slots=True)
class _Scale:
    """Values from `low` to `high` on the way from `start` to `end`."""

    low: float
    high: float
    start: float
    end: float

    @classmethod
    def of(cls, values: Sequence[float], *, start: float, end: float) -> _Scale:
        """A range with a margin of a tenth on both sides; equal values are centred."""
        margin = (max(values) - min(values)) / 10 or 0.1
        return cls(min(values) - margin, max(values) + margin, start, end)

    def __call__(self, value: float) -> float:
        return self.start + (self.end - self.start) * (value - self.low) / (self.high - self.low)

    def ticks(self) -> list[str]:
        """Round numbers, as few as there may be."""
        size = 10 ** math.ceil(math.log10(self.high - self.low))
        steps = (size * part for part in (0.5, 0.2, 0.1, 0.05, 0.02, 0.01))
        step = next(s for s in steps if len(_multiples(s, self.low, self.high)) >= _TICKS)
        return [f"{i * step:.10g}" for i in _multiples(step, self.low, self.high)]


def _multiples(step: float, low: float, high: float) -> range:
    # A bound that is a multiple itself counts, whatever its last bits.
    return range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)


def _line(xs: Sequence[float], ys: Sequence[float], across: _Scale, up: _Scale) -> list[str]:
    """The part of the least-squares line inside the frame."""
    try:
        slope, start = linear_regression(xs, ys)
    except StatisticsError:  # all x are equal
        return []
    ends = [across.low, across.high]
    if slope:
        sides = sorted((edge - start) / slope for edge in (up.low, up.high))
        ends = [max(across.low, sides[0]), min(across.high, sides[1])]
    x1, x2 = map(across, ends)
    y1, y2 = (up(start + slope * end) for end in ends)
    return [element("line", x1=x1, y1=y1, x2=x2, y2=y2, kind="whisker")]


def asset(name: str) -> str:
    """The text of a style sheet or script of the page."""
    return (files("anaphor") / "report" / "html" / "assets" / name).read_text(encoding="utf-8")


def cases_plot(results: Sequence[StoredResult]) -> str:
    """The distribution of pronouns over the six cases by system (apt-2017, Figure 2)."""
    counts = apt_cases(_systems(results))
    if not counts:
        raise OptionError(
            "the results have no cases of apt", where=results[0].path, fix="score with --metrics apt"
        )
    return cases_chart(counts, label="The share of each case, by system", style=_style()) + "\n"


def scatter_plot(
    results: Sequence[StoredResult], human: Mapping[str, float], *, metric: str, name: str
) -> str:
    """A metric against a human score with the regression line and Pearson's r (apt-2017, Figure 1).

    `name` is what the human score is called. Systems without one are left out; at least three must remain.
    """
    points = {
        system.name: (human[system.name], score.value)
        for system in _systems(results)
        if (score := system.score(metric)) is not None
        and system.name in human
        and not math.isnan(score.value)
    }
    if len(points) < 3:
        what = f"{len(points)} systems have both {metric} and {name}; a line needs three"
        fix = "pass human scores of the same systems, and name a metric that the results have"
        raise MismatchError(what, where="the results and --human", fix=fix)
    r = pearson(*zip(*points.values(), strict=True)).value
    label = f"{metric} against {name}, {len(points)} systems, Pearson's r = {r:.3f}"
    labels = (f"{name} (Pearson's r = {r:.3f})", metric)
    return scatter_chart(points, labels=labels, label=label, style=_style()) + "\n"


def as_png(plot: str) -> bytes:
    """A plot as PNG, with three pixels for each unit of the drawing: about 290 dots per inch.

    Drawn by vl-convert, which includes fonts, so labels are drawn on every machine.
    """
    try:
        import vl_convert
    except ImportError as error:
        raise UserError(
            "PNG needs the package vl-convert-python", where="--output", fix="pip install 'anaphor[plots]'"
        ) from error
    return bytes(vl_convert.svg_to_png(plot, scale=3.0))


def apt_cases(systems: Iterable[StoredSystem]) -> dict[str, tuple[int, ...]]:
    """The frequency of each APT case, by system; systems without it are omitted."""
    scores = {system.name: system.score("apt") for system in systems}
    return {
        name: score.cases for name, score in scores.items() if score is not None and score.cases is not None
    }


def _systems(results: Sequence[StoredResult]) -> list[StoredSystem]:
    return [system for stored in results for system in stored.systems]


def _style() -> str:
    """The light palette, since a plot in a paper has a white background.

    Colours are written out, because programs other than browsers do not support CSS variables.
    """
    light = dict(re.findall(r"(--\w+): (#\w+);", asset("palette.css").split("@media")[0]))
    return re.sub(r"var\((--\w+)\)", lambda name: light[name[1]], asset("charts.css"))
