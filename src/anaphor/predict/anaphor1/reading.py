"""From encoded segments to probabilities of classes at their slots, by any network with `scores`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from anaphor.predict.anaphor1.encoding import Encoded
from anaphor.predict.anaphor1.windows import ANY_DOMAIN, Batch, Context, around, as_rows, batch_of, length_of

Floats = NDArray[np.float32]
#: Places of one batch: enough work for a matrix product, little enough for a cache.
_PLACES = 4096


class Scorer(Protocol):
    """What gives scores of classes at places of a batch."""

    def scores(self, batch: Batch, rows: NDArray[np.int64], places: NDArray[np.int64]) -> Floats: ...


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to look at a slot: how much context, and what kind of text it is told to be."""

    context: Context = field(default_factory=Context)
    domain: int = ANY_DOMAIN


def slot_probabilities(
    scorer: Scorer,
    encoded: Encoded,
    *,
    languages: tuple[int, int],
    classes: slice,
    readings: Sequence[Reading],
    places: int = _PLACES,
) -> Floats:
    """Probabilities [slots, classes], averaged over the readings; the order of batches does not matter."""
    total = np.zeros((len(encoded.labels), classes.stop - classes.start), dtype=np.float32)
    for reading in readings:
        windows, of_slot = around(encoded, reading.context)
        rows = as_rows(windows)
        given = np.array([reading.domain, *languages], dtype=np.int32)
        for chosen in _batches(rows, places):
            _add_batch(scorer, encoded, rows, of_slot, chosen, given, classes, total)
    return np.asarray(total / np.float32(len(readings)))


def _add_batch(
    scorer: Scorer,
    encoded: Encoded,
    rows: NDArray[np.int32],
    of_slot: NDArray[np.int32],
    chosen: NDArray[np.int64],
    given: NDArray[np.int32],
    classes: slice,
    total: Floats,
) -> None:
    """Add the probabilities of the slots of the chosen windows to the total."""
    windows = rows[chosen]
    batch, from_target = batch_of(
        np, encoded, windows, np.tile(given, (len(chosen), 1)), np.arange(length_of(windows), dtype=np.int32)
    )
    row_of = np.full(len(rows), -1, dtype=np.int64)
    row_of[chosen] = np.arange(len(chosen))
    slots = np.flatnonzero(row_of[of_slot] >= 0)
    row = row_of[of_slot[slots]]
    place = np.argmax(from_target[row] == encoded.slot_targets[slots][:, None], axis=1)
    total[slots] += _softmax(scorer.scores(batch, row, place)[:, classes])


def _batches(rows: NDArray[np.int32], places: int) -> list[NDArray[np.int64]]:
    """Windows of like length together, so that few places are padding."""
    sizes = rows[:, 1] - rows[:, 0] + rows[:, 3] - rows[:, 2] + 2
    order = np.argsort(-sizes, kind="stable")
    batches = []
    start = 0
    while start < len(order):
        end = start + max(1, places // int(sizes[order[start]]))
        batches.append(order[start:end])
        start = end
    return batches


def _softmax(x: Floats) -> Floats:
    x = np.exp(x - x.max(axis=-1, keepdims=True))
    return np.asarray(x / x.sum(axis=-1, keepdims=True))
