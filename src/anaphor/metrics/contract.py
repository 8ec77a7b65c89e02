"""What a metric is: counts per segment first, then a score from their sums.

A score is a function of column sums alone. Intervals, tests of significance and scores by document need
nothing else, so they work for every metric and know none by name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from anaphor.core import PAPER_WEIGHTS, Counts, OptionError, PronounPair, Settings
from anaphor.languages import PairPack

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from anaphor.pronouns import Words


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricOptions:
    """Every option of every metric, checked at birth. `forms` are the target pronouns that are compared.

    `weights` belong to cases 1 to 6, `discard` names cases left out of the sum (apt-2017, section 2.4).
    `other` says what two counterparts without a listed pronoun are: different, identical, or identical
    only when their words are the same. `clip` is AutoPRF's: per pronoun token or over the corpus.
    """

    pack: PairPack
    forms: tuple[str, ...]
    words: Words
    tokenized: bool
    weights: tuple[float, ...] = PAPER_WEIGHTS
    discard: frozenset[int] = frozenset()
    other: str = "different"
    clip: str = "pronoun"

    def __post_init__(self) -> None:
        if len(self.weights) != 6 or not all(0 <= weight <= 1 for weight in self.weights):
            raise OptionError(
                f"not six weights between 0 and 1: {', '.join(map(str, self.weights))}",
                where="--weights",
                fix="give one weight for each of the cases 1 to 6, such as 1,0.5,0,0,0,0",
            )
        if not self.discard < {1, 2, 3, 4, 5, 6}:
            raise OptionError(
                f"cannot discard the cases {sorted(self.discard)}",
                where="--discard",
                fix="name cases from 1 to 6 and keep at least one, such as 5,6",
            )
        _one_of(self.other, ("different", "identical", "same-word"), option="--other")
        _one_of(self.clip, ("pronoun", "corpus"), option="--clip")

    @classmethod
    def of(cls, settings: Settings, *, pack: PairPack, forms: tuple[str, ...], words: Words) -> MetricOptions:
        """The options that an experiment's settings hold."""
        return cls(
            pack=pack,
            forms=forms,
            words=words,
            tokenized=settings.tokenized,
            weights=settings.weights,
            discard=frozenset(settings.discard),
            other=settings.other,
            clip=settings.clip,
        )


def _one_of(value: str, known: tuple[str, ...], *, option: str) -> None:
    if value not in known:
        raise OptionError(f"unknown value: {value}", where=option, fix=f"use one of {', '.join(known)}")


@dataclass(frozen=True, slots=True)
class MetricInput:
    """One candidate before its metrics: every line of it, its references, and its pronoun pairs."""

    system: str
    references: tuple[Sequence[str], ...]
    candidate: Sequence[str]
    pairs: Sequence[PronounPair]


class Metric(Protocol):
    """A way to count and to score. The contract tests in `tests/contracts` run on every metric."""

    name: ClassVar[str]
    #: Judges pronoun pairs, so it needs an alignment.
    pronominal: ClassVar[bool]
    #: What moves its number besides its own settings: of tok, packs, forms, pronouns, repair, aligner.
    depends: ClassVar[frozenset[str]]

    @classmethod
    def build(cls, options: MetricOptions) -> Self:
        """The metric with the options it knows; it ignores the others."""
        ...

    def settings(self) -> Mapping[str, str]:
        """The options that move this metric's number, in a fixed order, for the signature."""
        ...

    def count(self, trial: MetricInput) -> Counts:
        """Statistics of the candidate, one row per segment."""
        ...

    def value(self, totals: NDArray[np.float64]) -> NDArray[np.float64]:
        """Scores from 0 to 1 of sums of rows, over the last axis; NaN where there is nothing to score."""
        ...

    def details(self, totals: NDArray[np.float64]) -> Mapping[str, float]:
        """The parts of one score that a reader wants to see beside it."""
        ...


def ratio(part: NDArray[np.float64], whole: NDArray[np.float64]) -> NDArray[np.float64]:
    """part / whole, NaN where whole is 0."""
    part, whole = np.broadcast_arrays(np.asarray(part, np.float64), np.asarray(whole, np.float64))
    quotient = np.full(part.shape, np.nan)
    np.divide(part, whole, out=quotient, where=whole != 0)
    return quotient


def zero_where_undefined(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """NaN becomes 0: for parts of a score that count as nothing when they cannot be computed."""
    return np.nan_to_num(values, nan=0.0)
