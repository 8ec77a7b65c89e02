"""What every family promises, on a made corpus: one list of checks for all."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from anaphor.core import Alignment, InputError, InputWarning, OptionError, Slot, TaskSegment
from anaphor.predict.contract import Model
from anaphor.predict.explain import explain
from anaphor.predict.families import build_predictor, load_model
from anaphor.predict.model_folder import CARD
from anaphor.recipes.classic.classifier import FeatureBasedModel
from anaphor.recipes.classic.source_aware_lm import SourcePronounNamer
from anaphor.recipes.features import GROUPS
from anaphor.task.classes import NONE, TaskClasses

FEATURES: dict[str, Any] = {
    "source-pronoun": {},
    "source-window": {"longest": 2},
    "target-window": {"layers": ["word", "ending"], "longest": 2},
    "antecedents": {},
}
#: Every group with its defaults, as one recipe.
ALL_FEATURES: dict[str, Any] = {name: {} for name in GROUPS}
SVM = {"family": "linear-svm", "features": FEATURES, "options": {"least": 1}}
RECIPES: dict[str, dict[str, Any]] = {
    "majority": {"family": "majority"},
    "majority by pronoun": {"family": "majority", "options": {"by_pronoun": True}},
    "linear-svm": SVM,
    "linear-svm for recall": {**SVM, "options": {"least": 1, "choose": "recall", "balance": 0.5}},
    "all features": {"family": "linear-svm", "features": ALL_FEATURES},
    "logistic": {"family": "logistic", "features": FEATURES},
    "logistic with NULL": {"family": "logistic", "features": FEATURES, "options": {"null": True}},
    "weighted-logistic": {"family": "weighted-logistic", "features": FEATURES},
    "its twin": {"family": "weighted-logistic", "features": FEATURES, "options": {"engine": "scikit-learn"}},
    "random-forest": {"family": "random-forest", "features": FEATURES, "options": {"trees": 10, "least": 1}},
    "crf": {"family": "crf", "features": FEATURES},
    "crf of chains": {"family": "crf", "features": FEATURES, "options": {"sequence": "chain"}},
    "crf of neighbours": {
        "family": "crf",
        "features": FEATURES,
        "options": {"sequence": "neighbours", "null": True},
    },
    "lm-fill": {"family": "lm-fill", "options": {"order": 3, "tuned": True}},
    "source-aware-lm": {"family": "source-aware-lm", "options": {"order": 3}},
    "with function of it": {"family": "source-aware-lm", "options": {"order": 3, "function_of_it": True}},
    "pronoun inserted": {"family": "source-aware-lm", "options": {"order": 3, "inserted": True}},
    "pronoun-lm": {"family": "pronoun-lm", "options": {"order": 3}},
    "two-step": {"family": "two-step", "first": SVM, "second": {**SVM, "family": "logistic"}},
    "interpolation": {
        "family": "interpolation",
        "members": [SVM, {"family": "source-aware-lm", "options": {"order": 3}}, {"family": "majority"}],
        "options": {"means": "log"},
    },
}
EXPLAINED = [name for name in RECIPES if not name.startswith(("majority", "lm-fill", "pronoun-lm"))]
#: Recipes that must do well on text they have learned from; the others are weak by design.
STRONG = ["linear-svm", "all features", "logistic", "its twin", "random-forest", "crf", "two-step"]

Corpus = dict[bool, list[TaskSegment]]


@pytest.fixture(scope="module")
def trained(corpus: Corpus, french: TaskClasses) -> Callable[[str, bool], Model]:
    """Models by recipe and style, each trained once."""
    models: dict[tuple[str, bool], Model] = {}

    def train(name: str, forms: bool) -> Model:
        if (name, forms) not in models:
            models[name, forms] = fitted(name, corpus[forms], french)
        return models[name, forms]

    return train


def fitted(name: str, segments: list[TaskSegment], classes: TaskClasses) -> Model:
    recipe = {"name": name.replace(" ", "-"), **RECIPES[name]}
    return build_predictor(recipe).fit(segments, classes=classes, dev=segments[:30], seed=7)


def untranslated(segments: list[TaskSegment]) -> list[TaskSegment]:
    """The segments, in which *We take it* has no word for *it*."""
    return [
        replace(one, slots=tuple(replace(slot, word=NONE) for slot in one.slots))
        if one.source[0] == "We"
        else one
        for one in segments
    ]


@pytest.mark.parametrize("family", ["logistic", "crf"])
def test_pronouns_without_a_translation_are_a_class_that_counts_as_other(
    family: str, corpus: Corpus, french: TaskClasses, tmp_path: Path
) -> None:
    """UEDIN learned NULL translations; no answer and no probability of them is left in predictions."""
    segments = untranslated(corpus[True])
    recipe = {"name": "null", "family": family, "features": FEATURES, "options": {"null": True}}
    model = build_predictor(recipe).fit(segments, classes=french)
    assert isinstance(model, FeatureBasedModel)
    assert model.rule.labels == (*french.classes, "NULL")
    model.save(tmp_path / "model")
    found = list(load_model(tmp_path / "model").predict(withheld(segments)))
    assert found == list(model.predict(segments))
    (taken,) = {slots[0].label for slots, one in zip(found, segments, strict=True) if one.source[0] == "We"}
    assert taken == "OTHER"
    for slots in found:
        for prediction in slots:
            assert len(prediction.probabilities) == len(french.classes)
            assert sum(prediction.probabilities) == pytest.approx(1)
    place = next(at for at, one in enumerate(segments) if one.source[0] == "We")
    assert explain(model, segments, segment=place, slot=0).label == "OTHER"


def test_the_pronoun_is_a_token_before_the_class(corpus: Corpus, french: TaskClasses) -> None:
    """discomt17-findings, section 5.4: inserted as an extra token before the placeholder."""
    namer = SourcePronounNamer(french, True, function=False, inserted=True)
    (found,) = namer.prepared([next(one for one in corpus[True] if one.source[0] == "We")])
    assert found.target == ("nous", "SOURCE:it", "REPLACE_2", "prenons", ".")
    assert found.slots[0].target == 2
    assert namer.token("it", "elle") == "REPLACE:elle"


def withheld(segments: list[TaskSegment]) -> list[TaskSegment]:
    """The segments without their answers."""
    return [
        replace(one, slots=tuple(replace(slot, label=None, word=None) for slot in one.slots))
        for one in segments
    ]


@pytest.mark.parametrize("forms", [True, False], ids=["forms", "lemmas"])
@pytest.mark.parametrize("name", RECIPES)
class TestEveryFamily:
    def test_gives_one_prediction_per_slot_with_probabilities_that_sum_to_one(
        self, name: str, forms: bool, trained: Callable[[str, bool], Model], corpus: Corpus
    ) -> None:
        model = trained(name, forms)
        found = list(model.predict(corpus[forms]))
        assert [len(slots) for slots in found] == [len(segment.slots) for segment in corpus[forms]]
        for prediction in (one for slots in found for one in slots):
            assert prediction.label in model.card.classes
            assert len(prediction.probabilities) == len(model.card.classes)
            assert min(prediction.probabilities) >= 0
            assert sum(prediction.probabilities) == pytest.approx(1, abs=1e-9)

    def test_never_reads_the_labels(
        self, name: str, forms: bool, trained: Callable[[str, bool], Model], corpus: Corpus
    ) -> None:
        model = trained(name, forms)
        assert list(model.predict(corpus[forms])) == list(model.predict(withheld(corpus[forms])))

    def test_is_the_same_after_saving_and_loading(
        self, name: str, forms: bool, trained: Callable[[str, bool], Model], corpus: Corpus, tmp_path: Path
    ) -> None:
        model = trained(name, forms)
        model.save(tmp_path / "model")
        loaded = load_model(tmp_path / "model")
        assert loaded.card == model.card
        assert list(loaded.predict(corpus[forms])) == list(model.predict(corpus[forms]))

    def test_is_the_same_when_trained_again_with_the_seed(
        self,
        name: str,
        forms: bool,
        trained: Callable[[str, bool], Model],
        corpus: Corpus,
        french: TaskClasses,
    ) -> None:
        again = fitted(name, corpus[forms], french)
        assert list(again.predict(corpus[forms])) == list(trained(name, forms).predict(corpus[forms]))

    def test_works_without_any_context(
        self, name: str, forms: bool, trained: Callable[[str, bool], Model]
    ) -> None:
        """A placeholder alone, one that nothing is aligned to, a segment without slots, unknown words."""
        alone = TaskSegment(("It",), ("REPLACE_0",), (Slot(0, 0),), Alignment())
        nothing = TaskSegment(("Hello", "."), ("bonjour",) if forms else ("bonjour|X",), (), Alignment())
        strange = ("qzx", "REPLACE_0", "zzyx") if forms else ("qzx|X", "REPLACE_0", "zzyx|X")
        unknown = TaskSegment(("They", "zq"), strange, (Slot(0, 1),), Alignment((0, 1), (1, 2)), "new")
        close = ("REPLACE_0", "REPLACE_1", "REPLACE_0", "REPLACE_1")
        slots = tuple(Slot(place % 2, place) for place in range(4))
        crowd = TaskSegment(("it", "they"), close, slots, Alignment((0, 1), (0, 1)), "new")
        found = list(trained(name, forms).predict([alone, nothing, unknown, crowd]))
        assert [len(slots) for slots in found] == [1, 0, 1, 4]
        assert not list(trained(name, forms).predict([]))


@pytest.mark.parametrize("name", RECIPES)
def test_a_class_that_training_never_had_cannot_be_predicted(
    name: str, corpus: Corpus, french: TaskClasses
) -> None:
    without = [one for one in corpus[True] if all(slot.label != "on" for slot in one.slots)]
    with pytest.warns(InputWarning, match="cannot be predicted: on"):
        model = fitted(name, without, french)
    place = french.classes.index("on")
    predictions = [prediction for slots in model.predict(corpus[True]) for prediction in slots]
    assert len(predictions) == sum(len(segment.slots) for segment in corpus[True]) > 0
    assert {prediction.probabilities[place] for prediction in predictions} == {0}
    assert "on" not in {prediction.label for prediction in predictions}


@pytest.mark.parametrize("name", STRONG)
def test_learns_the_regularities_of_the_corpus(
    name: str, trained: Callable[[str, bool], Model], corpus: Corpus
) -> None:
    found = [one.label for slots in trained(name, True).predict(corpus[True]) for one in slots]
    gold = [slot.label for segment in corpus[True] for slot in segment.slots]
    right = sum(one == two for one, two in zip(found, gold, strict=True))
    assert right / len(gold) > 0.9  # the endings and articles of the made sentences leave no doubt


@pytest.mark.parametrize("name", EXPLAINED)
def test_explains_its_choice(name: str, trained: Callable[[str, bool], Model], corpus: Corpus) -> None:
    model = trained(name, True)
    predictions = list(model.predict(corpus[True]))
    for number in (1, 2, 4, 5):  # the first four segments with slots
        found = explain(model, corpus[True], segment=number, slot=0)
        assert found.label != found.against
        assert list(found.evidence) == sorted(found.evidence, key=lambda one: (-abs(one.amount), one.feature))
        if name != "two-step":
            assert found.label == predictions[number][0].label


def test_a_model_without_explanations_is_an_error(
    trained: Callable[[str, bool], Model], corpus: Corpus
) -> None:
    with pytest.raises(OptionError, match="majority have no features"):
        explain(trained("majority", True), corpus[True], segment=1, slot=0)


@pytest.mark.parametrize(("segment", "slot"), [(0, 0), (1, 1), (9999, 0), (-1, 0)])
def test_a_missing_slot_cannot_be_explained(
    segment: int, slot: int, trained: Callable[[str, bool], Model], corpus: Corpus
) -> None:
    with pytest.raises(OptionError, match="does not exist"):
        explain(trained("linear-svm", True), corpus[True], segment=segment, slot=slot)


def model_files(folder: Path) -> Iterator[Path]:
    yield from (path for path in sorted(folder.rglob("*")) if path.is_file())


@pytest.mark.parametrize("name", RECIPES)
def test_a_changed_file_is_an_error_that_names_it(
    name: str, trained: Callable[[str, bool], Model], tmp_path: Path
) -> None:
    trained(name, True).save(tmp_path / "model")
    paths = [path for path in model_files(tmp_path / "model") if path.name != CARD]
    assert paths
    for path in paths:
        content = path.read_bytes()
        path.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
        with pytest.raises(InputError, match="differs from the one saved") as error:
            load_model(tmp_path / "model")
        assert error.value.where.path == str(path)
        path.unlink()
        with pytest.raises(InputError, match="cannot be read"):
            load_model(tmp_path / "model")
        path.write_bytes(content)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        load_model(tmp_path / "model")
