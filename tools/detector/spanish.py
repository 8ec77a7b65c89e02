"""Calibrate the detector as a predictor of English into Spanish, and write the folder that ships.

    python -m tools.detector.spanish TASK.tsv ...

The task files are prepared by `benchmarks/predict-spanish/spanish_texts.py`, from other documents
than those that it is measured on. To be run again whenever the detector or anaphor-2-small has changed:
the model names both by
their hashes.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from anaphor.core import LanguagePair
from anaphor.files.writing import write_atomically
from anaphor.predict.anaphor2.joint import class_factors
from anaphor.predict.contract import ModelCard
from anaphor.predict.data import describe, read_segments
from anaphor.predict.detector.predictor import (
    NAME,
    VERSION,
    Calibration,
    HiddenFormModel,
    SlotEvidence,
    sources_of_weights,
)
from anaphor.task import task_classes
from tools.distributions import component_folder

PAIR, YEAR = "en-es", 2017
#: Keeps the numbers near those that change nothing.
_RIDGE = 1.0


def calibrated(evidence: SlotEvidence, gold: NDArray[Any], *, fairness: float) -> Calibration:
    """The calibration under which the gold labels are most probable."""
    own, features = evidence.classes, evidence.features
    classes = own.shape[1]
    hot = np.eye(classes)[gold]
    start = np.concatenate([np.zeros(classes), [1.0], np.zeros(1 + features.shape[1])])

    def loss(numbers: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        bias, steepness, other, weights = np.split(numbers, [classes, classes + 1, classes + 2])
        scores = own * steepness + bias
        scores[:, -1] = bias[-1] + other * own[:, -1] + features @ weights
        scores -= scores.max(axis=1, keepdims=True)
        logs = scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))
        error = np.exp(logs) - hot
        slope = np.concatenate(
            [
                error.sum(axis=0),
                [(error[:, :-1] * own[:, :-1]).sum(), (error[:, -1] * own[:, -1]).sum()],
                features.T @ error[:, -1],
            ]
        )
        distance = numbers - start
        return float(-(logs * hot).sum() + _RIDGE * (distance**2).sum()), slope + 2 * _RIDGE * distance

    found = minimize(loss, start, jac=True, method="L-BFGS-B").x.round(4).tolist()
    bias, (steepness, other, *weights) = found[:classes], found[classes:]
    factors = class_factors(gold.astype(np.int32), classes, fairness)
    return Calibration(tuple(bias), steepness, other, tuple(weights), factors)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("files", nargs="+", help="task files with word forms and labels")
    parser.add_argument(
        "--output", type=Path, help="folder of the model (default: that of the models in use)"
    )
    parser.add_argument(
        "--fairness", type=float, default=0.5, help="how far rare classes are favoured (default: 0.5)"
    )
    options = parser.parse_args()
    classes = task_classes(LanguagePair.parse(PAIR), year=YEAR)
    segments = [segment for path in options.files for segment in read_segments(path, classes=classes)]
    labels = [slot.label for segment in segments for slot in segment.slots]
    gold = np.array([classes.classes.index(str(label)) for label in labels])
    calibration = calibrated(SlotEvidence.of(segments, classes), gold, fairness=options.fairness)
    card = ModelCard(
        recipe="anaphor-2-es",
        family=NAME,
        version=VERSION,
        pair=PAIR,
        year=YEAR,
        forms=True,
        classes=classes.classes,
        options={"weights": sources_of_weights()},
        trained_on={"calibration": describe(segments)},
    )
    output = options.output or component_folder("predict/models/anaphor-2-es")
    output.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as temporary:
        # Licence, card and README beside the model stay.
        HiddenFormModel(card, calibration).save(saved := Path(temporary) / "model")
        for file in saved.iterdir():
            write_atomically(output / file.name, file.read_text(encoding="utf-8"))
    print(calibration)


if __name__ == "__main__":
    main()
