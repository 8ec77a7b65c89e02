"""Does a metric see the pronouns that people reject? Measures for scores of single pronouns.

People mark a pronoun or not; a metric gives it a score from 0 to 1, or leaves it open. The area under the ROC
curve (AUC) is the chance that a marked pronoun has a lower score than one that is not marked, ties counting
half. An open verdict is neutral: it gets the metric's mean score, unless another score is given.

Documents are resampled for every interval, because pronouns of one document are not independent; without
documents, segments are resampled. All measures depend on how often each document was drawn, so a thousand
resamples take a few matrix products.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from anaphor.core import InputError, Interval, OptionError, Outcome, UnknownNameError
from anaphor.core.array_types import Bools, Doubles
from anaphor.core.table import Block, Cell, JsonFields, Table, count, counted, number, p_value, percent, text
from anaphor.meta.judgements import agreement_table
from anaphor.stats import Resampled, holm, ratio
from anaphor.stats.agreement import AgreementCoefficient, agreement_coefficients
from anaphor.stats.correlation import WilliamsTest, williams
from anaphor.stats.interval import DIFFERENCES, SCORES
from anaphor.stats.resampling import Drawer

Over = Literal["systems", "documents"]

#: What APT says of a pronoun as a number. Its score has no use for the order of the last cases; this one is
#: kinder to it: without a counterpart in the reference it cannot tell, and says so.
APT_VALUES: Mapping[Outcome, float] = {
    Outcome.IDENTICAL: 1.0,
    Outcome.EQUIVALENT: 0.75,
    Outcome.REFERENCE_MISSING: 0.5,
    Outcome.BOTH_MISSING: 0.5,
    Outcome.DIFFERENT: 0.0,
    Outcome.CANDIDATE_MISSING: 0.0,
}
_FEWEST_POINTS = 3
_MOST_CLUSTERS = 1000
#: Williams' test needs a degree of freedom.
_FEWEST_FOR_WILLIAMS = 4
#: Marked pronouns compared with all others at a time.
_BLOCK = 256


@dataclass(frozen=True, slots=True)
class MarkedItem:
    """One pronoun of one system: whether people marked it, its APT outcome, and metric scores.

    `verdicts` are those given by metrics; without one, a score below a threshold is a rejection. `ratings`
    are the labels that raters gave, by rater, and `votes` is how many of them marked it.
    """

    system: str
    document: str
    marked: bool
    outcome: Outcome
    scores: Mapping[str, float | None]
    verdicts: Mapping[str, str] = field(default_factory=dict)
    ratings: Mapping[str, str] = field(default_factory=dict)
    votes: int = 0

    @property
    def share(self) -> float:
        """The share of raters who marked it; if unknown, 1 if it is marked and 0 otherwise."""
        return self.votes / len(self.ratings) if self.ratings else float(self.marked)


@dataclass(frozen=True, slots=True)
class Measured:
    """A value with its interval; None if it is undefined or there are too few documents."""

    value: float | None
    interval: Interval | None

    def cell(self) -> Cell:
        return Cell(self.value, interval=self.interval)


@dataclass(frozen=True, slots=True)
class VerdictMarks:
    """The number of pronouns with a verdict, and how many of them people marked.

    `share` is relative to all pronouns, `rate` is the marked share of those with this verdict, and `recall`
    the share of all marked pronouns that have it.
    """

    verdict: str
    items: int
    marked: int
    share: Measured
    rate: Measured
    recall: Measured


@dataclass(frozen=True, slots=True)
class MetricDetection:
    """One metric as a detector of marked pronouns: `rejected` are those with a score below `threshold`."""

    metric: str
    open: int
    auc: Measured
    threshold: float
    rejected: int
    precision: Measured
    recall: Measured
    pearson: Measured
    verdicts: tuple[VerdictMarks, ...]


@dataclass(frozen=True, slots=True)
class DetectionDifference:
    """Two metrics on the same pronouns: first minus second. The p-values are after Holm's correction."""

    first: str
    second: str
    auc: Measured
    auc_p: float | None
    williams: WilliamsTest | None
    williams_p: float | None


