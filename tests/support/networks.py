"""The shipped networks, run once for each window: many tests and pages score the same demo files.

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
from anaphor.predict.anaphor2.subwords import PAD
from anaphor.predict.anaphor2.windows import InputBatch

#: Options of `accept` for tests of what is done with verdicts: without networks it takes a tenth of the time.
WITHOUT_NETWORKS = {"accept_predictor": "ignore", "accept_detector": "ignore", "accept_pointer": "ignore"}

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
