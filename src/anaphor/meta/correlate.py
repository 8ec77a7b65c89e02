"""Every metric against every human score, with and without named outliers; Williams' test between metrics."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from anaphor.core import InputError, MismatchError, OptionError, UnknownNameError
from anaphor.meta.scores import ScoreColumn
from anaphor.stats import COEFFICIENTS, Correlation, WilliamsTest, correlation, holm, pearson, williams

#: Williams' test needs a degree of freedom.
_FEWEST_FOR_WILLIAMS = 4
FEWEST = 3


@dataclass(frozen=True, slots=True)
class Pairing:
    """One metric and one human score: Pearson, Spearman, Kendall over the systems that are not left out."""

    metric: str
    human: str
    without: tuple[str, ...]
    correlations: tuple[Correlation, ...]


@dataclass(frozen=True, slots=True)
class Difference:
    """Two metrics against the same human score. `p_adjusted` is after Holm's correction over its pairs."""

    first: str
    second: str
    human: str
    without: tuple[str, ...]
    test: WilliamsTest
    p_adjusted: float


@dataclass(frozen=True, slots=True)
class Study:
    """All pairings and differences: first of all systems, then without the outliers where some are named."""

    systems: tuple[str, ...]
    outliers: tuple[str, ...]
    pairings: tuple[Pairing, ...]
    differences: tuple[Difference, ...]


def correlate(
    metrics: Sequence[ScoreColumn],
    humans: Sequence[ScoreColumn],
    *,
    outliers: Sequence[str] = (),
    level: float = 0.95,
) -> Study:
    """The study of scores that all have the same systems, at least three of them."""
    if not 0.5 <= level < 1:
        raise OptionError(
            f"confidence level must be between 0.5 and 1, got {level}",
            where="--level",
            fix="give a share such as 0.95",
        )
    systems = common_systems([*metrics, *humans], outliers=outliers)
    rounds = [(), tuple(outliers)] if outliers else [()]
    pairings = [
        Pairing(metric.name, human.name, without, _correlations(metric, human, without, systems, level))
        for without in rounds
        for human in humans
        for metric in metrics
    ]
    differences = [
        difference
        for without in rounds
        for human in humans
        for difference in _differences(metrics, human, without, systems)
    ]
    return Study(systems, tuple(outliers), tuple(pairings), tuple(differences))


def common_systems(columns: Sequence[ScoreColumn], *, outliers: Sequence[str] = ()) -> tuple[str, ...]:
    """The systems of all columns in the order of the first; whatever cannot be correlated is an error."""
    first = columns[0]
    for column in columns[1:]:
        for one, other in ((first, column), (column, first)):
            if missing := [system for system in one.systems if system not in other.values]:
                raise MismatchError(
                    f"{other.name} has no score for {', '.join(missing)}, which {one.name} has",
                    where=other.path,
                    fix=f"add the score, or leave the system out of {one.path}",
                )
    for name in outliers:
        if name not in first.values:
            raise UnknownNameError.among(name, first.values, kind="system", where="--outliers")
    for column in columns:
        _require_variation(column.without(outliers))
    return first.systems


def _require_variation(column: ScoreColumn) -> None:
    if len(column.values) < FEWEST:
        raise InputError(
            f"{len(column.values)} systems are too few for a correlation",
            where=column.path,
            fix=f"give the scores of at least {FEWEST} systems, not counting outliers",
        )
    if len(set(column.values.values())) == 1:
        value = next(iter(column.values.values()))
        raise InputError(
            f"{column.name} is {value:g} for every system, and a constant correlates with nothing",
            where=column.path,
            fix="leave this score out, or add systems that differ in it",
        )


def _values(column: ScoreColumn, systems: Sequence[str], without: Sequence[str]) -> list[float]:
    return [column.values[system] for system in systems if system not in without]


def _correlations(
    metric: ScoreColumn, human: ScoreColumn, without: tuple[str, ...], systems: Sequence[str], level: float
) -> tuple[Correlation, ...]:
    scores, judged = _values(metric, systems, without), _values(human, systems, without)
    return tuple(correlation(scores, judged, coefficient=name, level=level) for name in COEFFICIENTS)


def _differences(
    metrics: Sequence[ScoreColumn], human: ScoreColumn, without: tuple[str, ...], systems: Sequence[str]
) -> Iterator[Difference]:
    """None for three systems, which leave Williams' test no degree of freedom."""
    judged = _values(human, systems, without)
    pairs = list(combinations(metrics, 2)) if len(judged) >= _FEWEST_FOR_WILLIAMS else []
    scores = {metric.name: _values(metric, systems, without) for metric in metrics}
    tests = [_williams(scores[first.name], scores[second.name], judged) for first, second in pairs]
    adjusted = holm([test.p for test in tests])
    for (first, second), test, p in zip(pairs, tests, adjusted, strict=True):
        yield Difference(first.name, second.name, human.name, without, test, p)


def _williams(first: list[float], second: list[float], judged: list[float]) -> WilliamsTest:
    return williams(
        pearson(first, judged).value,
        pearson(second, judged).value,
        between=pearson(first, second).value,
        n=len(judged),
    )
