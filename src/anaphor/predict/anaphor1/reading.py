"""From encoded segments to probabilities of classes at their slots, by any network with `scores`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from anaphor.core import TaskSegment
from anaphor.predict.anaphor1.encoding import Encoded
from anaphor.predict.anaphor1.windows import ANY_DOMAIN, Batch, Context, around, as_rows, batch_of, length_of

Floats = NDArray[np.float32]


class Scorer(Protocol):
    """What gives scores of classes at places of a batch."""

    def scores(self, batch: Batch, rows: NDArray[np.int64], places: NDArray[np.int64]) -> Floats: ...


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to look at a slot: how much context, and what kind of text it is told to be."""

    context: Context = field(default_factory=Context)
    domain: int = ANY_DOMAIN


def within_reach(segments: Sequence[TaskSegment], readings: Sequence[Reading]) -> Iterator[TaskSegment]:
    """The segments, those without words that no slot's window can hold: they need not be encoded."""
    before = max(reading.context.before for reading in readings)
    after = max(reading.context.after for reading in readings)
    seen = np.zeros(len(segments), dtype=np.bool_)
    for number, segment in enumerate(segments):
        if segment.slots:
            seen[max(0, number - before) : number + after + 1] = True
    for segment, is_seen in zip(segments, seen.tolist(), strict=True):
        yield segment if is_seen else replace(segment, source=(), target=())


def slot_probabilities(
    scorer: Scorer,
    encoded: Encoded,
    *,
    languages: tuple[int, int],
    classes: slice,
    readings: Sequence[Reading],
    places: int = 4096,
) -> Floats:
    """Probabilities [slots, classes], averaged over the readings, in batches of about so many places."""
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
    total[slots] += softmax(scorer.scores(batch, row, place)[:, classes])


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


def softmax(x: Floats) -> Floats:
    """Scores as probabilities, along the last axis."""
    x = np.exp(x - x.max(axis=-1, keepdims=True))
    return np.asarray(x / x.sum(axis=-1, keepdims=True))
