"""anaphor-1 as a model of the prediction task."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anaphor.core import LanguagePair, OptionError, Prediction, TaskSegment
from anaphor.predict.anaphor1.encoding import Encoded, encode
from anaphor.predict.anaphor1.joint import Habit, JointNetworks, habit_name, joint_files, read_joint
from anaphor.predict.anaphor1.material import language_numbers
from anaphor.predict.anaphor1.reading import slot_probabilities
from anaphor.predict.anaphor1.subwords import Subwords
from anaphor.predict.anaphor1.tasks import task_of
from anaphor.predict.contract import ModelCard
from anaphor.predict.model_folder import ModelFolder, save_model
from anaphor.task.classes import task_classes

#: Of the network, the pieces and the windows; a model of another version is another model.
VERSION = 1


class Anaphor1Model:
    """Predicts the pronouns of one pair, year and style."""

    def __init__(self, card: ModelCard, joint: JointNetworks) -> None:
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
        self._subwords = Subwords(joint.pieces)

    @property
    def card(self) -> ModelCard:
        """What the model says of itself."""
        return self._card

    def for_task(self, pair: str, *, year: int, forms: bool) -> Anaphor1Model:
        """The same networks for another of the sub-tasks they learned."""
        classes = task_classes(LanguagePair.parse(pair), year=year).classes
        return Anaphor1Model(
            replace(self._card, pair=pair, year=year, forms=forms, classes=classes), self._joint
        )

    def with_habit(self, habit: Habit) -> Anaphor1Model:
        """The same model that reads its slots in another way; fewer readings are faster."""
        name = habit_name(self._card.pair, forms=self._card.forms)
        joint = replace(self._joint, habits={**self._joint.habits, name: habit})
        return Anaphor1Model(self._card, joint)

    def predict(self, segments: Sequence[TaskSegment]) -> Iterator[tuple[Prediction, ...]]:
        """One prediction a slot; the sentences of its document are context."""
        probabilities = self.probabilities(segments)
        labels = [self._classes.classes[number] for number in probabilities.argmax(axis=1)]
        start = 0
        for segment in segments:
            end = start + len(segment.slots)
            rows = zip(labels[start:end], probabilities[start:end].tolist(), strict=True)
            yield tuple(Prediction(label, tuple(row)) for label, row in rows)
            start = end

    def probabilities(self, segments: Sequence[TaskSegment]) -> NDArray[np.float64]:
        """Calibrated probabilities [slots, classes of the year]."""
        encoded = encode(map(_without_answers, segments), self._subwords, {}, forms=self._card.forms)
        if not len(encoded.labels):
            return np.zeros((0, len(self._classes.classes)))
        return calibrated(self._of_year(self._fine(encoded)), self._habit.temperature)

    def _fine(self, encoded: Encoded) -> NDArray[Any]:
        """Probabilities of the network's classes, averaged over networks and readings."""
        found = [
            slot_probabilities(
                network,
                encoded,
                languages=language_numbers(self._task.pair),
                classes=self._task.classes,
                readings=self._habit.readings,
            )
            for network in self._joint.networks
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


def _without_answers(segment: TaskSegment) -> TaskSegment:
    return replace(segment, slots=tuple(replace(slot, label=None, word=None) for slot in segment.slots))
