"""All paired statistics of one metric in one call: every system against the baseline."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from anaphor.core import Comparison, MismatchError, OptionError
from anaphor.stats.bootstrap import paired_bootstrap
from anaphor.stats.clusters import Floats, Value, effective_clusters, leave_one_out
from anaphor.stats.interval import DIFFERENCES, detectable_difference, interval
from anaphor.stats.permutation import paired_permutations
from anaphor.stats.significance import holm, mcnemar


def compare(
    metric: str,
    *,
    names: Sequence[str],
    totals: Sequence[Floats],
    value: Value,
    resamples: Floats,
    right: Sequence[NDArray[np.bool_]] | None,
    seed: int,
    level: float,
) -> tuple[Comparison, ...]:
    """Each system against the baseline, which is the first name; differences are system minus baseline.

    `totals` are `[clusters, columns]` per system, `resamples` their `bootstrap`. `right` has one boolean
    per judged pronoun for each system, or is None for metrics that judge no pronouns. The permutation
    test draws as many swaps as there are resamples, unless all swaps can be tried.
    """
    _require_fit(names, totals=totals, right=right)
    scores = _scores(names, totals=totals, value=value)
    if len(names) < 2:
        return ()
    left_out = [leave_one_out(system, value) for system in totals]
    swapped = paired_permutations(totals[0], totals[1:], value, samples=len(resamples), seed=seed)
    adjusted = holm(swapped)
    return tuple(
        _comparison(
            metric=metric,
            names=(names[0], names[i]),
            difference=scores[i] - scores[0],
            resamples=(resamples[:, 0], resamples[:, i]),
            clusters=effective_clusters(left_out[i] - left_out[0]),
            p_swapped=(swapped[i - 1], adjusted[i - 1]),
            p_mcnemar=None if right is None else mcnemar(right[0], right[i]),
            level=level,
        )
        for i in range(1, len(names))
    )


def _comparison(
    *,
    metric: str,
    names: tuple[str, str],
    difference: float,
    resamples: tuple[Floats, Floats],
    clusters: float,
    p_swapped: tuple[float, float],
    p_mcnemar: float | None,
    level: float,
) -> Comparison:
    """One system, the second of each pair, against the baseline, the first."""
    shifts = resamples[1] - resamples[0]
    return Comparison(
        metric=metric,
        baseline=names[0],
        system=names[1],
        difference=difference,
        interval=interval(shifts, estimate=difference, clusters=clusters, level=level, bounds=DIFFERENCES),
        p_bootstrap=paired_bootstrap(*resamples, difference=difference, clusters=clusters),
        p_permutation=p_swapped[0],
        p_mcnemar=p_mcnemar,
        p_adjusted=p_swapped[1],
        detectable=detectable_difference(shifts, clusters=clusters),
    )


def _require_fit(
    names: Sequence[str], *, totals: Sequence[Floats], right: Sequence[NDArray[np.bool_]] | None
) -> None:
    judged = len(names) if right is None else len(right)
    if not len(names) == len(totals) == judged:
        raise MismatchError(
            f"{len(names)} names, {len(totals)} totals, {judged} judged",
            where="the systems to compare",
            fix="give names, totals and judgements of the same systems in the same order",
        )


def _scores(names: Sequence[str], *, totals: Sequence[Floats], value: Value) -> list[float]:
    """The score of each system; all must be defined, for nothing can be compared with NaN."""
    scores = [float(value(system.sum(axis=0))) for system in totals]
    for name, score in zip(names, scores, strict=True):
        if math.isnan(score):
            raise OptionError(
                f"the score of {name} is undefined and cannot be compared",
                where=f"system {name}",
                fix="leave this system or this metric out of the comparison",
            )
    return scores
