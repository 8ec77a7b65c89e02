"""What every learner of the feature families is and gives."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from anaphor.predict.classic.sparse import Doubles, Floats, Ints, Rows
from anaphor.predict.model_folder import Writer, damaged


class Scorer(Protocol):
    """A trained classifier over rows of numbers."""

    def scores(self, rows: Rows) -> Doubles:
        """For every row the logarithm of a weight for each class; a row of weights need not add up to 1."""

    def files(self) -> Mapping[str, Writer]:
        """What must be saved."""

    def amounts(self, rows: Rows, *, chosen: int, other: int) -> Doubles:
        """For every entry of the only row, how much it speaks for one class against another."""


class Learner(Protocol):
    """Learns to tell classes apart. Its fields are its options."""

    @property
    def least(self) -> int:
        """How many rows must have a feature."""

    @property
    def calibrated(self) -> bool:
        """Whether the scores are probabilities as they are; else they are scaled on text held out."""

    @property
    def choose(self) -> str:
        """One of `choosing.CHOICES`."""

    def learn(self, rows: Rows, labels: Ints, *, width: int, classes: int, seed: int) -> Scorer:
        """The classifier; every class has a row."""


def softmax(scores: Doubles) -> Doubles:
    """Probabilities that add up to 1 in each row."""
    powers: Doubles = np.exp(scores - scores.max(axis=1, keepdims=True))
    shares: Doubles = powers / powers.sum(axis=1, keepdims=True)
    return shares


def class_weights(labels: Ints, classes: int, balance: float) -> Doubles:
    """The weight of a row of each class: 1 without balance, inverse to frequency with a balance of 1.

    On average rows weigh 1, so that balance does not change the strength of regularisation.
    """
    counts = np.bincount(labels, minlength=classes)
    weights = np.where(counts, np.maximum(counts, 1), 1.0) ** -balance
    found: Doubles = weights * counts.sum() / (weights * counts).sum()
    return found


@dataclass(frozen=True, slots=True, eq=False)
class Weights:
    """What each feature adds to the score of each class, and where the scores start."""

    matrix: Floats
    bias: Doubles

    def write(self, path: Path) -> None:
        """Write as arrays without objects."""
        write_arrays(path, {"matrix": self.matrix, "bias": self.bias})


def read_weights(path: Path, *, features: int, classes: int) -> Weights:
    """The weights of a file, which must have this shape and finite numbers."""
    found = read_arrays(path, ["matrix", "bias"])
    matrix, bias = found["matrix"].astype(np.float32), found["bias"].astype(np.float64)
    check_finite(path, matrix, (features, classes))
    check_finite(path, bias, (classes,))
    return Weights(matrix, bias)


def write_arrays(path: Path, arrays: dict[str, NDArray[Any]]) -> None:
    """Write arrays of numbers by name; the same arrays give the same bytes."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=4) as archive:
        for name, values in arrays.items():
            entry = zipfile.ZipInfo(f"{name}.npy", (1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            with archive.open(entry, "w", force_zip64=True) as file:
                np.lib.format.write_array(file, np.ascontiguousarray(values))


def read_arrays(path: Path, names: Sequence[str]) -> dict[str, NDArray[Any]]:
    """The arrays of a file; one that is missing or not of numbers is an error. NumPy refuses objects."""
    try:
        with np.load(path) as file:
            return {name: _number_array(file[name]) for name in names}
    except (OSError, ValueError, KeyError, EOFError, TypeError, zipfile.BadZipFile) as error:
        raise damaged(path, f"its arrays cannot be read ({type(error).__name__})") from None


def _number_array(values: Any) -> NDArray[Any]:
    if not isinstance(values, np.ndarray) or values.dtype.kind not in "biuf":
        raise TypeError("no array of numbers")
    return values


def check_finite(path: Path, values: NDArray[Any], shape: tuple[int, ...]) -> None:
    """An error where an array has another shape, or a number that is none."""
    if values.shape != shape or not np.isfinite(values).all():
        raise damaged(path, f"an array should have the shape {shape} and finite numbers")


#: `probability` takes the likeliest class; `recall` divides by how frequent classes are, as far as it helps.
CHOICES = ("probability", "recall")
CHOICE = "choice.json"
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
