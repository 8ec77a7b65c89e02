"""Weights for the probabilities of several models, found by a small search that always ends the same."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from itertools import product
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Doubles = NDArray[np.float64]

_LEAST = 1e-12
_MOST_TRIALS = 2000
_POWERS = np.arange(0, 21) / 20


@dataclass(frozen=True, slots=True)
class Mixture:
    """A weight for each model, adding up to 1, and whether probabilities or logarithms are averaged.

    `favour` has a factor for each class: the one with the highest product of factor and probability is
    chosen. Without factors it is the likeliest.
    """

    weights: tuple[float, ...]
    means: str
    favour: tuple[float, ...] = ()

    @property
    def sound(self) -> bool:
        """Whether the weights are shares of a whole, and factors can be."""
        fair = all(0 <= weight <= 1 for weight in self.weights)
        fair = fair and all(0 < factor < float("inf") for factor in self.favour)
        return fair and abs(sum(self.weights) - 1) < 1e-9 and self.means in ("linear", "log")

    def chosen(self, shares: Doubles) -> NDArray[np.int64]:
        """The number of the class that is chosen for each row of probabilities."""
        return np.asarray((shares * np.array(self.favour or 1.0)).argmax(axis=1))

    def write(self, path: Path) -> None:
        """Write as JSON."""
        path.write_text(json.dumps(asdict(self)) + "\n", encoding="utf-8")


def mixed(tables: Doubles, mixture: Mixture) -> Doubles:
    """The mean of tables of models × slots × classes; rows add up to 1."""
    weights = np.array(mixture.weights)[:, None, None]
    if mixture.means == "linear":
        shares = (weights * tables).sum(axis=0)
    else:
        logs = (weights * np.log(np.maximum(tables, _LEAST))).sum(axis=0)
        # What no model of weight has seen stays impossible.
        possible = ((tables > 0) & (weights > 0)).any(axis=0)
        shares = np.where(possible, np.exp(logs - logs.max(axis=1, keepdims=True)), 0.0)
    found: Doubles = shares / shares.sum(axis=1, keepdims=True)
    return found


def best_mixture(tables: Doubles, gold: NDArray[np.int64], *, metric: str, means: str, steps: int) -> Mixture:
    """The weights with the best score, of equal ones those nearest to equal weights.

    All weights on a grid are tried where these are few; else models take turns, each trying every share of
    the whole, until nothing gets better.
    """

    def merit(weights: tuple[float, ...]) -> tuple[float, float]:
        found = score(mixed(tables, Mixture(weights, means)).argmax(axis=1), gold, metric=metric)
        return round(found, 12), -round(float(np.square(weights).sum()), 12)

    members = len(tables)
    if (steps + 1) ** (members - 1) <= _MOST_TRIALS:
        best = max(_grid(members, steps), key=merit)
    else:
        best = equal_mixture(members, means=means).weights
        while (better := max(_turns(best, steps), key=merit)) and merit(better) > merit(best):
            best = better
    return Mixture(best, means)


def equal_mixture(members: int, *, means: str) -> Mixture:
    """The same weight for every model."""
    return Mixture((1 / members,) * members, means)


def favoured(mixture: Mixture, tables: Doubles, gold: NDArray[np.int64]) -> Mixture:
    """With factors for macro-averaged recall: classes are favoured as they are rare, as far as it helps.

    A factor is the share of the class to a power from -1 to 0; of equally good powers the nearest to 0.
    """
    shares = mixed(tables, mixture)
    priors = np.maximum(np.bincount(gold, minlength=shares.shape[1]), 1) / len(gold)
    trials = [replace(mixture, favour=tuple((priors**-power).tolist())) for power in _POWERS]
    merits = [round(score(trial.chosen(shares), gold, metric="macro-recall"), 12) for trial in trials]
    best = int(np.argmax(merits))
    return trials[best] if best else mixture


def score(chosen: NDArray[np.int64], gold: NDArray[np.int64], *, metric: str) -> float:
    """Accuracy or macro-averaged recall of the chosen classes, one a slot."""
    if metric == "accuracy":
        return float((chosen == gold).mean())
    return float(np.mean([(chosen[gold == label] == label).mean() for label in np.unique(gold)]))


def _grid(members: int, steps: int) -> Iterator[tuple[float, ...]]:
    """All weights that are multiples of 1 / steps."""
    for parts in product(range(steps + 1), repeat=members - 1):
        if sum(parts) <= steps:
            yield (*(part / steps for part in parts), (steps - sum(parts)) / steps)


def _turns(weights: tuple[float, ...], steps: int) -> Iterator[tuple[float, ...]]:
    """One model takes a share of the whole, the others keep their proportions."""
    for member in range(len(weights)):
        rest = sum(weights) - weights[member]
        for step in range(steps + 1):
            share = step / steps
            if rest > 0:
                yield tuple(
                    share if other == member else weight / rest * (1 - share)
                    for other, weight in enumerate(weights)
                )
