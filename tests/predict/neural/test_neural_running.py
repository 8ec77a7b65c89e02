"""Options of a run in a recipe and in the recipes inside it."""

from __future__ import annotations

import pytest

from anaphor.core import OptionError
from anaphor.predict.neural.families import RunOptions, has_networks, with_run_options
from anaphor.predict.recipe import load_recipe

RUN = RunOptions(device="cpu", minutes=6.0, checkpoint="folder")


def test_a_network_gets_the_options_beside_its_own() -> None:
    settings = {"family": "neural/turku", "options": {"hidden": 5}}
    options = {"hidden": 5, "device": "cpu", "minutes": 6.0, "checkpoint": "folder"}
    assert with_run_options(settings, RUN) == {"family": "neural/turku", "options": options}
    assert settings["options"] == {"hidden": 5}


def test_networks_inside_share_the_minutes_and_have_folders_of_their_own() -> None:
    settings = load_recipe("uu-hardmeier-2017").settings
    changed = with_run_options(settings, RUN)["members"]
    assert changed[0] == settings["members"][0]  # the n-gram model
    assert [member["options"]["minutes"] for member in changed[1:]] == [2.0] * 3
    assert len({member["options"]["checkpoint"] for member in changed[1:]}) == 3


def test_a_recipe_without_networks_has_no_device() -> None:
    settings = load_recipe("uhelsinki-2016").settings
    assert not has_networks(settings)
    with pytest.raises(OptionError, match="has none"):
        with_run_options(settings, RUN)
