"""Explanations by occlusion: hide a word and see how far the probability of the chosen class falls.

Works for every model; Zeiler and Fergus (2014) did it with patches of images. Two words that carry the same
information mask each other: hiding either changes little while the other is visible.

A word is replaced, not deleted: sentences keep their length, so positions, alignment links and word order are
unchanged. A model trained with masked words (anaphor-2 guesses three tenths of all pieces) is shown its own
mask; every other model a word outside every vocabulary, which it reads as an unknown word.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Literal, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from anaphor.core import OptionError, TaskSegment
from anaphor.predict.contract import Model
from anaphor.predict.data import document_window

TextSide = Literal["source", "target"]
ProbabilityTable = NDArray[np.float64]
#: Replaces a hidden word: U+FFFD (replacement character) is in no vocabulary.
UNSEEN = "\ufffd"
_COPIES_PER_BATCH = 64


class WordPosition(NamedTuple):
    """A word: its segment, its side, and its index in the sentence, all counted from 0."""

    segment: int
    side: TextSide
    word: int


@dataclass(frozen=True, slots=True)
class OcclusionRequest:
    """Sentences of one document, the slot to explain, and the words to hide, one at a time."""

    segments: tuple[TaskSegment, ...]
    segment: int
    slot: int
    positions: tuple[WordPosition, ...]


@runtime_checkable
class MaskingModel(Protocol):
    """A model with a specific way to hide a word."""

    def masked_probabilities(self, request: OcclusionRequest) -> ProbabilityTable:
        """Probabilities [1 + positions, classes]: with all words, then with each of them hidden."""


def masked_probabilities(model: Model, request: OcclusionRequest) -> ProbabilityTable:
    """Probabilities [1 + positions, classes] of the slot: with all words, then with each of them hidden."""
    if isinstance(model, MaskingModel):
        return model.masked_probabilities(request)
    rows: list[tuple[float, ...]] = []
    copies = _masked_copies(request)
    while batch := list(islice(copies, _COPIES_PER_BATCH)):
        # Every copy is a document of its own, so that none is context of another.
        segments = [replace(segment, document=str(n)) for n, copy in enumerate(batch) for segment in copy]
        predictions = list(model.predict(segments))[request.segment :: len(request.segments)]
        rows += [slots[request.slot].probabilities for slots in predictions]
    return np.array(rows)


def _masked_copies(request: OcclusionRequest) -> Iterator[Sequence[TaskSegment]]:
    """The sentences as they are, then with each of the words hidden."""
    yield request.segments
    for position in request.positions:
        copy = list(request.segments)
        segment = copy[position.segment]
        words = list(getattr(segment, position.side))
        words[position.word] = UNSEEN
        changed: dict[str, Any] = {position.side: tuple(words)}
        copy[position.segment] = replace(segment, **changed)
        yield copy


@dataclass(frozen=True, slots=True)
class Reach:
    """How many sentences of context a model gets, and the sides whose words are hidden."""

    before: int = 3
    after: int = 1
    sides: tuple[TextSide, ...] = ("source", "target")

    def __post_init__(self) -> None:
        if self.before < 0 or self.after < 0:
            raise OptionError(
                "the number of sentences is negative", where="--before, --after", fix="use 0 or more"
            )


@dataclass(frozen=True, slots=True)
class HiddenWord:
    """A word and its effect.

    - `sentence`: offset from the sentence of the slot; negative before it, positive after it.
    - `fall`: how much the probability of the chosen class falls without the word; negative if it rises.
    """

    sentence: int
    side: TextSide
    place: int
    text: str
    fall: float


@dataclass(frozen=True, slots=True)
class Occlusion:
    """The chosen class of a slot, its probability with all words visible, and the words in text order.

    `sentences` are those that the model was given; `first` is the offset of the first from the slot's.
    """

    label: str
    probability: float
    probabilities: tuple[float, ...]
    first: int
    sentences: tuple[TaskSegment, ...]
    words: tuple[HiddenWord, ...]

    def strongest(self, count: int) -> tuple[HiddenWord, ...]:
        """The words with the largest effect in either direction; ties in text order."""
        return tuple(sorted(self.words, key=lambda word: -abs(word.fall))[:count])


def occlude(
    model: Model,
    segments: Sequence[TaskSegment],
    *,
    segment: int,
    slot: int,
    reach: Reach | None = None,
) -> Occlusion:
    """The effect of each word on the prediction of one slot; indices start at 0.

    The model only gets the sentences within reach, so a model that reads whole documents may be less certain
    than on the full file.
    """
    reach = reach or Reach()
    first, last = document_window(segments, segment, before=reach.before, after=reach.after)
    given = tuple(segments[first:last])
    request = OcclusionRequest(given, segment - first, slot, tuple(_positions(given, reach.sides)))
    # On the same sentences as the copies: a longer document could change the class.
    prediction = list(model.predict(given))[request.segment][slot]
    chosen = model.card.classes.index(prediction.label)
    column = masked_probabilities(model, request)[:, chosen]
    words = tuple(
        HiddenWord(
            sentence=position.segment - request.segment,
            side=position.side,
            place=position.word,
            text=getattr(given[position.segment], position.side)[position.word],
            fall=fall,
        )
        for position, fall in zip(request.positions, (column[0] - column[1:]).tolist(), strict=True)
    )
    return Occlusion(
        label=prediction.label,
        probability=float(column[0]),
        probabilities=prediction.probabilities,
        first=first - segment,
        sentences=given,
        words=words,
    )


def _positions(segments: Sequence[TaskSegment], sides: Sequence[TextSide]) -> Iterator[WordPosition]:
    """All words of some sides except placeholders, which already hide a word."""
    for number, segment in enumerate(segments):
        hidden = {("target", slot.target) for slot in segment.slots}
        for side in ("source", "target"):
            for word in range(len(getattr(segment, side))):
                if side in sides and (side, word) not in hidden:
                    yield WordPosition(number, side, word)
