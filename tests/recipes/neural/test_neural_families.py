"""What is asked of every architecture: it learns with all its parts, is saved whole, is the same again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from anaphor.core import Prediction, TaskSegment
from anaphor.predict.contract import Model
from anaphor.predict.explain.occlusion import occlude
from anaphor.predict.families import build_predictor, load_model
from anaphor.task import TaskClasses

torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'anaphor[neural]'")
pytestmark = pytest.mark.filterwarnings("ignore:these classes never occur")


def quick(recipe: dict[str, Any], **options: Any) -> dict[str, Any]:
    return {**recipe, "options": {**recipe["options"], "epochs": 3, **options}}


def labels(predictions: Sequence[Sequence[Prediction]]) -> list[str]:
    return [one.label for slots in predictions for one in slots]


def table(model: Model, segments: Sequence[TaskSegment]) -> np.ndarray[Any, Any]:
    return np.array([one.probabilities for slots in model.predict(segments) for one in slots])


#: Those that learn in a second or two; all families pass the tests of gradients, seeds and files each time.
QUICK = ("neural/latent", "neural/turku")
SLOW = ("neural/convolution", "neural/nyu", "neural/ukyoto", "neural/uppsala")


@pytest.mark.parametrize("family", [*QUICK, *(pytest.param(name, marks=pytest.mark.slow) for name in SLOW)])
def test_learns_twenty_examples_by_heart(
    recipe: dict[str, Any], twenty: Sequence[TaskSegment], classes: TaskClasses
) -> None:
    model = build_predictor(recipe).fit(twenty, classes=classes)
    gold = [slot.label for segment in twenty for slot in segment.slots]
    assert labels(list(model.predict(twenty))) == gold


def test_gradients_flow_through_every_part(
    recipe: dict[str, Any], twenty: Sequence[TaskSegment], classes: TaskClasses
) -> None:
    from anaphor.recipes.neural.contexts import ContextReader
    from anaphor.recipes.neural.model import ARCHITECTURES
    from anaphor.recipes.neural.tensors import ContextTensors
    from anaphor.recipes.neural.vocabulary import learn_vocabularies

    architecture = ARCHITECTURES[recipe["family"]]
    predictor: Any = build_predictor(recipe)
    contexts = ContextReader(classes.pair, forms=False, classes=classes.classes).read(twenty)
    vocabularies = learn_vocabularies(contexts, architecture.fields, least=1, most=1000)
    torch.manual_seed(1)
    network = architecture(vocabularies, len(classes.classes), predictor.options)
    tensors = ContextTensors(contexts, vocabularies, torch.device("cpu"))
    loss: Any = network.loss(tensors, tensors.batch(np.arange(20)), None)
    loss.backward()
    silent = [
        name for name, part in network.named_parameters() if part.grad is None or not part.grad.abs().sum()
    ]
    assert silent == []


def test_saved_and_loaded_gives_the_same_probabilities(
    recipe: dict[str, Any], twenty: Sequence[TaskSegment], classes: TaskClasses, tmp_path: Path
) -> None:
    model = build_predictor(quick(recipe, snapshots=2)).fit(twenty, classes=classes, dev=twenty[:20])
    model.save(tmp_path / "model")
    loaded = load_model(tmp_path / "model")
    assert loaded.card == model.card
    assert np.array_equal(table(loaded, twenty), table(model, twenty))


def test_padding_and_order_change_no_prediction(
    quick_model: Model, twenty: Sequence[TaskSegment], classes: TaskClasses
) -> None:
    model = quick_model
    together = table(model, twenty)
    for i in (0, 14, 38):  # the two sentences of a slot, without the others
        assert np.allclose(table(model, twenty[i : i + 2])[0], together[i // 2], atol=1e-6)
    long = _padded_to(300, twenty[1])
    beside = table(model, [*twenty, long])[:-1]
    assert np.allclose(beside, together, atol=1e-6)
    pairs = [twenty[i : i + 2] for i in range(0, len(twenty), 2)]
    turned = table(model, [segment for pair in reversed(pairs) for segment in pair])
    assert np.allclose(turned[::-1], together, atol=1e-6)


def test_parts_of_a_long_text_are_predicted_like_the_whole(
    quick_model: Model, twenty: Sequence[TaskSegment], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = table(quick_model, twenty)
    for size in (1, 3):  # parts that begin with a sentence whose context is in the part before
        monkeypatch.setattr("anaphor.recipes.neural.model._SEGMENTS_AT_ONCE", size)
        assert np.allclose(table(quick_model, twenty), whole, atol=1e-6)


def _padded_to(length: int, segment: TaskSegment) -> TaskSegment:
    """The same with so many more words after it, on both sides."""
    return replace(
        segment,
        source=segment.source + ("word",) * length,
        target=segment.target + ("mot|NOUN",) * length,
        document="long",
    )


def test_same_seed_same_model_another_seed_another(
    recipe: dict[str, Any], twenty: Sequence[TaskSegment], classes: TaskClasses
) -> None:
    tables = [
        table(build_predictor(quick(recipe, dropout=0.3)).fit(twenty, classes=classes, seed=seed), twenty)
        for seed in (7, 7, 8)
    ]
    assert np.array_equal(tables[0], tables[1])
    assert not np.array_equal(tables[0], tables[2])


def test_unknown_words_no_context_and_long_sentences_are_predicted(
    quick_model: Model, twenty: Sequence[TaskSegment], classes: TaskClasses
) -> None:
    model = quick_model
    plain = twenty[1]
    unknown = replace(
        plain,
        source=tuple("xyz" for _ in plain.source),
        target=tuple(token if i == 2 else "xyz|X" for i, token in enumerate(plain.target)),
    )
    alone = TaskSegment(
        ("it",), ("REPLACE_0",), (replace(plain.slots[0], source=0, target=0),), plain.alignment
    )
    asked = [
        unknown,
        replace(alone, alignment=type(plain.alignment)()),
        _padded_to(2000, plain),
        replace(plain, slots=()),
    ]
    found = list(model.predict(asked))
    assert [len(slots) for slots in found] == [1, 1, 1, 0]
    for slots in found:
        for one in slots:
            assert one.label in classes.classes
            assert sum(one.probabilities) == pytest.approx(1)


def test_a_class_that_training_never_had_is_never_predicted(
    quick_model: Model, twenty: Sequence[TaskSegment], classes: TaskClasses
) -> None:
    model = quick_model
    missing = classes.classes.index("cela")
    assert not table(model, twenty)[:, missing].any()


def test_labels_are_never_read(
    quick_model: Model, twenty: Sequence[TaskSegment], classes: TaskClasses
) -> None:
    model = quick_model
    blind = [
        replace(segment, slots=tuple(replace(slot, label=None, word=None) for slot in segment.slots))
        for segment in twenty
    ]
    assert np.array_equal(table(model, blind), table(model, twenty))


def test_a_network_is_less_sure_without_the_words_that_it_reads(
    quick_model: Model, twenty: Sequence[TaskSegment]
) -> None:
    model = quick_model
    found = occlude(model, twenty, segment=1, slot=0)
    (prediction,) = list(model.predict(twenty[:2]))[1]
    assert found.label == prediction.label
    assert found.probabilities == pytest.approx(prediction.probabilities)
    assert len(found.words) == 4 + 4 + 6 + 5  # both sentences on both sides, without the placeholder
    assert abs(found.strongest(1)[0].fall) > 0.001
