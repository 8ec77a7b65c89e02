"""The recipes of neural systems: all are sound, and those made of several models work as one."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from anaphor.core import TaskSegment
from anaphor.predict.families import build_predictor, load_model
from anaphor.recipes.neural.families import has_networks
from anaphor.recipes.recipe import known_recipes, load_recipe
from anaphor.task import TaskClasses

pytest.importorskip("torch", reason="torch is not installed: pip install 'anaphor[neural]'")

#: Submissions with a neural network (wmt16-findings, section 5; discomt17-findings, section 5).
SUBMITTED = {
    "turku-2016",
    "turku-2016-contrastive",
    "turku-2017",
    "ukyoto-2016",
    "uppsala-2017",
    "uppsala-2017-contrastive",
    "nyu-2017",
    "uu-hardmeier-2016",
    "uu-hardmeier-2016-contrastive",
    "uu-hardmeier-2017",
}
NEURAL = tuple(name for name in known_recipes() if has_networks(load_recipe(name).settings))
SMALL = {"word": 6, "tag": 3, "hidden": 6, "embedding": 6, "filters": 4}


def test_every_neural_submission_has_a_recipe() -> None:
    assert set(NEURAL) >= SUBMITTED


@pytest.mark.parametrize("name", NEURAL)
def test_a_recipe_can_be_built(name: str) -> None:
    recipe = load_recipe(name)
    build_predictor(recipe.settings)
    assert set(recipe.submitted) <= set(recipe.pairs)


@pytest.mark.parametrize("name", ["uu-hardmeier-2016", "uu-hardmeier-2017"])
@pytest.mark.filterwarnings("ignore:these classes never occur", "ignore:.*discount")
def test_networks_and_an_n_gram_model_are_one_model(
    name: str, twenty: Sequence[TaskSegment], classes: TaskClasses, tmp_path: Path
) -> None:
    settings = _small(load_recipe(name).settings)
    model = build_predictor(settings).fit(twenty, classes=classes, dev=twenty, seed=2)
    model.save(tmp_path / "model")
    found = list(model.predict(twenty))
    assert list(load_model(tmp_path / "model").predict(twenty)) == found
    assert all(sum(one.probabilities) == pytest.approx(1) for slots in found for one in slots)


def _small(settings: Any) -> dict[str, Any]:
    """The same recipe with networks that are trained in a moment."""
    changed: dict[str, Any] = copy.deepcopy(dict(settings))
    for member in changed["members"]:
        if member["family"].startswith("neural/"):
            sizes = {key: value for key, value in SMALL.items() if key in member["options"]}
            member["options"] |= {**sizes, "epochs": 2, "least": 1, "device": "cpu"}
    return changed
