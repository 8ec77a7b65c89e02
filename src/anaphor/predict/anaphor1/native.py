"""The compiled network: the C++ core in native/ multiplies bytes where NumPy multiplies single precision.

Operands are rounded to bytes row by row, so that scores differ slightly from those of `NumpyNetwork`: of 747
slots two get another label, and no probability moves by a tenth. Scores are the same to the last bit for any
number of threads.
"""

from __future__ import annotations

import os

import numpy as np
from numpy.typing import NDArray

from anaphor.engine import native
from anaphor.predict.anaphor1.network import Floats, NumpyNetwork
from anaphor.predict.anaphor1.windows import InputBatch

_TABLES = ("piece", "sentence", "language", "link", "tag", "place")
_BLOCK = ("before_attention", "before_dense", "query", "key_value", "out", "up", "down")


class NativeNetwork:
    """See `inference.SlotScorer`."""

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
        return self._network.scores(numbers, _places(rows), _places(places), self._threads)


def _places(values: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.ascontiguousarray(values, dtype=np.int64)
