"""Encoders of others as a family of recipes; torch and transformers are imported when one is used."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from anaphor.core import OptionError, TaskSegment
from anaphor.predict.contract import Progress
from anaphor.predict.data import card_of, check_training
from anaphor.predict.hub.settings import NAME, HubOptions
from anaphor.predict.model_folder import ModelFolder
from anaphor.predict.options import parse_options, require_package
from anaphor.task.classes import TaskClasses

if TYPE_CHECKING:
    from anaphor.predict.hub.model import HubModel
    from anaphor.predict.hub.training import Examples
    from anaphor.predict.hub.windows import WindowReader


@dataclass(frozen=True, slots=True)
class HubPredictor:
    """A recipe of this family, ready to learn."""

    recipe: str
    options: HubOptions

    @property
    def settings(self) -> dict[str, Any]:
        """The options by their names; where a file lay and whether it was fetched is not kept."""
        kept = asdict(self.options)
        return {name: kept[name] for name in kept if name not in ("encoder", "download", "device")}

    def fit(
        self,
        segments: Sequence[TaskSegment],
        *,
        classes: TaskClasses,
        dev: Sequence[TaskSegment] = (),
        seed: int = 1,
        progress: Progress | None = None,
    ) -> HubModel:
        """Fine-tune the encoder; `dev` chooses the epoch."""
        import torch

        from anaphor.predict.hub.encoder import load_encoder
        from anaphor.predict.hub.model import VERSION, HubModel
        from anaphor.predict.hub.network import HubNetwork
        from anaphor.predict.hub.training import fine_tune
        from anaphor.predict.hub.windows import WindowReader
        from anaphor.predict.neural.device import chosen_device

        present = check_training(segments, classes)
        card = card_of(self, segments, dev, classes, family=NAME, version=VERSION)
        encoder = load_encoder(self.options.encoder, download=self.options.download, recipe=self.recipe)
        reader = WindowReader(encoder, self.options, card.forms)
        torch.manual_seed(seed)
        network = HubNetwork(encoder, len(card.classes)).to(chosen_device(self.options.device))
        held = [one for one in dev if all(slot.label is not None for slot in one.slots)]
        fine_tune(
            network,
            _examples(reader, segments, card.classes),
            _examples(reader, held, card.classes) if any(one.slots for one in held) else None,
            options=self.options,
            seed=seed,
            progress=progress,
        )
        numbers = tuple(card.classes.index(label) for label in present)
        return HubModel(card, encoder, network, numbers, self.options)


def _examples(reader: WindowReader, segments: Sequence[TaskSegment], classes: Sequence[str]) -> Examples:
    import numpy as np

    from anaphor.predict.hub.training import Examples

    labels = [classes.index(str(slot.label)) for segment in segments for slot in segment.slots]
    return Examples(list(reader.windows(segments)), np.array(labels, dtype=np.int64))


class _Family:
    """Builds and loads encoders with a layer of classes."""

    options = HubOptions

    def build(self, recipe: Mapping[str, Any]) -> HubPredictor:
        name = str(recipe.get("name", NAME))
        _need_packages(name)
        options = parse_options(HubOptions, recipe.get("options", {}), where=f"{name}, options")
        if recipe.get("features"):
            raise OptionError(
                "the recipe has features", where=name, fix="remove [features]: encoders read words"
            )
        if not options.encoder:
            raise OptionError("no encoder", where=name, fix="name a folder or a model of a hub: --encoder")
        from anaphor.predict.neural.device import chosen_device

        chosen_device(options.device)
        return HubPredictor(name, options)

    def load(self, folder: ModelFolder) -> HubModel:
        _need_packages(folder.card.recipe)
        from anaphor.predict.hub.model import load_hub
        from anaphor.predict.neural.device import chosen_device

        return load_hub(folder, chosen_device("auto"))


def _need_packages(recipe: str) -> None:
    for package in ("torch", "transformers"):
        require_package(package, package=package, extra="hub", recipe=recipe)


FAMILY = _Family()
