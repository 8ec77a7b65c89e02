"""Linear classifiers: support vector machines, maximum entropy, weighted logistic regression.

Whoever trains them, a model is a matrix of weights that NumPy multiplies, so that a saved one needs no
learner and runs no code.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from anaphor.predict.classic.choosing import CHOICES
from anaphor.predict.classic.rows import Doubles, Ints, Rows
from anaphor.predict.classic.scorer import class_weights
from anaphor.predict.classic.weights import Weights
from anaphor.predict.model_folder import Writer
from anaphor.predict.settings import check_names, check_range, option


@dataclass(frozen=True, slots=True, eq=False)
class LinearScorer:
    """Weights of every feature for each class; with `odds`, each class was learned against all others."""

    weights: Weights
    odds: bool

    def scores(self, rows: Rows) -> Doubles:
        margins = rows.times(self.weights.matrix) + self.weights.bias
        return -np.logaddexp(0, -margins) if self.odds else margins

    def files(self) -> Mapping[str, Writer]:
        return {"weights.npz": self.weights.write}

    def amounts(self, rows: Rows, *, chosen: int, other: int) -> Doubles:
        found = self.weights.matrix[rows.columns].astype(np.float64)
        amounts: Doubles = (found[:, chosen] - found[:, other]) * rows.values
        return amounts


@dataclass(frozen=True, slots=True, kw_only=True)
class LinearOptions:
    """What the learners of linear classifiers can be told."""

    c: float = option(0.1, "how much errors count against small weights")
    balance: float = option(0.0, "0: rows count alike, 1: classes count alike")
    least: int = option(2, "rows that must have a feature")
    iterations: int = option(1000, "passes over the data at most")
    choose: str = option("probability", "the likeliest class (probability), or for macro recall (recall)")

    def __post_init__(self) -> None:
        check_range(self.c, least=1e-6, most=1e6, name="c", where="options.c")
        check_range(self.balance, least=0, most=2, name="balance", where="options.balance")
        check_range(self.least, least=1, most=10**6, name="least", where="options.least")
        check_names((self.choose,), CHOICES, name="choice", where="options.choose")


@dataclass(frozen=True, slots=True, kw_only=True)
class SvmLearner(LinearOptions):
    """A linear support vector machine with squared hinge loss, each class against all others."""

    @property
    def calibrated(self) -> bool:
        return False

    def learn(self, rows: Rows, labels: Ints, *, width: int, classes: int, seed: int) -> LinearScorer:
        from sklearn.svm import LinearSVC

        # A tolerance of 0.1 is LIBLINEAR's own; a finer one takes ten times longer and predicts the same.
        machine = LinearSVC(C=self.c, max_iter=self.iterations, random_state=seed, dual=True, tol=0.1)
        return _trained(machine, rows, labels, width=width, classes=classes, balance=self.balance)


@dataclass(frozen=True, slots=True, kw_only=True)
class LogisticLearner(LinearOptions):
    """Maximum entropy: multinomial logistic regression with squared weights as penalty."""

    iterations: int = option(60, "steps of the optimiser at most")

    @property
    def calibrated(self) -> bool:
        return True

    def learn(self, rows: Rows, labels: Ints, *, width: int, classes: int, seed: int) -> LinearScorer:
        from sklearn.linear_model import LogisticRegression

        regression = LogisticRegression(C=self.c, max_iter=self.iterations, tol=1e-3, random_state=seed)
        return _trained(regression, rows, labels, width=width, classes=classes, balance=self.balance)


def _trained(
    machine: Any, rows: Rows, labels: Ints, *, width: int, classes: int, balance: float
) -> LinearScorer:
    """The weights that a learner of scikit-learn finds.

    How long it may run is an option here and no accident, so its warning about that is not passed on.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        matrix = rows.matrix(width).astype(np.float64)
        machine.fit(matrix, labels, sample_weight=class_weights(labels, classes, balance)[labels])
    weights, bias = machine.coef_, np.broadcast_to(machine.intercept_, len(machine.coef_))
    if classes == 2:  # one row of weights is enough for two classes, that of the second
        weights, bias = np.concatenate([-weights, weights]) / 2, np.concatenate([-bias, bias]) / 2
    return LinearScorer(Weights(np.ascontiguousarray(weights.T, np.float32), np.array(bias)), odds=False)
