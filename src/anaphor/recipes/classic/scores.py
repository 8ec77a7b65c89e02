"""From features to a class: learners, the scores they produce, and the decision rule.

A learner trains a scorer on sparse rows and labels. A scorer assigns every row a score per class. A decision
rule turns scores into probabilities and chooses a class.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from anaphor.core.array_types import Doubles, Ints
from anaphor.predict.distributions import class_weights, softmax
from anaphor.predict.model_folder import ModelFolder, Writer, damaged, parsing, read_json
from anaphor.predict.options import Options, Packages, option
from anaphor.recipes.classic.sparse import SparseRows
from anaphor.task.classes import OTHER

#: `probability` takes the likeliest class; `recall` divides by class frequency, as far as that helps recall.
CHOICES = ("probability", "recall")
CHOICE = "choice.json"
#: A class of pronouns without a translation, which only learners know; predicted, it counts as OTHER.
NULL = "NULL"
SKLEARN: Packages = (("sklearn", "scikit-learn"),)
_FACTORS = 2.0 ** (np.arange(-16, 25) / 4)  # from 1/16 to 64
_STRENGTHS = np.arange(0, 21) / 20


class ClassScorer(Protocol):
    """A trained classifier over sparse rows."""

    def scores(self, rows: SparseRows) -> Doubles:
        """For every row an unnormalized log probability per class."""

    def files(self) -> Mapping[str, Writer]:
        """The files that save it."""

    def contributions(self, rows: SparseRows, *, chosen: int, other: int) -> Doubles:
        """For every entry of a single row, how much it favours one class over another."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Learner(Options, ABC):
    """Learns to distinguish classes. Its fields are its options."""

    balance: float = option(0.0, "0: equal weight for rows, 1: equal weight for classes", least=0, most=2)
    least: int = option(2, "minimum number of rows in which a feature occurs", least=1, most=10**6)
    choose: str = option(
        "probability",
        "choose the likeliest class (probability), or maximize macro recall (recall)",
        choices=CHOICES,
    )

    null: bool = option(
        False, "treat untranslated pronouns (NONE in column 2) as a separate class, counted as OTHER"
    )

    @property
    def calibrated(self) -> bool:
        """Whether scores are log probabilities as they are; otherwise they are scaled on held-out data."""
        return True

    @property
    def packages(self) -> Packages:
        """The modules needed by `learn`, each with its package name."""
        return SKLEARN

    @abstractmethod
    def learn(self, rows: SparseRows, labels: Ints, *, width: int, classes: int, seed: int) -> ClassScorer:
        """The classifier; every class has at least one row."""

    @classmethod
    @abstractmethod
    def read(cls, folder: ModelFolder, *, features: int, classes: int) -> ClassScorer:
        """The classifier that was saved in a folder."""

    def row_weights(self, labels: Ints, classes: int) -> Doubles:
        """The weight of each row, by the balance of the classes."""
        return class_weights(labels, classes, self.balance)[labels]


@dataclass(frozen=True, slots=True)
class DecisionRule:
    """The classes that can be chosen and how frequent each is.

    `factor` scales scores (the inverse of a softmax temperature); the class with the highest
    `share / prior ** strength` is chosen.
    """

    labels: tuple[str, ...]
    priors: tuple[float, ...]
    factor: float = 1.0
    strength: float = 0.0

    @property
    def classes(self) -> tuple[str, ...]:
        """The class of the task that each label counts as."""
        return tuple(OTHER if label == NULL else label for label in self.labels)

    def shares(self, scores: Doubles) -> Doubles:
        """Probabilities of the labels, one row per slot."""
        return softmax(scores * self.factor)

    def chosen(self, shares: Doubles) -> NDArray[np.int64]:
        """The number of the class chosen for each row."""
        return np.asarray((shares / np.array(self.priors) ** self.strength).argmax(axis=1))

    def write(self, path: Path) -> None:
        """Write as JSON."""
        path.write_text(json.dumps(asdict(self)) + "\n", encoding="utf-8")


def read_rule(path: Path, *, classes: tuple[str, ...]) -> DecisionRule:
    """The decision rule in a file; invalid numbers and unknown classes are errors."""
    content = read_json(path)
    with parsing(path, "the decision rule cannot be read"):
        rule = DecisionRule(
            tuple(map(str, content["labels"])),
            tuple(map(float, content["priors"])),
            float(content["factor"]),
            float(content["strength"]),
        )
    fits = len(rule.priors) == len(rule.labels) == len(set(rule.labels)) and set(rule.classes) <= set(classes)
    if not fits or not rule.labels or not all(value > 0 for value in (*rule.priors, rule.factor)):
        raise damaged(path, "the decision rule does not fit the classes")
    return rule


def default_rule(labels: Ints, classes: tuple[str, ...]) -> DecisionRule:
    """Choose the most likely class; priors are the relative frequencies of the labels."""
    counts = np.bincount(labels, minlength=len(classes))
    return DecisionRule(classes, tuple((np.maximum(counts, 1) / max(counts.sum(), 1)).tolist()))


def calibrated_rule(rule: DecisionRule, scores: Doubles, labels: Ints) -> DecisionRule:
    """Use the factor that maximizes the likelihood of held-out labels."""
    rows = np.arange(len(labels))
    losses = [
        -np.log(np.maximum(softmax(scores * factor)[rows, labels], 1e-300)).sum() for factor in _FACTORS
    ]
    return replace(rule, factor=float(_FACTORS[int(np.argmin(losses))]))


def recall_rule(rule: DecisionRule, scores: Doubles, labels: Ints) -> DecisionRule:
    """With the strength of the best macro-averaged recall on held-out data.

    Of equally good strengths the lowest is used, which changes the probabilities' own choice least; `argmax`
    takes the first maximum, and the strengths ascend.
    """
    trials = [replace(rule, strength=float(strength)) for strength in _STRENGTHS]
    shares = rule.shares(scores)
    recalls = [macro_recall(trial.chosen(shares), labels) for trial in trials]
    return trials[int(np.argmax(recalls))]


def macro_recall(chosen: NDArray[np.int64], labels: Ints) -> float:
    """The recall of each class that occurs, averaged over these classes."""
    return float(np.mean([(chosen[labels == label] == label).mean() for label in np.unique(labels)]))
