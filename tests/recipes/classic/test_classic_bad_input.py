"""What users get wrong about recipes, data and models, said before any long work."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from anaphor.core import (
    Alignment,
    InputError,
    LanguagePair,
    MismatchError,
    OptionError,
    Slot,
    TaskSegment,
    UnknownNameError,
    UserError,
)
from anaphor.files.arrays import write_arrays
from anaphor.predict import options as extras
from anaphor.predict.data import check_fit, check_training, describe, has_forms
from anaphor.predict.families import build_predictor, load_model
from anaphor.predict.model_folder import CARD, ModelFolder, save_model
from anaphor.recipes.classic.forest import read_forest
from anaphor.recipes.classic.linear import LinearScorer
from anaphor.recipes.classic.scores import read_rule
from anaphor.task.classes import TaskClasses, task_classes

FEATURES: dict[str, Any] = {"source-pronoun": {}, "target-window": {}}
SVM = {"name": "made", "family": "linear-svm", "features": FEATURES}
Corpus = dict[bool, list[TaskSegment]]


@pytest.mark.parametrize(
    ("recipe", "error", "message"),
    [
        ({}, OptionError, "has no family"),
        ({"family": "svm"}, UnknownNameError, "unknown family: svm"),
        ({"family": "linear-svm"}, OptionError, "has no features"),
        ({**SVM, "options": {"depth": 3}}, UnknownNameError, "unknown option: depth"),
        ({**SVM, "options": {"c": "much"}}, OptionError, "not a number: 'much'"),
        ({"family": "two-step", "first": SVM}, OptionError, r"no \[second\] step"),
        (
            {"family": "two-step", "first": SVM, "second": {"family": "majority"}},
            OptionError,
            "cannot be a step",
        ),
        ({"family": "interpolation", "members": [SVM]}, OptionError, "two to ten members"),
        ({"family": "majority", "features": FEATURES}, OptionError, "the recipe has features"),
        (
            {"family": "crf", "features": FEATURES, "options": {"sequence": "word"}},
            UnknownNameError,
            "sequence",
        ),
        (
            {"family": "source-aware-lm", "options": {"order": 9}},
            OptionError,
            "must be between 2 and 6, got 9",
        ),
        (
            {"family": "lm-fill", "options": {"penalty": 1.0}},
            OptionError,
            "must be between -1000 and 0, got 1.0",
        ),
        (
            {"family": "pronoun-lm", "options": {"order": 1}},
            OptionError,
            "order must be .*, got 1",
        ),
    ],
)
def test_a_wrong_recipe_is_an_error_before_there_is_data(
    recipe: dict[str, Any], error: type[UserError], message: str
) -> None:
    with pytest.raises(error, match=message):
        build_predictor(recipe)


@pytest.mark.parametrize(
    ("family", "package"),
    [("linear-svm", "scikit-learn"), ("random-forest", "scikit-learn"), ("crf", "python-crfsuite")],
)
def test_a_missing_package_is_named_with_the_line_that_installs_it(
    family: str, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extras, "find_spec", lambda name: None)
    with pytest.raises(OptionError, match=package) as error:
        build_predictor({"family": family, "features": FEATURES})
    assert error.value.fix == "pip install anaphor[classic]"


def test_a_model_needs_no_learner(
    corpus: Corpus, french: TaskClasses, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = build_predictor(SVM).fit(corpus[True], classes=french)
    model.save(tmp_path / "model")
    monkeypatch.setattr(extras, "find_spec", lambda name: None)
    monkeypatch.setitem(__import__("sys").modules, "sklearn", None)
    loaded = load_model(tmp_path / "model")
    assert list(loaded.predict(corpus[True])) == list(model.predict(corpus[True]))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda slot: replace(slot, label=None), "placeholder without a label"),
        (lambda slot: replace(slot, label="er"), "has no class er"),
        (lambda slot: replace(slot, label="il"), "1 classes to tell apart"),
    ],
)
def test_training_data_that_cannot_be_learned_from_is_an_error(
    change: Callable[[Any], Any], message: str, corpus: Corpus, french: TaskClasses
) -> None:
    changed = [replace(one, slots=tuple(map(change, one.slots))) for one in corpus[True]]
    with pytest.raises(InputError, match=message):
        check_training(changed, french)
    with pytest.raises(InputError, match=message):
        build_predictor(SVM).fit(changed, classes=french)


def test_no_slots_at_all_are_an_error(corpus: Corpus, french: TaskClasses) -> None:
    with pytest.raises(InputError, match="0 classes"):
        build_predictor(SVM).fit([one for one in corpus[True] if not one.slots], classes=french)


def test_features_that_are_all_too_rare_are_an_error(corpus: Corpus, french: TaskClasses) -> None:
    with pytest.raises(OptionError, match="no feature is found in 1000 slots"):
        build_predictor({**SVM, "options": {"least": 1000}}).fit(corpus[True], classes=french)


def test_two_steps_need_the_class_other(corpus: Corpus, french: TaskClasses) -> None:
    without = [one for one in corpus[True] if all(slot.label != "OTHER" for slot in one.slots)]
    recipe = {"family": "two-step", "first": SVM, "second": SVM}
    with (
        pytest.warns(UserWarning, match="cannot be predicted: OTHER"),
        pytest.raises(OptionError, match="OTHER"),
    ):
        build_predictor(recipe).fit(without, classes=french)


def test_target_formats_are_recognized_and_not_mixed(corpus: Corpus) -> None:
    assert has_forms(corpus[True])
    assert not has_forms(corpus[False])
    with pytest.raises(InputError, match="target tokens have a tag"):
        has_forms([*corpus[True][:50], *corpus[False][:50]])


def test_a_model_refuses_other_data(corpus: Corpus, french: TaskClasses) -> None:
    card = build_predictor({"family": "majority"}).fit(corpus[True], classes=french).card
    check_fit(card, classes=french, segments=corpus[True])
    german = task_classes(LanguagePair("en", "de"), year=2016)
    finer = task_classes(LanguagePair("en", "fr"), year=2015)
    for classes, segments, message in [
        (german, corpus[True], "is for en-fr, not en-de"),
        (finer, corpus[True], "classes of 2016, not of 2015"),
        (french, corpus[False], "trained on word forms, the data has lemmas"),
    ]:
        with pytest.raises(MismatchError, match=message):
            check_fit(card, classes=classes, segments=segments)


def test_the_card_says_what_a_model_was_trained_on(corpus: Corpus, french: TaskClasses) -> None:
    card = build_predictor(SVM).fit(corpus[True], classes=french, dev=corpus[True][:3]).card
    assert card.trained_on["train"] == describe(corpus[True])
    assert card.trained_on["train"]["slots"] == 72  # two in every document of 36
    assert card.trained_on["dev"]["slots"] == 2
    assert describe(corpus[True])["hash"] != describe(corpus[True][1:])["hash"]


@pytest.mark.parametrize(
    ("links", "text"),
    [
        (Alignment(), "()()"),
        (Alignment((0,), (1,)), "(0,)(1,)"),
        (Alignment((0, 2, 300), (1, 0, 1)), "(0, 2, 300)(1, 0, 1)"),
    ],
)
def test_saved_cards_keep_the_hash_of_their_data(links: Alignment, text: str) -> None:
    slot = Slot(source=0, target=1, label="il")
    segment = TaskSegment(("it", "rains"), ("oh|INT", "REPLACE_0"), (slot,), links, "talk 1")
    line = f"talk 1\til\tit rains\toh|INT REPLACE_0\t{text}".encode()
    expected = hashlib.sha256(line + len(line).to_bytes(8, "big")).hexdigest()[:12]
    assert describe([segment]) == {"segments": 1, "slots": 1, "hash": expected}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda content: content.update(format="other"), "its format is not"),
        (lambda content: content["card"].update(version=99), "has version 99 of"),
        (lambda content: content["card"].update(version="1"), "has the wrong type"),
        (lambda content: content["card"].update(more=1), "surplus fields"),
        (lambda content: content["card"].pop("pair"), "missing or surplus fields"),
        (lambda content: content["card"].update(classes=[]), "no classes"),
        (lambda content: content["card"].update(family="magic"), "unknown family: magic"),
        (lambda content: content.update(files=None), "list of files"),
        (lambda content: content["files"].update({"../x": {"sha256": ""}}), "cannot be that of a file"),
        (lambda content: content["files"].pop("weights.safetensors"), "it has no weights"),
    ],
)
def test_a_changed_card_is_an_error(
    change: Callable[[Any], Any], message: str, corpus: Corpus, french: TaskClasses, tmp_path: Path
) -> None:
    build_predictor(SVM).fit(corpus[True], classes=french).save(tmp_path / "model")
    path = tmp_path / "model" / CARD
    content = json.loads(path.read_text(encoding="utf-8"))
    change(content)
    path.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(UserError, match=message):
        load_model(tmp_path / "model")


@pytest.mark.parametrize("content", [b"", b"[]", b"{", b"[" * 100_000, b"\xff"])
def test_an_invalid_card_is_an_error(content: bytes, tmp_path: Path) -> None:
    (tmp_path / CARD).write_bytes(content)
    with pytest.raises(InputError, match="damaged"):
        load_model(tmp_path)


def test_a_folder_without_a_model_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no model here"):
        load_model(tmp_path)


@pytest.mark.parametrize("at", [0, -1])
def test_a_file_that_was_changed_in_one_byte_is_an_error(
    at: int, corpus: Corpus, french: TaskClasses, tmp_path: Path
) -> None:
    build_predictor(SVM).fit(corpus[True], classes=french).save(tmp_path / "model")
    paths = [path for path in sorted((tmp_path / "model").iterdir()) if path.name != CARD]
    assert paths
    for path in paths:
        content = bytearray(path.read_bytes())
        content[at] ^= 1
        path.write_bytes(content)
        with pytest.raises(InputError, match="differs from the one saved with the model") as caught:
            load_model(tmp_path / "model")
        assert str(caught.value.where) == str(path)
        content[at] ^= 1
        path.write_bytes(content)
    load_model(tmp_path / "model")


def test_a_model_replaces_a_model_and_nothing_else(
    corpus: Corpus, french: TaskClasses, tmp_path: Path
) -> None:
    model = build_predictor({"family": "majority"}).fit(corpus[True], classes=french)
    model.save(tmp_path / "model")
    model.save(tmp_path / "model")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["model"]
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "mine.txt").write_text("keep me")
    with pytest.raises(OptionError, match="does not contain a model"):
        model.save(tmp_path / "notes")
    assert (tmp_path / "notes" / "mine.txt").read_text() == "keep me"


def test_a_model_that_cannot_be_finished_leaves_nothing(
    corpus: Corpus, french: TaskClasses, tmp_path: Path
) -> None:
    card = build_predictor({"family": "majority"}).fit(corpus[True], classes=french).card

    def fail(path: Path) -> None:
        raise OSError("no room")

    with pytest.raises(OptionError, match="no room"):
        save_model(tmp_path / "model", card, {"weights.safetensors": fail})
    assert not list(tmp_path.iterdir())


def write_archive(path: Path, **arrays: Any) -> None:
    """A NumPy archive under any name."""
    with path.open("wb") as file:
        np.savez(file, **arrays)


def hostile_arrays(path: Path) -> list[Callable[[], object]]:
    """Files with sound hashes and unsound content."""
    good = np.zeros((2, 3), np.float32)
    return [
        lambda: path.write_bytes(b"no archive"),
        lambda: write_arrays(path, {"matrix": good}),
        lambda: write_arrays(path, {"matrix": good[:1], "bias": np.zeros(3)}),
        lambda: write_arrays(path, {"matrix": good * np.nan, "bias": np.zeros(3)}),
        lambda: write_archive(path, matrix=np.array([["x"]]), bias=np.zeros(3)),
        lambda: write_archive(path, matrix=np.array([[print]], object), bias=np.zeros(3)),
        lambda: write_arrays(path, {"matrix": good, "bias": np.zeros(3), "more": np.zeros(3)}),
    ]


@pytest.fixture
def folder(corpus: Corpus, french: TaskClasses, tmp_path: Path) -> ModelFolder:
    """A folder that seems to have the weights of every family."""
    card = build_predictor({"family": "majority"}).fit(corpus[True], classes=french).card
    return ModelFolder(tmp_path, card, dict.fromkeys(["weights.safetensors", "forest.safetensors"], ""))


@pytest.mark.parametrize("number", range(7))
def test_invalid_weights_are_an_error(number: int, folder: ModelFolder) -> None:
    hostile_arrays(folder.path / "weights.safetensors")[number]()
    with pytest.raises(InputError, match="damaged"):
        LinearScorer.read(folder, features=2, classes=3)


@pytest.mark.parametrize(
    "change",
    [
        {"left": [0, -1, -1]},
        {"right": [9, -1, -1]},
        {"column": [5, -2, -2]},
        {"roots": [7]},
        {"used": [0, 3]},
    ],
    ids=["a circle", "a way out", "no column", "no root", "another width"],
)
def test_a_forest_with_a_cycle_is_an_error(change: dict[str, list[int]], folder: ModelFolder) -> None:
    arrays: dict[str, Any] = {
        "roots": [0],
        "column": [1, -2, -2],
        "threshold": [0.5, 0.0, 0.0],
        "left": [1, -1, -1],
        "right": [2, -1, -1],
        "shares": np.array([[0.5, 0.5], [1.0, 0.0], [0.0, 1.0]], np.float32),
        "used": [0, 1],
    }
    path = folder.path / "forest.safetensors"
    write_arrays(path, {name: np.array(values) for name, values in arrays.items()})
    read_forest(folder, features=2, classes=2)
    write_arrays(path, {name: np.array(values) for name, values in {**arrays, **change}.items()})
    with pytest.raises(InputError, match="damaged"):
        read_forest(folder, features=2, classes=2)


@pytest.mark.parametrize(
    "content",
    [
        "{}",
        "[]",
        '{"labels": ["il"], "priors": [0], "factor": 1, "strength": 0}',
        '{"labels": ["x"], "priors": [1], "factor": 1, "strength": 0}',
    ],
)
def test_an_invalid_decision_rule_is_an_error(content: str, tmp_path: Path) -> None:
    path = tmp_path / "choice.json"
    path.write_text(content)
    with pytest.raises(InputError, match="damaged"):
        read_rule(path, classes=("il", "elle"))
