"""Correlate every metric with every human score, with and without named outliers; Williams' test between
metrics.

The weight grid scores APT under many weights, to find which w2, w6 and repair agree best with annotators
(apt-2017, section 4.2, Table 4).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, combinations, product
from typing import Any

from anaphor.core import InputError, MismatchError, OptionError, Outcome, UnknownNameError
from anaphor.core.options import check_level
from anaphor.core.table import Block, Cell, Paragraph, Table, counted, number, p_value, text
from anaphor.meta.scores import (
    CaseCounts,
    ScoreColumn,
    check_range,
    choose,
    follows_layout,
    read_columns,
    read_counts,
    shared_systems,
)
from anaphor.stats import holm
from anaphor.stats.correlation import COEFFICIENTS, Correlation, WilliamsTest, correlation, pearson, williams

#: Williams' test needs a degree of freedom.
_FEWEST_FOR_WILLIAMS = 4
FEWEST = 3


@dataclass(frozen=True, slots=True)
class MetricCorrelation:
    """One metric and one human score: Pearson, Spearman, Kendall over the systems that are not left out."""

    metric: str
    human: str
    without: tuple[str, ...]
    correlations: tuple[Correlation, ...]


@dataclass(frozen=True, slots=True)
class MetricDifference:
    """Two metrics against the same human score. `p_adjusted` is after Holm's correction over its pairs."""

    first: str
    second: str
    human: str
    without: tuple[str, ...]
    test: WilliamsTest
    p_adjusted: float


@dataclass(frozen=True, slots=True)
class CorrelationStudy:
    """Correlations and differences: over all systems, then without the outliers if any are named."""

    systems: tuple[str, ...]
    outliers: tuple[str, ...]
    pairings: tuple[MetricCorrelation, ...]
    differences: tuple[MetricDifference, ...]


@dataclass(frozen=True, slots=True)
class GridPoint:
    """The correlations of APT with one human score under one repair and one pair of weights."""

    repair: str
    w2: float
    w6: float
    human: str
    pearson: Correlation
    spearman: Correlation
    kendall: Correlation


@dataclass(frozen=True, slots=True)
class MetaEvaluation:
    """The output of `anaphor meta correlate`: a study of metrics, a grid of weights, or both."""

    study: CorrelationStudy | None
    grid: tuple[GridPoint, ...]
    level: float

    def to_dict(self) -> dict[str, Any]:
        study = self.study
        return {
            "systems": None if study is None else study.systems,
            "outliers": () if study is None else study.outliers,
            "correlations": () if study is None else study.pairings,
            "williams": () if study is None else study.differences,
            "grid": self.grid,
            "level": self.level,
        }

    def tables(self) -> list[Block]:
        blocks = [] if self.study is None else list(_study_tables(self.study))
        if self.grid:
            columns = [text("repair"), text("w2"), text("w6"), text("human score")]
            rows = []
            for cell in self.grid:
                values = (cell.pearson.value, cell.spearman.value, cell.kendall.value)
                rows.append((cell.repair, f"{cell.w2:g}", f"{cell.w6:g}", cell.human, *values))
            blocks.append(Table([*columns, *map(number, COEFFICIENTS)], rows))
        return blocks


