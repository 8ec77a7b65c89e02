"""Recipes of the family `server`, which need an address instead of training."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from anaphor.core import OptionError
from anaphor.core.table import Block, Paragraph
from anaphor.predict.contract import ModelCard
from anaphor.predict.families import build_predictor
from anaphor.predict.model_folder import save_model, subtask_files
from anaphor.predict.server.client import ServerOptions
from anaphor.predict.server.consent import check_confirmed, confirm
from anaphor.predict.server.model import NAME, ServerPredictor
from anaphor.recipes.recipe import load_recipe
from anaphor.task.classes import TaskClasses


@dataclass(frozen=True, slots=True)
class ConnectedModel:
    """A model folder that represents a model on a server."""

    card: ModelCard
    output: str

    def to_dict(self) -> dict[str, Any]:
        return {"output": self.output, **asdict(self.card)}

    def tables(self) -> list[Block]:
        card = self.card
        shown = ", ".join(f"{name} {value}" for name, value in card.options["options"].items())
        return [Paragraph([f"{self.output}: {card.recipe} for {card.pair} {card.year}", shown])]


def connect(
    output: str | Path, *, classes: TaskClasses, recipe: str = "language-model", **options: Any
) -> ConnectedModel:
    """Write a model folder for a model on a server, without sending anything; `options` are `ServerOptions`.

    A server, key variable or answer folder is only used if it was given here once, on this machine: a
    third-party folder or recipe cannot choose them.
    """
    settings = load_recipe(recipe).settings
    predictor = build_predictor({**settings, "options": {**settings.get("options", {}), **options}})
    if not isinstance(predictor, ServerPredictor):
        raise OptionError(
            f"{recipe} belongs to the family {settings['family']}, which is trained",
            where=recipe,
            fix=f"train it with `anaphor predict train`, or use a recipe of the family {NAME}",
        )
    # Only what the caller gave counts as confirmed, never what the recipe says.
    own = {name: options[name] for name in ("server", "key_variable", "cache") if name in options}
    if "server" in own:
        confirm(ServerOptions(**own))
    check_confirmed(predictor.options)
    # Nothing was trained, so that the card must not describe an empty training set.
    card = replace(predictor.card((), classes, ()), trained_on={})
    save_model(Path(output), card, subtask_files(classes))
    return ConnectedModel(card, str(output))
