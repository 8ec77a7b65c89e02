"""From encoded segments to class probabilities at their slots, for any network with `scores`.

The fastest is the compiled one: the C++ core in native/ multiplies bytes where NumPy multiplies floats.
Operands are rounded to bytes row by row, so scores differ slightly from those of `NumpyNetwork`: of 747 slots
two get another label, and no probability changes by a tenth. Scores are bit-identical for any number of
threads and on any processor.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from anaphor.core import TaskSegment
from anaphor.core.array_types import Floats, Ints
from anaphor.core.engine import has_native, native
from anaphor.predict.anaphor2.encoding import EncodedSegments, language_numbers
from anaphor.predict.anaphor2.network import NumpyNetwork, Shape
from anaphor.predict.anaphor2.subwords import MASK
from anaphor.predict.anaphor2.windows import (
    InputBatch,
    InputView,
    PieceWindow,
    around,
    as_rows,
    batch_of,
    lengths_of,
)
from anaphor.predict.distributions import softmax
from anaphor.predict.explain.occlusion import WordPosition

if TYPE_CHECKING:
    from anaphor.predict.anaphor2.joint import JointTask

_TABLES = ("piece", "sentence", "language", "link", "tag", "place")
_BLOCK = ("before_attention", "before_dense", "query", "key_value", "out", "up", "down")


class SlotScorer(Protocol):
    """Computes class scores at positions of a batch; `batch_places` is the preferred batch size."""

    @property
    def batch_places(self) -> int: ...

    def scores(self, batch: InputBatch, rows: NDArray[np.int64], places: NDArray[np.int64]) -> Floats: ...


def within_reach(segments: Sequence[TaskSegment], views: Sequence[InputView]) -> Iterator[TaskSegment]:
    """The segments, with words removed that no window can include, so they need not be encoded."""
    before = max(view.before for view in views)
    after = max(view.after for view in views)
    seen = np.zeros(len(segments), dtype=np.bool_)
    for number, segment in enumerate(segments):
        if segment.slots:
            seen[max(0, number - before) : number + after + 1] = True
    for segment, is_seen in zip(segments, seen.tolist(), strict=True):
        yield segment if is_seen else replace(segment, source=(), target=())


def slot_probabilities(
    scorer: SlotScorer, encoded: EncodedSegments, task: JointTask, views: Sequence[InputView]
) -> Floats:
    """Probabilities [slots, classes of the task], averaged over the views."""
    total = np.zeros((len(encoded.labels), len(task.names)), dtype=np.float32)
    for view in views:
        windows, of_slot = around(encoded, view)
        rows = as_rows(windows)
        for chosen in by_length(lengths_of(rows), scorer.batch_places):
            batch, from_target = _batch(encoded, rows[chosen], view, task)
            row_of = np.full(len(rows), -1, dtype=np.int64)
            row_of[chosen] = np.arange(len(chosen))
            slots = np.flatnonzero(row_of[of_slot] >= 0)
            row = row_of[of_slot[slots]]
            # Exactly one position of the row holds the slot; argmax finds it.
            place = np.argmax(from_target[row] == encoded.slot_targets[slots][:, None], axis=1)
            # Only the classes of this pair: the network has those of all sub-tasks.
            total[slots] += softmax(scorer.scores(batch, row, place)[:, task.classes])
    return np.asarray(total / np.float32(len(views)))


def by_length(lengths: Sequence[int] | Ints, places: int) -> Iterator[NDArray[np.int64]]:
    """Window numbers, longest first, in batches of at most this many places, including padding."""
    sizes = np.asarray(lengths, dtype=np.int64)
    order = np.argsort(-sizes, kind="stable")
    start = 0
    while start < len(order):
        # The longest window of a batch is its first, to which all others are padded.
        end = start + max(1, places // int(sizes[order[start]]))
        yield order[start:end]
        start = end


def _batch(encoded: EncodedSegments, rows: Ints, view: InputView, task: JointTask) -> tuple[InputBatch, Ints]:
    given = np.tile(np.array([view.domain, *language_numbers(task.pair)], dtype=np.int32), (len(rows), 1))
    return batch_of(np, encoded, rows, given, np.arange(int(lengths_of(rows).max()), dtype=np.int32))


@dataclass(frozen=True, slots=True)
class PieceSpan:
    """The range of a word's subwords among those of its side."""

    on_source: bool
    start: int
    end: int


