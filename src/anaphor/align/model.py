"""The data of the word aligner: options, numbered texts, the table of word pairs, the model.

Both engines, in NumPy (`reference`) and in C++ (`engine.NativeEngine`), take and return only these types.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields
from typing import Any, NamedTuple, TypeVar

import numpy as np

from anaphor.align.symmetrize import DecodingMode
from anaphor.core import OptionError
from anaphor.core.array_types import Bools, Floats, Ints, Longs

T = TypeVar("T")

#: Jumps are distinguished up to this distance; a jump table has 2 * REACH + 1 places.
REACH = 256
#: Sentences longer than this, on either side, go to the position model, and their words are compared only
#: within this distance of the diagonal.
LONGEST = 200
#: Expected counts are integers in units of 2^-32: their sums do not depend on the order of additions.
COUNT_UNIT = 2.0**32


def _between(least: float, most: float, default: T) -> T:
    """An option with inclusive bounds."""
    bounded: T = field(default=default, metadata={"bounds": (least, most)})
    return bounded


@dataclass(frozen=True, slots=True)
class HmmOptions:
    """Settings of the aligner, validated on construction.

    - `position_passes`, `hmm_passes`: passes over the text with each model.
    - `alpha`: the Dirichlet prior of the word tables. `smoothing`: the unigram's share of every emission.
    - `null`: the probability that a word has no counterpart.
    - `cognates`: the pseudo-count of two identical words. `kin`: the weight of prefix families.
    - `share`: how close a pair must come to the best Dice coefficient of its words to be a candidate; `most`:
      among how many best pairs of its source word it must be, unless it is at least half as good as the best
      of its target word. `prune`: the minimum expected count to remain a candidate after each pass; `lift`:
      the same relative to the count by chance.
    - `prior_weight`: the weight of a prior count relative to a count from the text.
    - `diagonal`: the pull towards the diagonal in the position model.
    - `agree`: train the two directions on the product of their posteriors.
    - `reading`: how links are decoded. With `JOINT`, a link needs at least `threshold` as the product of the
      two posteriors; a link between an evaluated pronoun and an unrivalled usual translation only needs
      `pronoun_threshold`, and one between an evaluated pronoun and any other word `stray_threshold`.
    - `threads`: affects the running time only.
    """

    position_passes: int = _between(0, 100, 2)
    hmm_passes: int = _between(0, 100, 3)
    alpha: float = _between(1e-6, 10, 0.1)
    null: float = _between(1e-6, 0.9, 0.04)
    smoothing: float = _between(1e-9, 0.5, 0.01)
    cognates: float = _between(0, 1000, 1.0)
    kin: float = _between(0, 1000, 10.0)
    share: float = _between(0, 1, 0.05)
    most: int = _between(1, 1_000_000, 1000)
    prune: float = _between(0, 1, 0.0001)
    lift: float = _between(0, 1, 0.003)
    prior_weight: float = _between(0, 100, 0.3)
    diagonal: float = _between(0, 50, 4.0)
    threshold: float = _between(1e-6, 1, 0.25)
    pronoun_threshold: float = _between(1e-6, 1, 0.02)
    stray_threshold: float = _between(1e-6, 1, 0.75)
    agree: bool = True
    reading: DecodingMode = DecodingMode.JOINT
    threads: int = _between(1, 1024, 2)

    def __post_init__(self) -> None:
        for option in fields(self):
            least, most = option.metadata.get("bounds", (-math.inf, math.inf))
            if not least <= (value := getattr(self, option.name)) <= most:
                raise OptionError(
                    f"{option.name} is {value}",
                    where=f"aligner option {option.name}",
                    fix=f"use a value from {least} to {most}",
                )


@dataclass(frozen=True, slots=True, eq=False)
class Bitext:
    """Sentence pairs as word numbers; sentence p is `source[source_start[p]:source_start[p + 1]]`."""

    source: Ints
    source_start: Longs
    target: Ints
    target_start: Longs

    def __len__(self) -> int:
        return len(self.source_start) - 1

    def pair(self, p: int) -> tuple[Ints, Ints]:
        """Word numbers of one sentence and its translation."""
        return (
            self.source[self.source_start[p] : self.source_start[p + 1]],
            self.target[self.target_start[p] : self.target_start[p + 1]],
        )


@dataclass(frozen=True, slots=True, eq=False)
class LexiconRows:
    """Word pairs that may translate each other: source word s has targets `target[start[s]:start[s + 1]]`."""

    start: Longs
    target: Ints

    def __len__(self) -> int:
        return len(self.target)

    def sources(self) -> Ints:
        """The source word of every entry."""
        return np.repeat(np.arange(len(self.start) - 1, dtype=np.int32), np.diff(self.start))

    def only(self, keep: Bools) -> LexiconRows:
        """The rows of the entries to keep."""
        start: Longs = np.concatenate([[0], np.cumsum(keep)])[self.start].astype(np.int64)
        return LexiconRows(start, self.target[keep])


@dataclass(frozen=True, slots=True, eq=False)
class HmmModel:
    """All probabilities of a model. `tables[2k]` is p(target | source) of entry k, `tables[2k + 1]` the
    reverse.
    """

    rows: LexiconRows
    tables: Floats
    source_unigram: Floats
    target_unigram: Floats
    source_null: Floats
    target_null: Floats
    forward_jumps: Floats
    reverse_jumps: Floats

    @staticmethod
    def vectors() -> tuple[str, ...]:
        """The names of all arrays other than the rows, in order."""
        return tuple(array.name for array in fields(HmmModel))[1:]


@dataclass(frozen=True, slots=True, eq=False)
class PassCounts:
    """Expected counts of one pass in COUNT_UNIT; with agreement, `forward` and `reverse` are one array."""

    forward: Longs
    reverse: Longs
    source_null: Longs
    target_null: Longs
    forward_jumps: Longs
    reverse_jumps: Longs


@dataclass(frozen=True, slots=True)
class CountLayout:
    """The layout of all counts of a pass in one row: the sizes of its parts."""

    entries: int
    sources: int
    targets: int
    agree: bool

    @classmethod
    def of(cls, model: HmmModel, options: HmmOptions) -> CountLayout:
        return cls(len(model.rows), len(model.source_null), len(model.target_null), options.agree)

    @property
    def sizes(self) -> tuple[int, ...]:
        jumps = 2 * REACH + 1
        return (self.entries, 0 if self.agree else self.entries, self.sources, self.targets, jumps, jumps)

    def counts(self, row: Longs) -> PassCounts:
        """The parts of a row, without copying."""
        forward, reverse, *rest = np.split(row, np.cumsum(self.sizes)[:-1])
        return PassCounts(forward, forward if self.agree else reverse, *rest)


@dataclass(frozen=True, slots=True, eq=False)
class DecodedLinks:
    """The links of sentence pairs; those of pair p are `start[p]` to `start[p + 1]`."""

    start: Longs
    source: Ints
    target: Ints
    confidence: Floats


class LinkPlaces(NamedTuple):
    """For every link, the number of its pair and the positions of its words in the whole text."""

    pair: Longs
    source: Longs
    target: Longs

    @classmethod
    def of(cls, text: Bitext, links: DecodedLinks) -> LinkPlaces:
        pair = np.repeat(np.arange(len(links.start) - 1), np.diff(links.start))
        return cls(pair, text.source_start[pair] + links.source, text.target_start[pair] + links.target)


@dataclass(frozen=True, slots=True, eq=False)
class IndexedModel:
    """A model with its options and the index that an engine uses to find word pairs.

    Only the engine that built the index can use it.
    """

    model: HmmModel
    options: HmmOptions
    index: Any