@dataclass(frozen=True, slots=True)
class MarkedBy:
    """How many pronouns were marked by `votes` of `raters` people."""

    votes: int
    raters: int
    items: int


@dataclass(frozen=True, slots=True)
class MarkEvaluation(JsonFields):
    """The output of `anaphor meta spans`.

    `left_out` counts unjudged items, `unmatched` judged pronouns without an item. `agreement` is that of the
    raters on these pronouns, empty if none was judged twice.
    """

    items: int
    marked: int
    left_out: int
    unmatched: int
    systems: int
    documents: int
    over: Over
    level: float
    metrics: tuple[MetricDetection, ...]
    differences: tuple[DetectionDifference, ...]
    raters: int
    marked_by: tuple[MarkedBy, ...]
    agreement: tuple[AgreementCoefficient, ...]

    def tables(self) -> list[Block]:
        share = 100 * self.marked / self.items
        sizes = ", ".join((counted(self.systems, "system"), counted(self.documents, "document")))
        sizes += f", {self.left_out} left out"
        if self.unmatched:
            sizes += f", {self.unmatched} judged but not among the items"
        columns = [text("metric"), number("AUC"), number(f"Pearson over {self.over}", digits=2)]
        columns += [number("threshold"), count("rejected"), percent("precision"), percent("recall")]
        summary = [
            (
                *(metric.metric, metric.auc.cell(), metric.pearson.cell(), metric.threshold, metric.rejected),
                *(metric.precision.cell(), metric.recall.cell()),
            )
            for metric in self.metrics
        ]
        notes = [f"[ ] {100 * self.level:g} % interval over documents; a Pearson of -1 is perfect"]
        verdicts = [
            (
                *(metric.metric, part.verdict, part.items, part.share.value, part.marked),
                *(part.rate.cell(), part.recall.cell()),
            )
            for metric in self.metrics
            for part in metric.verdicts
        ]
        of_verdicts = [text("metric"), text("verdict"), count("pronouns"), percent("% of all")]
        of_verdicts += [count("marked"), percent("% marked"), percent("% of the marked")]
        blocks: list[Block] = [
            f"{counted(self.items, 'pronoun')}, {self.marked} marked ({share:.1f} %), {sizes}",
            Table(columns, summary, notes=notes),
            Table(of_verdicts, verdicts),
        ]
        if self.differences:
            columns = [text("metric"), text("against"), number("AUC", signed=True), p_value("p")]
            columns += [number("Williams t", signed=True), p_value("p")]
            compared = [
                (
                    *(difference.first, difference.second, difference.auc.cell(), difference.auc_p),
                    *(None if difference.williams is None else difference.williams.t, difference.williams_p),
                )
                for difference in self.differences
            ]
            notes = ["differences; p by the bootstrap over documents and by Williams' test, Holm-corrected"]
            blocks.append(Table(columns, compared, notes=notes))
        if self.agreement:
            rows = [(f"{share.votes} of {share.raters}", share.items) for share in self.marked_by]
            blocks.append(Table([text("marked by"), count("pronouns")], rows))
            blocks.append(agreement_table(self.agreement, of=counted(self.raters, "rater")))
        return blocks


