"""The compiled network: the C++ core in native/ multiplies bytes where NumPy multiplies single precision.

Operands are rounded to bytes row by row, so that scores differ slightly from those of `NumpyNetwork`: of 747
slots two get another label, and no probability moves by a tenth. Scores are the same to the last bit for any
number of threads and on any processor.
"""

from __future__ import annotations

import os

import numpy as np
from numpy.typing import NDArray

from anaphor.engine import has_native, native
from anaphor.predict.anaphor2.inference import SlotScorer
from anaphor.predict.anaphor2.network import Floats, NumpyNetwork, Shape
from anaphor.predict.anaphor2.windows import InputBatch

_TABLES = ("piece", "sentence", "language", "link", "tag", "place")
_BLOCK = ("before_attention", "before_dense", "query", "key_value", "out", "up", "down")


def is_native(shape: Shape) -> bool:
    """Whether networks of some sizes run in the compiled core, which takes eight columns at a time."""
    return has_native() and shape.width % (8 * shape.heads) == 0


def fastest_scorer(network: NumpyNetwork) -> SlotScorer:
    """The network in the compiled core if possible, else as it is."""
    return NativeNetwork(network) if is_native(network.shape) else network


class NativeNetwork:
    """See `inference.SlotScorer`."""

    #: Windows are divided among threads: the more, the less one waits for another at the end.
    batch_places = 65_536

    def __init__(self, network: NumpyNetwork, *, threads: int | None = None) -> None:
        """Packs the weights; without a number of threads, one for every core."""
        weight = {
            name.removesuffix(".weight"): np.ascontiguousarray(value, dtype=np.float32)
            for name, value in network.weights.items()
        }
        blocks = [
            native.NetworkBlock(*(weight[f"blocks.{layer}.{name}"] for name in _BLOCK))
            for layer in range(network.shape.layers)
        ]
        tables = [weight[name] for name in _TABLES]
        self._threads = threads or os.cpu_count() or 1
        self._network = native.Network(
            network.shape.heads, tables, blocks, weight["norm"], weight["classes"], weight["classes.bias"]
        )

    def scores(self, batch: InputBatch, rows: NDArray[np.int64], places: NDArray[np.int64]) -> Floats:
        """Scores at places, as `NumpyNetwork.scores`."""
        numbers = [np.ascontiguousarray(part, dtype=np.int32) for part in batch]
        rows, places = (np.ascontiguousarray(part, dtype=np.int64) for part in (rows, places))
        return self._network.scores(numbers, rows, places, self._threads)
