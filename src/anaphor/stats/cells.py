"""A cell: items of which a simple random sample was judged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from anaphor.stats.clusters import Floats

Keys: TypeAlias = NDArray[np.int64]

PULL = 2.0
"""How many judgements the expected share of a cell is worth: the fewest for which the intervals cover."""


@dataclass(frozen=True, slots=True, eq=False)
class Cell:
    """A stratum or a part of one: its size, the values of its judged items (0 to 1), the pronouns they are
    of.

    `expected` is what the share right would be guessed to be before any item of the cell was judged.
    """

    size: int
    values: Floats
    keys: Keys
    expected: float

    @property
    def judged(self) -> int:
        return len(self.values)

    @property
    def probability(self) -> float:
        """The share of the cell that was judged."""
        return self.judged / self.size

    @property
    def is_enough(self) -> bool:
        """Whether the judged items can say how much the cell varies, or need not as they are all of it."""
        return self.judged > 1 or self.judged == self.size

    def smoothed(self, *, pull: float = PULL) -> float:
        """The share right, drawn towards the expected one, which is worth `pull` judgements."""
        return (float(self.values.sum()) + pull * self.expected) / (self.judged + pull)
