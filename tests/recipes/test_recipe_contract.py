"""What every recipe promises, on a tiny made corpus: the same seed the same answers, a saved model the same.

Neural recipes have the same list of their own, with fewer and smaller models.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from anaphor.core import Alignment, InputWarning, LanguagePair, Prediction, Slot, TaskSegment
from anaphor.predict.contract import Model
from anaphor.predict.families import build_predictor, load_model
from anaphor.recipes.recipe import known_recipes, load_recipe
from anaphor.task import TaskClasses, task_classes

for package in ("sklearn", "pycrfsuite", "vowpalwabbit"):
    pytest.importorskip(package, reason="the classic recipes need the extra `classic`")

RECIPES = [
    name
    for name in known_recipes()
    if not any(
        family.startswith(("neural", "anaphor", "hub", "server")) for family in load_recipe(name).families
    )
]

# noun, its translation, the pronoun for it; then fixed sentences: source, target, class.
WORDS = {
    "en-fr": (
        [
            ("house", "maison", "elle"),
            ("book", "livre", "il"),
            ("car", "voiture", "elle"),
            ("tree", "arbre", "il"),
        ],
        [
            ("it rains today", "REPLACE_0 pleuvoir|VERB aujourd'hui|ADV", "il"),
            ("it is true that", "REPLACE_0 être|VERB vrai|ADJ que|CONJ", "ce"),
            ("they say so", "REPLACE_0 dire|VERB cela|PRON", "on"),
            ("they are here", "REPLACE_0 être|VERB ici|ADV", "ils"),
            ("it works well", "REPLACE_0 marcher|VERB bien|ADV", "cela"),
        ],
        "le|DET {} être|VERB {}",
        ("vieux|ADJ", "grand|ADJ", "petit|ADJ"),
    ),
    "en-de": (
        [("house", "Haus", "es"), ("book", "Buch", "es"), ("car", "Wagen", "er"), ("door", "Tür", "sie")],
        [
            ("it rains today", "REPLACE_0 regnen|VERB heute|ADV", "es"),
            ("they are here", "REPLACE_0 sein|VERB hier|ADV", "sie"),
            ("they say so", "REPLACE_0 sagen|VERB so|ADV", "man"),
        ],
        "das|DET {} sein|VERB {}",
        ("alt|ADJ", "groß|ADJ", "klein|ADJ"),
    ),
}


def segment(source: str, target: str, label: str | None, document: str) -> TaskSegment:
    """A sentence pair, word linked to word, with a slot where the target has a placeholder."""
    words, tokens = tuple(source.split()), tuple(target.split())
    slots = tuple(
        Slot(source=int(token.partition("_")[2]), target=place, label=label)
        for place, token in enumerate(tokens)
        if token.startswith("REPLACE_")
    )
    length = range(min(len(words), len(tokens)))
    return TaskSegment(words, tokens, slots, Alignment(tuple(length), tuple(length)), document)


def corpus(pair: str, rounds: int = 6) -> Iterator[TaskSegment]:
    nouns, fixed, clause, adjectives = WORDS[pair]
    for number in range(rounds):
        for place, (english, other, pronoun) in enumerate(nouns):
            document = f"{english}-{number}"
            adjective = adjectives[(number + place) % len(adjectives)]
            yield segment(f"the {english} is nice", clause.format(f"{other}|NOUN", adjective), None, document)
            yield segment("it is nice", f"REPLACE_0 sein|VERB {adjective}", pronoun, document)
            yield segment("I see it", f"ich|PRON REPLACE_2 sehen|VERB {other}|NOUN", "OTHER", document)
            for source, target, label in fixed:
                yield segment(f"{source} {english}", f"{target} {other}|NOUN", label, document)


def classes_of(pair: str) -> TaskClasses:
    return task_classes(LanguagePair.parse(pair), year=2016)


def trained(name: str, seed: int = 1) -> tuple[Model, str]:
    """The model of a recipe for the first pair that it was made for; notes on tiny data are expected."""
    recipe = load_recipe(name)
    pair = recipe.pairs[0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InputWarning)
        predictor = build_predictor(recipe.settings)
        dev = tuple(corpus(pair, rounds=2))
        return predictor.fit(tuple(corpus(pair)), classes=classes_of(pair), dev=dev, seed=seed), pair


@pytest.fixture(scope="module", params=RECIPES)
def model(request: pytest.FixtureRequest) -> tuple[Model, str]:
    return trained(request.param)


def answers(model: Model, segments: Sequence[TaskSegment]) -> list[tuple[Prediction, ...]]:
    return list(model.predict(segments))


def test_every_slot_has_one_prediction_among_the_classes_seen(model: tuple[Model, str]) -> None:
    found, pair = model
    test = tuple(corpus(pair, rounds=1))
    seen = {slot.label for part in corpus(pair) for slot in part.slots}
    given = answers(found, test)
    assert [len(part) for part in given] == [len(part.slots) for part in test]
    assert {prediction.label for part in given for prediction in part} <= seen


def test_probabilities_sum_to_one_and_unseen_classes_have_none(model: tuple[Model, str]) -> None:
    found, pair = model
    seen = {slot.label for part in corpus(pair) for slot in part.slots}
    parts = [*answers(found, tuple(corpus(pair, rounds=1)))]
    assert any(parts)
    for part in parts:
        for prediction in part:
            assert len(prediction.probabilities) == len(found.card.classes)
            assert sum(prediction.probabilities) == pytest.approx(1)
            shares = dict(zip(found.card.classes, prediction.probabilities, strict=True))
            assert all(share == 0 for label, share in shares.items() if label not in seen)


def test_a_saved_model_predicts_the_same(model: tuple[Model, str], tmp_path: Path) -> None:
    found, pair = model
    test = tuple(corpus(pair, rounds=1))
    found.save(tmp_path / "model")
    again = load_model(tmp_path / "model")
    assert again.card == found.card
    assert answers(again, test) == answers(found, test)


def test_the_same_seed_gives_the_same_model(model: tuple[Model, str]) -> None:
    found, pair = model
    test = tuple(corpus(pair, rounds=1))
    again, _ = trained(found.card.recipe)
    assert answers(again, test) == answers(found, test)


def test_labels_are_never_read(model: tuple[Model, str]) -> None:
    found, pair = model
    test = tuple(corpus(pair, rounds=1))
    blind = tuple(
        replace(part, slots=tuple(replace(slot, label=None) for slot in part.slots)) for part in test
    )
    assert answers(found, blind) == answers(found, test)


def test_segments_without_any_context_are_predicted(model: tuple[Model, str]) -> None:
    found, _ = model
    bare = TaskSegment(("it",), ("REPLACE_0",), (Slot(0, 0),), Alignment(), None)
    empty = TaskSegment(("yes",), ("ja|ADV",), (), Alignment(), None)
    given = answers(found, [bare, empty, bare])
    assert [len(part) for part in given] == [1, 0, 1]
    assert answers(found, []) == []
