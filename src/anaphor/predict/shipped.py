"""Trained models that come with the package, found by name, and models of the user, found by path."""

from __future__ import annotations

from importlib.resources import as_file, files
from pathlib import Path

from anaphor.core import OptionError, UnknownNameError
from anaphor.predict.contract import CarefulModel, JointModel, Model
from anaphor.predict.families import load_model
from anaphor.predict.model_folder import CARD
from anaphor.predict.recipe import known_recipes

_FOLDER = "models"


def shipped_models() -> tuple[str, ...]:
    """The names of the models that ship, in alphabetical order."""
    folder = files("anaphor.predict") / _FOLDER
    if not folder.is_dir():
        return ()
    return tuple(sorted(entry.name for entry in folder.iterdir() if (entry / CARD).is_file()))


def find_model(
    name: str,
    *,
    pair: str | None = None,
    year: int | None = None,
    forms: bool | None = None,
    careful: bool = False,
) -> Model:
    """The model in a folder, or the one that ships under this name; a folder comes first.

    A model that learned several sub-tasks is given for the one that `pair` and `year` name, and for word
    `forms` or lemmas. `careful` asks for one that takes longer and is right more often.
    """
    model = _for_task(_find(name), pair, year, forms)
    if not careful:
        return model
    if isinstance(model, CarefulModel):
        return model.with_care()
    raise OptionError(
        f"{name} is a {model.card.family} and knows one way to predict",
        where="--careful",
        fix="leave it out; it is for anaphor-1",
    )


def in_style(model: Model, *, forms: bool) -> Model:
    """A model that learned both styles of targets, for the one that data has; any other as it is."""
    return _for_task(model, None, None, forms)


def _for_task(model: Model, pair: str | None, year: int | None, forms: bool | None) -> Model:
    if not isinstance(model, JointModel) or (pair, year, forms) == (None, None, None):
        return model
    card = model.card
    return model.for_task(pair or card.pair, year=year or card.year, forms=forms)


def _find(name: str) -> Model:
    if Path(name).is_dir():
        return load_model(Path(name))
    if name in shipped_models():
        with as_file(files("anaphor.predict") / _FOLDER / name) as folder:
            return load_model(folder)
    if name in known_recipes():
        raise OptionError(
            f"the recipe {name} comes without a trained model",
            where="MODEL",
            fix=f"train one: anaphor predict train {name} --pair ... --train ... --output {name}",
        )
    names = shipped_models() or ("none ships; give the folder that `anaphor predict train` wrote",)
    raise UnknownNameError.among(name, names, kind="model", where="MODEL")
