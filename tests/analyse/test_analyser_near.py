"""The compiled first layer of the analyser, held against the NumPy that it stands in for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from anaphor.align import has_native
from anaphor.analyse.network import Network

# Where anything was compiled this was too, so that a missing module is a failure and not a reason to skip.
pytestmark = pytest.mark.skipif(not has_native(), reason="nothing was compiled")

WIDTH = 7
BIAS = np.linspace(-1, 1, WIDTH, dtype=np.float32)


def products(rows: int = 50) -> list[Any]:
    numbers = np.random.default_rng(3)
    return [numbers.normal(size=(rows, WIDTH)).astype(np.float32) for _ in range(5)]


def network() -> Network:
    """A network whose other layers nobody looks at."""
    empty = np.zeros((0, 0), np.float32)
    return Network(empty, BIAS, *[empty] * 7)


@pytest.mark.parametrize("tokens", [5, 6, 7, 12, 300])
def test_sums_are_the_same_bits(tokens: int) -> None:
    types = np.random.default_rng(tokens).integers(0, 50, tokens)
    found = network()._first(products(), types)
    assert found.tobytes() == network()._summed(products(), types).tobytes()
    assert found.shape == (tokens - 4, WIDTH)


@pytest.mark.parametrize("tokens", [0, 4])
def test_too_few_words_have_no_place_between_them(tokens: int) -> None:
    assert network()._first(products(), np.zeros(tokens, np.int64)).shape == (0, WIDTH)


@pytest.mark.parametrize("kind", [-1, 50, 2**62])
def test_a_type_without_products_is_refused(kind: int) -> None:
    with pytest.raises(IndexError):
        network()._first(products(), np.array([0, 1, kind, 3, 4, 5]))


def test_products_of_two_sizes_are_refused() -> None:
    with pytest.raises(ValueError, match="two sizes"):
        network()._first([*products()[:4], *products(rows=49)[4:]], np.zeros(9, np.int64))
