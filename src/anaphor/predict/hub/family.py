"""The family of recipes with a pretrained encoder; torch and transformers are imported when one is used."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from anaphor.core import OptionError
from anaphor.predict.base import BasePredictor, TrainingData
from anaphor.predict.hub.options import HubOptions
from anaphor.predict.model_folder import ModelFolder
from anaphor.predict.torch_family import TorchFamily

if TYPE_CHECKING:
    from anaphor.predict.hub.model import HubModel

NAME = "hub"


def with_encoder(
    settings: Mapping[str, Any], *, encoder: str | None, download: bool, device: str | None = None
) -> dict[str, Any]:
    """The settings of a recipe with another encoder, with permission to download it, or another device."""
    if settings.get("family") != NAME:
        raise OptionError(
            "--encoder and --allow-download are for recipes of the family hub",
            where=str(settings.get("name", "recipe")),
            fix="omit these options",
        )
    given = {"encoder": encoder, "download": download or None, "device": device}
    changed = {name: value for name, value in given.items() if value is not None}
    return {**settings, "options": {**settings.get("options", {}), **changed}}


@dataclass(frozen=True, slots=True, kw_only=True)
class HubPredictor(BasePredictor["HubModel"]):
    """An untrained recipe of this family."""

    options: HubOptions

    def train(self, data: TrainingData) -> HubModel:
        """Fine-tune the encoder; development data chooses the epoch."""
        import torch

        from anaphor.predict.device import chosen_device
        from anaphor.predict.hub.encoder import WindowReader, load_encoder
        from anaphor.predict.hub.model import HubModel, HubNetwork, LabelledWindows, fine_tune

        card, options = data.card, self.options
        encoder = load_encoder(options.encoder, download=options.download, recipe=self.recipe)
        reader = WindowReader(encoder, options, card.forms)
        torch.manual_seed(data.seed)
        network = HubNetwork(encoder, len(card.classes)).to(chosen_device(options.device))
        dev = None
        if any(segment.slots for segment in data.labelled_dev):
            dev = LabelledWindows.of(reader, data.labelled_dev, card.classes)
        train = LabelledWindows.of(reader, data.segments, card.classes)
        fine_tune(network, train, dev, options=options, seed=data.seed, progress=data.progress)
        numbers = tuple(card.classes.index(label) for label in data.labels)
        return HubModel(card, encoder, network, numbers, options)


class HubFamily(TorchFamily):
    """Builds and loads encoders with a classification layer."""

    name = NAME
    version = 1
    options = HubOptions
    predictor_class = HubPredictor
    packages = (("torch", "torch"), ("transformers", "transformers"))
    extra = "hub"
    local_options = ("encoder", "download", "device")

    def predictor(self, options: HubOptions, given: Mapping[str, Any], **common: Any) -> BasePredictor[Any]:
        if not options.encoder:
            raise OptionError(
                "no encoder",
                where=common["recipe"],
                fix="specify a folder or a model of a hub with --encoder",
            )
        return super().predictor(options, given, **common)

    def read(self, folder: ModelFolder) -> HubModel:
        self.require_packages(folder.card.recipe, self.packages)
        from anaphor.predict.device import chosen_device
        from anaphor.predict.hub.model import load_hub

        return load_hub(folder, self.options_of(folder), chosen_device("auto"))


FAMILY = HubFamily()
