"""CRFsuite at work: sequences of numbered features in, weights out."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from anaphor.predict.classic.chains import SEQUENCES
from anaphor.predict.classic.rows import Doubles, Floats, Ints, Rows
from anaphor.predict.classic.weights import check_finite, read_arrays, write_arrays
from anaphor.predict.settings import check_names, check_range, option


@dataclass(frozen=True, slots=True, kw_only=True)
class CrfOptions:
    """How a field is trained and over what."""

    sequence: str = option("sentence", "what pronouns are a sequence: those of a sentence, or of a chain")
    c1: float = option(0.0, "penalty for absolute weights")
    c2: float = option(1.0, "penalty for squared weights")
    iterations: int = option(60, "steps of the optimiser at most")
    least: int = option(2, "slots that must have a feature")

    def __post_init__(self) -> None:
        check_names((self.sequence,), SEQUENCES, name="sequence", where="options.sequence")
        for name in ("c1", "c2"):
            check_range(getattr(self, name), least=0, most=1e6, name=name, where=f"options.{name}")
        check_range(self.iterations, least=1, most=10_000, name="iterations", where="options.iterations")
        check_range(self.least, least=1, most=10**6, name="least", where="options.least")


@dataclass(frozen=True, slots=True, eq=False)
class CrfWeights:
    """What a feature adds to each class, and what a class adds to the next one of its sequence."""

    matrix: Floats
    transitions: Doubles

    def write(self, path: Path) -> None:
        """Write as arrays without objects."""
        write_arrays(path, {"matrix": self.matrix, "transitions": self.transitions})


def read_crf(path: Path, *, features: int, classes: int) -> CrfWeights:
    """The weights of a file, which must have these shapes."""
    found = read_arrays(path, ["matrix", "transitions"])
    check_finite(path, found["matrix"], (features, classes))
    check_finite(path, found["transitions"], (classes, classes))
    return CrfWeights(found["matrix"].astype(np.float32), found["transitions"].astype(np.float64))


def train_crf(
    rows: Rows,
    labels: Ints,
    sequences: Sequence[Sequence[int]],
    *,
    options: CrfOptions,
    width: int,
    classes: int,
) -> CrfWeights:
    """The weights that make the labels of all sequences likeliest, less their penalty."""
    import pycrfsuite

    trainer = pycrfsuite.Trainer(verbose=False)
    trainer.select("lbfgs")
    trainer.set_params({"c1": options.c1, "c2": options.c2, "max_iterations": options.iterations})
    for places in sequences:
        items = [_item(rows, place) for place in places]
        trainer.append(pycrfsuite.ItemSequence(items), [str(labels[place]) for place in places])
    with tempfile.TemporaryDirectory(prefix="anaphor-crf-") as folder:
        path = str(Path(folder) / "model.crfsuite")
        trainer.train(path)
        tagger = pycrfsuite.Tagger()
        tagger.open(path)
        found = tagger.info()
        tagger.close()
    matrix = np.zeros((width, classes), np.float32)
    for (feature, label), weight in found.state_features.items():
        matrix[int(feature), int(label)] = weight
    transitions = np.zeros((classes, classes))
    for (before, after), weight in found.transitions.items():
        transitions[int(before), int(after)] = weight
    return CrfWeights(matrix, transitions)


def _item(rows: Rows, place: int) -> dict[str, float]:
    start, end = rows.starts[place], rows.starts[place + 1]
    names = map(str, rows.columns[start:end].tolist())
    return dict(zip(names, rows.values[start:end].tolist(), strict=True))
