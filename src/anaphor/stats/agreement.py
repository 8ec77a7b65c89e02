"""Inter-annotator agreement: observed, Cohen, Fleiss, Krippendorff, Gwet.

Ratings have a row per item with a label from each rater, None if a rater gave none; labels are nominal. Every
coefficient but the first is (observed - expected) / (1 - expected); they differ in the agreement expected by
chance:

    cohen_kappa          two raters, each with a label distribution of their own (Cohen 1960)
    fleiss_kappa         any raters, with one distribution for all (Fleiss 1971)
    krippendorff_alpha   the same without replacement, only values that can be paired (Krippendorff 2011)
    gwet_ac1             any raters, of whom only the uncertain ones guess (Gwet 2008)

If labels are missing, Fleiss' and Gwet's coefficients follow Gwet (2014): agreement is computed over items
with at least two labels, the distribution over all labels. Items with identical labels are counted together,
so the cost depends on the number of distinct rows; they can also be passed this way, as a mapping from rows
to counts.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, TypeAlias

import numpy as np

from anaphor.core import InputError, Interval
from anaphor.core.array_types import Doubles
from anaphor.stats.distributions import t_quantile

Ratings: TypeAlias = Sequence[Sequence[str | None]] | Mapping[Any, int]
"""Rows of labels; or a mapping from rows, which are tuples, to how many items have them."""


@dataclass(frozen=True, slots=True)
class AgreementCoefficient:
    """An agreement coefficient, 1 for full agreement; NaN if every label is the same, so that chance explains
    all agreement.

    It is at least -1, except for Fleiss' kappa where most labels belong to items with a single label.

    `observed` and `expected` are shares. `items` counts those with at least two labels. `interval` is None
    for a single item, which shows no variation.
    """

    coefficient: str
    value: float
    observed: float
    expected: float
    items: int
    interval: Interval | None


def observed_agreement(ratings: Ratings, *, level: float = 0.95) -> AgreementCoefficient:
    """The share of rater pairs who gave the same label, averaged over items."""
    counts, weights = _paired(*_counts(ratings))
    shares, n = _agreeing_pairs(counts), int(weights.sum())
    value = float(weights @ shares) / n
    interval = _interval(value, shares, weights, level, lowest=0.0)
    return AgreementCoefficient("observed", value, value, 0.0, n, interval)


def agreement_coefficients(ratings: Sequence[Sequence[str | None]]) -> tuple[AgreementCoefficient, ...]:
    """Every applicable coefficient: Cohen's kappa for exactly two raters; none if no item was rated twice."""
    if not any(sum(label is not None for label in row) > 1 for row in ratings):
        return ()
    measures = [observed_agreement, fleiss_kappa, krippendorff_alpha, gwet_ac1]
    if len(ratings[0]) == 2:
        measures.insert(1, cohen_kappa)
    return tuple(measure(ratings) for measure in measures)


def cohen_kappa(ratings: Ratings, *, level: float = 0.95) -> AgreementCoefficient:
    """Kappa of two raters; items that lack a label are left out.

    The interval uses the large-sample error of Fleiss, Cohen and Everitt (1969).
    """
    grouped = _grouped(ratings)
    if any(len(row) != 2 for row in grouped):
        raise InputError(
            "Cohen's kappa is for two raters", where="the ratings", fix="use fleiss_kappa for other numbers"
        )
    pairs = {(row[0], row[1]): number for row, number in grouped.items() if None not in row}
    labels = sorted({str(label) for pair in pairs for label in pair})
    if not pairs:
        raise InputError("no item has two labels", where="the ratings", fix="pass items that both labelled")
    table = np.zeros((len(labels), len(labels)))
    for (first, second), number in pairs.items():
        table[labels.index(str(first)), labels.index(str(second))] += number
    n, table = int(table.sum()), table / table.sum()
    rows, columns = table.sum(axis=1), table.sum(axis=0)
    observed, expected = float(np.trace(table)), float(rows @ columns)
    value = _beyond_chance(observed, expected)
    if math.isnan(value):
        return AgreementCoefficient("cohen-kappa", value, observed, expected, n, None)
    # Each cell weighs what one more item in it would move kappa.
    # var κ = [Σ p_ij (δ_ij − (p_.i + p_j.)(1 − κ))² − (κ − p_e (1 − κ))²] / [n (1 − p_e)²]
    pull = (rows[None, :] + columns[:, None]) * (1 - value)
    weights = (np.eye(len(table)) - pull) ** 2
    variance = ((table * weights).sum() - (value - expected * (1 - value)) ** 2) / (n * (1 - expected) ** 2)
    margin = NormalDist().inv_cdf((1 + level) / 2) * math.sqrt(max(0.0, float(variance)))
    return AgreementCoefficient("cohen-kappa", value, observed, expected, n, _around(value, margin, level))


def fleiss_kappa(ratings: Ratings, *, level: float = 0.95) -> AgreementCoefficient:
    """Kappa of any number of raters; the interval uses Gwet's (2014) error over items."""
    counts, weights = _counts(ratings)
    shares = _label_shares(counts)
    distribution = weights @ shares / weights.sum()
    expected, chances = float((distribution**2).sum()), shares @ distribution
    return _by_items("fleiss-kappa", counts, weights, expected=expected, chances=chances, level=level)


def gwet_ac1(ratings: Ratings, *, level: float = 0.95) -> AgreementCoefficient:
    """AC1 of any number of raters; the interval uses Gwet's (2014) error over items.

    The labels possible by chance are those that occur, at least two.
    """
    counts, weights = _counts(ratings)
    shares = _label_shares(counts)
    distribution = weights @ shares / weights.sum()
    others = max(1, len(distribution) - 1)
    expected = float((distribution * (1 - distribution)).sum()) / others
    chances = shares @ (1 - distribution) / others
    return _by_items("gwet-ac1", counts, weights, expected=expected, chances=chances, level=level)


