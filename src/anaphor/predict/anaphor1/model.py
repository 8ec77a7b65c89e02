"""anaphor-1 as a model of the prediction task."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anaphor.core import LanguagePair, OptionError, Prediction, TaskSegment
from anaphor.predict.anaphor1.encoding import encode
from anaphor.predict.anaphor1.engine import best_engine
from anaphor.predict.anaphor1.hiding import HiddenWindows, stretches
from anaphor.predict.anaphor1.joint import (
    CAREFUL,
    Habit,
    JointNetworks,
    habit_name,
    joint_files,
    read_joint,
)
from anaphor.predict.anaphor1.material import language_numbers
from anaphor.predict.anaphor1.reading import Scorer, slot_probabilities, within_reach
from anaphor.predict.anaphor1.subwords import Subwords
from anaphor.predict.anaphor1.tasks import task_of
from anaphor.predict.contract import ModelCard
from anaphor.predict.explain.occlusion import OcclusionRequest
from anaphor.predict.model_folder import ModelFolder, save_model
from anaphor.task.classes import task_classes

#: Of the network, the pieces and the windows; a model of another version is another model.
VERSION = 2


class Anaphor1Model:
    """Predicts the pronouns of one pair, year and style."""

    def __init__(self, card: ModelCard, joint: JointNetworks, *, careful: bool = False) -> None:
        """The first network reads alone; a careful model reads with all of them, in several ways."""
        name = habit_name(card.pair, forms=card.forms)
        if name not in joint.habits:
            raise OptionError(
                f"{card.recipe} did not learn {name}",
                where="--pair",
                fix=f"use one of {', '.join(sorted(joint.habits))}",
            )
        self._card, self._joint, self._habit = card, joint, joint.habits[name]
        self._classes = task_classes(LanguagePair.parse(card.pair), year=card.year)
        self._task = task_of(card.pair)
        if len(self._habit.favour) not in (0, len(self._task.names)):
            raise OptionError(
                f"{len(self._habit.favour)} of the {len(self._task.names)} classes of {name} are weighed",
                where=card.recipe,
                fix="take the model from its source again",
            )
        self._careful = careful
        self._networks = (*joint.networks,) if careful else (joint.networks[0],)
        self._readings = CAREFUL if careful else self._habit.readings
        self._temperature = self._habit.careful_temperature if careful else self._habit.temperature
        self._subwords = Subwords(joint.pieces)
        self._engine = best_engine(joint.networks[0].shape)

    @property
    def engine(self) -> str:
        """What runs the networks: `native` or `numpy`."""
        return self._engine.name

    @cached_property
    def _scorers(self) -> tuple[Scorer, ...]:
        return tuple(map(self._engine.scorer, self._networks))

    @property
    def card(self) -> ModelCard:
        """What the model says of itself."""
        return self._card

    def for_task(self, pair: str, *, year: int, forms: bool | None = None) -> Anaphor1Model:
        """The same networks for another of the sub-tasks they learned."""
        classes = task_classes(LanguagePair.parse(pair), year=year).classes
        style = self._style(pair) if forms is None else forms
        card = replace(self._card, pair=pair, year=year, forms=style, classes=classes)
        return Anaphor1Model(card, self._joint, careful=self._careful)

    def _style(self, pair: str) -> bool:
        """The style of this model, or the other one where only that was learned for a pair."""
        own = self._card.forms
        known = {forms for forms in (True, False) if habit_name(pair, forms=forms) in self._joint.habits}
        return own if own in known or not known else not own

    def ensemble(self) -> Anaphor1Model:
        """The same model that takes its time: the mean of all its networks, each in nine readings."""
        return Anaphor1Model(self._card, self._joint, careful=True)

    def with_habit(self, habit: Habit) -> Anaphor1Model:
        """The same model that reads its slots in another way; fewer readings are faster."""
        name = habit_name(self._card.pair, forms=self._card.forms)
        joint = replace(self._joint, habits={**self._joint.habits, name: habit})
        return Anaphor1Model(self._card, joint, careful=self._careful)

    def predict(self, segments: Sequence[TaskSegment]) -> Iterator[tuple[Prediction, ...]]:
        """One prediction a slot; the sentences of its document are context."""
        fine = self._fine(segments)
        probabilities = calibrated(self._of_year(fine), self._temperature)
        favoured = self._of_year(fine * np.array(self._habit.favour or 1.0))
        labels = [self._classes.classes[number] for number in favoured.argmax(axis=1)]
        start = 0
        for segment in segments:
            end = start + len(segment.slots)
            rows = zip(labels[start:end], probabilities[start:end].tolist(), strict=True)
            yield tuple(Prediction(label, tuple(row)) for label, row in rows)
            start = end

    def probabilities(self, segments: Sequence[TaskSegment]) -> NDArray[np.float64]:
        """Calibrated probabilities [slots, classes of the year]."""
        return calibrated(self._of_year(self._fine(segments)), self._temperature)

    def masked_probabilities(self, request: OcclusionRequest) -> NDArray[np.float64]:
        """Probabilities [1 + words, classes] of one slot: with all words, then with each behind the mask."""
        forms, segments = self._card.forms, request.segments
        encoded = encode(segments, self._subwords, None, forms=forms)
        before = sum(len(one.slots) for one in segments[: request.segment])
        words = stretches(segments, request.positions, self._subwords, forms=forms)
        windows = HiddenWindows(encoded, before + request.slot, words)
        found = [
            windows.probabilities(
                scorer,
                languages=language_numbers(self._task.pair),
                classes=self._task.classes,
                readings=self._readings,
            )
            for scorer in self._scorers
        ]
        return calibrated(self._of_year(np.asarray(np.mean(found, axis=0))), self._temperature)

    def _fine(self, segments: Sequence[TaskSegment]) -> NDArray[Any]:
        """Probabilities [slots, classes of the network], averaged over networks and readings."""
        needed = within_reach(segments, self._readings)
        encoded = encode(needed, self._subwords, None, forms=self._card.forms)
        if not len(encoded.labels):
            return np.zeros((0, len(self._task.names)))
        found = [
            slot_probabilities(
                scorer,
                encoded,
                languages=language_numbers(self._task.pair),
                classes=self._task.classes,
                readings=self._readings,
                places=self._engine.places,
            )
            for scorer in self._scorers
        ]
        return np.asarray(np.mean(found, axis=0))

    def _of_year(self, fine: NDArray[Any]) -> NDArray[np.float64]:
        """From the finest classes to those of the year: 2016 counts *ça* as *cela*."""
        merged = np.zeros((len(fine), len(self._classes.classes)))
        for place, name in enumerate(self._task.names):
            merged[:, self._classes.classes.index(self._classes.aliases[name])] += fine[:, place]
        return merged

    def save(self, folder: Path) -> None:
        """Write the networks and their description."""
        save_model(folder, self._card, joint_files(self._joint))


def load(folder: ModelFolder) -> Anaphor1Model:
    """The model of a folder."""
    folder.check_version(VERSION)
    return Anaphor1Model(folder.card, read_joint(folder))


def calibrated(probabilities: NDArray[Any], temperature: float) -> NDArray[np.float64]:
    """Probabilities made flatter by a temperature above one, steeper by one below."""
    powers = np.log(probabilities.astype(np.float64) + 1e-12) / temperature
    powers = np.exp(powers - powers.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))


def best_temperature(probabilities: NDArray[Any], gold: NDArray[np.int64]) -> float:
    """The temperature under which the right classes are most probable, of a fine grid."""
    grid = np.round(np.geomspace(0.5, 3.0, 60), 3)
    rows = np.arange(len(gold))
    losses = [-np.log(calibrated(probabilities, t)[rows, gold] + 1e-12).mean() for t in grid.tolist()]
    return float(grid[int(np.argmin(losses))])
