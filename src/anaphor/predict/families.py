"""The registry of predictor families: builds predictors from recipes and loads saved models."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from anaphor.core import OptionError, Registry
from anaphor.predict.base import BaseFamily, BasePredictor
from anaphor.predict.contract import Model
from anaphor.predict.model_folder import read_folder

FAMILIES: Registry[BaseFamily] = Registry(
    "family",
    {
        "anaphor2": "anaphor.predict.anaphor2.model:FAMILY",
        "crf": "anaphor.recipes.classic.crf:FAMILY",
        "hidden-forms": "anaphor.predict.detector.predictor:FAMILY",
        "hub": "anaphor.predict.hub.family:FAMILY",
        "interpolation": "anaphor.predict.ensemble.model:FAMILY",
        "linear-svm": "anaphor.recipes.classic.classifier:SVM",
        "lm-fill": "anaphor.recipes.classic.lm_fill:FAMILY",
        "logistic": "anaphor.recipes.classic.classifier:LOGISTIC",
        "majority": "anaphor.recipes.classic.majority:FAMILY",
        "neural/convolution": "anaphor.recipes.neural.families:CONVOLUTION",
        "neural/latent": "anaphor.recipes.neural.families:LATENT",
        "neural/nyu": "anaphor.recipes.neural.families:NYU",
        "neural/turku": "anaphor.recipes.neural.families:TURKU",
        "neural/ukyoto": "anaphor.recipes.neural.families:UKYOTO",
        "neural/uppsala": "anaphor.recipes.neural.families:UPPSALA",
        "pronoun-lm": "anaphor.recipes.classic.pronoun_lm:FAMILY",
        "random-forest": "anaphor.recipes.classic.classifier:FOREST",
        "server": "anaphor.predict.server.model:FAMILY",
        "source-aware-lm": "anaphor.recipes.classic.source_aware_lm:FAMILY",
        "two-step": "anaphor.recipes.classic.two_step:FAMILY",
        "weighted-logistic": "anaphor.recipes.classic.classifier:WEIGHTED",
    },
    option="family",
    group="anaphor.families",
)


def build_predictor(recipe: Mapping[str, Any]) -> BasePredictor[Any]:
    """The predictor of a recipe; every error in the recipe is raised before any data is read."""
    family = recipe.get("family")
    if not isinstance(family, str):
        raise OptionError(
            "the recipe has no family",
            where=str(recipe.get("name", "recipe")),
            fix=f"add one: {', '.join(FAMILIES)}",
        )
    return FAMILIES.get(family).build(recipe)


def load_model(folder: Path) -> Model:
    """The model in a folder, whose hashes are checked before anything is used."""
    model = read_folder(folder)
    return FAMILIES.get(model.card.family).load(model)
