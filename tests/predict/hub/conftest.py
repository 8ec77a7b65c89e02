"""A tiny encoder and a tokeniser of words, made here and saved as any encoder is."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from anaphor.core import InputWarning, LanguagePair, TaskSegment
from anaphor.predict.contract import Model
from anaphor.predict.families import build_predictor
from anaphor.task import TaskClasses, task_classes
from tests.support.encoder import made_segments, save_encoder


@pytest.fixture(scope="session")
def segments() -> list[TaskSegment]:
    return made_segments()


@pytest.fixture(scope="session")
def classes() -> TaskClasses:
    return task_classes(LanguagePair.parse("en-fr"), year=2016)


@pytest.fixture(scope="session")
def encoder(tmp_path_factory: pytest.TempPathFactory, segments: list[TaskSegment]) -> Path:
    """A folder with an encoder."""
    folder = tmp_path_factory.mktemp("encoder")
    save_encoder(folder, segments)
    return folder


@pytest.fixture(scope="session")
def train(encoder: Path, segments: list[TaskSegment], classes: TaskClasses) -> Callable[..., Model]:
    """Trains on the twenty slots with the given options; that classes are missing is known."""

    def fit(seed: int = 1, dev: Any = (), **options: Any) -> Model:
        given = {"encoder": str(encoder), "epochs": 40, "batch": 4, "rate": 0.002, "device": "cpu", **options}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", InputWarning)
            predictor = build_predictor({"name": "tiny", "family": "hub", "options": given})
            return predictor.fit(segments, classes=classes, dev=dev, seed=seed)

    return fit


@pytest.fixture(scope="session")
def model(train: Callable[..., Model]) -> Model:
    return train()
