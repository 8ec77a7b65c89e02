"""What a predictor says of a hidden pronoun."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Prediction:
    """The chosen class of one slot, and the probability of every class in the order of the sub-task.

    The label is mostly that of the highest probability; a model that is tuned for macro-averaged recall may
    choose another one.
    """

    label: str
    probabilities: tuple[float, ...]
