"""From numbered words to tags, roles and null subjects: a small network, one batch at a time.

    word type ──table──▶ x ──near: words at -2 … +2──▶ h1 ──squeeze──▶ q ──wide: -4 … +4──▶ h2
                                                        └───────── heads ◀──────────────────┘

The first layer sees words, the second the output of the first: this replaces the neighbouring tags of a
left-to-right tagger but is independent of order, so a whole batch takes a few matrix products. The products
of a word type with the first layer do not depend on the sentence and are computed once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate
from typing import TypeAlias

import numpy as np

from anaphor.core.array_types import Bools, Floats, Longs
from anaphor.core.engine import native

#: How far the two layers see.
NEAR, WIDE = 2, 4
#: Empty places between sentences, so that none sees another.
GAP = max(NEAR, WIDE)


@dataclass(frozen=True, slots=True, eq=False)
class TaggerNetwork:
    """The weights after the table of word features."""

    near: Floats
    near_bias: Floats
    squeeze: Floats
    squeeze_bias: Floats
    wide: Floats
    wide_bias: Floats
    from_near: Floats
    from_wide: Floats
    bias: Floats

    @property
    def places(self) -> range:
        """The positions seen by the first layer, from -2 to +2, numbered from 0."""
        return range(2 * NEAR + 1)

    def products(self, inputs: Floats) -> list[Floats]:
        """The contribution of words with these inputs to the first layer at each of its positions."""
        width = inputs.shape[1]
        return [inputs @ self.near[at * width : (at + 1) * width] for at in self.places]

    def scores(self, products: Sequence[Floats], types: Longs, real: Bools) -> Floats:
        """A row for every position except the first and last `GAP`; positions between sentences are not
        `real`.
        """
        first = self._first(products, types)
        second = self._second(first, real[NEAR:-NEAR])
        inner = WIDE - NEAR  # what `first` has more than the second layer needs on either side
        scores: Floats = first[inner : len(first) - inner] @ self.from_near
        scores += second[: len(scores)]
        scores += self.bias
        return scores

    def _first(self, products: Sequence[Floats], types: Longs) -> Floats:
        """The output of `near` for the words around each position."""
        count = len(types) - 2 * NEAR
        total = products[0].take(types[:count], axis=0)
        there = np.empty_like(total)
        for at in self.places[1:]:
            # All numbers are in range: `clip` only spares NumPy a copy on the way to `out`.
            products[at].take(types[at : at + count], axis=0, out=there, mode="clip")
            total += there
        total += self.near_bias
        return np.maximum(total, 0, out=total)

    def _second(self, first: Floats, real: Bools) -> Floats:
        """The second layer's contribution to the scores; surplus rows at the end are ignored.

        The window of a position overlaps with that of the next, but not with the one `span` positions later.
        So every `span`th window is a row of a matrix that need not be copied together first.
        """
        span = 2 * WIDE + 1
        count = -(-(len(first) + 2 * NEAR - 2 * WIDE) // span)  # windows in each of `span` matrices
        squeezed = np.zeros(((count + 1) * span, self.squeeze.shape[1]), np.float32)
        inside = squeezed[NEAR : NEAR + len(first)]
        np.matmul(first, self.squeeze, out=inside)
        inside += self.squeeze_bias
        np.maximum(inside, 0, out=inside)
        inside[~real] = 0
        windows = [squeezed[start : start + count * span].reshape(count, -1) for start in range(span)]
        second = np.empty((span, count, self.wide.shape[1]), np.float32)
        for window, rows in zip(windows, second, strict=True):
            np.matmul(window, self.wide, out=rows)
        second += self.wide_bias
        np.maximum(second, 0, out=second)
        added: Floats = (second @ self.from_wide).transpose(1, 0, 2).reshape(count * span, -1)
        return added


#: From the products of word types and the types at all places to the answers of each head, as many as places
#: but the first and last `GAP`; those at places between sentences (type 0) mean nothing.
Find: TypeAlias = Callable[[Sequence[Floats], Longs], list[Longs]]


def finder(network: TaggerNetwork, heads: Sequence[int]) -> Find:
    """The best output of each head at every position, given the number of outputs per head.

    `native/analyser.hpp` adds up only the rows of matrices that count, since most activations are zero; if it
    was not compiled, whole matrices are multiplied. Both give the same output, unless two scores are equal up
    to rounding.
    """
    if native is None:
        return partial(multiplied, network, heads)
    return native.AnalyserNetwork(
        heads,
        network.near_bias,
        network.squeeze,
        network.squeeze_bias,
        network.wide,
        network.wide_bias,
        network.from_near,
        network.from_wide,
        network.bias,
    ).find


def multiplied(
    network: TaggerNetwork, heads: Sequence[int], products: Sequence[Floats], types: Longs
) -> list[Longs]:
    """The answers by products of whole matrices."""
    scores = network.scores(products, types, types > 0)
    ends = list(accumulate(heads))
    return [scores[:, end - size : end].argmax(axis=1) for size, end in zip(heads, ends, strict=True)]
