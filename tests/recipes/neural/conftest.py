"""Invented English-French segments, small enough to be learned by heart in seconds."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import pytest

from anaphor.core import Alignment, InputWarning, LanguagePair, Slot, TaskSegment
from anaphor.predict.contract import Model
from anaphor.predict.families import build_predictor
from anaphor.task import TaskClasses, task_classes
from tests.support.small_networks import RECIPE_OPTIONS, SMALL

#: English noun, French noun, and the class of the pronoun that stands for it.
NOUNS = (
    ("house", "maison", "elle"),
    ("book", "livre", "il"),
    ("tables", "table", "elles"),
    ("trees", "arbre", "ils"),
    ("idea", "idée", "elle"),
)
#: English and French adjective.
ADJECTIVES = (("old", "vieux"), ("new", "neuf"), ("red", "rouge"), ("big", "grand"))


def _pair_of(noun: int, adjective: int) -> tuple[TaskSegment, TaskSegment]:
    """A sentence with a noun, and the next one with a pronoun for it, in a document of their own."""
    english, french, label = NOUNS[noun]
    quality, translated = ADJECTIVES[adjective]
    pronoun = "they" if label.endswith("s") else "it"
    document = f"{english}-{quality}"
    links = Alignment((0, 1, 2, 3), (0, 1, 2, 3))
    first = TaskSegment(
        ("the", english, "stood", "there"),
        ("le|DET", f"{french}|NOUN", "être|VERB", "là|ADV"),
        (),
        links,
        document,
    )
    second = TaskSegment(
        ("yes", ",", pronoun, "looked", quality, "."),
        ("oui|ADV", ",|.", "REPLACE_2", "sembler|VERB", f"{translated}|ADJ", ".|."),
        (Slot(2, 2, label, f"{label}|PRON"),),
        Alignment((0, 1, 2, 3, 4, 5), (0, 1, 2, 3, 4, 5)),
        document,
    )
    return first, second


@pytest.fixture(scope="session")
def classes() -> TaskClasses:
    return task_classes(LanguagePair("en", "fr"), year=2016)


@pytest.fixture(scope="session")
def twenty() -> Sequence[TaskSegment]:
    """Twenty slots; gender can be known from the sentence before alone, number from the source pronoun.

    In each second sentence the adjective is another one for every noun, so that a network without a look
    at the sentence before can learn the slots by heart, too.
    """
    segments: list[TaskSegment] = []
    for noun in range(len(NOUNS)):
        for adjective in range(len(ADJECTIVES)):
            first, second = _pair_of(noun, adjective)
            words = list(second.target)
            words[4] = f"{ADJECTIVES[adjective][1]}{noun}|ADJ"
            segments += [
                first,
                TaskSegment(second.source, tuple(words), second.slots, second.alignment, second.document),
            ]
    return segments


@pytest.fixture(params=sorted(SMALL))
def family(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def recipe(family: str) -> dict[str, Any]:
    """A small recipe of the family that learns by heart: no dropout, every word known."""
    return {"name": "small", "family": family, "options": {**RECIPE_OPTIONS, **SMALL[family]}}


@pytest.fixture(scope="session")
def quick_models(twenty: Sequence[TaskSegment], classes: TaskClasses) -> Callable[[str], Model]:
    """Models of three epochs, one per family, trained once for all tests that only predict with them."""

    @cache
    def quick_model(family: str) -> Model:
        options = {**RECIPE_OPTIONS, **SMALL[family], "epochs": 3}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", InputWarning)  # most classes never occur
            return build_predictor({"name": "small", "family": family, "options": options}).fit(
                twenty, classes=classes
            )

    return quick_model


@pytest.fixture
def quick_model(quick_models: Callable[[str], Model], family: str) -> Model:
    return quick_models(family)