def evaluate_marks(
    items: Sequence[MarkedItem],
    *,
    metrics: Sequence[str] = (),
    threshold: float | None = None,
    over: Over = "systems",
    samples: int = 1000,
    seed: int = 12345,
    level: float = 0.95,
    open_score: float | None = None,
    left_out: int = 0,
    unmatched: int = 0,
    ratings: Sequence[Mapping[str, str]] | None = None,
) -> MarkEvaluation:
    """Compare every metric with the marks; by default all metrics in the items, and `apt`.

    Without `threshold`, a metric rejects its lowest-scoring pronouns: as many as people marked, including
    ties with the last. `open_score` is the score for open verdicts, by default the mean of the metric's
    scores; they are never rejections. Agreement is computed from `ratings`, the labels of each judged pronoun
    by rater, if more than the items were judged.
    """
    known = dict.fromkeys(["apt", *(name for item in items for name in item.scores)])
    for name in metrics:
        if name not in known:
            raise UnknownNameError.among(name, known, kind="metric", where="--metrics")
    if not 0 < level < 1:
        fix = "use a share such as 0.95"
        raise OptionError(f"the confidence level is {level}", where="--level", fix=fix)
    if open_score is not None and not 0 <= open_score <= 1:
        fix = "use a score from 0 to 1, such as 0.95"
        raise OptionError(f"open pronouns count as {open_score}", where="--open", fix=fix)
    marked = np.array([item.marked for item in items], bool)
    if not marked.any() or marked.all():
        raise InputError(
            f"{int(marked.sum())} of {len(marked)} pronouns are marked; metrics cannot be compared on them",
            where="marks and items",
            fix="pass the annotation of the same texts, or choose other categories and severities",
        )
    data = _Marks(items, marked, over=over, samples=samples, seed=seed, level=level)
    detectors = [
        _Detector(data, name, _scores(items, name), threshold=threshold, open_score=open_score)
        for name in metrics or known
    ]
    differences = [data.difference(*pair) for pair in combinations(detectors, 2)]
    return MarkEvaluation(
        items=len(items),
        marked=int(marked.sum()),
        left_out=left_out,
        unmatched=unmatched,
        systems=len({item.system for item in items}),
        documents=len({item.document for item in items}),
        over=over,
        level=level,
        metrics=tuple(detector.measured(items) for detector in detectors),
        differences=tuple(_adjusted(differences)),
        raters=len({rater for item in items for rater in item.ratings}),
        marked_by=_marked_by(items),
        agreement=_agreement([item.ratings for item in items] if ratings is None else ratings),
    )


def _agreement(ratings: Sequence[Mapping[str, str]]) -> tuple[AgreementCoefficient, ...]:
    raters = sorted({rater for labels in ratings for rater in labels})
    return agreement_coefficients([[labels.get(rater) for rater in raters] for labels in ratings])


def _marked_by(items: Sequence[MarkedItem]) -> tuple[MarkedBy, ...]:
    numbers = Counter((len(item.ratings), item.votes) for item in items if item.ratings)
    return tuple(MarkedBy(votes, raters, number) for (raters, votes), number in sorted(numbers.items()))


def _scores(items: Sequence[MarkedItem], metric: str) -> Doubles:
    """The scores of a metric, NaN if undecided; those of APT follow from its outcomes."""
    values = [
        item.scores.get(metric, APT_VALUES[item.outcome] if metric == "apt" else None) for item in items
    ]
    return np.array([np.nan if score is None else score for score in values], np.float64)


