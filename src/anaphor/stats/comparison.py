"""Paired comparisons with a baseline, McNemar's test, and Holm's correction for multiple tests."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from anaphor.core import Comparison, MismatchError, OptionError
from anaphor.core.array_types import Bools, Doubles
from anaphor.stats.distributions import coin_at_most
from anaphor.stats.interval import DIFFERENCES, Resampled
from anaphor.stats.resampling import Value, paired_permutations


def compare(
    metric: str,
    *,
    names: Sequence[str],
    totals: Sequence[Doubles],
    value: Value,
    resampled: Sequence[Resampled | None],
    right: Sequence[Bools] | None,
    seed: int,
    level: float,
) -> tuple[Comparison, ...]:
    """Compare each system with the baseline, the first name; differences are system minus baseline.

    `totals` are `[clusters, columns]` per system, `resampled` their `resampled_scores`. `right` has one
    boolean per judged pronoun for each system, or is None for metrics that judge no pronouns. The permutation
    test draws as many swaps as there are resamples, unless it can enumerate all swaps.
    """
    judged = len(names) if right is None else len(right)
    if not len(names) == len(totals) == judged:
        what = f"{len(names)} names, {len(totals)} totals, {judged} judged"
        fix = "pass names, totals and judgements of the same systems in the same order"
        raise MismatchError(what, where="the systems to compare", fix=fix)
    scores = []
    for name, score in zip(names, resampled, strict=True):
        if score is None:
            what = f"the score of {name} is undefined and cannot be compared"
            fix = "leave this system or this metric out of the comparison"
            raise OptionError(what, where=f"system {name}", fix=fix)
        scores.append(score)
    if len(names) < 2:
        return ()
    samples = len(scores[0].drawn)
    swapped = paired_permutations(totals[0], totals[1:], value, samples=samples, seed=seed)
    adjusted = holm(swapped)
    comparisons = []
    for i in range(1, len(names)):
        # Resample by resample: what makes a document hard for both systems cancels out.
        difference = scores[i].minus(scores[0])
        comparisons.append(
            Comparison(
                metric=metric,
                baseline=names[0],
                system=names[i],
                difference=difference.estimate,
                interval=difference.interval(level=level, bounds=DIFFERENCES),
                p_bootstrap=difference.p_bootstrap(),
                p_permutation=swapped[i - 1],
                p_mcnemar=None if right is None else mcnemar(right[0], right[i]),
                p_adjusted=adjusted[i - 1],
                detectable=difference.detectable(),
            )
        )
    return tuple(comparisons)


def mcnemar(right_a: Bools, right_b: Bools) -> float:
    """Exact two-sided p-value from the pronouns that exactly one of the two systems gets right.

    Under the null hypothesis each such pronoun is a fair coin toss. The test assumes independent pronouns; if
    errors cluster in documents, trust the permutation test.
    """
    if right_a.shape != right_b.shape:
        what = f"{right_a.size} judged pronouns against {right_b.size}"
        fix = "judge the same source pronouns for both systems"
        raise MismatchError(what, where="the judgements of the two systems", fix=fix)
    only_b, only_a = map(len, gained_and_lost(right_a, right_b))
    # Twice the probability of the lower half would count the middle twice.
    if only_a == only_b:
        return 1.0
    return min(1.0, 2 * coin_at_most(min(only_a, only_b), tosses=only_a + only_b))


def gained_and_lost(before: Bools, after: Bools) -> tuple[list[int], list[int]]:
    """The positions that are right only after a change, and those that were right only before."""
    return np.flatnonzero(after & ~before).tolist(), np.flatnonzero(before & ~after).tolist()


def holm(p_values: Sequence[float]) -> tuple[float, ...]:
    """Correct the p-values so that the probability of any false alarm stays at the test's level; order is
    kept.

    The smallest of m is multiplied by m, the next by m - 1 and so on (Holm 1979); none falls below a smaller
    one, and none exceeds 1.
    """
    adjusted = [0.0] * len(p_values)
    so_far = 0.0
    for rank, index in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        so_far = max(so_far, min(1.0, (len(p_values) - rank) * p_values[index]))
        adjusted[index] = so_far
    return tuple(adjusted)
