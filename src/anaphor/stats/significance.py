"""McNemar's test on single pronouns, and Holm's correction for many tests."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from anaphor.core import MismatchError
from anaphor.stats.distributions import coin_at_most


def mcnemar(right_a: NDArray[np.bool_], right_b: NDArray[np.bool_]) -> float:
    """Exact two-sided p-value from the pronouns that only one of the two systems gets right.

    Under the null hypothesis each such pronoun falls to either system like a coin. The test takes
    pronouns as independent; where errors cluster in documents, trust the permutation test.
    """
    if right_a.shape != right_b.shape:
        raise MismatchError(
            f"{right_a.size} judged pronouns against {right_b.size}",
            where="the judgements of the two systems",
            fix="judge the same source pronouns for both systems",
        )
    only_a = int((right_a & ~right_b).sum())
    only_b = int((right_b & ~right_a).sum())
    if only_a == only_b:
        return 1.0
    return min(1.0, 2 * coin_at_most(min(only_a, only_b), tosses=only_a + only_b))


def holm(p_values: Sequence[float]) -> tuple[float, ...]:
    """The p-values, in their order, corrected so that the chance of any false alarm stays at its level.

    The smallest of m is multiplied by m, the next by m - 1 and so on (Holm 1979); none falls below a
    smaller one's, none exceeds 1.
    """
    adjusted = [0.0] * len(p_values)
    so_far = 0.0
    for rank, index in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        so_far = max(so_far, min(1.0, (len(p_values) - rank) * p_values[index]))
        adjusted[index] = so_far
    return tuple(adjusted)
