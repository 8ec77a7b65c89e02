"""A sentence with gaps, and what a language model says of them."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import NamedTuple

from anaphor.predict.classic.rows import Doubles

Words = Sequence[str]
Options = tuple[str | None, ...]
"""What may stand in a gap; None fills nothing, at a penalty."""

NEVER = -300.0  # log10, where a share would be 0


class Gapped(NamedTuple):
    """The words before, between and behind the gaps, and what may stand in each."""

    parts: tuple[Words, ...]
    options: tuple[Options, ...]

    @property
    def ways(self) -> int:
        """How many ways there are to fill all gaps."""
        return prod(map(len, self.options))


class Filled(NamedTuple):
    """For each gap the option of the best filling, and the share of every option."""

    best: tuple[int, ...]
    shares: tuple[Doubles, ...]
