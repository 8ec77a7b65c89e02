"""Models are found by folder or by name."""

from __future__ import annotations

from pathlib import Path

import pytest

from anaphor.core import InputError, OptionError, UnknownNameError
from anaphor.predict.shipped import find_model, shipped_models


def test_every_model_that_ships_can_be_loaded() -> None:
    for name in shipped_models():
        assert find_model(name).card.classes


def test_a_folder_without_a_model_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no model here"):
        find_model(str(tmp_path))


def test_a_recipe_is_not_a_model() -> None:
    with pytest.raises(OptionError, match="comes without a trained model") as caught:
        find_model("uhelsinki-2016")
    assert "anaphor predict train uhelsinki-2016" in caught.value.fix


def test_an_unknown_name_is_told() -> None:
    with pytest.raises(UnknownNameError, match="unknown model: oracle"):
        find_model("oracle")
