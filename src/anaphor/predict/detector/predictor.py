"""The detector as a predictor: the forms it expects for a hidden pronoun, as classes of the task.

A folder of this family has no weights. It identifies the detector and its underlying network by their hashes,
and has a calibration: forms without a class (*este*) are OTHER, and so is much that the detector has never
seen, because it was trained on pronouns and dropped subjects only. With p the probabilities of the forms, the
score of a class is

    b[class] + t · log p[class]                            for a class with forms,
    b[OTHER] + u · log p[OTHER] + w · features             for OTHER,

where the features measure how much a slot differs from the training texts (`FEATURES`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from anaphor.core import InputError, LanguagePair, OptionError, Prediction, TaskSegment
from anaphor.core.array_types import Doubles
from anaphor.predict.base import BaseFamily, BaseModel, BasePredictor
from anaphor.predict.contract import ModelCard
from anaphor.predict.detector.detector import detector_digest, forms_of, load_network
from anaphor.predict.detector.slots import slot_windows
from anaphor.predict.detector.windows import window_scores
from anaphor.predict.distributions import softmax
from anaphor.predict.model_folder import CARD, ModelFolder, json_writer, parsing, read_json, save_model
from anaphor.predict.shipped import model_digest
from anaphor.task.classes import TaskClasses, task_classes

NAME = "hidden-forms"
VERSION = 1
_CALIBRATION = "calibration.json"
#: What OTHER is told by: whether the pronoun is *they*, the log odds that the detector gives, the size of its
#: scores, the entropy of p, its largest value, and what dropped subjects and objects have of it.
FEATURES = ("they", "log odds", "size", "entropy", "largest", "dropped", "objects")
_OBJECTS = ("lo", "la")
#: No form is impossible.
_LEAST = 1e-6


def sources_of_weights() -> dict[str, str]:
    """The hashes of the model's inputs: the detector's changes, and the network they apply to."""
    return {"detector": detector_digest(), "anaphor-2-small": model_digest("anaphor-2-small")}


@dataclass(frozen=True, slots=True)
class Calibration:
    """The coefficients of the formula above, classes in card order.

    `factors` multiply the probabilities for choosing a class: rare ones are favoured, as in anaphor-2.
    """

    bias: tuple[float, ...]
    steepness: float
    other_steepness: float
    features: tuple[float, ...]
    factors: tuple[float, ...]

    @classmethod
    def read(cls, path: Path, *, classes: int) -> Calibration:
        content = read_json(path)
        with parsing(path, "the calibration cannot be read"):
            bias, features, factors = (
                tuple(float(value) for value in content[name]) for name in ("bias", "features", "factors")
            )
            found = cls(
                bias, float(content["steepness"]), float(content["other_steepness"]), features, factors
            )
            numbers = (*bias, *features, *factors, found.steepness, found.other_steepness)
            sizes = len(bias), len(features), len(factors)
            if sizes != (classes, len(FEATURES), classes) or not np.isfinite(numbers).all():
                raise ValueError(sizes)
        return found

    def probabilities(self, evidence: SlotEvidence) -> Doubles:
        """The probability of every class [slots, classes]."""
        scores = self.steepness * evidence.classes + np.array(self.bias)
        other = self.other_steepness * evidence.classes[:, -1] + evidence.features @ np.array(self.features)
        scores[:, -1] = self.bias[-1] + other
        return np.asarray(softmax(scores))


@dataclass(frozen=True, slots=True)
class SlotEvidence:
    """Log probabilities [slots, classes] that follow from the detector's forms, and `FEATURES`."""

    classes: Doubles
    features: Doubles

    @classmethod
    def of(cls, segments: Sequence[TaskSegment], classes: TaskClasses) -> SlotEvidence:
        subwords, scorer, names = load_network()
        forms = forms_of(names, classes.pair)
        windows = list(slot_windows(segments, subwords, classes.pair))
        if not windows:
            return cls(np.zeros((0, len(classes.classes))), np.zeros((0, len(FEATURES))))
        scores = window_scores(scorer, windows).astype(np.float64)
        own = scores[:, list(forms.values())]
        # Clipped before the logarithm.
        shares = np.clip(softmax(own), _LEAST, 1)
        merged = np.zeros((len(windows), len(classes.classes)))
        for form, column in zip(forms, shares.T, strict=True):
            # Several forms can share a class: their probabilities are added.
            label = classes.class_of(form) if form else classes.dropped or classes.other
            merged[:, classes.classes.index(label)] += column
        largest = own.max(axis=1)
        # log Σ exp of the scores, without overflow.
        size = largest + np.log(np.exp(own - largest[:, None]).sum(axis=1))
        features = (
            np.array([pronoun == "they" for pronoun in _pronouns(segments)], dtype=np.float64),
            scores[:, 0],
            size,
            -(shares * np.log(shares)).sum(axis=1),
            np.log(shares.max(axis=1)),
            merged[:, classes.classes.index(classes.dropped or classes.other)],
            merged[:, [classes.classes.index(label) for label in _OBJECTS]].sum(axis=1),
        )
        return cls(np.log(np.clip(merged, _LEAST, 1)), np.stack(features, axis=1))


def _pronouns(segments: Sequence[TaskSegment]) -> Iterator[str]:
    """The source pronoun of every slot."""
    for segment in segments:
        for slot in segment.slots:
            yield segment.source[slot.source].lower()


class HiddenFormModel(BaseModel):
    """Predicts the detector's expected form for a placeholder."""

    def __init__(self, card: ModelCard, calibration: Calibration) -> None:
        super().__init__(card)
        self._calibration = calibration
        self._classes = task_classes(LanguagePair.parse(card.pair), year=card.year)

    def predict_slots(self, segments: Sequence[TaskSegment]) -> Iterator[Prediction]:
        """One prediction per slot; the other sentences of its document provide context."""
        probabilities = self._calibration.probabilities(SlotEvidence.of(segments, self._classes))
        chosen = (probabilities * np.array(self._calibration.factors)).argmax(axis=1)
        for number, row in zip(chosen.tolist(), probabilities.tolist(), strict=True):
            yield Prediction(self.card.classes[number], tuple(row))

    def save(self, folder: Path) -> None:
        """Write the card, with the hashes of the weights, and the calibration."""
        save_model(folder, self.card, {_CALIBRATION: json_writer(asdict(self._calibration))})


class HiddenFormFamily(BaseFamily):
    """Loads models of this family; `tools/detector/spanish.py` creates them."""

    name = NAME
    version = VERSION

    def predictor(self, options: Any, given: Any, **common: Any) -> BasePredictor[Any]:  # noqa: ARG002
        """Raise an error: this family is not trained."""
        raise OptionError(
            f"{NAME} cannot be trained as a recipe",
            where=str(common.get("recipe", NAME)),
            fix="use anaphor-2-es, or a recipe of the family anaphor2",
        )

    def read(self, folder: ModelFolder) -> HiddenFormModel:
        if folder.card.options.get("weights") != sources_of_weights():
            raise InputError(
                "the model was calibrated for a different detector",
                where=str(folder.path / CARD),
                fix="reinstall anaphor, or recalibrate with tools/detector/spanish.py",
            )
        path = folder.file(_CALIBRATION)
        return HiddenFormModel(folder.card, Calibration.read(path, classes=len(folder.card.classes)))


FAMILY = HiddenFormFamily()
