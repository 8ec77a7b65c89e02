"""The share of wrong pronouns in one candidate, from its own evidence.

A classifier that was fitted where one pronoun in five is wrong expects one in five everywhere. Given the
likelihood ratio r_i of every pronoun i, expectation maximisation finds the share π that explains the candidate
best (Saerens, Latinne and Decaestecker, 2002):

    w_i = π r_i / (π r_i + 1 − π)        π = (Σ w_i + c n π₀) / (n + c n)

The second term draws π towards the share π₀ of the judged data with the weight of c n pronouns, because errors
of the ratios add up: with c = 0 strong systems come out perfect and weak ones worse than readers found them.
The ratios are put into bins, so that any sum of counts, a document, a resample or the whole text, has a base
rate, and intervals hold its uncertainty.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

#: Bins of the log likelihood ratio; beyond the outermost it hardly matters.
_LOWEST, _HIGHEST, BINS = -6.0, 6.0, 48
_WIDTH = (_HIGHEST - _LOWEST) / BINS
_CENTRES: Floats = _LOWEST + _WIDTH * (np.arange(BINS) + 0.5)
#: The weight of the judged data's share, as pronouns per pronoun of the candidate. Chosen among 0 to 5 by the
#: scores of systems beside the share that readers accepted, documents held out.
_WEIGHT = 0.6
_STEPS = 60


def bin_of(ratio: float) -> int:
    """The bin of a log likelihood ratio."""
    return min(BINS - 1, max(0, int((ratio - _LOWEST) / _WIDTH)))


def base_rate(counts: Floats, prior: float) -> Floats:
    """The share of wrong pronouns behind counts by bin, over the last axis; NaN where there are none."""
    counts = np.asarray(counts, np.float64)
    total = counts.sum(axis=-1)
    ratios = np.exp(_CENTRES)
    rate = np.full(total.shape, prior)
    with np.errstate(invalid="ignore", divide="ignore"):
        for _ in range(_STEPS):
            odds = rate[..., None] * ratios
            wrong = (counts * (odds / (odds + 1 - rate[..., None]))).sum(axis=-1)
            rate = (wrong / total + _WEIGHT * prior) / (1 + _WEIGHT)
    return rate


def wrong_share(counts: Floats, prior: float) -> Floats:
    """The mean probability of a wrong pronoun, by the base rate of the same counts."""
    rate = base_rate(counts, prior)
    odds = rate[..., None] * np.exp(_CENTRES)
    with np.errstate(invalid="ignore", divide="ignore"):
        share: Floats = (counts * (odds / (odds + 1 - rate[..., None]))).sum(axis=-1) / np.asarray(
            counts
        ).sum(axis=-1)
    return share


def probabilities(ratios: Sequence[float], prior: float) -> list[float]:
    """The probability that each pronoun of a candidate is acceptable, from all their log likelihood ratios."""
    if not ratios:
        return []
    counts = np.bincount([bin_of(ratio) for ratio in ratios], minlength=BINS).astype(np.float64)
    rate = float(base_rate(counts, prior))
    odds = rate / (1 - rate) * np.exp(np.clip(ratios, _LOWEST, _HIGHEST))
    found: list[float] = (1 / (1 + odds)).tolist()
    return found
