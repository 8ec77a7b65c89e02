"""The training tool: gradients against finite differences, lemma rules against words counted by hand."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from anaphor.analyse.network import GAP

TOOLS = Path(__file__).resolve().parents[2] / "tools"


@pytest.fixture
def training(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(TOOLS))
    yield import_module("analyser_training")
    sys.modules.pop("analyser_training")


@pytest.fixture
def lemma_learning(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(TOOLS))
    yield import_module("lemma_learning")
    sys.modules.pop("lemma_learning")


def small_batch(training: Any, rng: np.random.Generator) -> Any:
    lengths = (3, 1, 6)
    parts = [
        [rng.integers(2, 9, (n, 2)) for n in lengths],
        [rng.integers(0, 4, n) for n in lengths],
        [np.stack([rng.integers(0, 3, n), rng.integers(0, 2, n)], axis=1) for n in lengths],
    ]
    return training.Examples(
        *(training.gapped(part, fill) for part, fill in zip(parts, (0, 0, -1), strict=True))
    )


@pytest.mark.parametrize("name", ["table", "project", "near", "squeeze", "wide", "from_near", "bias"])
def test_gradients_agree_with_finite_differences(training: Any, name: str) -> None:
    rng = np.random.default_rng(3)
    given = rng.standard_normal((4, 3))
    trainer = training.Trainer(training.Sizes(4, 5, 3, 4, (3, 2)), 9, given, 5, (1.0, 1.0))
    trainer.params = {key: value.astype(np.float64) for key, value in trainer.params.items()}
    batch = small_batch(training, rng)
    _, grads = trainer._gradients(batch, 0.0)
    rows, grad = grads[name]
    full = np.zeros_like(trainer.params[name])
    full[rows] = grad
    flat, step = trainer.params[name].reshape(-1), 1e-3
    assert flat.size
    for at in rng.choice(flat.size, min(12, flat.size), replace=False):
        kept, losses = flat[at], []
        for moved in (kept + step, kept - step):
            flat[at] = moved
            losses.append(trainer._gradients(batch, 0.0)[0])
        flat[at] = kept
        assert full.reshape(-1)[at] == pytest.approx((losses[0] - losses[1]) / (2 * step), abs=2e-3)


def test_training_lowers_the_loss(training: Any) -> None:
    rng = np.random.default_rng(3)
    trainer = training.Trainer(
        training.Sizes(4, 8, 3, 4, (3, 2)), 9, np.zeros((4, 3), np.float32), 5, (1.0, 1.0)
    )
    batch = small_batch(training, rng)
    losses = [trainer.step(batch, rate=0.02, dropout=0.0) for _ in range(60)]
    assert losses[-1] < losses[0] / 2


def test_sentences_are_kept_apart(training: Any) -> None:
    joined = training.gapped([np.array([1, 2]), np.array([3])], 0)
    gap = [0] * GAP
    assert joined.tolist() == [*gap, 1, 2, *gap, 3, *gap]


def test_rules_come_from_several_words_and_exceptions_from_one(lemma_learning: Any) -> None:
    treebank = [(f"{stem}s", "NOUN", stem) for stem in ("cat", "dog", "car")] + [("mice", "NOUN", "mouse")]
    lemmas = lemma_learning.learned(treebank, [], language="en")
    assert lemmas.lemma("Horses", "NOUN") == "horse"
    assert lemmas.lemma("mice", "NOUN") == "mouse"
    assert set(lemmas.exceptions) == {("NOUN", "mice")}


def test_a_lexicon_gives_rules_but_no_exceptions(lemma_learning: Any) -> None:
    lexicon = [("Häuser", "NOUN", "Haus"), ("Autos", "NOUN", "Auto"), ("Sofas", "NOUN", "Sofa")]
    lemmas = lemma_learning.learned([("Hund", "NOUN", "Hund")], lexicon, language="de")
    assert lemmas.lemma("Kinos", "NOUN") == "Kino"
    assert not any("häus" in word for _, word in lemmas.exceptions)
