"""Weights for the probabilities of several models, tuned on development data by a deterministic search."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import product
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from anaphor.core import TaskSegment
from anaphor.core.array_types import Doubles
from anaphor.predict.contract import Model
from anaphor.predict.model_folder import damaged, parsing, read_json
from anaphor.predict.options import Options, option

ClassNumbers = NDArray[np.int64]

METRICS = ("macro-recall", "accuracy")
MEANS = ("linear", "log")
_SMALLEST = 1e-12  # a model that is certain has no veto in a geometric mean
#: A grid with more points than this is searched one member at a time.
_MOST_TRIALS = 2000
_POWERS = np.arange(0, 21) / 20


@dataclass(frozen=True, slots=True, kw_only=True)
class EnsembleOptions(Options):
    """How weights are tuned and applied."""

    metric: str = option(
        "macro-recall", "metric to tune the weights for: macro-recall or accuracy", choices=METRICS
    )
    means: str = option("linear", "average probabilities (linear) or their logarithms (log)", choices=MEANS)
    steps: int = option(10, "weights are multiples of 1 / steps", least=1, most=100)


@dataclass(frozen=True, slots=True)
class Mixture:
    """One weight per model, summing to 1, and whether probabilities or their logarithms are averaged.

    `favour` has one factor per class: the class with the highest product of factor and probability is chosen.
    Without factors this is the most probable class.
    """

    weights: tuple[float, ...]
    means: str
    favour: tuple[float, ...] = ()

    def choose(self, probabilities: Doubles) -> ClassNumbers:
        """The number of the chosen class for each row of probabilities."""
        return np.asarray((probabilities * np.array(self.favour or 1.0)).argmax(axis=1))

    def write(self, path: Path) -> None:
        """Write the mixture as JSON."""
        path.write_text(json.dumps(asdict(self)) + "\n", encoding="utf-8")

    @classmethod
    def read(cls, path: Path) -> Mixture:
        """Read the mixture from a file; its weights must be shares that sum to 1."""
        content = read_json(path)
        with parsing(path, "the weights cannot be read"):
            weights, favour = (tuple(map(float, content.get(name, ()))) for name in ("weights", "favour"))
            mixture = cls(weights, str(content["means"]), favour)
        valid = all(0 <= weight <= 1 for weight in weights) and abs(sum(weights) - 1) < 1e-9
        if not valid or mixture.means not in MEANS or not all(factor > 0 for factor in favour):
            raise damaged(path, "the weights do not add up to 1")
        return mixture


@dataclass(frozen=True, slots=True, eq=False)
class MemberPredictions:
    """Probabilities of all models [models, slots, classes] for the labelled slots of some segments.

    `chosen` [models, slots] are the predicted classes, which need not be the most probable ones; `gold`
    [slots] are the correct ones.
    """

    tables: Doubles
    chosen: ClassNumbers
    gold: ClassNumbers

    @classmethod
    def of(cls, models: Sequence[Model], segments: Sequence[TaskSegment]) -> MemberPredictions:
        """The predictions of models that share their classes."""
        classes = models[0].card.classes
        predicted = [
            [
                prediction
                for segment, predictions in zip(segments, model.predict(segments), strict=True)
                for slot, prediction in zip(segment.slots, predictions, strict=True)
                if slot.label is not None
            ]
            for model in models
        ]
        return cls(
            tables=np.array([[prediction.probabilities for prediction in rows] for rows in predicted]),
            chosen=np.array(
                [[classes.index(prediction.label) for prediction in rows] for rows in predicted],
                dtype=np.int64,
            ),
            gold=np.array([classes.index(label) for label in known_labels(segments)], dtype=np.int64),
        )

    def best_mixture(self, options: EnsembleOptions) -> Mixture:
        """The mixture that predicts the labels best."""
        return best_mixture(self.tables, self.gold, **asdict(options))


def known_labels(segments: Sequence[TaskSegment]) -> list[str]:
    """The labels of all slots that have one."""
    return [slot.label for segment in segments for slot in segment.slots if slot.label is not None]


def mixed(tables: Doubles, mixture: Mixture) -> Doubles:
    """The weighted mean of tables [models, slots, classes]; rows sum to 1."""
    weights = np.array(mixture.weights)[:, None, None]
    if mixture.means == "linear":
        mean = (weights * tables).sum(axis=0)
    else:
        logs = (weights * np.log(np.maximum(tables, _SMALLEST))).sum(axis=0)
        # A class that no weighted model considers possible stays impossible, in spite of the floor above.
        possible = ((tables > 0) & (weights > 0)).any(axis=0)
        mean = np.where(possible, np.exp(logs - logs.max(axis=1, keepdims=True)), 0.0)
    shares: Doubles = mean / mean.sum(axis=1, keepdims=True)
    return shares


def best_mixture(tables: Doubles, gold: ClassNumbers, *, metric: str, means: str, steps: int) -> Mixture:
    """The weights with the best score; ties go to the weights nearest to equal ones.

    All weights on a grid are tried if they are few; otherwise one member at a time tries every share of the
    whole, until nothing improves.
    """

    def merit(weights: tuple[float, ...]) -> tuple[float, float]:
        value = score(mixed(tables, Mixture(weights, means)).argmax(axis=1), gold, metric=metric)
        # Rounded, so that ties do not depend on the order of floating-point sums.
        return round(value, 12), -round(float(np.square(weights).sum()), 12)

    members = len(tables)
    if (steps + 1) ** (members - 1) <= _MOST_TRIALS:
        grid = (
            (*(part / steps for part in parts), (steps - sum(parts)) / steps)
            for parts in product(range(steps + 1), repeat=members - 1)
            if sum(parts) <= steps
        )
        return Mixture(max(grid, key=merit), means)
    best = equal_mixture(members, means=means).weights
    while merit(better := max(_one_changed(best, steps), key=merit)) > merit(best):
        best = better
    return Mixture(best, means)


def _one_changed(weights: tuple[float, ...], steps: int) -> Iterator[tuple[float, ...]]:
    """Weights in which one model takes some share of the whole and the others keep their proportions."""
    for member, own in enumerate(weights):
        rest = sum(weights) - own
        if rest > 0:
            for step in range(steps + 1):
                share = step / steps
                yield tuple(
                    share if other == member else weight / rest * (1 - share)
                    for other, weight in enumerate(weights)
                )


def equal_mixture(members: int, *, means: str) -> Mixture:
    """The same weight for every model."""
    return Mixture((1 / members,) * members, means)


def with_class_factors(mixture: Mixture, tables: Doubles, gold: ClassNumbers) -> Mixture:
    """The mixture with class factors tuned for macro-averaged recall, which rewards rare classes.

    A factor is the relative frequency of its class to a power from -1 to 0; ties go to the power nearest
    to 0.
    """
    probabilities = mixed(tables, mixture)
    priors = np.maximum(np.bincount(gold, minlength=probabilities.shape[1]), 1) / len(gold)
    trials = [replace(mixture, favour=tuple((priors**-power).tolist())) for power in _POWERS]
    merits = [round(score(trial.choose(probabilities), gold, metric="macro-recall"), 12) for trial in trials]
    best = int(np.argmax(merits))
    return trials[best] if best else mixture


def score(chosen: ClassNumbers, gold: ClassNumbers, *, metric: str) -> float:
    """Accuracy or macro-averaged recall of the chosen classes."""
    if metric == "accuracy":
        return float((chosen == gold).mean())
    return float(np.mean([(chosen[gold == label] == label).mean() for label in np.unique(gold)]))