class _Marks:
    """The marks by document, and the weights of documents that every measure is computed with.

    The first row of `weights` has every document once, the next rows leave one out each, and the others
    are resamples: estimate, influence of documents and bootstrap of a measure are one computation.
    """

    def __init__(
        self,
        items: Sequence[MarkedItem],
        marked: Bools,
        *,
        over: Over,
        samples: int,
        seed: int,
        level: float,
    ) -> None:
        self.marked, self.level, self.over = marked, level, over
        names = {name: number for number, name in enumerate(dict.fromkeys(item.document for item in items))}
        # More are resampled in groups, which changes no estimate and keeps the weights small.
        self.ids = np.array([names[item.document] % _MOST_CLUSTERS for item in items], np.int64)
        self.clusters = int(self.ids.max()) + 1
        whole = np.ones((1, self.clusters))
        drawn = Drawer(seed, clusters=self.clusters).draw(samples) if samples else whole[:0]
        self.weights = np.concatenate([whole, whole - np.eye(self.clusters), drawn])
        points = [item.system if over == "systems" else str(self.ids[i]) for i, item in enumerate(items)]
        numbers = {name: number for number, name in enumerate(dict.fromkeys(points))}
        self.point_ids = np.array([numbers[name] for name in points], np.int64)
        self.points = len(numbers)
        self.rates = self.point_means(marked.astype(np.float64))

    def totals(self, values: NDArray[Any]) -> Doubles:
        """The sum of a value of every pronoun in every row of weights."""
        sums: Doubles = self.weights @ np.bincount(self.ids, weights=values, minlength=self.clusters)
        return sums

    def point_means(self, values: Doubles) -> Doubles:
        """The mean of the known values of every system or document, `[rows or 1, points]`."""
        known = ~np.isnan(values)
        cells = self.ids[known] * self.points + self.point_ids[known]
        shape = self.clusters, self.points
        sums, sizes = (
            np.bincount(cells, weights=weights, minlength=shape[0] * shape[1]).reshape(shape)
            for weights in (values[known], None)
        )
        if self.over == "documents":
            return ratio(sums.sum(axis=0)[None], sizes.sum(axis=0)[None].astype(np.float64))
        return ratio(self.weights @ sums, self.weights @ sizes)

    def correlation(self, first: Doubles, second: Doubles) -> Doubles:
        """Pearson's coefficient of two means of the points, in every row of weights."""
        # A document without an open verdict is a point as often as it was drawn.
        weights = np.ones_like(first) if self.over == "systems" else self.weights
        known = ~np.isnan(first) & ~np.isnan(second)
        if self.over == "documents":
            weights, first, second = weights[:, known[0]], first[:, known[0]], second[:, known[0]]
        if weights.shape[1] < _FEWEST_POINTS:
            return np.full(len(self.weights), np.nan)
        total = weights.sum(axis=1, keepdims=True)
        x = first - (weights * first).sum(axis=1, keepdims=True) / total
        y = second - (weights * second).sum(axis=1, keepdims=True) / total
        spread = np.sqrt((weights * x * x).sum(axis=1) * (weights * y * y).sum(axis=1))
        return np.clip(ratio((weights * x * y).sum(axis=1), spread), -1, 1)

    def auc(self, scores: Doubles) -> Doubles:
        """The chance that a marked pronoun has the lower score, in every row of weights."""
        rest, wins = ~self.marked, np.zeros((self.clusters, self.clusters))
        others, other_ids = scores[rest], self.ids[rest]
        marked = np.flatnonzero(self.marked)
        for start in range(0, len(marked), _BLOCK):
            # All pairs at once would take the square of the pronouns in memory.
            block = marked[start : start + _BLOCK]
            lower = (scores[block, None] < others) + 0.5 * (scores[block, None] == others)
            for row, document in zip(lower, self.ids[block], strict=True):
                wins[document] += np.bincount(other_ids, weights=row, minlength=self.clusters)
        # Won pairs between two documents count as often as both were drawn: wᵀ W w for every row w of
        # weights.
        won = ((self.weights @ wins) * self.weights).sum(axis=1)
        return ratio(won, self.totals(self.marked) * self.totals(rest))

    def measured(self, values: Doubles, bounds: tuple[float, float] = SCORES) -> Measured:
        """The estimate and its interval from the values of all rows of weights."""
        estimate = values[0]
        if np.isnan(estimate):
            return Measured(None, None)
        resampled = self.resampled(values)
        # A measure that rests on one document, or is often undefined, has no interval.
        undefined = np.isnan(resampled.drawn)
        few = self.clusters < 2 or len(undefined) < 2 or 2 * undefined.sum() > len(undefined)
        if few or np.isnan(resampled.left_out).any():
            return Measured(float(estimate), None)
        return Measured(float(estimate), resampled.interval(level=self.level, bounds=bounds))

    def resampled(self, values: Doubles) -> Resampled:
        """A measure in the form `stats` uses, from its values for all rows of weights."""
        # Rows of weights: the whole, one without each cluster, the resamples.
        cut = self.clusters + 1
        return Resampled(float(values[0]), values[1:cut], values[cut:])

    def difference(self, first: _Detector, second: _Detector) -> DetectionDifference:
        """Two metrics by the bootstrap over documents, and by Williams' test over the points of both."""
        values = first.auc - second.auc
        auc = self.measured(values, DIFFERENCES)
        auc_p = None if auc.interval is None else self.resampled(values).p_bootstrap()
        williams_p = test = None
        # Both metrics are correlated over the same points, as Williams' test requires.
        unknown = np.isnan(first.means) | np.isnan(second.means)
        own, other = (np.where(unknown, np.nan, metric.means) for metric in (first, second))
        pairs = (own, self.rates), (other, self.rates), (own, other)
        correlations = [float(self.correlation(*pair)[0]) for pair in pairs]
        points = self.points - int(unknown[0].sum())
        if points >= _FEWEST_FOR_WILLIAMS and not any(map(math.isnan, correlations)):
            # Against the rate of pronouns that are not marked, so that a positive t speaks for the first.
            test = williams(-correlations[0], -correlations[1], between=correlations[2], n=points)
            williams_p = test.p
        return DetectionDifference(first.name, second.name, auc, auc_p, test, williams_p)