def meta_evaluate(
    *,
    human: Sequence[str],
    scores: Sequence[str] = (),
    counts: Sequence[str] = (),
    pair: str | None = None,
    metrics: Sequence[str] = (),
    human_scores: Sequence[str] = (),
    outliers: Sequence[str] = (),
    common: bool = False,
    human_range: Sequence[float] | None = None,
    w2: Sequence[float] = (0, 0.5, 1),
    w6: Sequence[float] = (0, 0.5, 1),
    discard: Sequence[int] = (),
    level: float = 0.95,
) -> MetaEvaluation:
    """Correlate metrics with human judgements over systems, as `anaphor meta correlate` does.

    Args:
        human: Files with human scores.
        scores: Files with metric scores.
        counts: Files with APT cases, to be scored with several weights.
        pair: The language pair, for files with several.
        metrics: The metrics to use; by default all.
        human_scores: The human scores to use; by default all.
        outliers: Systems to leave out in a second table.
        common: Use only the systems that all files have; otherwise, missing systems are errors.
        human_range: The lowest and highest possible human score.
        w2: Weights to try for case 2.
        w6: Weights to try for case 6.
        discard: APT cases to leave out.
        level: The confidence level of intervals.

    Returns:
        The correlations of every metric with every human score.

    Raises:
        UserError: A file is invalid, systems differ, or a name is unknown.
    """
    if not scores and not counts:
        raise OptionError("nothing to correlate", where="--scores", fix="add --scores, --counts or both")
    humans: Sequence[ScoreColumn] = choose(
        read_columns(human, pair=pair, human=True), human_scores, option="--human-scores"
    )
    # Human scores of the metrics tasks may be z-scores or sums of penalties: they have no known range.
    if human_range is None and not any(map(follows_layout, human)):
        human_range = (0.0, 1.0)
    if human_range is not None:
        if len(human_range) != 2 or not human_range[0] < human_range[1]:
            raise OptionError("not a range", where="--human-range", fix="write two numbers such as 0,100")
        check_range(humans, low=human_range[0], high=human_range[1])
    columns: Sequence[ScoreColumn] = ()
    if scores:
        # One table may hold both kinds; a human score is not a metric as well.
        taken = {(column.name, column.path) for column in humans}
        known = read_columns(scores, pair=pair, human=False)
        rest = [column for column in known if (column.name, column.path) not in taken]
        if not rest:
            raise OptionError(
                "all scores are human scores", where="--scores", fix="select them with --human-scores"
            )
        columns = choose(rest, metrics, option="--metrics")
    cases: Sequence[CaseCounts] = read_counts(counts)
    if common:
        shared = shared_systems(
            [group.systems for group in (*humans, *columns)] + [group.systems for group in cases]
        )
        humans = [column.only(shared) for column in humans]
        columns = [column.only(shared) for column in columns]
        cases = [part.only(shared) for part in cases]
    study = correlate(columns, humans, outliers=outliers, level=level) if columns else None
    grid = weight_grid(cases, humans, w2=w2, w6=w6, discard=discard, outliers=outliers)
    return MetaEvaluation(study, grid, level)


def correlate(
    metrics: Sequence[ScoreColumn],
    humans: Sequence[ScoreColumn],
    *,
    outliers: Sequence[str] = (),
    level: float = 0.95,
) -> CorrelationStudy:
    """Correlate scores that all cover the same systems, at least three."""
    check_level(level)
    systems = common_systems([*metrics, *humans], outliers=outliers)
    correlations: list[MetricCorrelation] = []
    differences: list[MetricDifference] = []
    for without in [(), tuple(outliers)] if outliers else [()]:
        kept = [system for system in systems if system not in without]
        scores = [[metric.values[system] for system in kept] for metric in metrics]
        for human in humans:
            judged = [human.values[system] for system in kept]
            for metric, values in zip(metrics, scores, strict=True):
                coefficients = [
                    correlation(values, judged, coefficient=name, level=level) for name in COEFFICIENTS
                ]
                correlations.append(MetricCorrelation(metric.name, human.name, without, tuple(coefficients)))
            # Three systems leave Williams' test no degree of freedom.
            pairs = list(combinations(range(len(metrics)), 2)) if len(kept) >= _FEWEST_FOR_WILLIAMS else []
            tests = [
                williams(
                    pearson(scores[first], judged).value,
                    pearson(scores[second], judged).value,
                    between=pearson(scores[first], scores[second]).value,
                    n=len(judged),
                )
                for first, second in pairs
            ]
            # One family per human score and set of systems: a reader compares metrics within it.
            adjusted = holm([test.p for test in tests])
            for (first, second), test, p in zip(pairs, tests, adjusted, strict=True):
                names = metrics[first].name, metrics[second].name
                differences.append(MetricDifference(*names, human.name, without, test, p))
    return CorrelationStudy(systems, tuple(outliers), tuple(correlations), tuple(differences))


