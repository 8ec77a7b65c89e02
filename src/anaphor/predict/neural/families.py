"""The neural families as recipes name them; `torch` is imported when one of them is built or loaded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from anaphor.core import OptionError
from anaphor.predict.model_folder import ModelFolder
from anaphor.predict.neural.settings import RunOptions, TrainingOptions, check_choices, split_options

if TYPE_CHECKING:
    from anaphor.predict.neural.model import NeuralModel
    from anaphor.predict.neural.predictor import NeuralPredictor


@dataclass(frozen=True, slots=True)
class NeuralFamily:
    """An architecture by its name."""

    name: str

    def build(self, recipe: Mapping[str, Any]) -> NeuralPredictor:
        """The predictor of a recipe; a missing package, device or option is an error now."""
        _require_torch(self.name)
        from anaphor.predict.neural.architectures import ARCHITECTURES, check_shape
        from anaphor.predict.neural.device import chosen_device
        from anaphor.predict.neural.predictor import NeuralPredictor

        where = str(recipe.get("name", self.name))
        kinds = (TrainingOptions, RunOptions, ARCHITECTURES[self.name].options)
        training, run, shape = split_options(recipe.get("options", {}), kinds, where=where)
        check_choices(training, run, where=where)
        check_shape(shape, where=where)
        if recipe.get("features"):
            raise OptionError(
                "a neural recipe has features", where=where, fix="remove [features]: networks read words"
            )
        chosen_device(run.device)
        return NeuralPredictor(recipe=where, family=self.name, shape=shape, training=training, run=run)

    def load(self, folder: ModelFolder) -> NeuralModel:
        """The model of a folder, on a graphics card where there is one."""
        _require_torch(self.name)
        from anaphor.predict.neural.device import chosen_device
        from anaphor.predict.neural.model import load_neural

        return load_neural(folder, chosen_device("auto"))


def _require_torch(family: str) -> None:
    if find_spec("torch") is None:
        raise OptionError(
            f"{family} needs torch, which is not installed",
            where="family",
            fix="run pip install 'anaphor[neural]'",
        )


TURKU = NeuralFamily("neural/turku")
UKYOTO = NeuralFamily("neural/ukyoto")
UPPSALA = NeuralFamily("neural/uppsala")
NYU = NeuralFamily("neural/nyu")
LATENT = NeuralFamily("neural/latent")
CONVOLUTION = NeuralFamily("neural/convolution")
