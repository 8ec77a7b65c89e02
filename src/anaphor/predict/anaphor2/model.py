"""anaphor-2 as a model of the prediction task and as a family of recipes.

The shipped model was trained for several pairs jointly (tools/train_anaphor2.py); a recipe trains one for a
single pair with the same code. Only training needs torch.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anaphor.core import LanguagePair, OptionError, Prediction, TaskSegment
from anaphor.predict.anaphor2.encoding import TrainingCorpus, encode
from anaphor.predict.anaphor2.inference import (
    SlotScorer,
    fastest_scorer,
    is_native,
    masked_slot_probabilities,
    piece_spans,
    slot_probabilities,
    within_reach,
)
from anaphor.predict.anaphor2.joint import (
    ENSEMBLE_VIEWS,
    TASKS,
    DecodingConfig,
    JointNetworks,
    class_factors,
    class_numbers,
    joint_files,
    read_joint,
    subtask_name,
    task_of,
)
from anaphor.predict.anaphor2.network import Shape
from anaphor.predict.anaphor2.subwords import Subwords, learn_pieces
from anaphor.predict.base import BaseModel, BasePredictor, TrainingData
from anaphor.predict.contract import ModelCard
from anaphor.predict.explain.occlusion import OcclusionRequest
from anaphor.predict.model_folder import ModelFolder, save_model
from anaphor.predict.options import Options, option
from anaphor.predict.torch_family import TorchFamily
from anaphor.task.classes import task_classes

NAME = "anaphor2"
#: Of the network, the pieces and the windows; a model of another version is another model.
VERSION = 3


class Anaphor2Model(BaseModel):
    """Predicts the pronouns of one pair, year and target format."""

    def __init__(self, card: ModelCard, joint: JointNetworks, *, ensemble: bool = False) -> None:
        """By default one network predicts; an ensemble uses all of them, each with several views."""
        super().__init__(card)
        name = subtask_name(card.pair, forms=card.forms)
        if name not in joint.configs:
            raise OptionError(
                f"{card.recipe} was not trained for {name}",
                where="--pair",
                fix=f"use one of {', '.join(sorted(joint.configs))}",
            )
        self._joint, self._config, self._ensemble = joint, joint.configs[name], ensemble
        self._classes = task_classes(LanguagePair.parse(card.pair), year=card.year)
        self._task = task_of(card.pair)
        classes, factors = len(self._task.names), len(self._config.class_factors)
        if factors not in (0, classes):
            raise OptionError(
                f"{name} has {classes} classes but {factors} class factors",
                where=card.recipe,
                fix="download the model again",
            )
        self._networks = (*joint.networks,) if ensemble else (joint.networks[self._config.network],)
        self._views = ENSEMBLE_VIEWS if ensemble else self._config.views
        self._temperature = self._config.ensemble_temperature if ensemble else self._config.temperature
        self._subwords = Subwords(joint.pieces)

    @property
    def engine(self) -> str:
        """The engine of the networks: `native` or `numpy`."""
        return "native" if is_native(self._networks[0].shape) else "numpy"

    def prior(self, pronoun: str) -> NDArray[np.float64] | None:
        """How often a source pronoun had each class of the year in training; None if unknown."""
        counts = np.array(self._config.class_counts.get(pronoun.lower(), ()), dtype=np.float64)
        return self._merged(counts[None])[0] / counts.sum() if counts.any() else None

    @property
    def pairs(self) -> tuple[str, ...]:
        """The pairs that the networks were trained for, in task order."""
        names = [str(task.pair) for task in TASKS]
        return tuple(
            name
            for name in names
            if any(subtask_name(name, forms=forms) in self._joint.configs for forms in (True, False))
        )

    @cached_property
    def _scorers(self) -> tuple[SlotScorer, ...]:
        return tuple(map(fastest_scorer, self._networks))

    def for_task(self, pair: str, *, year: int, forms: bool | None = None) -> Anaphor2Model:
        """The same networks for another of their sub-tasks.

        Without `forms`, the target format is kept unless the pair was only trained in the other one.
        """
        if forms is None:
            own = self.card.forms
            known = [
                style for style in (own, not own) if subtask_name(pair, forms=style) in self._joint.configs
            ]
            forms = known[0] if known else own
        classes = task_classes(LanguagePair.parse(pair), year=year).classes
        card = replace(self.card, pair=pair, year=year, forms=forms, classes=classes)
        return Anaphor2Model(card, self._joint, ensemble=self._ensemble)

    def ensemble(self) -> Anaphor2Model:
        """The mean of all networks with nine views of the input each: slower and more accurate."""
        return Anaphor2Model(self.card, self._joint, ensemble=True)

    def with_config(self, config: DecodingConfig) -> Anaphor2Model:
        """The same model with another decoding configuration; fewer views are faster."""
        name = subtask_name(self.card.pair, forms=self.card.forms)
        joint = replace(self._joint, configs={**self._joint.configs, name: config})
        return Anaphor2Model(self.card, joint, ensemble=self._ensemble)

    def predict_slots(self, segments: Sequence[TaskSegment]) -> Iterator[Prediction]:
        """One prediction per slot; the other sentences of its document provide context."""
        fine = self._fine_probabilities(segments)
        probabilities = calibrated(self._merged(fine), self._temperature)
        # The factors favour rare classes when one is chosen, because the shared task scores the mean recall
        # of classes; the probabilities that are returned stay calibrated and know no factor.
        weighted = self._merged(fine * np.array(self._config.class_factors or 1.0))
        for number, row in zip(weighted.argmax(axis=1), probabilities.tolist(), strict=True):
            yield Prediction(self._classes.classes[number], tuple(row))

    def probabilities(self, segments: Sequence[TaskSegment]) -> NDArray[np.float64]:
        """Calibrated probabilities [slots, classes of the year]."""
        return calibrated(self._merged(self._fine_probabilities(segments)), self._temperature)

    def masked_probabilities(self, request: OcclusionRequest) -> NDArray[np.float64]:
        """Probabilities [1 + words, classes] of one slot: with all words, then with each of them masked."""
        segments = request.segments
        encoded = encode(segments, self._subwords, None, pair=self._task.pair, forms=self.card.forms)
        slot = sum(len(segment.slots) for segment in segments[: request.segment]) + request.slot
        hidden = piece_spans(segments, request.positions, encoded)
        tables = [
            masked_slot_probabilities(scorer, encoded, self._task, self._views, slot=slot, hidden=hidden)
            for scorer in self._scorers
        ]
        return calibrated(self._merged(np.asarray(np.mean(tables, axis=0))), self._temperature)

    def _fine_probabilities(self, segments: Sequence[TaskSegment]) -> NDArray[Any]:
        """Probabilities [slots, classes of the network], averaged over networks and views."""
        encoded = encode(
            within_reach(segments, self._views),
            self._subwords,
            None,
            pair=self._task.pair,
            forms=self.card.forms,
        )
        if not len(encoded.labels):
            return np.zeros((0, len(self._task.names)))
        tables = [slot_probabilities(scorer, encoded, self._task, self._views) for scorer in self._scorers]
        return np.asarray(np.mean(tables, axis=0))

    def _merged(self, fine: NDArray[Any]) -> NDArray[np.float64]:
        """Merge the finest classes into those of the year: 2016 counts *ça* as *cela*."""
        merged = np.zeros((len(fine), len(self._classes.classes)))
        for place, name in enumerate(self._task.names):
            merged[:, self._classes.classes.index(self._classes.aliases[name])] += fine[:, place]
        return merged

    def save(self, folder: Path) -> None:
        """Write the networks and their configurations."""
        save_model(folder, self.card, joint_files(self._joint))


def calibrated(probabilities: NDArray[Any], temperature: float) -> NDArray[np.float64]:
    """Flatten probabilities with a temperature above one, sharpen them below one."""
    # p ** (1 / T), normalized (Guo et al. 2017); without the largest logarithm, or all might underflow.
    powers = np.log(probabilities.astype(np.float64) + 1e-12) / temperature
    powers = np.exp(powers - powers.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))


def best_temperature(probabilities: NDArray[Any], gold: NDArray[np.int64]) -> float:
    """The temperature, on a fine grid, that maximizes the probability of the correct classes."""
    grid = np.round(np.geomspace(0.5, 3.0, 60), 3)
    rows = np.arange(len(gold))
    losses = [-np.log(calibrated(probabilities, t)[rows, gold] + 1e-12).mean() for t in grid.tolist()]
    return float(grid[int(np.argmin(losses))])


@dataclass(frozen=True, slots=True)
class Anaphor2Options(Options):
    """The hyperparameters of a network of this family."""

    pieces: int = option(12_000, "size of the subword vocabulary, built from the training data", least=1)
    width: int = option(256, "hidden size; a multiple of 64", least=64)
    layers: int = option(6, "Transformer blocks", least=1)
    steps: int = option(15_000, "training steps; on a GPU about 40 per second", least=1)
    batch: int = option(256, "windows per batch", least=1)
    rate: float = option(0.01, "learning rate of Muon; that of AdamW is a tenth of it")
    fairness: float = option(
        0.7, "how strongly to favour rare classes when choosing, from 0 to 1", least=0, most=1
    )
    device: str = option("auto", "cpu, cuda, or auto for a GPU if there is one")

    def __post_init__(self) -> None:
        Options.__post_init__(self)
        if self.width % 64:
            raise OptionError(
                f"width must be a multiple of 64, got {self.width}", where="width", fix="use 64, 128, ..."
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Anaphor2Predictor(BasePredictor[Anaphor2Model]):
    """An untrained recipe of this family."""

    options: Anaphor2Options

    def train(self, data: TrainingData) -> Anaphor2Model:
        """Train subwords and a network; development data is used for calibration."""
        from anaphor.predict.anaphor2.training import Phase, train_network

        card, options = data.card, self.options
        task = task_of(card.pair)
        counts: Counter[str] = Counter()
        for segment in data.segments:
            # What placeholders hide must not be learned, not even as a piece of a word.
            hidden = {slot.target for slot in segment.slots}
            words = (token for place, token in enumerate(segment.target) if place not in hidden)
            counts.update(map(str.lower, segment.source))
            # Of `lemma|TAG` only the lemma is cut into pieces; tags have embeddings of their own.
            counts.update((word if card.forms else word.rpartition("|")[0] or word).lower() for word in words)
        pieces = learn_pieces(counts, options.pieces)
        corpus = TrainingCorpus.of(
            data.segments, Subwords(pieces), class_numbers(card.pair), pair=task.pair, forms=card.forms
        )
        network = train_network(
            Shape(
                pieces=len(pieces),
                classes=TASKS[-1].classes.stop,
                width=options.width,
                layers=options.layers,
                heads=options.width // 64,
            ),
            corpus,
            Phase(steps=options.steps, batch=options.batch, rate=options.rate),
            pieces=pieces,
            device=options.device,
            seed=data.seed,
            progress=data.progress,
        )
        labels = corpus.encoded.labels - np.int32(task.classes.start)
        config = DecodingConfig(class_factors=class_factors(labels, len(task.names), options.fairness))
        name = subtask_name(card.pair, forms=card.forms)
        model = Anaphor2Model(card, JointNetworks(pieces, (network,), {name: config}))
        dev_labels = [slot.label for segment in data.dev for slot in segment.slots]
        if not dev_labels:
            return model
        gold = np.array([card.classes.index(label) for label in dev_labels if label is not None])
        if len(gold) != len(dev_labels):
            raise OptionError(
                "the development data withholds labels",
                where="--dev",
                fix="pass data with labels, or omit it",
            )
        temperature = best_temperature(model.probabilities(data.dev), gold)
        return model.with_config(replace(config, temperature=temperature, ensemble_temperature=temperature))


class Anaphor2Family(TorchFamily):
    """Builds predictors and loads models of anaphor-2."""

    name = NAME
    version = VERSION
    options = Anaphor2Options
    predictor_class = Anaphor2Predictor

    def read(self, folder: ModelFolder) -> Anaphor2Model:
        return Anaphor2Model(folder.card, read_joint(folder))


FAMILY = Anaphor2Family()
