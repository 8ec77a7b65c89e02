"""Recipes: those that ship are whole and true to the published tables; every error in one is reported."""

from __future__ import annotations

from pathlib import Path

import pytest

from anaphor.core import InputError, UnknownNameError, UserError
from anaphor.recipes.recipe import Recipe, known_recipes, load_recipe

# The systems that issue and papers name: wmt16-findings section 5, discomt17-findings section 5.5.
ASKED = """
uhelsinki-2016 uu-stymne-2016 uu-stymne-2016-1step uu-stymne16-2017 uedin-2016 uedin-2016-crf cuni-2016
cuni-2016-unweighted limsi-2016 limsi-2016-contrastive idiap-2016 uuppsala-2016 uuppsala-2016-contrastive
uu-cap-2016 baseline baseline-tuned
"""

GOOD = """\
name = "mine"
title = "my own"
family = "linear-svm"
idea = "words"
paper = "none"
training = "anything"
pairs = ["en-fr"]

[submitted]
en-fr = "2016 UHELSINKI-primary"

[[differs]]
original = "a"
here = "b"
why = "c"

[features.source-pronoun]

[options]
c = 0.5
"""


def write(folder: Path, content: str | bytes) -> str:
    path = folder / "mine.toml"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return str(path)


def test_every_submission_has_its_recipe() -> None:
    assert set(ASKED.split()) <= set(known_recipes())


@pytest.mark.parametrize("name", known_recipes())
def test_a_recipe_that_ships_is_complete(name: str) -> None:
    recipe = load_recipe(name)
    assert recipe.name == recipe.settings["name"] == name
    assert recipe.settings["family"] == recipe.family
    assert set(recipe.submitted) <= set(recipe.pairs)
    if recipe.submitted:
        assert recipe.differs, "what differs from the original is never nothing"


# Pairs of every team: wmt16-findings, Tables 6 to 9; discomt17-findings, Tables 5, 6 and 8.
@pytest.mark.parametrize(
    ("name", "pairs"),
    [
        ("uhelsinki-2016", "de-en en-de en-fr fr-en"),
        ("uu-stymne-2016", "de-en en-de en-fr fr-en"),
        ("uu-stymne16-2017", "de-en en-de en-fr"),
        ("uedin-2016", "en-de en-fr"),
        ("cuni-2016", "de-en en-de"),
        ("limsi-2016", "en-fr"),
        ("idiap-2016", "en-fr"),
        ("uuppsala-2016-contrastive", "de-en en-de en-fr fr-en"),
        ("uu-cap-2016", "en-de"),
    ],
)
def test_pairs_are_those_of_the_submission(name: str, pairs: str) -> None:
    assert " ".join(sorted(load_recipe(name).submitted)) == pairs


def test_families_are_those_of_the_steps_too() -> None:
    assert load_recipe("uu-stymne-2016").families == {"two-step", "linear-svm"}


def test_a_file_of_the_user_is_read(tmp_path: Path) -> None:
    recipe = load_recipe(write(tmp_path, GOOD))
    assert isinstance(recipe, Recipe)
    assert recipe.settings == {
        "name": "mine",
        "family": "linear-svm",
        "features": {"source-pronoun": {}},
        "options": {"c": 0.5},
    }
    assert recipe.differs[0].why == "c"


def test_the_digest_covers_only_the_settings(tmp_path: Path) -> None:
    first = load_recipe(write(tmp_path, GOOD))
    retold = load_recipe(write(tmp_path, GOOD.replace("words", "other words")))
    changed = load_recipe(write(tmp_path, GOOD.replace("0.5", "0.6")))
    assert first.digest == retold.digest != changed.digest


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ('name = "mine"\n', "", "name: missing"),
        ('name = "mine"', 'name = "other"', "another name"),
        ('name = "mine"', 'name = "Mine!"', "not a name of a recipe"),
        ('idea = "words"', "idea = 3", "idea: expected a non-empty string, got 3"),
        ('idea = "words"', 'idea = " "', "idea: expected a non-empty string"),
        ('["en-fr"]', "[]", "pairs: not a list"),
        ('["en-fr"]', '["en-fr", "en-fr"]', "pairs: not a list"),
        ('["en-fr"]', '["english"]', "pairs: "),
        ('en-fr = "2016 UHELSINKI-primary"', 'en-de = "2016 UHELSINKI-primary"', "submitted.en-de"),
        ("2016 UHELSINKI-primary", "UHELSINKI-primary", "not a submission"),
        ("2016 UHELSINKI-primary", "2016 UHELSINKI", "unknown system"),
        ("2016 UHELSINKI-primary", "2015 UHELSINKI-primary", "no published results"),
        ("[submitted]\nen-fr", "submitted", "submitted: expected a table"),
        ('why = "c"\n', "", r"differs\[0\].why: missing"),
        ("[[differs]]", "[differs]", "differs: expected a list"),
        ("[options]", "[learner]", "learner: unknown key"),
        ("[options]\nc = 0.5\n", "", ""),
        ("[features.source-pronoun]", "features = 1", "features: expected a table"),
        ("[options]\nc = 0.5", "[members]\nc = 0.5", "members: expected a list"),
    ],
)
def test_a_mistake_names_file_and_key(tmp_path: Path, old: str, new: str, what: str) -> None:
    content = GOOD.replace(old, new)
    if new == "features = 1":  # a key of the file itself stands before all tables
        content = "features = 1\n" + GOOD.replace(old, "")
    path = write(tmp_path, content)
    if not what:
        assert load_recipe(path).settings.get("options") is None
        return
    with pytest.raises(InputError, match=what) as caught:
        load_recipe(path)
    assert caught.value.where.path == path
    assert caught.value.fix


def test_an_unknown_family_is_an_error_with_the_known_ones(tmp_path: Path) -> None:
    path = write(tmp_path, GOOD.replace("linear-svm", "linear-smv"))
    with pytest.raises(UnknownNameError, match="unknown family: linear-smv") as caught:
        load_recipe(path)
    assert "did you mean linear-svm?" in caught.value.fix


def test_an_unknown_recipe_is_an_error_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="unknown recipe: uu-stymne") as caught:
        load_recipe("uu-stymne")
    assert "uu-stymne-2016" in caught.value.fix


@pytest.mark.parametrize(
    ("content", "what", "line"),
    [(b"name = \n", "not valid TOML", 1), (b'name = "a"\nidea = "\xff"\n', "not UTF-8", 2)],
)
def test_invalid_toml_is_an_error_with_its_line(tmp_path: Path, content: bytes, what: str, line: int) -> None:
    with pytest.raises(InputError, match=what) as caught:
        load_recipe(write(tmp_path, content))
    assert caught.value.where.line == line


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot be read"):
        load_recipe(str(tmp_path / "none.toml"))
