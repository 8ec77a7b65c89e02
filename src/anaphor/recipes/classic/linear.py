"""Linear classifiers: support vector machines, maximum entropy, weighted logistic regression.

Whichever library trains them, a model is a weight matrix used by NumPy, so a saved model needs no library and
runs no code.
"""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from anaphor.core.array_types import Doubles, Floats, Ints
from anaphor.predict.model_folder import ModelFolder, Writer, arrays_writer
from anaphor.predict.options import Packages, option
from anaphor.recipes.classic.scores import SKLEARN, Learner
from anaphor.recipes.classic.sparse import SparseRows

ENGINES = ("auto", "vowpalwabbit", "scikit-learn")


_FILE = "weights.safetensors"


@dataclass(frozen=True, slots=True, eq=False)
class LinearScorer:
    """The weight of each feature for each class, and the initial scores.

    With `odds`, classes were trained one against the rest.
    """

    matrix: Floats
    bias: Doubles
    odds: bool = False

    def scores(self, rows: SparseRows) -> Doubles:
        margins = rows.times(self.matrix) + self.bias
        return -np.logaddexp(0, -margins) if self.odds else margins

    def files(self) -> Mapping[str, Writer]:
        return {_FILE: arrays_writer(matrix=self.matrix, bias=self.bias)}

    @classmethod
    def read(cls, folder: ModelFolder, *, features: int, classes: int, odds: bool = False) -> LinearScorer:
        """The weights in a folder."""
        schema = {"matrix": "float32[features, classes]", "bias": "float64[classes]"}
        arrays = folder.arrays(_FILE, schema, features=features, classes=classes)
        return cls(arrays["matrix"], arrays["bias"], odds)

    def contributions(self, rows: SparseRows, *, chosen: int, other: int) -> Doubles:
        return linear_contributions(self.matrix, rows, chosen=chosen, other=other)


def linear_contributions(matrix: Floats, rows: SparseRows, *, chosen: int, other: int) -> Doubles:
    """How much each entry of a row favours one class over another."""
    weights = matrix[rows.columns].astype(np.float64)
    contributions: Doubles = (weights[:, chosen] - weights[:, other]) * rows.values
    return contributions


