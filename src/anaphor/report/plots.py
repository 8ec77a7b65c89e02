"""Plots as SVG files: the shares of the six cases, and a metric against human scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from anaphor.core import MismatchError, OptionError
from anaphor.report.charts import Point, cases_chart, scatter_chart
from anaphor.report.html.page import asset
from anaphor.report.stored import Stored, StoredSystem
from anaphor.stats import pearson


def cases_plot(results: Sequence[Stored]) -> str:
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


def scatter_plot(results: Sequence[Stored], human: Mapping[str, float], *, metric: str, name: str) -> str:
    """A metric against a human score with the regression line and Pearson's r (apt-2017, Figure 1).

    `name` is what the human score is called. Systems without one are left out; three must be left.
    """
    points = [
        Point(system.name, human[system.name], score.value)
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


def _systems(results: Sequence[Stored]) -> list[StoredSystem]:
    return [system for stored in results for system in stored.systems]


def _style() -> str:
    """The light side of the palette: a plot in a paper stands on white."""
    light = asset("palette.css").split("@media")[0]
    return light + asset("charts.css")
