"""Inter-annotator agreement: observed, Cohen, Fleiss, Krippendorff, Gwet.

Ratings are a row for each item with a label from each rater, None where a rater gave none; labels have no
order. Every coefficient but the first is (observed - expected) / (1 - expected), and they differ in what they
expect of chance:

    cohen_kappa          two raters, each with a label distribution of their own (Cohen 1960)
    fleiss_kappa         any raters, with one distribution for all (Fleiss 1971)
    krippendorff_alpha   the same without replacement, only values that can be paired (Krippendorff 2011)
    gwet_ac1             any raters, of whom only the uncertain ones guess (Gwet 2008)

Where labels are missing, Fleiss' and Gwet's follow Gwet (2014): agreement comes from items with two labels or
more, the distribution from all labels.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import TypeAlias

import numpy as np

from anaphor.core import InputError, Interval
from anaphor.stats.distributions import t_quantile
from anaphor.stats.resampling import Floats

Ratings: TypeAlias = Sequence[Sequence[str | None]]


@dataclass(frozen=True, slots=True)
class AgreementCoefficient:
    """A coefficient, 1 for full agreement; NaN where every label is the same and chance explains all.

    `observed` and `expected` are shares. `items` counts those with two labels or more. `interval` is None
    where there is a single item, which shows no variation.
    """

    coefficient: str
    value: float
    observed: float
    expected: float
    items: int
    interval: Interval | None


def observed_agreement(ratings: Ratings, *, level: float = 0.95) -> AgreementCoefficient:
    """The mean, over items, of the share of pairs of raters who gave the same label."""
    counts = _counts(ratings)
    shares = _agreeing_pairs(counts[counts.sum(axis=1) >= 2])
    value = float(shares.mean())
    return AgreementCoefficient("observed", value, value, 0.0, len(shares), _interval(value, shares, level))


def cohen_kappa(ratings: Ratings, *, level: float = 0.95) -> AgreementCoefficient:
    """Kappa of two raters; items that lack a label are left out.

    The interval has the large-sample error of Fleiss, Cohen and Everitt (1969).
    """
    if any(len(row) != 2 for row in ratings):
        raise InputError(
            "Cohen's kappa is for two raters", where="the ratings", fix="use fleiss_kappa for other numbers"
        )
    pairs = [(row[0], row[1]) for row in ratings if row[0] is not None and row[1] is not None]
    labels = sorted({str(label) for pair in pairs for label in pair})
    if not pairs:
        raise InputError("no item has two labels", where="the ratings", fix="give items that both labelled")
    table = np.zeros((len(labels), len(labels)))
    for first, second in pairs:
        table[labels.index(str(first)), labels.index(str(second))] += 1
    n, table = int(table.sum()), table / table.sum()
    rows, columns = table.sum(axis=1), table.sum(axis=0)
    observed, expected = float(np.trace(table)), float(rows @ columns)
    value = _beyond_chance(observed, expected)
    if math.isnan(value):
        return AgreementCoefficient("cohen-kappa", value, observed, expected, n, None)
    # Each cell weighs what one more item in it would move kappa.
    pull = (rows[None, :] + columns[:, None]) * (1 - value)
    weights = (np.eye(len(table)) - pull) ** 2
    variance = ((table * weights).sum() - (value - expected * (1 - value)) ** 2) / (n * (1 - expected) ** 2)
    margin = NormalDist().inv_cdf((1 + level) / 2) * math.sqrt(max(0.0, float(variance)))
    return AgreementCoefficient("cohen-kappa", value, observed, expected, n, _around(value, margin, level))


def fleiss_kappa(ratings: Ratings, *, level: float = 0.95) -> AgreementCoefficient:
    """Kappa of any number of raters; the interval has Gwet's (2014) error over items."""
    counts = _counts(ratings)
    shares = _label_shares(counts)
    distribution = shares.mean(axis=0)
    expected = float((distribution**2).sum())
    return _by_items("fleiss-kappa", counts, expected=expected, chances=shares @ distribution, level=level)


