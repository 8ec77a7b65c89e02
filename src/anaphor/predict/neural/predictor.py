"""A neural recipe that is ready to learn."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from anaphor.core import TaskSegment, digest
from anaphor.predict.contract import ModelCard, Progress
from anaphor.predict.data import check_training, describe, has_forms
from anaphor.predict.neural.architectures import ARCHITECTURES
from anaphor.predict.neural.batching import Floats
from anaphor.predict.neural.checkpoint import Checkpoint, Weights, set_weights
from anaphor.predict.neural.device import chosen_device
from anaphor.predict.neural.learning import Lesson, probabilities
from anaphor.predict.neural.mixing import tuned_shares
from anaphor.predict.neural.model import VERSION, NeuralModel
from anaphor.predict.neural.network import Network
from anaphor.predict.neural.reading import SceneReader
from anaphor.predict.neural.scenes import Scenes
from anaphor.predict.neural.settings import RunOptions, TrainingOptions
from anaphor.predict.neural.tensors import SceneTensors
from anaphor.predict.neural.vocabulary import learn_vocabularies
from anaphor.task.classes import TaskClasses


@dataclass(frozen=True, slots=True, kw_only=True)
class NeuralPredictor:
    """An architecture with its options; `shape` are those of the network itself."""

    recipe: str
    family: str
    shape: Any
    training: TrainingOptions
    run: RunOptions

    def fit(
        self,
        segments: Sequence[TaskSegment],
        *,
        classes: TaskClasses,
        dev: Sequence[TaskSegment] = (),
        seed: int = 1,
        progress: Progress | None = None,
    ) -> NeuralModel:
        """Learn; without `dev` training goes on to its last epoch."""
        check_training(segments, classes)
        forms = has_forms(segments)
        reader = SceneReader.of(classes.pair, forms=forms, classes=classes.classes)
        if progress is not None:
            progress(0.0, "reading")
        held = [segment for segment in dev if all(slot.label is not None for slot in segment.slots)]
        trained_on = {"train": describe(segments), "dev": describe(held)}
        card = self.card(classes, forms=forms, trained_on=trained_on)
        scenes = reader.read(segments)
        dev_scenes = reader.read(held) if any(segment.slots for segment in held) else None
        return self.fit_scenes(scenes, dev_scenes, card=card, seed=seed, progress=progress)

    def card(self, classes: TaskClasses, *, forms: bool, trained_on: dict[str, Any]) -> ModelCard:
        """What the model will say of itself, but for what only training tells."""
        return ModelCard(
            recipe=self.recipe,
            family=self.family,
            version=VERSION,
            pair=str(classes.pair),
            year=classes.year,
            forms=forms,
            classes=classes.classes,
            options={n: _plain(v) for kind in (self.training, self.shape) for n, v in asdict(kind).items()},
            trained_on=trained_on,
        )

    def fit_scenes(
        self,
        train: Scenes,
        dev: Scenes | None,
        *,
        card: ModelCard,
        seed: int,
        progress: Progress | None = None,
    ) -> NeuralModel:
        """The same from scenes that have been read before; the card says whose they are."""
        begun = time.monotonic()
        device = chosen_device(self.run.device)
        architecture = ARCHITECTURES[self.family]
        vocabularies = learn_vocabularies(
            train, architecture.fields, least=self.training.least, most=self.training.vocabulary
        )
        torch.manual_seed(seed)
        network = architecture.make(vocabularies, len(card.classes), self.shape).to(device)
        dev_tensors = None if dev is None else SceneTensors(dev, vocabularies, device)
        lesson = Lesson(
            network=network,
            train=SceneTensors(train, vocabularies, device),
            dev=dev_tensors,
            classes=len(card.classes),
            options=self.training,
            seed=seed,
            deadline=begun + 60 * self.run.minutes if self.run.minutes else None,
            checkpoint=self._checkpoint(card, seed),
            progress=progress,
        )
        snapshots = lesson.learn()
        return NeuralModel(
            card=card,
            vocabularies=vocabularies,
            network=network,
            snapshots=tuple(snapshots),
            shares=_shares(network, snapshots, dev_tensors),
            present=tuple(sorted(set(train.slots.label.tolist()))),
            device=device,
        )

    def _checkpoint(self, card: ModelCard, seed: int) -> Checkpoint | None:
        if not self.run.checkpoint:
            return None
        facts = [card.family, card.pair, card.year, card.options, card.trained_on, seed]
        return Checkpoint(Path(self.run.checkpoint), digest([json.dumps(facts, sort_keys=True).encode()]))


def _plain(value: Any) -> Any:
    """A value as JSON gives it back."""
    return list(value) if isinstance(value, tuple) else value


def _shares(network: Network, snapshots: Sequence[Weights], dev: SceneTensors | None) -> Floats:
    """What each snapshot counts in the mixture."""
    if len(snapshots) == 1 or dev is None:
        return np.full(len(snapshots), 1 / len(snapshots))
    labels = dev.scenes.slots.label
    right = []
    for weights in snapshots:
        set_weights(network, weights)
        right.append(probabilities(network, dev)[np.arange(len(labels)), labels])
    return tuned_shares(right)