@dataclass(frozen=True, slots=True, kw_only=True)
class _LinearLearner(Learner):
    """Options of linear classifiers that scikit-learn trains as a whole."""

    c: float = option(0.1, "inverse strength of regularization", least=1e-6, most=1e6)
    iterations: int = option(1000, "maximum number of passes over the data")

    @classmethod
    def read(cls, folder: ModelFolder, *, features: int, classes: int) -> LinearScorer:
        return LinearScorer.read(folder, features=features, classes=classes)

    def fit(self, machine: Any, rows: SparseRows, labels: Ints, *, width: int, classes: int) -> LinearScorer:
        """The weights found by a scikit-learn estimator."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about the number of iterations, which is an option
            matrix = rows.matrix(width).astype(np.float64)
            machine.fit(matrix, labels, sample_weight=self.row_weights(labels, classes))
        weights, bias = machine.coef_, np.broadcast_to(machine.intercept_, len(machine.coef_))
        if classes == 2:  # scikit-learn has one row for two classes, that of the second
            weights, bias = np.concatenate([-weights, weights]) / 2, np.concatenate([-bias, bias]) / 2
        return LinearScorer(np.ascontiguousarray(weights.T, np.float32), np.array(bias))


@dataclass(frozen=True, slots=True, kw_only=True)
class SvmLearner(_LinearLearner):
    """A linear support vector machine with squared hinge loss, one class against the rest."""

    @property
    def calibrated(self) -> bool:
        return False

    def learn(self, rows: SparseRows, labels: Ints, *, width: int, classes: int, seed: int) -> LinearScorer:
        from sklearn.svm import LinearSVC

        # LIBLINEAR's default tolerance; a finer one takes ten times longer and predicts the same.
        machine = LinearSVC(C=self.c, max_iter=self.iterations, random_state=seed, dual=True, tol=0.1)
        return self.fit(machine, rows, labels, width=width, classes=classes)


@dataclass(frozen=True, slots=True, kw_only=True)
class LogisticLearner(_LinearLearner):
    """Maximum entropy: multinomial logistic regression with an L2 penalty."""

    iterations: int = option(60, "maximum number of optimizer steps")

    def learn(self, rows: SparseRows, labels: Ints, *, width: int, classes: int, seed: int) -> LinearScorer:
        from sklearn.linear_model import LogisticRegression

        regression = LogisticRegression(C=self.c, max_iter=self.iterations, tol=1e-3, random_state=seed)
        return self.fit(regression, rows, labels, width=width, classes=classes)


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightedLearner(Learner):
    """Logistic regression by stochastic gradient descent, one class against the rest, with class weights.

    CUNI trained it with Vowpal Wabbit, which reads a text file of numbered features. Here, its weights are
    found by querying the program, so its model file is never read. If Vowpal Wabbit is not installed,
    scikit-learn's stochastic gradient descent is used instead, with the same loss and weights but a different
    learning rate schedule.
    """

    balance: float = option(1.0, "0: equal weight for rows, 1: equal weight for classes", least=0, most=2)
    passes: int = option(5, "number of passes over the data", least=1, most=1000)
    l2: float = option(0.0, "L2 penalty", least=0, most=1)
    engine: str = option(
        "auto", "vowpalwabbit, scikit-learn, or auto, the first one installed", choices=ENGINES
    )

    @property
    def packages(self) -> Packages:
        vowpal = self.chosen_engine == "vowpalwabbit"
        return (("vowpalwabbit", "vowpalwabbit"),) if vowpal else SKLEARN

    @classmethod
    def read(cls, folder: ModelFolder, *, features: int, classes: int) -> LinearScorer:
        return LinearScorer.read(folder, features=features, classes=classes, odds=True)

    @property
    def chosen_engine(self) -> str:
        """The engine that is used on this machine."""
        if self.engine != "auto":
            return self.engine
        return "vowpalwabbit" if find_spec("vowpalwabbit") else "scikit-learn"

    def learn(self, rows: SparseRows, labels: Ints, *, width: int, classes: int, seed: int) -> LinearScorer:
        learn = self._with_vowpal if self.chosen_engine == "vowpalwabbit" else self._with_sklearn
        matrix, bias = learn(rows, labels, self.row_weights(labels, classes), width, classes, seed)
        return LinearScorer(matrix.astype(np.float32), bias, odds=True)

    def _with_vowpal(
        self, rows: SparseRows, labels: Ints, weights: Doubles, width: int, classes: int, seed: int
    ) -> tuple[Doubles, Doubles]:
        from vowpalwabbit import pyvw

        # Each feature has a slot per class; Vowpal Wabbit rounds the number of classes up to a power of two.
        stride = 1 << (classes - 1).bit_length()
        bits = max(18, (width * stride).bit_length())
        with tempfile.TemporaryDirectory(prefix="anaphor-vw-") as folder:
            data = Path(folder) / "rows.txt"
            _write_examples(data, rows, labels, weights, width, seed)
            workspace = pyvw.Workspace(
                f"--oaa {classes} --loss_function logistic -b {bits} --passes {self.passes} --l2 {self.l2} "
                f"--noconstant --holdout_off --quiet --cache_file {data}.cache -k -d {data}"
            )
            workspace.run_parser()
            table = np.array(
                [
                    [workspace.get_weight(column * stride + label, 0) for label in range(classes)]
                    for column in range(width + 1)
                ]
            )
            workspace.finish()
        return table[:-1], table[-1]

    def _with_sklearn(
        self, rows: SparseRows, labels: Ints, weights: Doubles, width: int, classes: int, seed: int
    ) -> tuple[Doubles, Doubles]:
        from sklearn.linear_model import SGDClassifier

        matrix = rows.matrix(width).astype(np.float64)
        columns, bias = [], []
        for label in range(classes):
            descent = SGDClassifier(
                loss="log_loss",
                alpha=max(self.l2, 1e-7),
                max_iter=self.passes,
                tol=None,
                random_state=seed,
                learning_rate="adaptive",
                eta0=0.1,
            )
            descent.fit(matrix, labels == label, sample_weight=weights)
            columns.append(descent.coef_[0])
            bias.append(float(descent.intercept_[0]))
        return np.stack(columns, axis=1), np.array(bias)


def _write_examples(
    path: Path, rows: SparseRows, labels: Ints, weights: Doubles, constant: int, seed: int
) -> None:
    """One example per line with a constant feature, shuffled because neighbouring texts share a topic."""
    values_differ = rows.values != 1
    # Most values are 1, so that the text of most features is made once.
    usual = [f"{column}:1" if values_differ.any() else str(column) for column in range(constant)]
    heads = [
        f"{label + 1} {weight:.6g} |" for label, weight in zip(labels.tolist(), weights.tolist(), strict=True)
    ]
    bounds = list(pairwise(rows.starts.tolist()))
    with path.open("w", encoding="ascii") as file:
        for row in np.random.default_rng(seed).permutation(len(rows)).tolist():
            start, end = bounds[row]
            columns = rows.columns[start:end].tolist()
            features = [*map(usual.__getitem__, columns)]
            places = np.flatnonzero(values_differ[start:end])
            for place, value in zip(places.tolist(), rows.values[start + places].tolist(), strict=True):
                features[place] = f"{columns[place]}:{value:g}"
            file.write(f"{heads[row]} {' '.join(features)} {constant}\n")
