"""Plots as SVG or PNG files: the shares of the six cases, and a metric against human scores."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from anaphor.core import MismatchError, OptionError, UserError
from anaphor.report.charts import cases_chart
from anaphor.report.html.page import asset
from anaphor.report.result_file import StoredResult, StoredSystem
from anaphor.report.scatter import ScatterPoint, scatter_chart
from anaphor.stats import pearson


def cases_plot(results: Sequence[StoredResult]) -> str:
    """The distribution of pronouns over the six cases by system (apt-2017, Figure 2)."""
    counts = {
        system.name: score.cases
        for system in _systems(results)
        if (score := system.score("apt")) is not None and score.cases is not None
    }
    if not counts:
        raise OptionError(
            "the results have no cases of apt", where=results[0].path, fix="score with --metrics apt"
        )
    return cases_chart(counts, label="The share of each case by system", style=_style()) + "\n"


def scatter_plot(
    results: Sequence[StoredResult], human: Mapping[str, float], *, metric: str, name: str
) -> str:
    """A metric against a human score with the regression line and Pearson's r (apt-2017, Figure 1).

    `name` is what the human score is called. Systems without one are left out; three must be left.
    """
    points = [
        ScatterPoint(system.name, human[system.name], score.value)
        for system in _systems(results)
        if (score := system.score(metric)) is not None and system.name in human and score.value == score.value
    ]
    if len(points) < 3:
        raise MismatchError(
            f"{len(points)} systems have both {metric} and {name}; a line needs three",
            where="the results and --human",
            fix="give human scores of the same systems, and name a metric that the results have",
        )
    r = pearson([point.x for point in points], [point.y for point in points]).value
    told = f"{metric} against {name}, {len(points)} systems, Pearson's r = {r:.3f}"
    labels = (f"{name} (Pearson's r = {r:.3f})", metric)
    return scatter_chart(points, labels=labels, told=told, style=_style()) + "\n"


def as_png(plot: str, *, scale: float = 3.0) -> bytes:
    """A plot as PNG, `scale` pixels for each unit of the drawing: 3 is about 290 dots an inch.

    Drawn by vl-convert, which brings fonts of its own, so that no machine draws a plot without its words.
    """
    try:
        import vl_convert
    except ImportError as error:
        raise UserError(
            "PNG needs the package vl-convert-python", where="--output", fix="pip install 'anaphor[plots]'"
        ) from error
    return bytes(vl_convert.svg_to_png(plot, scale=scale))


def _systems(results: Sequence[StoredResult]) -> list[StoredSystem]:
    return [system for stored in results for system in stored.systems]


def _style() -> str:
    """The light side of the palette: a plot in a paper stands on white.

    Colours stand in their places, for programs other than browsers know no variables of CSS.
    """
    light = dict(re.findall(r"(--\w+): (#\w+);", asset("palette.css").split("@media")[0]))
    return re.sub(r"var\((--\w+)\)", lambda name: light[name[1]], asset("charts.css"))
