"""The best answer of each head of the network at every place.

`native/analyser.hpp` adds up only the rows of matrices that count, since most activations are zero; where it
was not compiled, `network` multiplies whole matrices. Both give the same answers, except where two scores are
equal up to the rounding of sums.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import accumulate
from typing import TypeAlias

from anaphor.analyse.network import Floats, Ints, TaggerNetwork
from anaphor.engine import native

Find: TypeAlias = Callable[[Sequence[Floats], Ints], list[Ints]]
"""From the products of word types and the types at all places to the answers of each head, as many as places
but the first and last `GAP`; those at places between sentences (type 0) mean nothing."""


def finder(network: TaggerNetwork, heads: Sequence[int]) -> Find:
    """Finds the answers of a network whose heads have so many."""
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
    network: TaggerNetwork, heads: Sequence[int], products: Sequence[Floats], types: Ints
) -> list[Ints]:
    """The answers by products of whole matrices."""
    scores = network.scores(products, types, types > 0)
    ends = list(accumulate(heads))
    return [scores[:, end - size : end].argmax(axis=1) for size, end in zip(heads, ends, strict=True)]
