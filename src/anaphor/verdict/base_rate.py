"""The share of wrong pronouns in one candidate, estimated from its own evidence.

A classifier fitted on data where one pronoun in five is wrong expects one in five everywhere. Given the
likelihood ratio r_i of every pronoun i, expectation maximization finds the share π that best explains the
candidate (Saerens, Latinne and Decaestecker, 2002):

    w_i = π r_i / (π r_i + 1 − π)        π = (Σ w_i + c n π₀) / (n + c n)

The second term pulls π towards the share π₀ of the judged data with the weight of c n pronouns, because
errors in the ratios add up: with c = 0, strong systems appear perfect and weak ones worse than readers found
them. The ratios are binned, so any sum of counts (a document, a resample, the whole text) has a base rate,
and intervals include its uncertainty.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from anaphor.core.array_types import Doubles

#: Bins of the log likelihood ratio; beyond the outermost it hardly matters.
_LOWEST, _HIGHEST, BINS = -6.0, 6.0, 48
_WIDTH = (_HIGHEST - _LOWEST) / BINS
_CENTRES: Doubles = _LOWEST + _WIDTH * (np.arange(BINS, dtype=np.float64) + 0.5)
#: The weight of the judged data's share, as pronouns per pronoun of the candidate. Chosen among 0 to 5 by the
#: scores of systems beside the share that readers accepted, documents held out.
_WEIGHT = 0.6
#: Enough: in random counts, three thousand steps change no rate by as much as 1e-6.
_STEPS = 60


def bin_of(ratio: float) -> int:
    """The bin of a log likelihood ratio."""
    return min(BINS - 1, max(0, int((ratio - _LOWEST) / _WIDTH)))


def base_rate(counts: Doubles, prior: float) -> Doubles:
    """The share of wrong pronouns implied by counts per bin, over the last axis; NaN if there are none."""
    counts = np.asarray(counts, np.float64)
    rate: Doubles = np.full(counts.shape[:-1], prior)
    for _ in range(_STEPS):  # a fixed number, so that a row has the same rate alone and among others
        rate = (_mean_posterior(counts, rate) + _WEIGHT * prior) / (1 + _WEIGHT)
    return rate


def wrong_share(counts: Doubles, prior: float) -> Doubles:
    """The mean probability that a pronoun is wrong, using the base rate of the same counts; NaN if there are
    none.
    """
    counts = np.asarray(counts, np.float64)
    return _mean_posterior(counts, base_rate(counts, prior))


def _mean_posterior(counts: Doubles, rate: Doubles) -> Doubles:
    """The mean of w_i over all pronouns if a share of `rate` is wrong."""
    odds = rate[..., None] * np.exp(_CENTRES)
    posterior = odds / (odds + 1 - rate[..., None])
    with np.errstate(invalid="ignore", divide="ignore"):
        mean: Doubles = (counts * posterior).sum(axis=-1) / counts.sum(axis=-1)
    return mean


def probabilities(ratios: Sequence[float], prior: float) -> list[float]:
    """The probability that each pronoun of a candidate is acceptable, from the log likelihood ratios."""
    return with_rate_of(ratios, prior, ratios)


def with_rate_of(candidate: Sequence[float], prior: float, ratios: Sequence[float]) -> list[float]:
    """The same for other renderings, with the base rate of a candidate's own ratios."""
    if not candidate:
        return []
    counts = np.bincount([bin_of(ratio) for ratio in candidate], minlength=BINS).astype(np.float64)
    rate = float(base_rate(counts, prior))
    odds = rate / (1 - rate) * np.exp(np.clip(ratios, _LOWEST, _HIGHEST))
    acceptable: list[float] = (1 / (1 + odds)).tolist()
    return acceptable
