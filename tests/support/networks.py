"""Random networks, and the shipped ones, run once for each window: many tests score the same demo files.

The scores of a window depend on its own pieces and places alone, not on the windows that it is run with, so
what the network has said of a window is said again.
"""

from __future__ import annotations

from hashlib import blake2b
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from anaphor.core.array_types import Floats
from anaphor.predict.anaphor2.inference import NativeNetwork
from anaphor.predict.anaphor2.network import NumpyNetwork, Shape, expected_shapes, rounded
from anaphor.predict.anaphor2.subwords import PAD
from anaphor.predict.anaphor2.windows import InputBatch

#: Options of `accept` for tests of what is done with verdicts: without networks it takes a tenth of the time.
WITHOUT_NETWORKS = {"accept_detector": "ignore", "accept_pointer": "ignore"}

Rows = NDArray[np.int64]
_run = NativeNetwork.scores
_known: WeakKeyDictionary[NativeNetwork, dict[bytes, Floats]] = WeakKeyDictionary()


def remembered_scores(network: NativeNetwork, batch: InputBatch, rows: Rows, places: Rows) -> Floats:
    """`NativeNetwork.scores`, of windows that this network has not been given before."""
    known = _known.setdefault(network, {})
    lengths = np.sum(batch.pieces != PAD, axis=1)
    keys = {}
    for row in np.unique(rows):
        parts = [np.ascontiguousarray(part[row, : lengths[row]], np.int32) for part in batch]
        keys[row] = blake2b(b"".join(part.tobytes() for part in parts)).digest()
    of_place = [keys[row] + place.tobytes() for row, place in zip(rows, places.astype(np.int64), strict=True)]
    if new := [number for number, key in enumerate(of_place) if key not in known]:
        some, renumbered = np.unique(rows[new], return_inverse=True)
        longest = lengths[some].max()
        smaller = InputBatch(*(part[some, :longest] for part in batch))
        for number, scores in zip(new, _run(network, smaller, renumbered, places[new]), strict=True):
            known[of_place[number]] = scores
    return np.stack([known[key] for key in of_place])


def random_network(*, width: int, heads: int, layers: int) -> NumpyNetwork:
    """Weights of the size that training gives: products neither grow nor vanish."""
    shape = Shape(pieces=120, classes=12, width=width, layers=layers, heads=heads)
    rng = np.random.default_rng(5)
    weights = {name: _random(rng, size) for name, size in expected_shapes(shape).items()}
    return NumpyNetwork(shape, weights)


def _random(rng: np.random.Generator, size: tuple[int, ...]) -> Floats:
    """A vector about one, or a matrix as it comes from a file: rounded to bytes."""
    if len(size) == 1:
        return rng.normal(1, 0.1, size).astype(np.float32)
    whole, scale = rounded(rng.normal(0, size[-1] ** -0.5, size))
    return np.asarray(whole * scale, dtype=np.float32)


def random_batch(windows: int, places: int) -> InputBatch:
    """Windows of several lengths; the last places are padding."""
    rng = np.random.default_rng(6)
    highest = (120, 16, 5, 16, 20)
    parts = [rng.integers(1, most, (windows, places)).astype(np.int32) for most in highest]
    for window in range(windows):
        parts[0][window, places - window % (places // 2) :] = PAD
    return InputBatch(*parts)
