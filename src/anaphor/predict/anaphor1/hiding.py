"""The windows of one slot with words hidden behind the mask that the network knows from its training."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anaphor.core import TaskSegment
from anaphor.predict.anaphor1.encoding import Encoded
from anaphor.predict.anaphor1.reading import Floats, Reading, Scorer, softmax
from anaphor.predict.anaphor1.subwords import MASK, Subwords
from anaphor.predict.anaphor1.windows import Batch, Window, around, as_rows, batch_of, length_of
from anaphor.predict.explain.occlusion import WordPosition

#: Places of one batch, as in `reading`.
_PLACES = 4096


@dataclass(frozen=True, slots=True)
class Stretch:
    """Where the pieces of a word are in the pieces of its side."""

    on_source: bool
    start: int
    end: int


def stretches(
    segments: Sequence[TaskSegment], places: Sequence[WordPosition], subwords: Subwords, *, forms: bool
) -> list[Stretch]:
    """The pieces of every word, as `encoding.encode` lays them out."""
    known = dict(_laid_out(segments, subwords, forms=forms))
    return [known[place] for place in places]


def _laid_out(
    segments: Sequence[TaskSegment], subwords: Subwords, *, forms: bool
) -> Iterator[tuple[WordPosition, Stretch]]:
    source = target = 0
    for number, segment in enumerate(segments):
        hidden = {slot.target for slot in segment.slots}
        for place, word in enumerate(segment.source):
            end = source + len(subwords.encode(word))
            yield WordPosition(number, "source", place), Stretch(True, source, end)
            source = end
        for place, token in enumerate(segment.target):
            word = token if forms else token.rpartition("|")[0] or token
            end = target + (1 if place in hidden else len(subwords.encode(word)))
            yield WordPosition(number, "target", place), Stretch(False, target, end)
            target = end


@dataclass(frozen=True, slots=True)
class HiddenWindows:
    """One slot of encoded sentences, and the words to hide around it."""

    encoded: Encoded
    slot: int
    hidden: Sequence[Stretch]

    def probabilities(
        self, scorer: Scorer, *, languages: tuple[int, int], classes: slice, readings: Sequence[Reading]
    ) -> Floats:
        """Probabilities [1 + words, classes], the mean of all readings: with all words, then without each."""
        found = [self._read(scorer, languages, classes, reading) for reading in readings]
        return np.asarray(np.mean(found, axis=0))

    def _read(self, scorer: Scorer, languages: tuple[int, int], classes: slice, reading: Reading) -> Floats:
        """The same for one reading; a word outside of its window changes nothing and costs nothing."""
        windows, of_slot = around(self.encoded, reading.context)
        window = windows[of_slot[self.slot]]
        one, place = self._batch(window, np.array([[reading.domain, *languages]], dtype=np.int32))
        masks = [_inside(window, stretch) for stretch in self.hidden]
        seen = [number for number, mask in enumerate(masks) if mask]
        pieces = np.tile(one.pieces, (1 + len(seen), 1))
        for row, number in enumerate(seen, start=1):
            pieces[row, masks[number]] = MASK
        rows = softmax(_scores(scorer, one, pieces, place)[:, classes])
        found = np.tile(rows[:1], (1 + len(masks), 1))
        found[[1 + number for number in seen]] = rows[1:]
        return found

    def _batch(self, window: Window, given: NDArray[np.int32]) -> tuple[Batch, int]:
        """The window as a batch of one row, and the place of the slot in it."""
        rows = as_rows([window])
        batch, from_target = batch_of(
            np, self.encoded, rows, given, np.arange(length_of(rows), dtype=np.int32)
        )
        return batch, int(np.argmax(from_target[0] == self.encoded.slot_targets[self.slot]))


def _inside(window: Window, stretch: Stretch) -> list[int]:
    """The places of a word in the row of a window, as far as it is inside."""
    if stretch.on_source:
        first, last, shift = window.source_start, window.source_end, 1 - window.source_start
    else:
        first, last = window.target_start, window.target_end
        shift = window.source_end - window.source_start + 2 - window.target_start
    return [piece + shift for piece in range(max(first, stretch.start), min(last, stretch.end))]


def _scores(scorer: Scorer, one: Batch, pieces: NDArray[np.int32], place: int) -> Floats:
    """Scores at one place of rows that differ in their pieces alone, some rows at a time."""
    size = max(1, _PLACES // pieces.shape[1])
    found = []
    for start in range(0, len(pieces), size):
        some = pieces[start : start + size]
        others = (np.tile(part, (len(some), 1)) for part in one[1:])
        rows = np.arange(len(some))
        found.append(scorer.scores(Batch(some, *others), rows, np.full(len(some), place)))
    return np.concatenate(found)
