"""What a model says of a slot when words around it are hidden, one at a time.

A word is hidden and not left out: sentences keep their length, so that places, links and the order of words
stay as they were, and what changes is the word alone. A model that learned with hidden words (anaphor-1
guesses three tenths of all pieces) is shown its own mask; every other one a word that nobody has ever seen,
which it reads as it reads any unknown word.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Literal, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from anaphor.core import TaskSegment
from anaphor.predict.contract import Model

Side = Literal["source", "target"]
Table = NDArray[np.float64]
#: Stands for a hidden word: the character for what cannot be shown is in no vocabulary.
UNSEEN = "\ufffd"
_COPIES = 64


class Place(NamedTuple):
    """A word: its segment, its side, and its place in the sentence, all counted from 0."""

    segment: int
    side: Side
    word: int


@dataclass(frozen=True, slots=True)
class Asked:
    """Sentences of one document, the slot that is asked about, and the words to hide, one at a time."""

    segments: tuple[TaskSegment, ...]
    segment: int
    slot: int
    places: tuple[Place, ...]


@runtime_checkable
class Hiding(Protocol):
    """A model that has its own way to hide a word."""

    def probabilities_without(self, asked: Asked) -> Table:
        """Probabilities [1 + places, classes]: with all words, then with each of them hidden."""


def hidden_table(model: Model, asked: Asked) -> Table:
    """Probabilities [1 + places, classes] of the slot: with all words, then with each of them hidden."""
    if isinstance(model, Hiding):
        return model.probabilities_without(asked)
    rows: list[tuple[float, ...]] = []
    for copies in _batched(_copies(asked)):
        # Every copy is a document of its own, so that none is context of another.
        given = [replace(one, document=str(n)) for n, copy in enumerate(copies) for one in copy]
        found = list(model.predict(given))
        rows += [one[asked.slot].probabilities for one in found[asked.segment :: len(asked.segments)]]
    return np.array(rows)


def _copies(asked: Asked) -> Iterator[Sequence[TaskSegment]]:
    """The sentences as they are, then with each of the words hidden."""
    yield asked.segments
    for place in asked.places:
        copy = list(asked.segments)
        copy[place.segment] = _without(copy[place.segment], place)
        yield copy


def _without(segment: TaskSegment, place: Place) -> TaskSegment:
    if place.side == "source":
        return replace(segment, source=_changed(segment.source, place.word))
    return replace(segment, target=_changed(segment.target, place.word))


def _changed(words: tuple[str, ...], place: int) -> tuple[str, ...]:
    return (*words[:place], UNSEEN, *words[place + 1 :])


def _batched(copies: Iterator[Sequence[TaskSegment]]) -> Iterator[list[Sequence[TaskSegment]]]:
    """Some copies at a time: a model predicts them together."""
    while some := list(islice(copies, _COPIES)):
        yield some
