"""Explanations by occlusion: hide a word, and see how far the probability of the chosen class falls.

Works for every model, whatever it is made of; Zeiler and Fergus (2014) did it with patches of images. Two
words that say the same hide each other: neither is missed while the other one stands.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from anaphor.core import OptionError, TaskSegment
from anaphor.predict.contract import Model
from anaphor.predict.explain.hiding import Asked, Place, Side, hidden_table


@dataclass(frozen=True, slots=True)
class Reach:
    """How many sentences before and after its own a model is given, and the sides whose words are hidden."""

    before: int = 3
    after: int = 1
    sides: tuple[Side, ...] = ("source", "target")

    def __post_init__(self) -> None:
        if self.before < 0 or self.after < 0:
            raise OptionError(
                "a number of sentences below 0", where="--before, --after", fix="give 0 or more"
            )


@dataclass(frozen=True, slots=True)
class HiddenWord:
    """A word and what it is worth.

    - `sentence`: 0 for that of the slot, below 0 before it, above 0 after it.
    - `fall`: by how much the probability of the chosen class falls without the word; below 0 it rises.
    """

    sentence: int
    side: Side
    place: int
    text: str
    fall: float


@dataclass(frozen=True, slots=True)
class Occlusion:
    """The chosen class of a slot, its probability with all words, and all words in the order of the text.

    `sentences` are those that the model was given; `first` is the number of the first, 0 being the slot's.
    """

    label: str
    probability: float
    probabilities: tuple[float, ...]
    first: int
    sentences: tuple[TaskSegment, ...]
    words: tuple[HiddenWord, ...]

    def strongest(self, count: int) -> tuple[HiddenWord, ...]:
        """The words with the largest effect in either direction; of equal ones the first in the text."""
        return tuple(sorted(self.words, key=lambda word: -abs(word.fall))[:count])


def occlude(
    model: Model, segments: Sequence[TaskSegment], *, segment: int, slot: int, reach: Reach | None = None
) -> Occlusion:
    """What each word is worth for the prediction of one slot; numbers count from 0.

    The model is given the sentences within reach and no others, so that a model which reads whole documents
    may be less sure than it is of the file.
    """
    within = reach or Reach()
    first, last = _bounds(segments, segment, within)
    given = tuple(segments[first:last])
    places = tuple(place for place in _places(given) if place.side in within.sides)
    asked = Asked(given, segment - first, slot, places)
    prediction = list(model.predict(given))[asked.segment][slot]
    chosen = model.card.classes.index(prediction.label)
    table = hidden_table(model, asked)[:, chosen]
    falls = (table[0] - table[1:]).tolist()
    words = (_word(asked, place, fall) for place, fall in zip(asked.places, falls, strict=True))
    return Occlusion(
        label=prediction.label,
        probability=float(table[0]),
        probabilities=prediction.probabilities,
        first=first - segment,
        sentences=given,
        words=tuple(words),
    )


def _bounds(segments: Sequence[TaskSegment], segment: int, reach: Reach) -> tuple[int, int]:
    """The first sentence within reach and the one behind the last; a document is never left."""
    document = segments[segment].document
    first, last = segment, segment + 1
    if document is None:
        return first, last
    while first > max(0, segment - reach.before) and segments[first - 1].document == document:
        first -= 1
    while last < min(len(segments), segment + reach.after + 1) and segments[last].document == document:
        last += 1
    return first, last


def _places(segments: Sequence[TaskSegment]) -> Iterator[Place]:
    """All words but the placeholders, which hide a word already."""
    for number, segment in enumerate(segments):
        hidden = {slot.target for slot in segment.slots}
        yield from (Place(number, "source", word) for word in range(len(segment.source)))
        targets = (word for word in range(len(segment.target)) if word not in hidden)
        yield from (Place(number, "target", word) for word in targets)


def _word(asked: Asked, place: Place, fall: float) -> HiddenWord:
    segment = asked.segments[place.segment]
    text = (segment.source if place.side == "source" else segment.target)[place.word]
    return HiddenWord(place.segment - asked.segment, place.side, place.word, text, fall)
