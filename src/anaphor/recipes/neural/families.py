"""The neural families; `torch` is imported when a recipe is built or a model loaded."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anaphor.core import OptionError
from anaphor.predict.model_folder import ModelFolder
from anaphor.predict.torch_family import TorchFamily
from anaphor.recipes.neural import options

if TYPE_CHECKING:
    from anaphor.recipes.neural.model import NeuralModel, NeuralPredictor

_PREFIX = "neural/"


def has_networks(settings: Mapping[str, Any]) -> bool:
    """Whether a recipe is a network, or contains one."""
    is_network = str(settings.get("family")).startswith(_PREFIX)
    return is_network or any(has_networks(member) for member in _members(settings))


def with_run_options(
    settings: Mapping[str, Any], *, device: str = "auto", minutes: float = 0.0, checkpoint: str = ""
) -> dict[str, Any]:
    """A recipe's settings, with the options of a run added to each of its networks.

    Networks inside a recipe share its minutes, and each has its own folder inside the checkpoint.
    """
    if not has_networks(settings):
        raise OptionError(
            "device, minutes and checkpoint are for networks, and the recipe has none",
            where=str(settings.get("name", "recipe")),
            fix="omit these options",
        )
    if str(settings.get("family")).startswith(_PREFIX):
        run = {"device": device, "minutes": minutes, "checkpoint": checkpoint}
        return {**settings, "options": {**settings.get("options", {}), **run}}
    members = _members(settings)
    share = minutes / sum(map(has_networks, members))
    changed = []
    for number, member in enumerate(members):
        if has_networks(member):
            folder = str(Path(checkpoint, str(number))) if checkpoint else ""
            member = with_run_options(member, device=device, minutes=share, checkpoint=folder)
        changed.append(dict(member))
    return {**settings, "members": changed}


def _members(settings: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    members = settings.get("members", [])
    return list(members) if isinstance(members, list) else []


def _predictor(**fields: Any) -> NeuralPredictor:
    from anaphor.recipes.neural.model import NeuralPredictor

    return NeuralPredictor(**fields)


class NeuralFamily(TorchFamily):
    """The family of one architecture."""

    version = 1
    local_options = options.RUN_OPTIONS
    predictor_class = staticmethod(_predictor)

    def __init__(self, name: str, kind: type[options.NetworkOptions]) -> None:
        self.name, self.options = name, kind

    def read(self, folder: ModelFolder) -> NeuralModel:
        """The model in a folder, on a GPU if there is one."""
        self.require_packages(folder.card.recipe, self.packages)
        from anaphor.predict.device import chosen_device
        from anaphor.recipes.neural.model import load_neural

        return load_neural(folder, self.options_of(folder), chosen_device("auto"))


TURKU = NeuralFamily("neural/turku", options.TurkuOptions)
UKYOTO = NeuralFamily("neural/ukyoto", options.UkyotoOptions)
UPPSALA = NeuralFamily("neural/uppsala", options.UppsalaOptions)
NYU = NeuralFamily("neural/nyu", options.NyuOptions)
LATENT = NeuralFamily("neural/latent", options.LatentOptions)
CONVOLUTION = NeuralFamily("neural/convolution", options.ConvolutionOptions)