def gwet_ac1(ratings: Ratings, *, level: float = 0.95) -> AgreementCoefficient:
    """AC1 of any number of raters; the interval has Gwet's (2014) error over items.

    The labels that chance could give are those that occur, at least two.
    """
    counts = _counts(ratings)
    shares = _label_shares(counts)
    distribution = shares.mean(axis=0)
    others = max(1, len(distribution) - 1)
    expected = float((distribution * (1 - distribution)).sum()) / others
    chances = shares @ (1 - distribution) / others
    return _by_items("gwet-ac1", counts, expected=expected, chances=chances, level=level)


def krippendorff_alpha(ratings: Ratings, *, level: float = 0.95) -> AgreementCoefficient:
    """Alpha for nominal labels; the interval has the jackknife's error over items."""
    counts = _counts(ratings)
    counts = counts[counts.sum(axis=1) >= 2]
    observed, expected = _coincidences(counts)
    value, n = _beyond_chance(observed, expected), len(counts)
    left_out = np.array([_beyond_chance(*_coincidences(np.delete(counts, i, axis=0))) for i in range(n)])
    interval = None
    if n > 1 and np.isfinite([value, *left_out]).all():
        error = math.sqrt((n - 1) / n * float(((left_out - left_out.mean()) ** 2).sum()))
        interval = _around(value, t_quantile((1 + level) / 2, freedom=n - 1) * error, level)
    return AgreementCoefficient("krippendorff-alpha", value, observed, expected, n, interval)


def _counts(ratings: Ratings) -> Floats:
    """How many raters gave each label to each item, `[items, labels]`, for items with a label."""
    labels = sorted({label for row in ratings for label in row if label is not None})
    counts = np.array([[row.count(label) for label in labels] for row in map(list, ratings)], np.float64)
    if not labels or not (counts.sum(axis=1) >= 2).any():
        what = "no item has two labels"
        fix = "agreement needs items that at least two annotators labelled"
        raise InputError(what, where="the ratings", fix=fix)
    kept: Floats = counts[counts.sum(axis=1) > 0]
    return kept


def _agreeing_pairs(counts: Floats) -> Floats:
    """For each item, the share of pairs of its labels that agree."""
    sizes = counts.sum(axis=1)
    shares: Floats = (counts * (counts - 1)).sum(axis=1) / (sizes * (sizes - 1))
    return shares


def _label_shares(counts: Floats) -> Floats:
    """For each item, the share of each label."""
    shares: Floats = counts / counts.sum(axis=1, keepdims=True)
    return shares


def _coincidences(counts: Floats) -> tuple[float, float]:
    """Agreement in Krippendorff's coincidence matrix, and that of values drawn without replacement."""
    sizes, totals = counts.sum(axis=1), counts.sum(axis=0)
    n = float(sizes.sum())
    if n < 2:
        return math.nan, math.nan
    observed = float(((counts * (counts - 1)).sum(axis=1) / (sizes - 1)).sum()) / n
    return observed, float((totals * (totals - 1)).sum()) / (n * (n - 1))


def _by_items(
    name: str, counts: Floats, *, expected: float, chances: Floats, level: float
) -> AgreementCoefficient:
    """A coefficient with the error of its linear part: what each item says, and what it does to chance."""
    paired = counts.sum(axis=1) >= 2
    agreeing = np.zeros(len(counts))
    agreeing[paired] = _agreeing_pairs(counts[paired])
    used = int(paired.sum())
    observed = float(agreeing.sum()) / used
    value = _beyond_chance(observed, expected)
    if math.isnan(value):
        return AgreementCoefficient(name, value, observed, expected, used, None)
    own = len(counts) / used * (agreeing - expected * paired) / (1 - expected)
    influence = own - 2 * (1 - value) * (chances - expected) / (1 - expected)
    return AgreementCoefficient(name, value, observed, expected, used, _interval(value, influence, level))


def _beyond_chance(observed: float, expected: float) -> float:
    return (observed - expected) / (1 - expected) if expected < 1 else math.nan


def _interval(value: float, influences: Floats, level: float) -> Interval | None:
    n = len(influences)
    if n < 2:
        return None
    error = math.sqrt(float(((influences - value) ** 2).sum()) / (n * (n - 1)))
    return _around(value, t_quantile((1 + level) / 2, freedom=n - 1) * error, level)


def _around(value: float, margin: float, level: float) -> Interval:
    """No coefficient lies above 1 or below -1, so no interval does."""
    return Interval(max(-1.0, value - margin), min(1.0, value + margin), level)
