"""Trained models that ship with the package, found by name, and the user's own models, found by path."""

from __future__ import annotations

from pathlib import Path

from anaphor.core import OptionError, UnknownNameError, digest
from anaphor.core.learned import learned_components, learned_folder
from anaphor.predict.contract import JointModel, Model, ModelWithEnsemble
from anaphor.predict.families import load_model
from anaphor.predict.model_folder import CARD

_MODELS = "predict/models"


def shipped_models() -> tuple[str, ...]:
    """The names of the models that ship, in alphabetical order."""
    return tuple(learned_components(_MODELS))


def default_model(pair: str | None) -> str:
    """The name of the model that ships for a pair."""
    return "anaphor-2-es" if pair == "en-es" else "anaphor-2-small"


def model_digest(name: str) -> str:
    """Identifies the model that ships under a name, or that of a folder, for signatures.

    It is the hash of the model's card, which holds the hashes of all its other files.
    """
    folder = Path(name) if Path(name).is_dir() else learned_folder(f"{_MODELS}/{name}")
    return digest([(folder / CARD).read_bytes()])


def find_model(
    name: str,
    *,
    pair: str | None = None,
    year: int | None = None,
    forms: bool | None = None,
    ensemble: bool = False,
) -> Model:
    """The model in a folder, or the shipped model of this name; a folder takes precedence.

    Args:
        name: The folder of a trained model, or the name of a shipped one.
        pair: The language pair. A model for several pairs needs it, because a file does not name its
            languages.
        year: The task year, for a model trained for several years.
        forms: Whether targets have word forms (True) or lemmas (False), for a model that supports both.
        ensemble: Whether to use the model's ensemble, which is slower but more accurate.

    Returns:
        The model. `predict(segments)` yields its predictions; `card` describes its training.

    Raises:
        UserError: The model is unknown, it was not trained for the pair, or the pair is missing.

    Example:
        >>> from anaphor.predict.shipped import find_model
        >>> print(find_model("anaphor-2-small", pair="en-de").card.classes)
        ('er', 'sie', 'es', 'man', 'OTHER')
    """
    if Path(name).is_dir():
        model = load_model(Path(name))
    elif name in shipped_models():
        model = load_model(learned_folder(f"{_MODELS}/{name}"))
    else:
        names = shipped_models() or ("no model is shipped; pass a folder written by `anaphor predict train`",)
        raise UnknownNameError.among(name, names, kind="model", where="the models that ship")
    if isinstance(model, JointModel):
        if pair is None and len(model.pairs) > 1:
            raise OptionError(
                f"{name} was trained for several pairs, but none is given",
                where="--pair",
                fix=f"pass the pair of the text: {', '.join(model.pairs)}",
            )
        model = model.for_task(pair or model.card.pair, year=year or model.card.year, forms=forms)
    if not ensemble:
        return model
    if isinstance(model, ModelWithEnsemble):
        return model.ensemble()
    raise OptionError(
        f"{name} is a {model.card.family} model, which has no ensemble version",
        where="--ensemble",
        fix="omit it; it is for anaphor-2",
    )


def in_style(model: Model, *, forms: bool) -> Model:
    """A model for both target formats, set to the one of the data; any other model as it is."""
    if not isinstance(model, JointModel):
        return model
    return model.for_task(model.card.pair, year=model.card.year, forms=forms)
