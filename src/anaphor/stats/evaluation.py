"""From counts to an evaluation: scores with intervals, and every system compared with the first.

Any caller with one row of numbers per unit (segment, item, slot) and a function of their sums gets the same
intervals and tests: metrics, test suites, public test sets and the prediction task. No metric is referenced
here.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from anaphor.core import Comparison, Counts, InputWarning, Interval, OptionError, Score, Signature
from anaphor.core.array_types import Bools, Doubles, Longs
from anaphor.core.table import Cell, JsonFields, Style, Table, count, p_value, percent, text
from anaphor.stats.comparison import compare, gained_and_lost, mcnemar
from anaphor.stats.interval import effective_size, resampled_scores, wilson
from anaphor.stats.resampling import Value, bootstrap_each, cluster_totals

#: A difference with a p-value below this is called significant, everywhere.
SIGNIFICANCE = 0.05


@dataclass(frozen=True, slots=True)
class Measure:
    """What to evaluate: the counts of every system and a function that scores their sums.

    Attributes:
        name: The name of the score.
        value: The scores of sums of rows.
        counts: The counts of every system, one row per unit.
        sign: The signature of each system's score.
        details: The components of the score to display, computed from the sums of all rows.
        right: Whether the system gets each judged pronoun, item or slot right, for McNemar's test; None if
            they are not judged individually.
    """

    name: str
    value: Value
    counts: Mapping[str, Counts]
    sign: Callable[[str], Signature]
    details: Callable[[Doubles], Mapping[str, float]] = lambda _: {}
    right: Mapping[str, Bools] | None = None


@dataclass(frozen=True, slots=True)
class Evaluation:
    """All systems evaluated by one measure: scores with intervals, and comparisons with the first system."""

    metric: str
    scores: Mapping[str, Score]
    comparisons: tuple[Comparison, ...]

    @property
    def signature(self) -> Signature:
        """The signature of the first system."""
        return next(iter(self.scores.values())).signature


def evaluate_counts(
    measures: Sequence[Measure],
    *,
    ids: Longs,
    samples: int,
    seed: int,
    level: float,
    paired: bool,
) -> tuple[Evaluation, ...]:
    """Resample the clusters once for all measures, score, and compare if `paired`.

    `ids` gives the cluster of every row. If `samples` is 0, no intervals are computed. Too few clusters are
    no reason to withhold the scores: a warning then replaces the intervals, but `paired` raises an error.
    """
    # All systems of a measure share their columns, so that one resample of clusters serves all of them.
    totals = [
        [cluster_totals(counts.rows, ids) for counts in same_columns([*measure.counts.values()])]
        for measure in measures
    ]
    resamples: Sequence[Doubles | None] = [None] * len(measures)
    refused: OptionError | None = None
    if samples:
        scored = [(sums, measure.value) for sums, measure in zip(totals, measures, strict=True)]
        try:
            resamples = bootstrap_each(scored, samples=samples, seed=seed)
        except OptionError as error:
            refused = error
    evaluations = []
    for measure, sums, drawn in zip(measures, totals, resamples, strict=True):
        intervals: Sequence[Interval | None] = [None] * len(sums)
        comparisons: tuple[Comparison, ...] = ()
        try:
            if refused is not None:
                raise refused
            if drawn is not None:
                numbers = resampled_scores(sums, measure.value, resamples=drawn)
                intervals = [
                    None if resampled is None else resampled.interval(level=level) for resampled in numbers
                ]
                if paired:
                    # Of the same resamples: a cluster that is drawn twice counts twice for both systems.
                    comparisons = compare(
                        measure.name,
                        names=list(measure.counts),
                        totals=sums,
                        value=measure.value,
                        resampled=numbers,
                        right=None if measure.right is None else list(measure.right.values()),
                        seed=seed,
                        level=level,
                    )
        except OptionError as error:
            if paired:
                raise
            warnings.warn(f"no interval for {measure.name}: {error.what}", InputWarning, stacklevel=2)
        scores = {}
        for (name, counts), interval in zip(measure.counts.items(), intervals, strict=True):
            # The estimate is of the text as it is; resamples only say how sure it is.
            whole = counts.totals()
            value, details = float(measure.value(whole)), measure.details(whole)
            scores[name] = Score(measure.name, name, value, measure.sign(name), details, interval)
        evaluations.append(Evaluation(measure.name, scores, comparisons))
    return tuple(evaluations)


def same_columns(counts: Sequence[Counts]) -> list[Counts]:
    """Extend all counts to the union of their columns, in alphabetical order where they differ."""
    if all(c.names == counts[0].names for c in counts):
        return list(counts)
    # A system may have a form, and so a column, that another never produces.
    names = tuple(sorted(set().union(*(c.names for c in counts))))
    column = {name: i for i, name in enumerate(names)}
    widened = []
    for c in counts:
        rows = np.zeros((len(c.rows), len(names)))
        rows[:, [column[name] for name in c.names]] = c.rows
        widened.append(Counts(names, rows))
    return widened


def comparison_table(comparisons: Sequence[Comparison], *, digits: int = 1) -> Table:
    """The table of paired tests, identical for all results; green and red mark significant differences."""
    columns = [
        text(f"against {comparisons[0].baseline}"),
        text("metric"),
        percent("difference", digits, signed=True),
        *map(p_value, ("p perm.", "p boot.", "p McNemar", "p Holm")),
        percent("detectable", digits),
    ]
    rows = []
    for comparison in comparisons:
        style: Style = ""
        if comparison.p_adjusted < SIGNIFICANCE:
            style = "good" if comparison.difference > 0 else "bad"
        difference = Cell(comparison.difference, comparison.interval, style=style)
        p_values = (
            comparison.p_permutation,
            comparison.p_bootstrap,
            comparison.p_mcnemar,
            comparison.p_adjusted,
        )
        rows.append([comparison.system, comparison.metric, difference, *p_values, comparison.detectable])
    return Table(columns, rows)


@dataclass(frozen=True, slots=True)
class PairedItems(JsonFields):
    """Items, or a part of them, judged for two systems: what each gets right, and what only one of them does.

    An item is won if the system gets it right and the baseline does not, and lost if it is the other way
    round. `p_value` is McNemar's exact test of won against lost.
    """

    name: str
    items: int
    right_system: int
    right_baseline: int
    won: int
    lost: int
    p_value: float

    @classmethod
    def of(cls, name: str, system: Bools, baseline: Bools) -> PairedItems:
        won, lost = map(len, gained_and_lost(baseline, system))
        right = int(system.sum()), int(baseline.sum())
        return cls(name, len(system), *right, won, lost, mcnemar(system, baseline))


def paired_items_table(parts: Sequence[PairedItems], *, heading: str, system: str, baseline: str) -> Table:
    """The table of items won and lost, the same for suites and public test sets."""
    columns = (
        text(heading),
        count("items"),
        percent(system),
        percent(baseline),
        count("won"),
        count("lost"),
        p_value("p McNemar"),
    )
    rows = [
        (
            part.name,
            part.items,
            part.right_system / part.items,
            part.right_baseline / part.items,
            part.won,
            part.lost,
            part.p_value,
        )
        for part in parts
    ]
    return Table(columns, rows)


@dataclass(frozen=True, slots=True)
class Accuracy(JsonFields):
    """The number of items, and of correct ones, with Wilson's interval."""

    name: str
    items: int
    right: int
    interval: Interval

    json_extra: ClassVar[Sequence[str]] = ("accuracy",)

    @property
    def accuracy(self) -> float:
        return self.right / self.items

    @classmethod
    def of(cls, name: str, right: Doubles, documents: Sequence[str], *, level: float) -> Accuracy:
        """Compute from 1 or 0 per item; correlated items of one document reduce the effective size."""
        total = int(right.sum())
        around = wilson(total / len(right), size=effective_size(right, documents), level=level)
        return Accuracy(name, len(right), total, around)


def accuracy_counts(right: Bools) -> Counts:
    """One row per item: 1 if it is correct, and 1 for the total."""
    return Counts(("right", "items"), np.column_stack([right, np.ones_like(right)]).astype(np.float64))


def accuracy_measure(right: Mapping[str, Bools], sign: Callable[[str], Signature]) -> Measure:
    """The measure of accuracy, for `evaluate_counts`."""
    counts = {system: accuracy_counts(items) for system, items in right.items()}
    return Measure("accuracy", accuracy_value, counts, sign, right=right)


def accuracy_value(sums: Doubles) -> Doubles:
    """The share of correct items, from sums of `accuracy_counts` with at least one item."""
    return sums[..., 0] / sums[..., 1]