def piece_spans(
    segments: Sequence[TaskSegment], positions: Sequence[WordPosition], encoded: EncodedSegments
) -> list[PieceSpan]:
    """The subword ranges of some words of encoded segments."""
    # Words before each segment, on either side.
    before = {
        "source": [0, *accumulate(len(segment.source) for segment in segments)],
        "target": [0, *accumulate(len(segment.target) for segment in segments)],
    }
    spans = []
    for segment, side, word in positions:
        number = before[side][segment] + word
        start, end = getattr(encoded, side).words[number : number + 2].tolist()
        spans.append(PieceSpan(side == "source", start, end))
    return spans


def masked_slot_probabilities(
    scorer: SlotScorer,
    encoded: EncodedSegments,
    task: JointTask,
    views: Sequence[InputView],
    *,
    slot: int,
    hidden: Sequence[PieceSpan],
) -> Floats:
    """Probabilities [1 + spans, classes] of one slot, averaged over the views.

    The first row sees all words; in each of the others one span is masked with the mask known from training.
    A span outside the window changes nothing and costs nothing.
    """
    tables = []
    for view in views:
        windows, of_slot = around(encoded, view)
        window = windows[of_slot[slot]]
        batch, from_target = _batch(encoded, as_rows([window]), view, task)
        place = int(np.argmax(from_target[0] == encoded.slot_targets[slot]))
        masks = [places_in(window, span) for span in hidden]
        # Words outside the window need no row of their own.
        seen = [number for number, mask in enumerate(masks) if mask]
        pieces = np.tile(batch.pieces, (1 + len(seen), 1))
        for row, number in enumerate(seen, start=1):
            pieces[row, masks[number]] = MASK
        rows = softmax(_scores_at(scorer, batch, pieces, place)[:, task.classes])
        table = np.tile(rows[:1], (1 + len(masks), 1))
        table[[1 + number for number in seen]] = rows[1:]
        tables.append(table)
    return np.asarray(np.mean(tables, axis=0))


def places_in(window: PieceWindow, span: PieceSpan) -> list[int]:
    """The positions of a span in the row of a window, clipped to the window."""
    # `<domain>` comes before the source, `<sep>` between the sides: see windows.py.
    if span.on_source:
        first, last, shift = window.source_start, window.source_end, 1 - window.source_start
    else:
        first, last = window.target_start, window.target_end
        shift = window.source_end - window.source_start + 2 - window.target_start
    return [piece + shift for piece in range(max(first, span.start), min(last, span.end))]


def _scores_at(scorer: SlotScorer, batch: InputBatch, pieces: Ints, place: int) -> Floats:
    """Scores at one position of rows that differ only in their subwords, in batches."""
    size = max(1, scorer.batch_places // pieces.shape[1])
    scores = []
    for start in range(0, len(pieces), size):
        some = pieces[start : start + size]
        others = (np.tile(part, (len(some), 1)) for part in batch[1:])
        rows = np.arange(len(some))
        scores.append(scorer.scores(InputBatch(some, *others), rows, np.full(len(some), place)))
    return np.concatenate(scores)


def is_native(shape: Shape) -> bool:
    """Whether the compiled core can run networks of these dimensions; it takes eight columns at a time."""
    return has_native() and shape.width % (8 * shape.heads) == 0


def fastest_scorer(network: NumpyNetwork) -> SlotScorer:
    """The network in the compiled core if possible, otherwise unchanged."""
    return NativeNetwork(network) if is_native(network.shape) else network


class NativeNetwork:
    """See `inference.SlotScorer`."""

    #: Windows are divided among threads: the more, the less one waits for another at the end.
    batch_places = 65_536

    def __init__(self, network: NumpyNetwork, *, threads: int | None = None) -> None:
        """Pack the weights; by default with one thread per core."""
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
        """Scores at positions, as in `NumpyNetwork.scores`."""
        numbers = [np.ascontiguousarray(part, dtype=np.int32) for part in batch]
        rows, places = (np.ascontiguousarray(part, dtype=np.int64) for part in (rows, places))
        return self._network.scores(numbers, rows, places, self._threads)
