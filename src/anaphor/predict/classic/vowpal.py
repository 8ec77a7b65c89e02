"""Weighted logistic regression, each class against all others, as CUNI trained it with Vowpal Wabbit.

Vowpal Wabbit reads a text file of our numbered features and learns; the weights are then asked for one by
one, so that its model format is never read. Where it is not installed, scikit-learn's stochastic gradient
descent takes its place, with the same loss and weights but another schedule of steps.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path

import numpy as np

from anaphor.predict.classic.choosing import CHOICES
from anaphor.predict.classic.linear import LinearScorer
from anaphor.predict.classic.rows import Doubles, Ints, Rows
from anaphor.predict.classic.scorer import class_weights
from anaphor.predict.classic.weights import Weights
from anaphor.predict.settings import check_names, check_range, option

ENGINES = ("auto", "vowpalwabbit", "scikit-learn")


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightedLearner:
    """Logistic regression by stochastic gradient descent, rows weighted by their class."""

    balance: float = option(1.0, "0: rows count alike, 1: classes count alike")
    least: int = option(2, "rows that must have a feature")
    passes: int = option(5, "passes over the data")
    l2: float = option(0.0, "penalty for squared weights")
    choose: str = option("probability", "the likeliest class (probability), or for macro recall (recall)")
    engine: str = option("auto", "vowpalwabbit, scikit-learn, or auto: the first that is installed")

    def __post_init__(self) -> None:
        check_range(self.balance, least=0, most=2, name="balance", where="options.balance")
        check_range(self.least, least=1, most=10**6, name="least", where="options.least")
        check_range(self.passes, least=1, most=1000, name="passes", where="options.passes")
        check_range(self.l2, least=0, most=1, name="l2", where="options.l2")
        check_names((self.choose,), CHOICES, name="choice", where="options.choose")
        check_names((self.engine,), ENGINES, name="engine", where="options.engine")

    @property
    def calibrated(self) -> bool:
        return True

    @property
    def chosen_engine(self) -> str:
        """The engine that is used on this machine."""
        if self.engine != "auto":
            return self.engine
        return "vowpalwabbit" if find_spec("vowpalwabbit") else "scikit-learn"

    def learn(self, rows: Rows, labels: Ints, *, width: int, classes: int, seed: int) -> LinearScorer:
        weights = class_weights(labels, classes, self.balance)[labels]
        if self.chosen_engine == "vowpalwabbit":
            found = self._with_vowpal(rows, labels, weights, width, classes, seed)
        else:
            found = self._with_sklearn(rows, labels, weights, width, classes, seed)
        return LinearScorer(found, odds=True)

    def _with_vowpal(
        self, rows: Rows, labels: Ints, weights: Doubles, width: int, classes: int, seed: int
    ) -> Weights:
        from vowpalwabbit import pyvw

        # A feature has a place for every class, their number rounded up to a power of two.
        room = 1 << (classes - 1).bit_length()
        bits = max(18, (width * room).bit_length())
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
                    [workspace.get_weight(one * room + label, 0) for label in range(classes)]
                    for one in range(width + 1)
                ]
            )
            workspace.finish()
        return Weights(table[:-1].astype(np.float32), table[-1])

    def _with_sklearn(
        self, rows: Rows, labels: Ints, weights: Doubles, width: int, classes: int, seed: int
    ) -> Weights:
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
            columns.append(descent.coef_[0].astype(np.float32))
            bias.append(float(descent.intercept_[0]))
        return Weights(np.stack(columns, axis=1), np.array(bias))


def _write_examples(path: Path, rows: Rows, labels: Ints, weights: Doubles, constant: int, seed: int) -> None:
    """One example a line with a constant feature, in an order drawn with the seed: texts go by topic."""
    order = np.random.default_rng(seed).permutation(len(rows)).tolist()
    heads = [
        f"{label + 1} {weight:.6g} |" for label, weight in zip(labels.tolist(), weights.tolist(), strict=True)
    ]
    with path.open("w", encoding="ascii") as file:
        for row, features in zip(order, _features(rows, order, constant), strict=True):
            file.write(f"{heads[row]} {features} {constant}\n")


def _features(rows: Rows, order: Iterable[int], width: int) -> Iterator[str]:
    """The features of some rows; most have the value 1, which is written once for every feature."""
    others = rows.values != 1
    usual = [f"{one}:1" for one in range(width)] if others.any() else [*map(str, range(width))]
    bounds = list(pairwise(rows.starts.tolist()))
    for row in order:
        start, end = bounds[row]
        columns = rows.columns[start:end].tolist()
        found = [*map(usual.__getitem__, columns)]
        places = np.flatnonzero(others[start:end])
        for place, value in zip(places.tolist(), rows.values[start + places].tolist(), strict=True):
            found[place] = f"{columns[place]}:{value:g}"
        yield " ".join(found)
