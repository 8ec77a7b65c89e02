"""A family whose recipes have options and no features of their own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from anaphor.predict.contract import Model, Predictor
from anaphor.predict.model_folder import ModelFolder
from anaphor.predict.options import settings_of


@dataclass(frozen=True, slots=True)
class OptionFamily:
    """`predictor` is made of a name, options and the settings as a model keeps them; `read` loads a model."""

    name: str
    version: int
    options: type[Any]
    predictor: Callable[[str, Any, Mapping[str, Any]], Predictor]
    read: Callable[[ModelFolder], Model]

    def build(self, recipe: Mapping[str, Any]) -> Predictor:
        """The predictor of a recipe with `options`."""
        name, settings = str(recipe.get("name", self.name)), recipe.get("options", {})
        options = settings_of(self.options, settings, where=f"{name}, options")
        return self.predictor(name, options, {"options": settings})

    def load(self, folder: ModelFolder) -> Model:
        """The model of a folder."""
        folder.check_version(self.version)
        return self.read(folder)
