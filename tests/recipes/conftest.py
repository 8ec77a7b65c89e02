"""A small text and the model of it, for the tests of the baseline."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path

import pytest

from anaphor.core import InputWarning, Where
from anaphor.recipes.lm.training import LmTrainingOptions, LmTrainingReport, train_lm

TEXT = """\
le chat dort .
le chien dort .
le chat mange la souris .
la souris dort .
il pleut .
il dort .
elle dort .
elle mange .
le chien mange .
il mange la souris .
"""


@pytest.fixture(scope="session")
def small_text() -> str:
    """Ten sentences, one a line."""
    return TEXT


@pytest.fixture(scope="session")
def train_small() -> Callable[[Path, LmTrainingOptions], LmTrainingReport]:
    """Trains on the small text without the warnings of fixed discounts, which it must lead to."""

    def train(path: Path, training: LmTrainingOptions) -> LmTrainingReport:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", InputWarning)
            lines = ((Where("text", number), line) for number, line in enumerate(TEXT.splitlines(), start=1))
            return train_lm(lines, path, training)

    return train


@pytest.fixture(scope="session")
def small_arpa(
    tmp_path_factory: pytest.TempPathFactory,
    train_small: Callable[[Path, LmTrainingOptions], LmTrainingReport],
) -> Path:
    """A model of order 3 of the small text."""
    path = tmp_path_factory.mktemp("lm") / "small.arpa"
    train_small(path, LmTrainingOptions(order=3, fallback=True))
    return path
