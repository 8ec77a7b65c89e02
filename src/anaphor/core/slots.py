"""The prediction task: sentence pairs with hidden target pronouns, and predictions for them."""

from __future__ import annotations

from dataclasses import dataclass

from anaphor.core.text import Alignment


@dataclass(frozen=True, slots=True)
class Slot:
    """A hidden word: its source token and its original target position.

    `label` is its class and `word` the original word; both are None if the answer is withheld.
    """

    source: int
    target: int
    label: str | None = None
    word: str | None = None


@dataclass(frozen=True, slots=True)
class TaskSegment:
    """A sentence pair of the task, with one slot per target placeholder, possibly none.

    `target` holds the tokens as in the file (`lemma|POS` or word forms), with the placeholder
    `REPLACE_<source>` at `slot.target`. Slots are ordered by target position.
    """

    source: tuple[str, ...]
    target: tuple[str, ...]
    slots: tuple[Slot, ...]
    alignment: Alignment
    document: str | None = None


@dataclass(frozen=True, slots=True)
class Prediction:
    """The chosen class of one slot and the probabilities of all classes, in sub-task order.

    The label is usually the most probable class; a model tuned for macro-averaged recall may choose another.
    """

    label: str
    probabilities: tuple[float, ...]
