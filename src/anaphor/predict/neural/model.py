"""A neural predictor after training: it predicts, is saved, and is loaded again."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from anaphor.core import InputError, LanguagePair, Prediction, TaskSegment, UserError
from anaphor.corpus import write_atomically
from anaphor.predict.contract import ModelCard
from anaphor.predict.model_folder import ModelFolder, damaged, save_model
from anaphor.predict.neural.architectures import ARCHITECTURES
from anaphor.predict.neural.batching import Floats
from anaphor.predict.neural.checkpoint import Weights, set_weights
from anaphor.predict.neural.learning import probabilities
from anaphor.predict.neural.mixing import mixed
from anaphor.predict.neural.network import Network
from anaphor.predict.neural.reading import SceneReader
from anaphor.predict.neural.scenes import Scenes
from anaphor.predict.neural.settings import TrainingOptions, split_options
from anaphor.predict.neural.tensorfile import read_tensors, write_tensors
from anaphor.predict.neural.tensors import SceneTensors
from anaphor.predict.neural.vocabulary import Vocabularies, vocabularies_as_json, vocabularies_from_json

VERSION = 1
_WEIGHTS, _VOCABULARIES = "weights.safetensors", "vocabularies.json"
_AT_ONCE = 2000  # segments whose scenes are in memory together


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class NeuralModel:
    """Weights of one or several states of a network, and what each of them counts.

    `present` are the numbers of the classes that training had; the others are never predicted.
    """

    card: ModelCard
    vocabularies: Vocabularies
    network: Network
    snapshots: tuple[Weights, ...]
    shares: Floats
    present: tuple[int, ...]
    device: torch.device

    def predict(self, segments: Sequence[TaskSegment]) -> Iterator[tuple[Prediction, ...]]:
        """A prediction for each slot; the sentence before is looked at within a document."""
        pair = LanguagePair.parse(self.card.pair)
        reader = SceneReader.of(pair, forms=self.card.forms, classes=self.card.classes)
        for start in range(0, len(segments), _AT_ONCE):
            part = segments[start : start + _AT_ONCE]
            context = segments[max(0, start - 1) : start]
            rows = iter(self.probabilities(reader.read([*context, *part])))
            for _ in (slot for segment in context for slot in segment.slots):
                next(rows)  # what the part before has predicted already
            for segment in part:
                yield tuple(self._prediction(next(rows)) for _ in segment.slots)

    def probabilities(self, scenes: Scenes) -> Floats:
        """The probabilities of all slots of scenes, [slots, classes]."""
        if not len(scenes.slots):
            return np.zeros((0, len(self.card.classes)))
        tensors = SceneTensors(scenes, self.vocabularies, self.device)
        members = []
        for weights in self.snapshots:
            set_weights(self.network, weights)
            members.append(probabilities(self.network, tensors))
        found = np.zeros_like(members[0])
        found[:, self.present] = mixed(members, self.shares)[:, self.present]
        total: Floats = found / found.sum(axis=1, keepdims=True)
        return total

    def save(self, folder: Path) -> None:
        """Card, weights as safetensors and vocabularies as JSON."""
        content = json.dumps(vocabularies_as_json(self.vocabularies), ensure_ascii=False)
        save_model(
            folder,
            self.card,
            {
                _WEIGHTS: lambda path: write_tensors(path, self._arrays()),
                _VOCABULARIES: lambda path: write_atomically(path, content + "\n"),
            },
        )

    def _arrays(self) -> Weights:
        arrays: Weights = {"shares": self.shares, "present": np.array(self.present, np.int64)}
        for number, weights in enumerate(self.snapshots):
            arrays |= {f"{number}/{name}": array for name, array in weights.items()}
        return arrays

    def _prediction(self, row: Floats) -> Prediction:
        return Prediction(self.card.classes[int(row.argmax())], tuple(row.tolist()))


def load_neural(folder: ModelFolder, device: torch.device) -> NeuralModel:
    """The model of a folder; every part is checked against the others before it is used."""
    folder.check_version(VERSION)
    card, path = folder.card, folder.file(_WEIGHTS)
    architecture = ARCHITECTURES[card.family]
    try:
        _, shape = split_options(card.options, (TrainingOptions, architecture.options), where=str(path))
    except UserError as error:
        raise damaged(folder.path, error.what) from None
    content = folder.file(_VOCABULARIES)
    words = _json(content)
    vocabularies = vocabularies_from_json(words, architecture.fields, where=str(content))
    arrays = dict(read_tensors(path).arrays)
    shares, present = _mixture(arrays, path, classes=len(card.classes))
    with torch.device("meta"):  # no memory is taken before the shapes are known to fit the file
        network = architecture.make(vocabularies, len(card.classes), shape)
    snapshots = tuple(_snapshot(arrays, number, network, path) for number in range(len(shares)))
    network.to_empty(device=device)
    return NeuralModel(
        card=card,
        vocabularies=vocabularies,
        network=network,
        snapshots=snapshots,
        shares=shares,
        present=present,
        device=device,
    )


def _json(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError):
        raise damaged(path, "not JSON") from None


def _mixture(arrays: Mapping[str, Any], path: Path, *, classes: int) -> tuple[Floats, tuple[int, ...]]:
    """Shares of the snapshots and numbers of the classes, if they are such."""
    try:
        shares, present = np.array(arrays["shares"], np.float64), arrays["present"]
        known = tuple(int(number) for number in present)
        sound = shares.ndim == 1 and bool((shares >= 0).all()) and abs(shares.sum() - 1) < 1e-6
        if not sound or not known or not set(known) <= set(range(classes)):
            raise ValueError
    except (KeyError, ValueError, TypeError):
        raise damaged(path, "the shares of its parts cannot be") from None
    return shares, known


def _snapshot(arrays: Mapping[str, Any], number: int, network: Network, path: Path) -> Weights:
    prefix = f"{number}/"
    weights = {n.removeprefix(prefix): array for n, array in arrays.items() if n.startswith(prefix)}
    expected = {name: tuple(tensor.shape) for name, tensor in network.state_dict().items()}
    if {name: array.shape for name, array in weights.items()} != expected:
        raise InputError(
            "the weights do not have the shape that the card tells",
            where=str(path),
            fix="copy the whole folder again, or train the model again",
        )
    return weights
