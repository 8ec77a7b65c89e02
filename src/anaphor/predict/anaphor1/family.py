"""anaphor-1 as a family of recipes: training for one pair, and loading of what was saved.

The model that ships learned several pairs together (tools/train_anaphor1.py); a recipe learns one, with the
same code. Only training needs torch.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from anaphor.core import OptionError, TaskSegment
from anaphor.predict.anaphor1.encoding import encode
from anaphor.predict.anaphor1.joint import Habit, JointNetworks, favour_of, habit_name
from anaphor.predict.anaphor1.material import Corpus, domain_of, language_numbers
from anaphor.predict.anaphor1.model import VERSION, Anaphor1Model, best_temperature, load
from anaphor.predict.anaphor1.network import Network, Shape
from anaphor.predict.anaphor1.pronouns import pronoun_pieces
from anaphor.predict.anaphor1.subwords import Subwords, learn_pieces
from anaphor.predict.anaphor1.tasks import TASKS, class_numbers, task_of
from anaphor.predict.contract import ModelCard, Progress
from anaphor.predict.data import card_of, check_training
from anaphor.predict.model_folder import ModelFolder
from anaphor.predict.options import option, parse_options, require_package
from anaphor.task.classes import TaskClasses

NAME = "anaphor1"


@dataclass(frozen=True, slots=True)
class TrainingOptions:
    """How a network of this family is made."""

    pieces: int = option(12_000, "pieces of words, learned from the training data")
    width: int = option(256, "numbers of a state; a multiple of 64")
    layers: int = option(6, "blocks of attention and dense layers")
    steps: int = option(15_000, "batches of training; on a graphics card about 40 a second")
    batch: int = option(256, "windows of a batch")
    rate: float = option(0.01, "how far a step goes: that of Muon, ten times that of AdamW")
    fairness: float = option(0.7, "how far rare classes are favoured when one is chosen, from 0 to 1")
    device: str = option("auto", "cpu, cuda, or a graphics card where there is one")

    def __post_init__(self) -> None:
        if self.width < 64 or self.width % 64:
            raise OptionError(f"a width of {self.width}", where="width", fix="give a multiple of 64")
        if not 0 <= self.fairness <= 1:
            raise OptionError(f"a fairness of {self.fairness}", where="fairness", fix="give 0 to 1")
        for name in ("pieces", "layers", "steps", "batch"):
            if getattr(self, name) < 1:
                raise OptionError(f"{name} is {getattr(self, name)}", where=name, fix="give 1 or more")


@dataclass(frozen=True, slots=True)
class Anaphor1Predictor:
    """A recipe of this family, ready to learn."""

    recipe: str
    options: TrainingOptions

    @property
    def settings(self) -> dict[str, Any]:
        """The options by their names."""
        return asdict(self.options)

    def fit(
        self,
        segments: Sequence[TaskSegment],
        *,
        classes: TaskClasses,
        dev: Sequence[TaskSegment] = (),
        seed: int = 1,
        progress: Progress | None = None,
    ) -> Anaphor1Model:
        """Learn pieces and a network from segments; `dev` is for the calibration."""
        task_of(str(classes.pair))
        check_training(segments, classes)
        card = card_of(self, segments, dev, classes, family=NAME, version=VERSION)
        pieces = learn_pieces(_word_counts(segments, forms=card.forms), self.options.pieces)
        corpus = _corpus(segments, card, pieces)
        network = self._network(corpus, pieces, seed, progress)
        task = task_of(card.pair)
        labels = corpus.encoded.labels - np.int32(task.classes.start)
        habit = Habit(favour=favour_of(labels, len(task.names), self.options.fairness))
        name = habit_name(card.pair, forms=card.forms)
        model = Anaphor1Model(card, JointNetworks(pieces, (network,), {name: habit}))
        return with_temperature(model, habit, dev) if any(segment.slots for segment in dev) else model

    def _network(
        self,
        corpus: Corpus,
        pieces: tuple[str, ...],
        seed: int,
        progress: Progress | None,
    ) -> Network:
        from anaphor.predict.anaphor1.torch_model import network_of
        from anaphor.predict.anaphor1.training import Phase

        options = self.options
        shape = Shape(
            pieces=len(pieces),
            classes=TASKS[-1].classes.stop,
            width=options.width,
            layers=options.layers,
            heads=options.width // 64,
        )
        return network_of(
            shape,
            corpus,
            Phase(steps=options.steps, batch=options.batch, rate=options.rate),
            pronouns=pronoun_pieces(pieces),
            device=options.device,
            seed=seed,
            progress=progress,
        )


def _corpus(segments: Sequence[TaskSegment], card: ModelCard, pieces: tuple[str, ...]) -> Corpus:
    languages = language_numbers(task_of(card.pair).pair)
    return Corpus(
        encode(segments, Subwords(pieces), class_numbers(card.pair), forms=card.forms),
        np.array([(domain_of(one.document), *languages) for one in segments], dtype=np.int32),
    )


def with_temperature(model: Anaphor1Model, habit: Habit, dev: Sequence[TaskSegment]) -> Anaphor1Model:
    """The model with its probabilities fitted to development data."""
    labels = [slot.label for segment in dev for slot in segment.slots]
    gold = np.array([model.card.classes.index(label) for label in labels if label is not None])
    if len(gold) != len(labels):
        raise OptionError(
            "the development data withholds labels", where="--dev", fix="give data with labels, or none"
        )
    found = best_temperature(model.probabilities(dev), gold)
    return model.with_habit(replace(habit, temperature=found, careful_temperature=found))


def _word_counts(segments: Sequence[TaskSegment], *, forms: bool) -> Counter[str]:
    counts: Counter[str] = Counter()
    for segment in segments:
        hidden = {slot.target for slot in segment.slots}
        words = (token for place, token in enumerate(segment.target) if place not in hidden)
        counts.update(map(str.lower, segment.source))
        counts.update((word if forms else word.rpartition("|")[0] or word).lower() for word in words)
    return counts


class _Family:
    def build(self, recipe: Mapping[str, Any]) -> Anaphor1Predictor:
        name = str(recipe.get("name", NAME))
        require_package("torch", package="torch", extra="neural", recipe=name)
        options = parse_options(TrainingOptions, recipe.get("options", {}), where=name)
        if recipe.get("features"):
            raise OptionError("anaphor-1 has features", where=name, fix="remove [features]: it reads words")
        from anaphor.predict.neural.device import chosen_device

        chosen_device(options.device)
        return Anaphor1Predictor(name, options)

    def load(self, folder: ModelFolder) -> Anaphor1Model:
        return load(folder)


FAMILY = _Family()
