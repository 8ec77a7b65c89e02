"""Recipes trained once and compared: what the key of a cached model depends on, warnings, results."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from anaphor.core import (
    Alignment,
    InputWarning,
    LanguagePair,
    MismatchError,
    OptionError,
    Prediction,
    Settings,
    Slot,
    TaskSegment,
)
from anaphor.core.table import Paragraph
from anaphor.predict.contract import ModelCard
from anaphor.predict.prediction import evaluate_model, predicted_labels
from anaphor.recipes.comparison import check_formats, compare_recipes
from anaphor.recipes.recipe import Recipe
from anaphor.recipes.training import ModelCache, check_recipes, train_recipe
from anaphor.task import task_classes

CLASSES = task_classes(LanguagePair("en", "fr"), year=2016)


def segment(label: str, word: str = "pleuvoir|VERB") -> TaskSegment:
    return TaskSegment(("it", "rains"), ("REPLACE_0", word), (Slot(0, 0, label),), Alignment((1,), (1,)), "d")


TRAIN = (segment("il"), segment("il"), segment("ce"))
MAJORITY = Recipe(
    name="most",
    title="the commonest class",
    family="majority",
    idea="-",
    paper="-",
    training="-",
    pairs=("en-fr",),
    submitted={},
    differs=(),
    open_choices=(),
    settings={"name": "most", "family": "majority"},
    digest="0",
)


def quiet(_step: str, _share: float) -> None:
    """No progress is shown."""


def cache(folder: Path, **changed: Any) -> ModelCache:
    return ModelCache(folder, **{"train": TRAIN, "classes": CLASSES, **changed})


@pytest.mark.parametrize(
    "changed",
    [
        {"train": TRAIN[:2]},
        {"train": (*TRAIN[:2], segment("il"))},
        {"dev": TRAIN},
        {"seed": 2},
        {"classes": task_classes(LanguagePair("en", "fr"), year=2015)},
    ],
    ids=["fewer", "another label", "development data", "seed", "year"],
)
def test_everything_that_changes_a_model_changes_its_key(tmp_path: Path, changed: dict[str, object]) -> None:
    key = cache(tmp_path).key_of(MAJORITY)
    assert cache(tmp_path).key_of(MAJORITY) == key
    assert cache(tmp_path, **changed).key_of(MAJORITY) != key
    assert cache(tmp_path).key_of(replace(MAJORITY, digest="1")) != key


def test_a_second_cache_finds_the_model_of_the_first(tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InputWarning)
        model, first = cache(tmp_path).model_of(MAJORITY, quiet)
        again, second = cache(tmp_path).model_of(MAJORITY, quiet)
    assert (first.fresh, second.fresh) == (True, False)
    assert first.seconds == second.seconds
    assert predicted_labels(again, TRAIN) == predicted_labels(model, TRAIN) == (("il",),) * 3


def test_a_record_that_cannot_be_read_is_a_note_and_the_model_is_trained_again(tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InputWarning)
        cache(tmp_path).model_of(MAJORITY, quiet)
    for path in tmp_path.glob("most-*.json"):
        path.write_text("{}", encoding="utf-8")
    with pytest.warns(InputWarning) as told:
        _, training = cache(tmp_path).model_of(MAJORITY, quiet)
    assert training.fresh
    assert any("is trained again: its record cannot be read" in str(note.message) for note in told)


def test_warnings_about_the_data_are_shown_once(tmp_path: Path) -> None:
    one = cache(tmp_path)
    with pytest.warns(InputWarning, match="cannot be predicted: elle"):
        one.model_of(MAJORITY, quiet)
    one.model_of(replace(MAJORITY, digest="1"), quiet)  # a warning would be an error here


def test_a_recipe_named_twice_is_an_error() -> None:
    with pytest.raises(OptionError, match=r"duplicate.*most"):
        check_recipes([MAJORITY, MAJORITY], CLASSES)


def test_another_pair_is_a_note() -> None:
    german = task_classes(LanguagePair("en", "de"), year=2016)
    with pytest.warns(InputWarning, match="most was made for en-fr, not for en-de"):
        check_recipes([MAJORITY], german)


class Silent:
    """A model that answers nothing."""

    @property
    def card(self) -> ModelCard:
        return ModelCard(
            recipe="silent", family="none", version=1, pair="en-fr", year=2016, forms=False, classes=("il",)
        )

    def predict(self, segments: Sequence[TaskSegment]) -> Iterator[tuple[Prediction, ...]]:
        return iter([()] * len(segments))

    def save(self, folder: Path) -> None:
        raise NotImplementedError


def test_a_model_that_leaves_a_placeholder_out_is_an_error() -> None:
    with pytest.raises(MismatchError, match="did not predict every placeholder once"):
        predicted_labels(Silent(), TRAIN)


def test_a_comparison_scores_every_recipe_on_every_test(tmp_path: Path) -> None:
    other = replace(MAJORITY, name="other", digest="1")
    tests = {"a/one.tsv": TRAIN, "two.tsv": TRAIN[:2]}
    shares: list[float] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InputWarning)
        found = compare_recipes(
            [MAJORITY, other],
            cache(tmp_path),
            tests,
            classes=CLASSES,
            settings=Settings(pair="en-fr", samples=0),
            progress=lambda _, share: shares.append(share),
        )
    assert [entry.slots for entry in found.trained] == [3, 3]
    assert [result.scores["other"].value("accuracy") for result in found.results] == [pytest.approx(2 / 3), 1]
    content = found.to_dict()
    assert [entry["name"] for entry in content["recipes"]] == ["most", "other"]
    assert set(content["recipes"][0]["predict_seconds"]) == set(tests)
    assert shares == sorted(shares)
    assert shares[-1] == 1
    headings = [block.lines[0] for block in found.tables() if isinstance(block, Paragraph) and block.heading]
    assert headings == ["one.tsv: 3 placeholders", "two.tsv: 2 placeholders", "Training"]


def test_a_saved_model_is_reported_and_scored(tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InputWarning)
        report = train_recipe(MAJORITY, TRAIN, tmp_path / "model", classes=CLASSES)
        model, _ = cache(tmp_path).model_of(MAJORITY, quiet)
    assert report.to_dict()["output"] == str(tmp_path / "model")
    assert report.to_dict()["trained_on"]["train"]["slots"] == 3
    settings = Settings(pair="en-fr", samples=0)
    result = evaluate_model(model, TRAIN, path="test.tsv", classes=CLASSES, settings=settings)
    assert result.scores["most"].value("accuracy") == pytest.approx(2 / 3)


def test_word_forms_and_lemmas_are_not_mixed() -> None:
    forms = (segment("il", word="pleut"),)
    with pytest.raises(MismatchError, match="the file has word forms, train has lemmas with tags") as caught:
        check_formats({"train": TRAIN, "test": forms})
    assert str(caught.value.where) == "test"
