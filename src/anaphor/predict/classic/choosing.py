"""From scores to probabilities and to the class that is chosen."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from anaphor.predict.classic.rows import Doubles, Ints
from anaphor.predict.classic.scorer import softmax
from anaphor.predict.model_folder import damaged

#: `probability` takes the likeliest class; `recall` divides by how frequent classes are, as far as it helps.
CHOICES = ("probability", "recall")
FILE = "choice.json"
_FACTORS = 2.0 ** (np.arange(-16, 25) / 4)
_STRENGTHS = np.arange(0, 21) / 20


@dataclass(frozen=True, slots=True)
class Chooser:
    """The classes that can be chosen and how frequent each is.

    `factor` scales scores; the class with the best `share / prior ** strength` is chosen.
    """

    labels: tuple[str, ...]
    priors: tuple[float, ...]
    factor: float = 1.0
    strength: float = 0.0

    def shares(self, scores: Doubles) -> Doubles:
        """Probabilities of the classes, a row each."""
        return softmax(scores * self.factor)

    def chosen(self, shares: Doubles) -> NDArray[np.int64]:
        """The number of the class chosen for each row."""
        return np.asarray((shares / np.array(self.priors) ** self.strength).argmax(axis=1))

    def write(self, path: Path) -> None:
        """Write as JSON."""
        path.write_text(json.dumps(asdict(self)) + "\n", encoding="utf-8")


def read_chooser(path: Path, *, classes: tuple[str, ...]) -> Chooser:
    """The chooser of a file; numbers that cannot be and labels that are no classes are an error."""
    try:
        found = json.loads(path.read_bytes())
        chooser = Chooser(
            tuple(map(str, found["labels"])),
            tuple(map(float, found["priors"])),
            float(found["factor"]),
            float(found["strength"]),
        )
    except (ValueError, KeyError, TypeError, RecursionError):
        raise damaged(path, "how to choose cannot be read") from None
    numbers = (*chooser.priors, chooser.factor)
    fits = len(chooser.priors) == len(chooser.labels) == len(set(chooser.labels) & set(classes))
    if not fits or not all(0 < one < float("inf") for one in numbers):
        raise damaged(path, "how to choose does not fit the classes")
    return chooser


def plain_chooser(labels: Ints, classes: tuple[str, ...]) -> Chooser:
    """Takes the likeliest class; priors are the shares of the labels."""
    counts = np.bincount(labels, minlength=len(classes))
    return Chooser(classes, tuple((np.maximum(counts, 1) / max(counts.sum(), 1)).tolist()))


def scaled(chooser: Chooser, scores: Doubles, labels: Ints) -> Chooser:
    """With the factor under which the labels of text held out are likeliest."""
    losses = [_loss(softmax(scores * factor), labels) for factor in _FACTORS]
    return replace(chooser, factor=float(_FACTORS[int(np.argmin(losses))]))


def for_recall(chooser: Chooser, scores: Doubles, labels: Ints) -> Chooser:
    """With the strength of the best macro-averaged recall on text held out, of equal ones the least."""
    trials = [replace(chooser, strength=float(strength)) for strength in _STRENGTHS]
    shares = chooser.shares(scores)
    recalls = [macro_recall(trial.chosen(shares), labels) for trial in trials]
    return trials[int(np.argmax(recalls))]


def macro_recall(chosen: NDArray[np.int64], labels: Ints) -> float:
    """The mean over the classes that occur of how often each was found."""
    return float(np.mean([(chosen[labels == label] == label).mean() for label in np.unique(labels)]))


def _loss(shares: Doubles, labels: Ints) -> float:
    found = shares[np.arange(len(labels)), labels]
    return float(-np.log(np.maximum(found, 1e-300)).sum())