def common_systems(columns: Sequence[ScoreColumn], *, outliers: Sequence[str] = ()) -> tuple[str, ...]:
    """The systems of all columns in the order of the first; whatever cannot be correlated is an error."""
    first = columns[0]
    for column in columns[1:]:
        # A system that is missing on either side would silently leave the comparison.
        for complete, other in ((first, column), (column, first)):
            if missing := [system for system in complete.systems if system not in other.values]:
                what = f"{other.name} has no score for {', '.join(missing)}, which {complete.name} has"
                fix = f"add the score, or leave the system out of {complete.path}"
                raise MismatchError(what, where=other.path, fix=fix)
    for name in outliers:
        if name not in first.values:
            raise UnknownNameError.among(name, first.values, kind="system", where="--outliers")
    for column in columns:
        values = list(column.without(outliers).values.values())
        if len(values) < FEWEST:
            what = f"{len(values)} systems are too few for a correlation"
            fix = f"pass the scores of at least {FEWEST} systems, not counting outliers"
            raise InputError(what, where=column.path, fix=fix)
        if len(set(values)) == 1:
            what = f"{column.name} is {values[0]:g} for every system, and a constant has no correlation"
            fix = "leave this score out, or add systems that differ in it"
            raise InputError(what, where=column.path, fix=fix)
    return first.systems


def weight_grid(
    counts: Sequence[CaseCounts],
    humans: Sequence[ScoreColumn],
    *,
    w2: Sequence[float] = (0, 0.5, 1),
    w6: Sequence[float] = (0, 0.5, 1),
    discard: Sequence[int] = (),
    outliers: Sequence[str] = (),
) -> tuple[GridPoint, ...]:
    """A point for every repair, human score, w2 and w6; w1 is 1 and all other weights are 0."""
    for weight in (*w2, *w6):
        if not 0 <= weight <= 1:
            raise OptionError(f"not a weight: {weight:g}", where="--w2, --w6", fix="use numbers from 0 to 1")
    if not set(discard) < {case.value for case in Outcome}:
        what = f"cannot discard the cases {sorted(discard)}"
        fix = "name cases from 1 to 6 and keep at least one, such as 5,6"
        raise OptionError(what, where="--discard", fix=fix)
    kept = [case.value - 1 for case in Outcome if case.value not in discard]
    points = []
    for part, human, second, sixth in product(counts, humans, w2, w6):
        credit = (1.0, second, 0.0, 0.0, 0.0, sixth)
        scores: dict[str, float] = {}
        for name, cases in part.values.items():  # the score of apt-2017, section 2.4
            total = sum(cases[i] for i in kept)
            if not total:
                what = "a system has no pronoun in the cases that count"
                raise InputError(what, where=part.path, fix="discard fewer cases")
            scores[name] = sum(credit[i] * cases[i] for i in kept) / total
        label = f"apt (repair {part.name}, w2 {second:g}, w6 {sixth:g})"
        columns = [ScoreColumn(label, part.path, scores), human]
        systems = [name for name in common_systems(columns, outliers=outliers) if name not in outliers]
        pair = [[column.values[name] for name in systems] for column in columns]
        correlations = (correlation(*pair, coefficient=name) for name in COEFFICIENTS)
        points.append(GridPoint(part.name, second, sixth, human.name, *correlations))
    return tuple(points)


def _study_tables(study: CorrelationStudy) -> Iterator[Block]:
    yield f"{counted(len(study.systems), 'system')}: {', '.join(study.systems)}"
    for without in [(), study.outliers] if study.outliers else [()]:
        if without:
            yield Paragraph([f"without {', '.join(without)}"], heading=True)
        pairings = [pairing for pairing in study.pairings if pairing.without == without]
        columns = [text("metric"), text("human score")]
        for name in COEFFICIENTS:
            columns += [number(name), p_value("p")]
        rows = []
        for pairing in pairings:
            cells = [(Cell(c.value, interval=c.interval), c.p) for c in pairing.correlations]
            rows.append((pairing.metric, pairing.human, *chain.from_iterable(cells)))
        level = next(
            (c.interval.level for pairing in pairings for c in pairing.correlations if c.interval), None
        )
        yield Table(columns, rows, notes=[] if level is None else [f"[ ] {100 * level:g} % interval"])
        if differences := [difference for difference in study.differences if difference.without == without]:
            columns = [*map(text, ("Williams' test", "against", "human score", "t"))]
            tests = []
            for pair in differences:
                t = f"{pair.test.t:+.2f} ({pair.test.freedom})"
                tests.append((pair.first, pair.second, pair.human, t, pair.test.p, pair.p_adjusted))
            note = "t (degrees of freedom); positive favours the first"
            yield Table([*columns, p_value("p"), p_value("p Holm")], tests, notes=[note])
