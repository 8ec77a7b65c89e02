"""The pointing network's input for one pronoun: source text with the pronoun and its candidates marked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from anaphor.predict.anaphor2.encoding import ANY_DOMAIN, LANGUAGES, TAGS
from anaphor.predict.anaphor2.genders import MASKS
from anaphor.predict.anaphor2.subwords import FIRST_DOMAIN
from anaphor.predict.anaphor2.windows import LONGEST

#: Sentences before the pronoun's own that are read as far as they fit; one after it is read as well.
BEFORE, AFTER = 5, 1
#: The links that mark the pronoun, and candidates by whether they suit it.
PRONOUN = 1
FITS = {"yes": 2, "hardly": 3, "name": 4, "no": 5, "same": 6, "other": 7}
#: The size of the vectors of a pronoun and a candidate whose product says how well they go together.
DEPTH = 64
#: What else a candidate may be: an event, nothing, people whom the text does not name.
FUNCTIONS = 3
#: What the network gives at every place: the score of a candidate, those of the functions, two vectors.
CLASSES = 1 + FUNCTIONS + 2 * DEPTH
ENGLISH = LANGUAGES.index("en") + 1
_TAG_NUMBER = {tag: number * MASKS for number, tag in enumerate(TAGS)}


class SourceLine(NamedTuple):
    """A sentence: its subwords, their tag numbers, and the start of each word, followed by the end."""

    pieces: NDArray[np.integer[Any]]
    tags: NDArray[np.integer[Any]]
    starts: Sequence[int]


class Candidate(NamedTuple):
    """The place of a mention's head, and the link that marks it."""

    sentence: int
    position: int
    link: int


class PointerWindow(NamedTuple):
    """Five rows of numbers, the position of the pronoun, and of every candidate, -1 outside the window."""

    rows: NDArray[np.int32]
    place: int
    candidates: NDArray[np.int32]


def tag_number(tag: str) -> int:
    """The number of a word with this tag of Universal Dependencies."""
    return _TAG_NUMBER.get(tag, _TAG_NUMBER["X"])


def window_of(
    lines: Sequence[SourceLine], at: int, position: int, candidates: Sequence[Candidate]
) -> PointerWindow:
    """The window of the pronoun at a position of line `at`; candidates are in the same lines."""
    limit = LONGEST - 1
    first, last, size = at, at + 1, len(lines[at].pieces)
    # One back, one forward, then the others back, which must follow without a gap.
    for step in (-1, 1, *[-1] * (BEFORE - 1)):
        other = first - 1 if step < 0 else last
        if not 0 <= other < len(lines) or (step > 0 and other > at + AFTER):
            continue
        added = len(lines[other].pieces)
        if size + added <= limit:
            first, last, size = min(first, other), max(last, other + 1), size + added
        elif step < 0:
            break
    chosen = lines[first:last]
    rows = np.zeros((5, size + 1), dtype=np.int32)
    rows[0, 0] = FIRST_DOMAIN + ANY_DOMAIN
    rows[0, 1:] = np.concatenate([line.pieces for line in chosen])
    sizes = [len(line.pieces) for line in chosen]
    rows[1, 1:] = np.repeat(np.arange(len(chosen)), sizes)
    rows[2, 1:] = ENGLISH
    rows[4, 1:] = np.concatenate([line.tags for line in chosen])
    begins = np.concatenate([[1], 1 + np.cumsum(sizes)])
    places = np.full(len(candidates), -1, dtype=np.int32)
    for number, (sentence, word, link) in enumerate(candidates):
        if first <= sentence < last:
            starts = lines[sentence].starts
            places[number] = begins[sentence - first] + starts[word]
            rows[3, places[number]] = link
    starts = lines[at].starts
    place = int(begins[at - first]) + starts[position]
    rows[3, place] = PRONOUN
    if rows.shape[1] > LONGEST:
        # A single sentence that is too long keeps what is before the pronoun rather than what is behind it.
        start = max(1, min(place - 3 * LONGEST // 4, rows.shape[1] - limit))
        rows = np.concatenate([rows[:, :1], rows[:, start : start + limit]], axis=1)
        place -= start - 1
        places -= start - 1
        places[(places < 1) | (places >= LONGEST)] = -1
    return PointerWindow(rows, place, places)