def krippendorff_alpha(ratings: Ratings, *, level: float = 0.95) -> AgreementCoefficient:
    """Alpha for nominal labels; the interval uses the jackknife error over items."""
    counts, weights = _paired(*_counts(ratings))
    observed, expected = _coincidences(counts, weights)
    value, n = _beyond_chance(observed, expected), int(weights.sum())
    # Leaving out any of the items with the same labels has the same effect.
    left_out = np.array(
        [_beyond_chance(*_coincidences(counts, weights - left_out)) for left_out in np.eye(len(weights))]
    )
    interval = None
    if n > 1 and np.isfinite([value, *left_out]).all():
        # Jackknife: error² = (n − 1)/n Σ (α without i − their mean)².
        mean = float(weights @ left_out) / n
        error = math.sqrt((n - 1) / n * float(weights @ (left_out - mean) ** 2))
        interval = _around(value, t_quantile((1 + level) / 2, freedom=n - 1) * error, level)
    return AgreementCoefficient("krippendorff-alpha", value, observed, expected, n, interval)


def _grouped(ratings: Ratings) -> Mapping[tuple[str | None, ...], int]:
    return ratings if isinstance(ratings, Mapping) else Counter(map(tuple, ratings))


def _counts(ratings: Ratings) -> tuple[Doubles, Doubles]:
    """The number of raters per label, `[rows, labels]`, and the number of items with each row."""
    grouped = _grouped(ratings)
    labels = sorted({label for row in grouped for label in row if label is not None})
    numbers: Counter[tuple[int, ...]] = Counter()
    for row, number in grouped.items():
        numbers[tuple(row.count(label) for label in labels)] += number
    rows = sorted(numbers)  # the same figures for the same items in any order
    counts = np.array(rows, np.float64).reshape(len(rows), len(labels))
    if not labels or not (counts.sum(axis=1) >= 2).any():
        what = "no item has two labels"
        fix = "agreement needs items that at least two annotators labelled"
        raise InputError(what, where="the ratings", fix=fix)
    kept, weights = counts.sum(axis=1) > 0, np.array([numbers[row] for row in rows], np.float64)
    return counts[kept], weights[kept]


def _paired(counts: Doubles, weights: Doubles) -> tuple[Doubles, Doubles]:
    """The rows with at least two labels."""
    paired = counts.sum(axis=1) >= 2
    return counts[paired], weights[paired]


def _agreeing_pairs(counts: Doubles) -> Doubles:
    """For each item, the share of label pairs that agree."""
    sizes = counts.sum(axis=1)
    shares: Doubles = (counts * (counts - 1)).sum(axis=1) / (sizes * (sizes - 1))
    return shares


def _label_shares(counts: Doubles) -> Doubles:
    """For each item, the share of each label."""
    shares: Doubles = counts / counts.sum(axis=1, keepdims=True)
    return shares


def _coincidences(counts: Doubles, weights: Doubles) -> tuple[float, float]:
    """Agreement in Krippendorff's coincidence matrix, and the agreement expected when drawing without
    replacement.
    """
    sizes, totals = counts.sum(axis=1), weights @ counts
    n = float(weights @ sizes)
    if n < 2:
        return math.nan, math.nan
    observed = float(weights @ ((counts * (counts - 1)).sum(axis=1) / (sizes - 1))) / n
    return observed, float((totals * (totals - 1)).sum()) / (n * (n - 1))


def _by_items(
    name: str, counts: Doubles, weights: Doubles, *, expected: float, chances: Doubles, level: float
) -> AgreementCoefficient:
    """Return a coefficient with its linearized error, from each item's effect on observed and chance
    agreement.
    """
    paired = counts.sum(axis=1) >= 2
    agreeing = np.zeros(len(counts))
    agreeing[paired] = _agreeing_pairs(counts[paired])
    used = int(weights[paired].sum())
    observed = float(weights @ agreeing) / used
    value = _beyond_chance(observed, expected)
    if math.isnan(value):
        return AgreementCoefficient(name, value, observed, expected, used, None)
    # κ*_i = κ_i − 2 (1 − κ)(p_e|i − p_e)/(1 − p_e), and the error is that of the mean of κ*_i. Items with one
    # label cannot agree, but say how frequent the label is.
    own = weights.sum() / used * (agreeing - expected * paired) / (1 - expected)
    influence = own - 2 * (1 - value) * (chances - expected) / (1 - expected)
    # With p_o = 0 the value is −p_e/(1 − p_e), which is below −1 where p_e exceeds 1/2. Items with one label
    # can raise p_e that far in Fleiss' kappa, because they count in p_e alone.
    lowest = min(-1.0, -expected / (1 - expected))
    interval = _interval(value, influence, weights, level, lowest=lowest)
    return AgreementCoefficient(name, value, observed, expected, used, interval)


def _beyond_chance(observed: float, expected: float) -> float:
    return (observed - expected) / (1 - expected) if expected < 1 else math.nan


def _interval(
    value: float, influences: Doubles, weights: Doubles, level: float, *, lowest: float
) -> Interval | None:
    n = int(weights.sum())
    if n < 2:
        return None
    error = math.sqrt(float(weights @ (influences - value) ** 2) / (n * (n - 1)))
    return _around(value, t_quantile((1 + level) / 2, freedom=n - 1) * error, level, lowest=lowest)


def _around(value: float, margin: float, level: float, *, lowest: float = -1.0) -> Interval:
    """The interval, clipped to `lowest` and 1."""
    return Interval(max(lowest, value - margin), min(1.0, value + margin), level)
