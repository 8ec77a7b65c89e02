"""The native functions of the aligner check their arguments: nothing else keeps them from bad memory."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from anaphor.align.model import REACH
from anaphor.core.engine import native

pytestmark = pytest.mark.skipif(native is None, reason="the native engine is not installed")

START, TARGET = np.array([0, 1], np.int64), np.array([0], np.int32)


def maximize(
    *, forward: int = 1, reverse: int = 1, prior: float = 0.5, alpha: float = 0.1, threads: int = 1
) -> Any:
    assert native is not None
    counts = np.array([forward], np.int64), np.array([reverse], np.int64)
    return native.maximize(START, TARGET, 1, *counts, np.array([prior], np.float32), alpha, threads)


def test_sound_counts_give_probabilities() -> None:
    assert np.isfinite(maximize()).all()
    assert np.isfinite(maximize(prior=0.0, forward=0, reverse=0)).all()


@pytest.mark.parametrize(
    "bad",
    [
        {"prior": -3e38},
        {"prior": -1.0},
        {"prior": np.inf},
        {"prior": np.nan},
        {"alpha": 0.0},
        {"alpha": -1e300},
        {"alpha": np.nan},
        {"forward": -(2**62)},
        {"reverse": -1},
        {"threads": 0},
    ],
)
def test_maximize_refuses_what_it_would_not_return_from(bad: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"below 0|no prior"):
        maximize(**bad)


def decode(**changes: int) -> Any:
    assert native is not None
    words, ones = np.array([0], np.int32), np.ones(1, np.float32)
    jumps = np.full(2 * REACH + 1, 1.0, np.float32)
    text = native.Bitext(words, START, words, START)
    model = native.AlignerModel(np.ones(2, np.float32), ones, ones, ones, ones, jumps, jumps, 0.1, 0.1, 1.0)
    rows = native.LexiconRows(START, TARGET)
    given = {"first": 0, "last": 1, "reading": 0, "threads": 1, **changes}
    arguments = (True, given["first"], given["last"], given["reading"], 0.1, given["threads"], None)
    return native.decode_links(text, rows, model, *arguments)


def test_every_way_of_reading_links_works() -> None:
    for reading in (0, 1, 2):
        assert list(decode(reading=reading)[0]) == [0, 1]


@pytest.mark.parametrize(
    "bad",
    [
        {"reading": 3},
        {"reading": -1},
        {"reading": 2**31 - 1},
        {"threads": 0},
        {"threads": -1},
        {"last": 2},
        {"first": -1},
    ],
)
def test_decode_links_refuses_what_it_cannot_do(bad: dict[str, int]) -> None:
    with pytest.raises(ValueError, match=r"not read in this way|no thread|fewer sentence pairs"):
        decode(**bad)