class _Detector:
    """One metric: its scores, and its measures for every row of weights."""

    def __init__(
        self,
        data: _Marks,
        name: str,
        scores: Doubles,
        *,
        threshold: float | None,
        open_score: float | None,
    ) -> None:
        self.name, self._data, self.scores = name, data, scores
        self.open = np.isnan(scores)
        if self.open.all():
            raise InputError(
                f"{name} leaves every pronoun open", where="--items", fix="exclude it with --metrics"
            )
        known = scores[~self.open]
        if threshold is None:
            # As many rejections as marks: then precision and recall are equal, and no threshold was tuned.
            last = np.sort(known)[min(len(known), int(data.marked.sum())) - 1]
            # Just above the last rejected score, ties included; the next float where that is the highest.
            threshold = float(min(known[known > last], default=np.nextafter(last, 2)))
        self.threshold = threshold
        self.rejected = ~self.open & (scores < threshold)
        self.auc = data.auc(np.where(self.open, known.mean() if open_score is None else open_score, scores))
        self.means = data.point_means(scores)
        self.pearson = data.correlation(self.means, data.rates)

    def measured(self, items: Sequence[MarkedItem]) -> MetricDetection:
        data = self._data
        hits = data.totals(self.rejected & data.marked)
        parts = {"accepted": ~self.open & ~self.rejected, "rejected": self.rejected, "open": self.open}
        verdicts = [item.verdicts.get(self.name, "") for item in items]
        if self.name == "apt":
            parts = {case.label: np.array([item.outcome is case for item in items]) for case in Outcome}
        elif all(verdicts):
            parts = {
                name: np.array([verdict == name for verdict in verdicts]) for name in sorted(set(verdicts))
            }
        return MetricDetection(
            metric=self.name,
            open=int(self.open.sum()),
            auc=data.measured(self.auc),
            threshold=self.threshold,
            rejected=int(self.rejected.sum()),
            precision=data.measured(ratio(hits, data.totals(self.rejected))),
            recall=data.measured(ratio(hits, data.totals(data.marked))),
            pearson=data.measured(self.pearson, DIFFERENCES),
            verdicts=tuple(
                VerdictMarks(
                    verdict,
                    int(part.sum()),
                    int((part & data.marked).sum()),
                    data.measured(ratio(data.totals(part), data.totals(np.ones(len(part))))),
                    data.measured(ratio(data.totals(part & data.marked), data.totals(part))),
                    data.measured(ratio(data.totals(part & data.marked), data.totals(data.marked))),
                )
                for verdict, part in parts.items()
                if part.any()
            ),
        )


def _adjusted(differences: Sequence[DetectionDifference]) -> Iterator[DetectionDifference]:
    """The same with p-values after Holm's correction over all pairs of metrics."""
    first = iter(holm([difference.auc_p for difference in differences if difference.auc_p is not None]))
    second = iter(
        holm([difference.williams_p for difference in differences if difference.williams_p is not None])
    )
    for difference in differences:
        yield replace(
            difference,
            auc_p=None if difference.auc_p is None else next(first),
            williams_p=None if difference.williams_p is None else next(second),
        )
