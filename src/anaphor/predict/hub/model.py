"""A fine-tuned encoder as a model: it predicts, is saved, and is loaded again."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import torch

from anaphor.core import Prediction, TaskSegment, UserError
from anaphor.predict.contract import ModelCard
from anaphor.predict.hub.encoder import Encoder, load_encoder
from anaphor.predict.hub.network import HubNetwork, probabilities
from anaphor.predict.hub.settings import HubOptions
from anaphor.predict.hub.windows import WindowReader
from anaphor.predict.model_folder import ModelFolder, Writer, damaged, save_model
from anaphor.predict.neural.tensorfile import read_tensors, write_tensors
from anaphor.predict.options import parse_options

VERSION = 1
_HEAD = "head.safetensors"
#: Files of an encoder that are kept; none of them can run.
_SUFFIXES = (".json", ".safetensors", ".txt", ".model")


@dataclass(frozen=True, slots=True, eq=False)
class HubModel:
    """An encoder with its layer of classes; `present` are the numbers of those that training had."""

    card: ModelCard
    encoder: Encoder
    network: HubNetwork
    present: tuple[int, ...]
    options: HubOptions

    def predict(self, segments: Sequence[TaskSegment]) -> Iterator[tuple[Prediction, ...]]:
        """One prediction a slot; the sentences around it in its document are context."""
        reader = WindowReader(self.encoder, self.options, self.card.forms)
        rows = iter(probabilities(self.network, list(reader.windows(segments)), self.present).tolist())
        for segment in segments:
            yield tuple(self._prediction(next(rows)) for _ in segment.slots)

    def _prediction(self, row: Sequence[float]) -> Prediction:
        return Prediction(self.card.classes[int(np.argmax(row))], tuple(row))

    def save(self, folder: Path) -> None:
        """The encoder and its tokeniser as transformers writes them, our layer beside them."""
        with tempfile.TemporaryDirectory() as temporary:
            self.encoder.network.save_pretrained(temporary)
            self.encoder.tokenizer.save_pretrained(temporary)
            found = sorted(path for path in Path(temporary).iterdir() if path.suffix in _SUFFIXES)
            files: dict[str, Writer] = {path.name: partial(shutil.copyfile, path) for path in found}
            files[_HEAD] = self._write_head
            save_model(folder, self.card, files)

    def _write_head(self, path: Path) -> None:
        head = self.network.head
        arrays = {
            "weight": head.weight.detach().cpu().numpy(),
            "bias": head.bias.detach().cpu().numpy(),
            "present": np.array(self.present, np.int64),
        }
        write_tensors(path, arrays)


def load_hub(folder: ModelFolder, device: torch.device) -> HubModel:
    """The model of a folder; nothing is looked up anywhere else."""
    folder.check_version(VERSION)
    card, path = folder.card, folder.file(_HEAD)
    try:
        options = parse_options(HubOptions, card.options, where=str(folder.path))
    except UserError as error:
        raise damaged(folder.path, error.what) from None
    encoder = load_encoder(str(folder.path), download=False, recipe=card.recipe)
    network = HubNetwork(encoder, len(card.classes))
    head = read_tensors(path).arrays
    try:
        weights = {name: torch.from_numpy(np.array(head[name])) for name in ("weight", "bias")}
        network.head.load_state_dict(weights)
        present = tuple(int(number) for number in head["present"])
    except (KeyError, RuntimeError, TypeError, ValueError):
        raise damaged(path, "the layer of classes does not fit") from None
    if not present or not set(present) <= set(range(len(card.classes))):
        raise damaged(path, "the classes that were learned cannot be")
    return HubModel(card, encoder, network.to(device), present, options)
