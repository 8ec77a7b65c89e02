"""Which of equally good answers a classic predictor gives."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import pytest

from anaphor.core import Alignment, InputWarning, LanguagePair, Slot, TaskSegment
from anaphor.predict.families import build_predictor
from anaphor.task import task_classes

CLASSES = task_classes(LanguagePair("en", "fr"), year=2016)


def segments(*labels: str, pronoun: str = "it") -> list[TaskSegment]:
    return [
        TaskSegment(
            (pronoun, "is"), ("REPLACE_0", "être|VERB"), (Slot(0, 0, label),), Alignment((0,), (0,)), "d"
        )
        for label in labels
    ]


def predicted(recipe: dict[str, Any], train: list[TaskSegment], test: list[TaskSegment], **more: Any) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InputWarning)
        model = build_predictor(recipe).fit(train, classes=CLASSES, **more)
    return next(iter(model.predict(test)))[0].label


@pytest.mark.parametrize("labels", [("il", "elle"), ("elle", "il")])
def test_the_majority_of_equal_classes_is_the_first_of_the_task(labels: tuple[str, str]) -> None:
    first = min(labels, key=CLASSES.classes.index)
    assert predicted({"family": "majority"}, segments(*labels), segments("on")) == first


def test_the_majority_by_pronoun_falls_back_on_all_slots() -> None:
    train = [*segments("il", "il", "il"), *segments("elles", "elles", pronoun="they")]
    recipe = {"family": "majority", "options": {"by_pronoun": True}}
    assert predicted(recipe, train, segments("on", pronoun="they")) == "elles"
    assert predicted(recipe, train, segments("on", pronoun="them")) == "il"
    assert predicted({"family": "majority"}, train, segments("on", pronoun="they")) == "il"


def test_of_equal_penalties_the_one_nearest_to_zero_is_tuned() -> None:
    """Development data that every penalty gets right."""
    train = segments("il", "il", "il", "elle")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InputWarning)
        recipe = {"family": "lm-fill", "options": {"order": 2, "tuned": True, "penalty": -3.0}}
        found: Any = build_predictor(recipe).fit(train, classes=CLASSES, dev=segments("il"))
        untuned: Any = build_predictor(recipe).fit(train, classes=CLASSES)
    assert found.gaps.penalty == 0.0
    assert untuned.gaps.penalty == -3.0


def test_a_development_segment_without_labels_is_left_out_of_tuning() -> None:
    train = segments("il", "il", "il", "elle")
    blind = [replace(one, slots=tuple(replace(slot, label=None) for slot in one.slots)) for one in train]
    recipe = {"family": "lm-fill", "options": {"order": 2, "tuned": True, "penalty": -3.0}}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InputWarning)
        found: Any = build_predictor(recipe).fit(train, classes=CLASSES, dev=blind)
    assert found.gaps.penalty == -3.0
