"""A maximum-entropy classifier in one JSON file: a weight for every feature and class."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import repeat
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from anaphor.core import InputError, digest
from anaphor.corpus import write_atomically
from anaphor.corpus.reading import read_bytes

FORMAT = "anaphor-maxent/1"
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class MaxentModel:
    """Weights of every feature for each label; `bias` is always there, an unknown feature weighs nothing."""

    labels: tuple[str, ...]
    bias: tuple[float, ...]
    weights: Mapping[str, tuple[float, ...]]

    def probabilities(self, features: Iterable[str]) -> Floats:
        """How likely each label is; they add up to 1."""
        shares: Floats = self.probabilities_of_all([features])[0]
        return shares

    def probabilities_of_all(self, many: Iterable[Iterable[str]]) -> Floats:
        """The same for many at once, a row for each."""
        numbers, table = self._table
        rows = [[1, *map(numbers.get, features, repeat(0))] for features in many]
        longest = max(map(len, rows), default=0)
        filled = [row + [0] * (longest - len(row)) for row in rows]
        places = np.array(filled, np.int64).reshape(len(rows), longest)
        scores = table[places].sum(axis=1)
        powers: Floats = np.exp(scores - scores.max(axis=1, keepdims=True))
        shares: Floats = powers / powers.sum(axis=1, keepdims=True)
        return shares

    @cached_property
    def _table(self) -> tuple[dict[str, int], Floats]:
        """The row of each feature in a table whose first rows are those of an unknown one and the bias."""
        numbers = {name: number for number, name in enumerate(self.weights, start=2)}
        return numbers, np.array([[0.0] * len(self.labels), self.bias, *self.weights.values()])

    def digest(self) -> str:
        """The digest of the file that this model is written to."""
        return digest([_text(self).encode()])


def write_maxent(path: Path, model: MaxentModel) -> None:
    """Write a file that reads and compares line by line: a feature a line, in alphabetical order."""
    write_atomically(path, _text(model))


def read_maxent(path: Path) -> MaxentModel:
    """The model in a file; whatever is none is an `InputError`."""
    try:
        found = json.loads(read_bytes(path))
        model = MaxentModel(
            tuple(map(str, found["labels"])),
            tuple(map(float, found["bias"])),
            {str(name): tuple(map(float, row)) for name, row in found["weights"].items()},
        )
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise _damaged(path, type(error).__name__) from None
    rows = [model.bias, *model.weights.values()]
    if found.get("format") != FORMAT or len(set(model.labels)) < 2:
        raise _damaged(path, f"its format is not {FORMAT}, or it has no labels")
    if any(len(row) != len(model.labels) or not all(map(math.isfinite, row)) for row in rows):
        raise _damaged(path, "a row does not have a finite weight for every label")
    return model


def _text(model: MaxentModel) -> str:
    head = {"format": FORMAT, "labels": model.labels, "bias": model.bias}
    lines = [f"{json.dumps(key)}: {json.dumps(value)}," for key, value in head.items()]
    rows = [
        f"{json.dumps(name, ensure_ascii=False)}: {json.dumps(model.weights[name])}"
        for name in sorted(model.weights)
    ]
    return "\n".join(["{", *lines, '"weights": {', ",\n".join(rows), "}}", ""])


def _damaged(path: Path, why: str) -> InputError:
    return InputError(
        f"no classifier, or a damaged one ({why})",
        where=str(path),
        fix="install anaphor again, or make the model again with tools/make_function_model.py",
    )
