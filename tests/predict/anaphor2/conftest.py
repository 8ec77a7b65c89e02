"""Invented segments and a small random network."""

from __future__ import annotations

import numpy as np
import pytest

from anaphor.core import TaskSegment
from anaphor.predict.anaphor2.joint import TASKS, DecodingConfig, JointNetworks
from anaphor.predict.anaphor2.model import VERSION, Anaphor2Model
from anaphor.predict.anaphor2.network import NumpyNetwork, Shape, expected_shapes
from anaphor.predict.anaphor2.subwords import learn_pieces
from anaphor.predict.contract import ModelCard
from tests.support.slots import segment


@pytest.fixture(scope="session")
def segments() -> list[TaskSegment]:
    """Twenty segments in two documents; what is hidden follows from the noun before it."""
    nouns = [
        ("house", "maison", "elle"),
        ("car", "voiture", "elle"),
        ("garden", "jardin", "il"),
        ("book", "livre", "il"),
    ]
    made = []
    for number in range(5):
        for english, french, label in nouns:
            text = f"{number} The {english} is old ; it is small ."
            made.append(
                segment(
                    text,
                    f"{number} Le {french} est vieux ; REPLACE_6 est petit .",
                    label,
                    document=f"d{number // 3}",
                )
            )
    return made


@pytest.fixture(scope="session")
def pieces(segments: list[TaskSegment]) -> tuple[str, ...]:
    counts: dict[str, int] = {}
    for one in segments:
        for word in (*one.source, *one.target):
            if not word.startswith("REPLACE_"):
                counts[word.lower()] = counts.get(word.lower(), 0) + 20
    return learn_pieces(counts, 120)


@pytest.fixture(scope="session")
def network(pieces: tuple[str, ...]) -> NumpyNetwork:
    shape = Shape(pieces=len(pieces), classes=TASKS[-1].classes.stop, width=64, layers=2, heads=1)
    rng = np.random.default_rng(1)
    sizes = expected_shapes(shape).items()
    return NumpyNetwork(shape, {name: rng.normal(0, 0.3, size).astype(np.float32) for name, size in sizes})


@pytest.fixture(scope="session")
def model(pieces: tuple[str, ...], network: NumpyNetwork) -> Anaphor2Model:
    card = ModelCard(
        recipe="anaphor-2",
        family="anaphor2",
        version=VERSION,
        pair="en-fr",
        year=2016,
        forms=True,
        classes=("ce", "elle", "elles", "il", "ils", "cela", "on", "OTHER"),
    )
    return Anaphor2Model(
        card,
        JointNetworks(pieces, (network,), {"en-fr forms": DecodingConfig(), "en-de forms": DecodingConfig()}),
    )
