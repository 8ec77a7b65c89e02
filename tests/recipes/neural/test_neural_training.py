"""The loop of training: stopping early, stopping in time, going on after an interruption."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from anaphor.core import InputError, MismatchError, TaskSegment
from anaphor.predict.distributions import class_weights
from anaphor.predict.families import build_predictor
from anaphor.predict.network_training import dev_score, ordered_batches, shuffled_batches
from anaphor.recipes.neural.options import LatentOptions, NetworkOptions
from anaphor.task import TaskClasses

torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'anaphor[neural]'")
from anaphor.recipes.neural.training import (  # noqa: E402
    class_shares,
    mixture_shares,
    sampled_slots,
)

pytestmark = pytest.mark.filterwarnings("ignore:these classes never occur")

#: The adjectives of the invented sentences, before the number of the noun.
ADJECTIVES = ("vieux", "neuf", "rouge", "grand")
OPTIONS = {"word": 8, "tag": 4, "hidden": 8, "batch": 5, "rate": 0.02, "least": 1, "device": "cpu"}


def recipe(**options: Any) -> dict[str, Any]:
    return {"name": "small", "family": "neural/latent", "options": {**OPTIONS, "epochs": 6, **options}}


def table(model: Any, segments: Sequence[TaskSegment]) -> np.ndarray[Any, Any]:
    return np.array([one.probabilities for slots in model.predict(segments) for one in slots])


class InterruptedHereError(Exception):
    pass


def interrupted(epoch: int) -> Any:
    """Progress that stops a run when an epoch begins, as a lost connection would."""

    def progress(step: str, done: float) -> None:
        if step.startswith(f"epoch {epoch}"):
            raise InterruptedHereError

    return progress


@pytest.mark.parametrize("epoch", [1, 2, 5])
def test_an_interrupted_training_ends_in_the_same_model(
    epoch: int, twenty: Sequence[TaskSegment], classes: TaskClasses, tmp_path: Path
) -> None:
    whole = build_predictor(recipe(snapshots=2)).fit(twenty, classes=classes, dev=twenty[:16], seed=5)
    predictor = build_predictor(recipe(snapshots=2, checkpoint=str(tmp_path / "run")))
    with pytest.raises(InterruptedHereError):
        predictor.fit(twenty, classes=classes, dev=twenty[:16], seed=5, progress=interrupted(epoch))
    resumed: list[str] = []
    again = predictor.fit(
        twenty, classes=classes, dev=twenty[:16], seed=5, progress=lambda step, _: resumed.append(step)
    )
    assert resumed[1].startswith(f"epoch {epoch}")
    assert np.array_equal(table(again, twenty), table(whole, twenty))
    assert not list((tmp_path / "run").glob("*"))


def stopped(segments: Sequence[TaskSegment], classes: TaskClasses, folder: Path) -> None:
    predictor = build_predictor(recipe(checkpoint=str(folder)))
    with pytest.raises(InterruptedHereError):
        predictor.fit(segments, classes=classes, seed=5, progress=interrupted(3))


def test_a_run_is_not_resumed_from_another_run(
    twenty: Sequence[TaskSegment], classes: TaskClasses, tmp_path: Path
) -> None:
    stopped(twenty, classes, tmp_path)
    changes: tuple[dict[str, Any], ...] = ({"seed": 6}, {"dev": twenty[:8]})
    for changed in changes:
        with pytest.raises(MismatchError, match="a different recipe, data or seed"):
            build_predictor(recipe(checkpoint=str(tmp_path))).fit(
                twenty, classes=classes, **{"seed": 5, **changed}
            )
    with pytest.raises(MismatchError, match="a different recipe"):
        build_predictor(recipe(checkpoint=str(tmp_path), hidden=9)).fit(twenty, classes=classes, seed=5)


def test_a_damaged_checkpoint_is_refused(
    twenty: Sequence[TaskSegment], classes: TaskClasses, tmp_path: Path
) -> None:
    stopped(twenty, classes, tmp_path)
    file = next(tmp_path.iterdir())
    content = file.read_bytes()
    for damaged in (content[: len(content) // 2], content.replace(b"network/", b"netwirk/")):
        file.write_bytes(damaged)
        with pytest.raises(InputError):
            build_predictor(recipe(checkpoint=str(tmp_path))).fit(twenty, classes=classes, seed=5)


def test_training_stops_when_development_data_no_longer_gains(
    twenty: Sequence[TaskSegment], classes: TaskClasses
) -> None:
    steps: list[str] = []
    build_predictor(recipe(epochs=200, patience=2, rate=0.05)).fit(
        twenty, classes=classes, dev=twenty, progress=lambda step, _: steps.append(step)
    )
    assert len(steps) < 100


def test_training_stops_at_the_time_limit(twenty: Sequence[TaskSegment], classes: TaskClasses) -> None:
    from anaphor.recipes.neural.contexts import ContextReader
    from anaphor.recipes.neural.model import ARCHITECTURES
    from anaphor.recipes.neural.tensors import ContextTensors
    from anaphor.recipes.neural.training import NetworkTrainer
    from anaphor.recipes.neural.vocabulary import learn_vocabularies

    contexts = ContextReader(classes.pair, forms=False, classes=classes.classes).read(twenty)
    architecture = ARCHITECTURES["neural/latent"]
    vocabularies = learn_vocabularies(contexts, architecture.fields, least=1, most=100)
    ticks = itertools.count()
    steps: list[str] = []
    trainer = NetworkTrainer(
        network=architecture(vocabularies, len(classes.classes), LatentOptions()),
        train=ContextTensors(contexts, vocabularies, torch.device("cpu")),
        dev=None,
        classes=len(classes.classes),
        options=NetworkOptions(epochs=1000, batch=10),
        seed=1,
        deadline=20.0,
        clock=lambda: float(next(ticks)),
        progress=lambda step, _: steps.append(step),
    )
    assert len(trainer.run()) == 1
    assert len(steps) == 7  # three looks at the clock an epoch: before it and after both batches


def test_shares_of_a_mixture_find_the_better_member() -> None:
    good, bad = np.full(50, 0.8), np.full(50, 0.2)
    assert mixture_shares([good, bad])[0] > 0.99
    assert mixture_shares([good, good]).tolist() == [0.5, 0.5]
    # Each is right where the other is not: by symmetry half and half.
    one = np.tile([0.9, 0.1], 25)
    assert mixture_shares([one, 1 - one]) == pytest.approx([0.5, 0.5])


def test_snapshots_are_mixed_by_their_shares(twenty: Sequence[TaskSegment], classes: TaskClasses) -> None:
    from anaphor.recipes.neural.model import NeuralModel

    model = build_predictor(recipe(snapshots=2, epochs=3)).fit(twenty, classes=classes, dev=twenty)
    assert isinstance(model, NeuralModel)
    # Absent classes are left out after mixing; with all of them present, rows are not scaled again.
    model = replace(model, present=tuple(range(len(classes.classes))))
    first, second = (
        table(replace(model, snapshots=(one,), shares=np.ones(1)), twenty) for one in model.snapshots
    )
    assert not np.allclose(first, second, atol=1e-3)
    mixed = table(replace(model, shares=np.array([0.25, 0.75])), twenty)
    assert mixed == pytest.approx(0.25 * first + 0.75 * second)


def test_pretraining_brings_words_with_the_same_pronouns_together(
    twenty: Sequence[TaskSegment], classes: TaskClasses
) -> None:
    from anaphor.recipes.neural.contexts import ContextReader
    from anaphor.recipes.neural.tensors import ContextTensors
    from anaphor.recipes.neural.turku import pretrained
    from anaphor.recipes.neural.vocabulary import learn_vocabularies

    contexts = ContextReader(classes.pair, forms=False, classes=classes.classes).read(twenty)
    vocabularies = learn_vocabularies(contexts, ["target.word"], least=1, most=100)
    tensors = ContextTensors(contexts, vocabularies, torch.device("cpu"))
    vectors = pretrained(tensors, "target.word", width=8, passes=400, seed=1)
    assert len(vectors) == len(vocabularies["target.word"])
    unit = torch.nn.functional.normalize(vectors - vectors.mean(dim=0), dim=1)
    number = vocabularies["target.word"].number

    def alike(one: str, other: str) -> float:
        """The mean likeness of the adjectives that stand with two nouns."""
        rows = [[unit[number(f"{word}{noun}")] for word in ADJECTIVES] for noun in (one, other)]
        return float(torch.stack(rows[0]).mean(dim=0) @ torch.stack(rows[1]).mean(dim=0))

    # Adjectives differ by the number of their noun alone, so the pronoun is all that tells them apart.
    assert alike("0", "4") > max(alike("0", other) for other in "123")  # nouns 0 and 4 go with elle


def test_unlabelled_development_data_is_not_used(twenty: Sequence[TaskSegment], classes: TaskClasses) -> None:
    blind = [replace(s, slots=tuple(replace(t, label=None) for t in s.slots)) for s in twenty]
    with_blind = build_predictor(recipe(epochs=2)).fit(twenty, classes=classes, dev=blind)
    without = build_predictor(recipe(epochs=2)).fit(twenty, classes=classes)
    assert np.array_equal(table(with_blind, twenty), table(without, twenty))


def test_of_equal_epochs_the_first_is_kept_and_patience_runs_on(
    twenty: Sequence[TaskSegment], classes: TaskClasses, monkeypatch: pytest.MonkeyPatch
) -> None:
    from anaphor.recipes.neural import training

    scores = iter([0.5, 0.7, 0.7, 0.6, 0.7, 0.9])
    monkeypatch.setattr(training, "dev_score", lambda *_: next(scores))
    steps: list[str] = []
    predictor = build_predictor(recipe(epochs=9, patience=3, snapshots=2))
    predictor.fit(twenty, classes=classes, dev=twenty, progress=lambda step, _: steps.append(step))
    # The best is 0.7 of the second epoch; after three more without a gain training stops.
    assert steps[1:] == [
        "epoch 1",
        *(
            f"epoch {n}, {best} so far"
            for n, best in zip(range(2, 6), ["0.500", "0.700", "0.700", "0.700"], strict=True)
        ),
    ]


@pytest.mark.parametrize(
    ("metric", "expected"), [("accuracy", 3 / 4), ("macro-recall", (2 / 3 + 1) / 2), ("likelihood", None)]
)
def test_development_scores(metric: str, expected: float | None) -> None:
    found = np.array([[0.9, 0.1], [0.5, 0.5], [0.2, 0.8], [0.3, 0.7]])
    labels = np.array([0, 0, 0, 1])
    # Ties go to the first class: the second row is class 0.
    if expected is None:
        expected = float(np.mean(np.log([0.9, 0.5, 0.2, 0.7])))
    assert dev_score(found, labels, metric) == pytest.approx(expected)


#: Class 0 eighty times, class 1 fifteen, class 2 five; class 3 never.
LABELS = np.repeat([0, 1, 2], [80, 15, 5])


def drawn(sampling: str, share: float, wanted: np.ndarray[tuple[int], np.dtype[np.float64]]) -> list[int]:
    options = NetworkOptions(sampling=sampling, share=share)
    slots = sampled_slots(LABELS, wanted, options, np.random.default_rng(1))
    assert len(set(slots.tolist())) == len(slots)
    counts: list[int] = np.bincount(LABELS[slots], minlength=4).tolist()
    return counts


@pytest.mark.parametrize(
    ("sampling", "share", "wanted", "expected"),
    [
        ("all", 1.0, [0.25] * 4, [80, 15, 5, 0]),
        ("equal", 0.15, [0.25] * 4, [5, 5, 5, 0]),  # 15 slots, three classes
        ("equal", 0.3, [0.25] * 4, [10, 10, 5, 0]),  # ten of each, but the third has only five
        ("equal", 0.17, [0.25] * 4, [6, 6, 5, 0]),  # 17 slots: 5.67 of each, rounded
        ("proportional", 0.2, [0.5, 0.25, 0.25, 0.0], [10, 5, 5, 0]),
        ("proportional", 0.2, [1.0, 0.0, 0.0, 0.0], [20, 0, 0, 0]),
    ],
)
def test_an_epoch_samples_as_the_options_say(
    sampling: str, share: float, wanted: list[float], expected: list[int]
) -> None:
    assert drawn(sampling, share, np.array(wanted)) == expected


def test_a_share_of_all_is_that_many() -> None:
    assert sum(drawn("all", 0.1, np.ones(4))) == 10


@pytest.mark.parametrize(
    ("balance", "expected"),
    [
        (0.0, [1, 1, 1, 0]),
        (1.0, [100 / 3 / 80, 100 / 3 / 15, 100 / 3 / 5, 0]),  # each class counts a third of all
    ],
)
def test_weights_average_to_one(balance: float, expected: list[float]) -> None:
    weights = class_weights(LABELS, 4, balance)
    assert weights == pytest.approx(expected)
    assert weights[LABELS].mean() == pytest.approx(1)


def test_shares_of_classes() -> None:
    assert class_shares(LABELS, 4).tolist() == [0.8, 0.15, 0.05, 0]


def test_batches_hold_every_slot_once_and_similar_lengths() -> None:
    generator = np.random.default_rng(3)
    lengths = generator.integers(1, 100, 1000)
    slots = generator.permutation(1000)
    batches = list(shuffled_batches(slots, lengths, 32, generator))
    assert sorted(np.concatenate(batches).tolist()) == list(range(1000))
    assert max(np.ptp(lengths[batch]) for batch in batches) < 10
    firsts = [int(lengths[batch].min()) for batch in batches]
    assert firsts != sorted(firsts)  # short and long ones are mixed


def test_batches_in_order_go_from_short_to_long() -> None:
    lengths = np.array([5, 1, 3, 1])
    found = [batch.tolist() for batch in ordered_batches(np.arange(4), lengths, 2)]
    assert found == [[1, 3], [2, 0]]
