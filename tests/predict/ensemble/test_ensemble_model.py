"""Trained models as one: what weights do, what is kept, and what cannot be joined."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from anaphor.core import (
    Alignment,
    InputError,
    InputWarning,
    LanguagePair,
    MismatchError,
    OptionError,
    Prediction,
    Slot,
    TaskSegment,
)
from anaphor.core.progress import ShareProgress
from anaphor.predict.contract import Model, ModelCard
from anaphor.predict.ensemble.mixture import EnsembleOptions, Mixture, mixed, with_class_factors
from anaphor.predict.ensemble.model import (
    InterpolationPredictor,
    build_ensemble,
    check_members,
)
from anaphor.predict.families import build_predictor, load_model
from anaphor.report.emit import emit
from anaphor.task import TaskClasses, task_classes

CLASSES = task_classes(LanguagePair.parse("en-fr"), year=2016)
CARD = ModelCard(
    recipe="fixed", family="fixed", version=1, pair="en-fr", year=2016, forms=True, classes=CLASSES.classes
)


@dataclass(frozen=True)
class Fixed:
    """A model that always says how likely *il* is; the rest is for *elle*."""

    il: float
    card: ModelCard = CARD

    def predict(self, segments: Sequence[TaskSegment]) -> Iterator[tuple[Prediction, ...]]:
        shares = {"il": self.il, "elle": 1 - self.il}
        row = tuple(shares.get(name, 0.0) for name in self.card.classes)
        label = max(shares, key=shares.__getitem__)
        yield from (tuple(Prediction(label, row) for _ in one.slots) for one in segments)

    def save(self, folder: Path) -> None:
        raise NotImplementedError


def said(label: str | None, noun: str = "livre") -> TaskSegment:
    return TaskSegment(
        ("it", "is", noun), ("REPLACE_0", "est", noun), (Slot(0, 0, label),), Alignment((0, 2), (0, 2)), noun
    )


def dev(**counts: int) -> list[TaskSegment]:
    return [said(label) for label, count in counts.items() for _ in range(count)]


def test_equal_weights_need_no_development_data() -> None:
    found = build_ensemble({"a": Fixed(1.0), "b": Fixed(0.4)}, options=EnsembleOptions(), equal=True)
    assert found.model.mixture.weights == (0.5, 0.5)
    ((prediction,),) = found.model.predict([said(None)])
    shares = dict(zip(CLASSES.classes, prediction.probabilities, strict=True))
    assert shares["il"] == pytest.approx(0.7)  # (1.0 + 0.4) / 2
    assert (found.members, found.together) == (({}, {}), {})


def test_one_low_probability_lowers_a_geometric_mean() -> None:
    members = {"a": Fixed(0.9), "b": Fixed(0.01)}
    found = build_ensemble(members, options=EnsembleOptions(means="log"), equal=True)
    ((prediction,),) = found.model.predict([said(None)])
    il = np.sqrt(0.9 * 0.01)
    elle = np.sqrt(0.1 * 0.99)
    assert max(prediction.probabilities) == pytest.approx(elle / (il + elle))


@pytest.mark.parametrize(
    ("metric", "gold", "label"),
    [("accuracy", dev(il=3, elle=1), "il"), ("accuracy", dev(il=1, elle=3), "elle")],
)
def test_weights_follow_the_development_data(metric: str, gold: list[TaskSegment], label: str) -> None:
    members = {"il": Fixed(0.8), "elle": Fixed(0.2)}
    found = build_ensemble(members, dev=gold, options=EnsembleOptions(metric=metric))
    ((prediction,),) = found.model.predict([said(None)])
    assert prediction.label == label
    assert found.together["accuracy"] == 0.75
    assert [scores["accuracy"] for scores in found.members] in ([0.75, 0.25], [0.25, 0.75])


def test_rare_classes_are_favoured_for_macro_recall_alone() -> None:
    # Nine *il*, one *elle*, and a model that gives *elle* 0.4 for the one and 0.2 for the others.
    class Unsure(Fixed):
        def predict(self, segments: Sequence[TaskSegment]) -> Iterator[tuple[Prediction, ...]]:
            for one in segments:
                yield from Fixed(0.6 if one.document == "lampe" else 0.8).predict([one])

    gold = [*(said("il") for _ in range(9)), said("elle", "lampe")]
    members = {"a": Unsure(0.8), "b": Unsure(0.8)}
    recall = build_ensemble(members, dev=gold, options=EnsembleOptions(metric="macro-recall"))
    accuracy = build_ensemble(members, dev=gold, options=EnsembleOptions(metric="accuracy"))
    assert (recall.together["macro-recall"], accuracy.together["macro-recall"]) == (1.0, 0.5)
    assert accuracy.model.mixture.favour == ()
    ((prediction,),) = recall.model.predict([said(None, "lampe")])
    assert prediction.label == "elle"
    assert max(prediction.probabilities) == pytest.approx(0.6), "probabilities stay what they are"


def test_the_card_names_the_members_and_the_data_of_the_weights() -> None:
    card = build_ensemble(
        {"a": Fixed(0.8), "b": Fixed(0.2)}, dev=dev(il=2), options=EnsembleOptions()
    ).model.card
    assert (card.recipe, card.pair, card.classes) == ("ensemble", "en-fr", CLASSES.classes)
    assert [member["recipe"] for member in card.options["members"]] == ["fixed", "fixed"]
    assert card.trained_on["dev"]["slots"] == 2


@pytest.mark.parametrize(
    ("other", "what"),
    [
        (replace(CARD, pair="en-de"), "is for en-de"),
        (replace(CARD, classes=("il", "elle")), "has the classes il, elle"),
        (replace(CARD, forms=False), "reads lemmas with tags"),
    ],
)
def test_models_of_other_tasks_are_refused_by_name(other: ModelCard, what: str) -> None:
    with pytest.raises(MismatchError, match=what) as error:
        check_members({"first": Fixed(0.8), "second": Fixed(0.2, other)})
    assert str(error.value.where) == "second"
    assert "first" in error.value.what


def test_the_same_classes_in_another_year_are_the_same_task() -> None:
    check_members({"a": Fixed(0.8), "b": Fixed(0.2, replace(CARD, year=2017))})


@pytest.mark.parametrize("members", [{}, {"a": Fixed(0.8)}])
def test_an_ensemble_needs_two_models(members: dict[str, Model]) -> None:
    with pytest.raises(OptionError, match=f"at least two models, got {len(members)}"):
        check_members(members)


@pytest.mark.parametrize("given", [[], [said(None)]])
def test_weights_without_labels_are_refused(given: list[TaskSegment]) -> None:
    with pytest.raises(OptionError, match="no development data") as error:
        build_ensemble({"a": Fixed(0.8), "b": Fixed(0.2)}, dev=given, options=EnsembleOptions())
    assert "--equal" in error.value.fix


@pytest.fixture(scope="module")
def trained() -> dict[str, Model]:
    """Two models that can be saved: both know the pronouns by their frequency alone."""
    pytest.importorskip("sklearn", reason="a linear member needs the extra `classic`")
    texts = [said(label, noun) for label, noun in (("il", "livre"), ("elle", "maison"), ("ce", "vrai"))] * 6
    recipes: list[dict[str, Any]] = [
        {"family": "majority"},
        {"family": "linear-svm", "features": {"target-window": {"before": 1, "after": 2}}},
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InputWarning)  # most classes never occur
        return {
            one["family"]: build_predictor({"name": one["family"], **one}).fit(texts, classes=CLASSES)
            for one in recipes
        }


def test_a_saved_ensemble_is_complete_and_predicts_the_same(
    trained: dict[str, Model], tmp_path: Path
) -> None:
    texts = [said("il"), said("elle", "maison"), said("elle", "jamais")]
    found = build_ensemble(trained, dev=texts, options=EnsembleOptions(metric="accuracy")).model
    found.save(tmp_path / "both")
    (tmp_path / "both").rename(tmp_path / "moved")
    again = load_model(tmp_path / "moved")
    assert again.card == found.card
    assert list(again.predict(texts)) == list(found.predict(texts))


def test_a_changed_member_is_noticed(trained: dict[str, Model], tmp_path: Path) -> None:
    build_ensemble(trained, options=EnsembleOptions(), equal=True).model.save(tmp_path / "both")
    card = tmp_path / "both" / "member-1" / "model.json"
    content = json.loads(card.read_text(encoding="utf-8"))
    card.write_text(json.dumps({**content, "card": {**content["card"], "recipe": "other"}}), encoding="utf-8")
    with pytest.raises(InputError, match="damaged or was changed"):
        load_model(tmp_path / "both")


def test_class_factors_are_omitted_unless_they_help() -> None:
    # Both classes are found already: every power is as good as 0, the nearest to which is 0 itself.
    tables = np.array([[[0.9, 0.1], [0.2, 0.8]]])
    mixture = Mixture((1.0,), "linear")
    assert with_class_factors(mixture, tables, np.array([0, 1])) == mixture


def test_the_weakest_class_factors_that_are_best_are_taken() -> None:
    # Three of class 0, one of class 1 that has 0.41: a factor above 0.59 / 0.41 = 1.44; 3 ** 0.35 = 1.47.
    tables = np.array([[[0.9, 0.1]] * 3 + [[0.59, 0.41]]])
    found = with_class_factors(Mixture((1.0,), "linear"), tables, np.array([0, 0, 0, 1]))
    common, rare = found.favour
    assert rare / common == pytest.approx(3**0.35)


def test_of_equal_probabilities_the_first_class_is_chosen() -> None:
    assert Mixture((1.0,), "linear").choose(np.array([[0.4, 0.4, 0.2], [0.2, 0.4, 0.4]])).tolist() == [0, 1]


@dataclass
class Recorder:
    """A predictor that remembers what it was given."""

    given: list[tuple[int, int]]

    def fit(
        self,
        segments: Sequence[TaskSegment],
        *,
        classes: TaskClasses,
        dev: Sequence[TaskSegment] = (),
        seed: int = 1,
        progress: ShareProgress | None = None,
    ) -> Fixed:
        self.given.append((len(segments), len(dev)))
        assert progress is not None
        progress("half", 0.5)
        return Fixed(0.8)


@pytest.mark.parametrize(
    ("train", "dev_size", "expected"),
    [(25, 3, (25, 3)), (25, 0, (23, 2)), (9, 0, (9, 9)), (-20, 0, (20, 20))],
    ids=["development data", "the last tenth", "too short to split", "a tenth without slots"],
)
def test_weights_are_tuned_on_data_that_members_did_not_see(
    train: int, dev_size: int, expected: tuple[int, int]
) -> None:
    members = (Recorder([]), Recorder([]))
    predictor = InterpolationPredictor(
        recipe="two",
        family="interpolation",
        version=1,
        settings={},
        members=members,  # type: ignore[arg-type]
        options=EnsembleOptions(),
    )
    told: list[tuple[float, str]] = []
    texts = [said("il"), *(said("elle") for _ in range(abs(train) - 1))]
    if train < 0:
        texts[-2:] = [replace(one, slots=()) for one in texts[-2:]]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InputWarning)
        predictor.fit(
            texts,
            classes=CLASSES,
            dev=texts[:dev_size],
            progress=lambda what, share: told.append((share, what)),
        )
    assert [member.given for member in members] == [[expected], [expected]]
    assert told == [(0.25, "member 1: half"), (0.75, "member 2: half")]


@pytest.mark.parametrize(
    "content",
    [
        '{"weights": [0.5, 0.4], "means": "linear"}',
        '{"weights": [1.5, -0.5], "means": "linear"}',
        '{"weights": [1.0], "means": "middle"}',
        '{"weights": [1.0], "means": "linear", "favour": [0.0]}',
        '{"weights": [1.0], "means": "linear", "favour": [1e999]}',
        '{"weights": "ab", "means": "linear"}',
        "[]",
        "{",
    ],
)
def test_invalid_mixtures_are_refused(content: str, tmp_path: Path) -> None:
    path = tmp_path / "mixture.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InputError):
        Mixture.read(path)


def test_a_saved_mixture_is_read_back(tmp_path: Path) -> None:
    mixture = Mixture((0.25, 0.75), "log", (1.0, 2.5))
    mixture.write(tmp_path / "mixture.json")
    assert Mixture.read(tmp_path / "mixture.json") == mixture


def test_a_printed_ensemble_has_weights_and_scores() -> None:
    members = {"il": Fixed(0.8), "elle": Fixed(0.2)}
    found = build_ensemble(members, dev=dev(il=3, elle=1), options=EnsembleOptions(metric="accuracy"))
    result = replace(found, output="folder", tuned_on="dev.tsv")
    content = result.to_dict()
    assert [(one["model"], one["dev"]["accuracy"]) for one in content["members"]] == [
        ("il", 0.75),
        ("elle", 0.25),
    ]
    assert content["dev"]["accuracy"] == 0.75
    text = emit(result)
    assert "folder: 2 models for en-fr 2016, word forms" in text
    assert "Weights were tuned on dev.tsv: score the ensemble on other data." in text
    assert "tuned on" not in emit(replace(found, output="folder"))


def test_a_member_without_weight_makes_no_class_possible() -> None:
    tables = np.array([[[0.7, 0.3, 0.0]], [[0.4, 0.3, 0.3]]])
    assert mixed(tables, Mixture((1.0, 0.0), "log"))[0] == pytest.approx([0.7, 0.3, 0.0], abs=1e-15)
