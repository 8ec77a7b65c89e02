"""Neural predictors: fitting an architecture; predicting with a model, saving and loading it."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch

from anaphor.core import InputError, LanguagePair, Prediction, TaskSegment, digest
from anaphor.core.array_types import Doubles
from anaphor.core.progress import ShareProgress
from anaphor.files.arrays import read_arrays, write_arrays
from anaphor.files.writing import write_atomically
from anaphor.predict.base import BaseModel, BasePredictor, TrainingData
from anaphor.predict.contract import ModelCard
from anaphor.predict.data import describe
from anaphor.predict.device import chosen_device
from anaphor.predict.model_folder import ModelFolder, damaged, read_json, save_model
from anaphor.recipes.neural import training
from anaphor.recipes.neural.contexts import ContextArrays, ContextReader
from anaphor.recipes.neural.convolution import Convolution
from anaphor.recipes.neural.latent import Latent
from anaphor.recipes.neural.network import SlotNetwork
from anaphor.recipes.neural.nyu import Nyu
from anaphor.recipes.neural.options import NetworkOptions
from anaphor.recipes.neural.tensors import ContextTensors
from anaphor.recipes.neural.training import Weights, below, probabilities, set_weights
from anaphor.recipes.neural.turku import Turku
from anaphor.recipes.neural.ukyoto import Ukyoto
from anaphor.recipes.neural.uppsala import Uppsala
from anaphor.recipes.neural.vocabulary import Vocabularies, learn_vocabularies, vocabularies_from_json

_WEIGHTS, _VOCABULARIES = "weights.safetensors", "vocabularies.json"
_SEGMENTS_AT_ONCE = 2000  # whose contexts are in memory together


#: The architectures by the names of their families; each takes vocabularies, number of classes and options.
ARCHITECTURES: Mapping[str, type[SlotNetwork]] = {
    "neural/turku": Turku,
    "neural/ukyoto": Ukyoto,
    "neural/uppsala": Uppsala,
    "neural/nyu": Nyu,
    "neural/latent": Latent,
    "neural/convolution": Convolution,
}


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class NeuralModel(BaseModel):
    """Weights of one or several snapshots of a network, and their shares in the mixture.

    `present` are the numbers of the classes seen in training; others are never predicted.
    """

    vocabularies: Vocabularies
    network: SlotNetwork
    snapshots: tuple[Weights, ...]
    shares: Doubles
    present: tuple[int, ...]
    device: torch.device

    def predict_slots(self, segments: Sequence[TaskSegment]) -> Iterator[Prediction]:
        """One prediction per slot; the preceding sentence of the document is context."""
        pair = LanguagePair.parse(self.card.pair)
        reader = ContextReader(pair, forms=self.card.forms, classes=self.card.classes)
        for start in range(0, len(segments), _SEGMENTS_AT_ONCE):
            part = segments[start : start + _SEGMENTS_AT_ONCE]
            before = segments[max(0, start - 1) : start]
            table = self.probabilities(reader.read([*before, *part]))
            # The slots of the segment before were predicted with the previous part.
            for row in table[sum(len(segment.slots) for segment in before) :]:
                yield Prediction(self.card.classes[int(row.argmax())], tuple(row.tolist()))

    def probabilities(self, contexts: ContextArrays) -> Doubles:
        """The probabilities of all slots, [slots, classes]."""
        if not len(contexts.slots):
            return np.zeros((0, len(self.card.classes)))
        tensors = ContextTensors(contexts, self.vocabularies, self.device)
        members = []
        for weights in self.snapshots:
            set_weights(self.network, weights)
            members.append(probabilities(self.network, tensors))
        mixed = np.tensordot(self.shares, np.stack(members), axes=1)
        shares = np.zeros_like(mixed)
        shares[:, self.present] = mixed[:, self.present]
        total: Doubles = shares / shares.sum(axis=1, keepdims=True)
        return total

    def save(self, folder: Path) -> None:
        """Write the card, weights as safetensors and vocabularies as JSON."""
        words = {name: vocabulary.words for name, vocabulary in self.vocabularies.items()}
        content = json.dumps(words, ensure_ascii=False)
        arrays: Weights = {"shares": self.shares, "present": np.array(self.present, np.int64)}
        for number, weights in enumerate(self.snapshots):
            arrays |= {f"{number}/{name}": array for name, array in weights.items()}
        save_model(
            folder,
            self.card,
            {
                _WEIGHTS: lambda path: write_arrays(path, arrays),
                _VOCABULARIES: lambda path: write_atomically(path, content + "\n"),
            },
        )


def load_neural(folder: ModelFolder, options: NetworkOptions, device: torch.device) -> NeuralModel:
    """The model in a folder; every part is checked against the others before it is used."""
    card, path = folder.card, folder.file(_WEIGHTS)
    architecture = ARCHITECTURES[card.family]
    file = folder.file(_VOCABULARIES)
    vocabularies = vocabularies_from_json(read_json(file), architecture.fields, where=str(file))
    arrays = read_arrays(path, what="safetensors file").arrays
    try:
        shares = np.array(arrays["shares"], np.float64)
        present = tuple(int(number) for number in arrays["present"])
        valid = (
            shares.ndim == 1
            and len(shares) > 0
            and bool((shares >= 0).all())
            and abs(shares.sum() - 1) < 1e-6
        )
        if not valid or not present or not set(present) <= set(range(len(card.classes))):
            raise ValueError
    except (KeyError, ValueError, TypeError):
        raise damaged(path, "the shares of its snapshots or its classes are invalid") from None
    try:
        with torch.device("meta"):  # no memory is allocated before the shapes are known to fit the file
            network = architecture(vocabularies, len(card.classes), options)
    except (RuntimeError, TypeError, OverflowError):  # torch cannot count so many weights
        raise damaged(path, "the card announces an implausible size") from None
    expected = {name: tuple(tensor.shape) for name, tensor in network.state_dict().items()}
    snapshots = []
    for number in range(len(shares)):
        weights = below(f"{number}/", arrays)
        shapes = {name: array.shape for name, array in weights.items() if array.dtype.kind == "f"}
        if shapes != expected or not all(np.isfinite(array).all() for array in weights.values()):
            raise InputError(
                "the weights do not have the shapes that the card implies, or are not finite",
                where=str(path),
                fix="copy the whole folder again, or train the model again",
            )
        snapshots.append(weights)
    network.to_empty(device=device)
    return NeuralModel(
        card=card,
        vocabularies=vocabularies,
        network=network,
        snapshots=tuple(snapshots),
        shares=shares,
        present=present,
        device=device,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class NeuralPredictor(BasePredictor[NeuralModel]):
    """An architecture ready to be fitted."""

    options: NetworkOptions

    @property
    def dev_purpose(self) -> str:
        return "it determines when training stops and which epoch is kept"

    def train(self, data: TrainingData) -> NeuralModel:
        """Train; without development data training continues to its last epoch."""
        data.progress("reading", 0.0)
        classes, dev = data.classes, data.labelled_dev
        reader = ContextReader(classes.pair, forms=data.forms, classes=classes.classes)
        # Unlabelled development data has no effect, so the card does not count it.
        trained_on = {**data.card.trained_on, "dev": describe(dev)}
        return self.fit_contexts(
            reader.read(data.segments),
            reader.read(dev) if any(segment.slots for segment in dev) else None,
            card=replace(data.card, trained_on=trained_on),
            seed=data.seed,
            progress=data.progress,
        )

    def fit_contexts(
        self,
        train: ContextArrays,
        dev: ContextArrays | None,
        *,
        card: ModelCard,
        seed: int,
        progress: ShareProgress | None = None,
    ) -> NeuralModel:
        """Train on contexts that were read before; the card says whose they are."""
        begun, options = time.monotonic(), self.options
        device = chosen_device(options.device)
        architecture = ARCHITECTURES[self.family]
        vocabularies = learn_vocabularies(
            train, architecture.fields, least=options.least, most=options.vocabulary
        )
        torch.manual_seed(seed)
        network = architecture(vocabularies, len(card.classes), options).to(device)
        dev_tensors = None if dev is None else ContextTensors(dev, vocabularies, device)
        checkpoint = None
        if options.checkpoint:
            facts = [card.family, card.pair, card.year, card.options, card.trained_on, seed]
            run = digest([json.dumps(facts, sort_keys=True).encode()])
            checkpoint = training.Checkpoint(Path(options.checkpoint), run)
        snapshots = training.NetworkTrainer(
            network=network,
            train=ContextTensors(train, vocabularies, device),
            dev=dev_tensors,
            classes=len(card.classes),
            options=options,
            seed=seed,
            deadline=begun + 60 * options.minutes if options.minutes else None,
            checkpoint=checkpoint,
            progress=progress,
        ).run()
        shares: Doubles = np.full(len(snapshots), 1 / len(snapshots))
        if len(snapshots) > 1 and dev_tensors is not None:
            labels = dev_tensors.contexts.slots.label
            right = []
            for weights in snapshots:
                set_weights(network, weights)
                right.append(probabilities(network, dev_tensors)[np.arange(len(labels)), labels])
            shares = training.mixture_shares(right)
        return NeuralModel(
            card=card,
            vocabularies=vocabularies,
            network=network,
            snapshots=tuple(snapshots),
            shares=shares,
            present=tuple(sorted(set(train.slots.label.tolist()))),
            device=device,
        )
