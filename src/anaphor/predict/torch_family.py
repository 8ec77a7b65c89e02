"""The base of families that train with torch, which is imported when a recipe is built or a model loaded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from anaphor.core import UserError
from anaphor.predict.base import BaseFamily, BasePredictor
from anaphor.predict.model_folder import ModelFolder, damaged

#: Values of the option `device`.
DEVICES = ("auto", "cpu", "cuda")


class TorchFamily(BaseFamily):
    """A family that trains with torch, on the device that its options name.

    Cards keep all options except `local_options`, which only apply to one machine or run.
    """

    packages: tuple[tuple[str, str], ...] = (("torch", "torch"),)
    extra = "neural"
    local_options: tuple[str, ...] = ()

    def predictor(self, options: Any, given: Mapping[str, Any], **common: Any) -> BasePredictor[Any]:
        from anaphor.predict.device import chosen_device

        chosen_device(options.device)  # a missing device is an error before any data is read
        return super().predictor(options, given, **common)

    def settings(self, options: Any, recipe: Mapping[str, Any]) -> Mapping[str, Any]:  # noqa: ARG002
        # Lists instead of tuples, so that a loaded card equals the saved one.
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in asdict(options).items()
            if name not in self.local_options
        }

    def options_of(self, folder: ModelFolder) -> Any:
        try:
            return self.parse(folder.card.options, where=str(folder.path))
        except UserError as error:
            raise damaged(folder.path, error.what) from None
