"""Models are found by folder or by name."""

from __future__ import annotations

from pathlib import Path

import pytest

from anaphor.core import InputError, OptionError, UnknownNameError
from anaphor.predict.shipped import default_model, find_model, in_style, shipped_models


def test_every_model_that_ships_can_be_loaded() -> None:
    classes = {
        name: find_model(name, pair="en-es" if name == "anaphor-2-es" else "en-de").card.classes
        for name in shipped_models()
    }
    assert classes == {
        "anaphor-2-es": ("él", "ella", "ellos", "ellas", "lo", "la", "NULL", "OTHER"),
        "anaphor-2-small": ("er", "sie", "es", "man", "OTHER"),
    }
    assert default_model("en-es") == "anaphor-2-es"
    assert default_model("es-en") == default_model(None) == "anaphor-2-small"


def test_the_pair_of_a_joint_model_must_be_named() -> None:
    with pytest.raises(OptionError, match="trained for several pairs, but none is given") as caught:
        find_model("anaphor-2-small")
    assert caught.value.fix == "pass the pair of the text: en-fr, fr-en, en-de, de-en, es-en"
    with pytest.raises(OptionError, match="several pairs"):
        find_model("anaphor-2-small", year=2016, forms=True)


def test_a_folder_without_a_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no model here"):
        find_model(str(tmp_path))


def test_an_unknown_name_is_an_error() -> None:
    with pytest.raises(UnknownNameError, match="unknown model: oracle"):
        find_model("oracle")


@pytest.mark.parametrize("pair", ["en-fr", "en-de", "fr-en", "de-en", "es-en"])
def test_a_joint_model_takes_word_forms_unless_told_otherwise(pair: str) -> None:
    card = find_model("anaphor-2-small", pair=pair).card
    assert (card.pair, card.forms) == (pair, True)
    assert not find_model("anaphor-2-small", pair=pair, forms=False).card.forms


@pytest.mark.parametrize("forms", [True, False])
def test_a_joint_model_takes_the_target_format_of_the_data(forms: bool) -> None:
    model = find_model("anaphor-2-small", pair="en-de", year=2017)
    found = in_style(model, forms=forms).card
    assert (found.pair, found.year, found.forms) == ("en-de", 2017, forms)
    assert find_model("anaphor-2-small", pair="en-de", forms=forms).card.forms is forms
