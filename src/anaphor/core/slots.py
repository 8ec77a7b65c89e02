"""The prediction task: a sentence pair whose target pronouns are hidden, and predictions of them."""

from __future__ import annotations

from dataclasses import dataclass

from anaphor.core.text import Alignment


@dataclass(frozen=True, slots=True)
class Slot:
    """A hidden word: the source token and the target token where it stood.

    `label` is its class and `word` what was there; both are None where the answer is withheld.
    """

    source: int
    target: int
    label: str | None = None
    word: str | None = None


@dataclass(frozen=True, slots=True)
class TaskSegment:
    """A sentence pair of the task, with one slot per placeholder of the target, possibly none.

    `target` holds the tokens as a file has them (`lemma|POS` or word forms); at `slot.target` stands the
    placeholder `REPLACE_<source>`. Slots are in the order of their target positions.
    """

    source: tuple[str, ...]
    target: tuple[str, ...]
    slots: tuple[Slot, ...]
    alignment: Alignment
    document: str | None = None


@dataclass(frozen=True, slots=True)
class Prediction:
    """The chosen class of one slot, and the probability of every class in the order of the sub-task.

    The label is mostly that of the highest probability; a model that is tuned for macro-averaged recall may
    choose another one.
    """

    label: str
    probabilities: tuple[float, ...]
