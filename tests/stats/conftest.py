"""An invented metric: column 0 counts points, column 1 pronouns; the score is points per pronoun."""

from __future__ import annotations

import numpy as np
import pytest

from anaphor.core.array_types import Doubles
from anaphor.stats import Value


def _points_per_pronoun(totals: Doubles) -> Doubles:
    with np.errstate(invalid="ignore"):
        quotient: Doubles = totals[..., 0] / totals[..., 1]
    return quotient


@pytest.fixture(scope="session")
def ratio() -> Value:
    """Points per pronoun; NaN without pronouns."""
    return _points_per_pronoun


@pytest.fixture(scope="session")
def systems() -> list[Doubles]:
    """Three invented systems over 30 documents, each a little better than the one before."""
    rng = np.random.default_rng(2024)
    pronouns = rng.integers(1, 20, size=30)
    points = [rng.binomial(pronouns, rate) for rate in (0.5, 0.55, 0.7)]
    return [np.array([p, pronouns], dtype=np.float64).T for p in points]
