"""Training each recipe once: what the key of a model depends on, and what is told."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from anaphor.core import (
    Alignment,
    InputWarning,
    LanguagePair,
    MismatchError,
    OptionError,
    Prediction,
    Slot,
    TaskSegment,
)
from anaphor.predict.comparison import Course, Lesson, check_recipes, predicted_labels
from anaphor.predict.contract import ModelCard
from anaphor.predict.recipe import Recipe
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


def quiet(_share: float, _step: str) -> None:
    """No progress is shown."""


def course(folder: Path, **changed: object) -> Course:
    return Course(replace(Lesson(classes=CLASSES, train=TRAIN), **changed), folder)  # type: ignore[arg-type]


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
def test_whatever_moves_a_model_moves_its_key(tmp_path: Path, changed: dict[str, object]) -> None:
    key = course(tmp_path).key_of(MAJORITY)
    assert course(tmp_path).key_of(MAJORITY) == key
    assert course(tmp_path, **changed).key_of(MAJORITY) != key
    assert course(tmp_path).key_of(replace(MAJORITY, digest="1")) != key


def test_a_second_course_finds_the_model_of_the_first(tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InputWarning)
        model, first = course(tmp_path).model_of(MAJORITY, quiet)
        again, second = course(tmp_path).model_of(MAJORITY, quiet)
    assert (first.fresh, second.fresh) == (True, False)
    assert first.seconds == second.seconds
    assert predicted_labels(again, TRAIN) == predicted_labels(model, TRAIN) == (("il",),) * 3


def test_a_record_that_cannot_be_read_is_a_note_and_the_model_is_trained_again(tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InputWarning)
        course(tmp_path).model_of(MAJORITY, quiet)
    for path in tmp_path.glob("most-*.json"):
        path.write_text("{}", encoding="utf-8")
    with pytest.warns(InputWarning) as told:
        _, training = course(tmp_path).model_of(MAJORITY, quiet)
    assert training.fresh
    assert any("is trained again: its record cannot be read" in str(note.message) for note in told)


def test_what_all_recipes_say_of_the_data_is_told_once(tmp_path: Path) -> None:
    one = course(tmp_path)
    with pytest.warns(InputWarning, match="never has elle"):
        one.model_of(MAJORITY, quiet)
    one.model_of(replace(MAJORITY, digest="1"), quiet)  # a warning would be an error here


def test_a_recipe_named_twice_is_an_error() -> None:
    with pytest.raises(OptionError, match="named twice: most"):
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
