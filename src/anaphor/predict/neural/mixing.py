"""How much each snapshot counts: shares that make development data most likely."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from anaphor.predict.neural.batching import Floats

_STEPS = 100


def tuned_shares(right: Sequence[Floats]) -> Floats:
    """From each member's probabilities of the right classes to shares that sum to 1.

    Expectation maximisation for a mixture, from equal shares: the likelihood rises with every step.
    """
    given = np.stack(right, axis=1) + 1e-12  # [slots, members]
    shares: Floats = np.full(given.shape[1], 1 / given.shape[1])
    for _ in range(_STEPS):
        owed = given * shares
        shares = (owed / owed.sum(axis=1, keepdims=True)).mean(axis=0)
    return shares


def mixed(members: Sequence[Floats], shares: Floats) -> Floats:
    """The mixture of the members' probabilities."""
    total: Floats = np.tensordot(shares, np.stack(members), axes=1)
    return total
