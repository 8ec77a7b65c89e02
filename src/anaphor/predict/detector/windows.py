"""The detector's input for one pronoun: a window of text with the pronoun linked to its rendering.

The predictor reads windows with many slots, in which pronouns are hidden. Here nothing is hidden, and one
pair is linked: the source pronoun and its rendering.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from anaphor.core import Alignment, LanguagePair, TaskSegment
from anaphor.core.array_types import Floats
from anaphor.predict.anaphor2.encoding import ANY_DOMAIN
from anaphor.predict.anaphor2.genders import gender_reader
from anaphor.predict.anaphor2.inference import SlotScorer, by_length
from anaphor.predict.anaphor2.subwords import FIRST_DOMAIN, PAD, SEPARATOR, SLOT, Subwords
from anaphor.predict.anaphor2.windows import LONGEST, InputBatch

#: Sentences before the pronoun's own that are read as far as they fit; one after it is read as well.
BEFORE, AFTER = 3, 1


class PieceLine(NamedTuple):
    """One side of a segment: subwords, the gender of their words, and the start of each word."""

    pieces: NDArray[np.integer[Any]]
    tags: NDArray[np.integer[Any]]
    starts: Sequence[int] = ()


class PieceMark(NamedTuple):
    """The subwords of the source pronoun and its rendering; -1, -1 if there is none."""

    source: tuple[int, int]
    target: tuple[int, int] = (-1, -1)


class Window(NamedTuple):
    """The network's input for one pronoun: five rows of numbers, and the position to evaluate."""

    rows: NDArray[np.int32]
    place: int


class LineEncoder:
    """Splits the words of a language pair into subwords."""

    def __init__(self, subwords: Subwords, pair: LanguagePair) -> None:
        self._subwords, self._genders = subwords, gender_reader(pair, forms=True)

    def lines(
        self, source: Sequence[str], target: Sequence[str], alignment: Alignment
    ) -> tuple[PieceLine, PieceLine]:
        """Both sides of a segment; a source word has the gender of its linked nouns."""
        masks = self._genders.masks(TaskSegment(tuple(source), tuple(target), (), alignment))
        return self._line(source, masks[0]), self._line(target, masks[1])

    def _line(self, words: Sequence[str], masks: Sequence[int]) -> PieceLine:
        encoded = self._subwords.encode_all(words)
        sizes = np.fromiter(map(len, encoded), dtype=np.int64, count=len(encoded))
        pieces = np.fromiter(
            (piece for word in encoded for piece in word), dtype=np.int32, count=int(sizes.sum())
        )
        tags = np.repeat(np.asarray(masks, dtype=np.int32), sizes)
        return PieceLine(pieces, tags, (0, *np.cumsum(sizes).tolist()))


def window_of(
    source: Sequence[PieceLine],
    target: Sequence[PieceLine],
    at: int,
    mark: PieceMark,
    languages: tuple[int, int],
    *,
    hidden: bool = False,
) -> Window:
    """The window of the pronoun in line `at`; with `hidden`, a slot replaces its rendering.

    `source` and `target` hold the lines before and after it, as far as they may be used.
    """
    first, last = at, at + 1
    size = len(source[at].pieces) + len(target[at].pieces) + int(hidden)
    # One back, one forward, then the others back.
    for step in (-1, 1, *[-1] * (BEFORE - 1)):
        other = first - 1 if step < 0 else last
        if not 0 <= other < len(source) or (step > 0 and other > at + AFTER):
            continue
        added = len(source[other].pieces) + len(target[other].pieces)
        if size + added > LONGEST - 2:
            continue
        first, last, size = min(first, other), max(last, other + 1), size + added
    chosen, cut = slice(first, last), size > LONGEST - 2
    left, place = _side(source[chosen], at - first, mark.source, cut=cut, hidden=False)
    if hidden:
        # The source pronoun has the gender of the word that renders it, which would give the form away.
        left[4, left[3] == 1] = 0
    right, target_place = _side(target[chosen], at - first, mark.target, cut=cut, hidden=hidden)
    rows = np.zeros((5, left.shape[1] + right.shape[1] + 2), dtype=np.int32)
    rows[0, 0] = FIRST_DOMAIN + ANY_DOMAIN
    middle = left.shape[1] + 1
    rows[:, 1:middle], rows[0, middle], rows[:, middle + 1 :] = left, SEPARATOR, right
    rows[2, 1:middle], rows[2, middle + 1 :] = languages
    return Window(rows, target_place + middle + 1 if hidden else place + 1)


def _side(
    lines: Sequence[PieceLine], at: int, span: tuple[int, int], *, cut: bool, hidden: bool
) -> tuple[NDArray[np.int32], int]:
    """Rows for subwords, sentences, languages, links and tags of one side, and the position of the mark."""
    parts: list[NDArray[np.int32]] = []
    place = 0
    for number, line in enumerate(lines):
        pieces, tags = line.pieces, line.tags
        links = np.zeros(len(pieces), dtype=np.int32)
        if number == at:
            start, end = span
            if start >= 0:
                links[start:end] = 1
            if hidden:
                start, end = max(start, 0), max(end, 0)
                pieces = np.concatenate([pieces[:start], [SLOT], pieces[end:]])
                tags = np.concatenate([tags[:start], [0], tags[end:]])
                links = np.zeros(len(pieces), dtype=np.int32)
                links[start] = 1
            place = sum(part.shape[1] for part in parts) + max(start, 0)
        rows = np.zeros((5, len(pieces)), dtype=np.int32)
        rows[0], rows[1], rows[3], rows[4] = pieces, number, links, tags
        parts.append(rows)
    side = np.concatenate(parts, axis=1)
    half = LONGEST // 2 - 1
    if cut and side.shape[1] > half:
        # The mark stays in the middle half, with context on both sides where there is any.
        start = max(0, min(place - half // 2, side.shape[1] - half))
        side, place = side[:, start : start + half], place - start
    return side, place


def batch_of(windows: Sequence[Window]) -> tuple[InputBatch, NDArray[np.int64]]:
    """Windows as one batch, padded to the longest, and the positions to evaluate."""
    size = max(window.rows.shape[1] for window in windows)
    rows = np.full((5, len(windows), size), PAD, dtype=np.int32)
    rows[1:] = 0
    for number, window in enumerate(windows):
        rows[:, number, : window.rows.shape[1]] = window.rows
    return InputBatch(*rows), np.array([window.place for window in windows], dtype=np.int64)


def window_scores(scorer: SlotScorer, windows: Sequence[Window]) -> Floats:
    """Scores of all classes [windows, classes]; windows of similar length are processed together."""
    if not windows:
        return np.zeros((0, 1), dtype=np.float32)
    by_number: dict[int, NDArray[Any]] = {}
    for chosen in by_length([window.rows.shape[1] for window in windows], scorer.batch_places):
        batch, places = batch_of([windows[n] for n in chosen])
        scores = scorer.scores(batch, np.arange(len(chosen)), places)
        by_number.update(zip(chosen, scores, strict=True))
    return np.stack([by_number[n] for n in range(len(windows))])
