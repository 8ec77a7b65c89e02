"""Texts on which both engines of the aligner must agree."""

from __future__ import annotations

import numpy as np
import pytest

from anaphor.align.model import (
    Bitext,
)
from anaphor.core.engine import has_native

needs_native = pytest.mark.skipif(not has_native(), reason="the compiled core is not built")

SOURCES, TARGETS = 40, 50


def random_text(lengths: list[tuple[int, int]], seed: int = 3) -> Bitext:
    generator = np.random.default_rng(seed)
    starts = np.cumsum([[0, 0], *lengths], axis=0).astype(np.int64)
    source = generator.integers(0, SOURCES, starts[-1, 0]).astype(np.int32)
    target = generator.integers(0, TARGETS, starts[-1, 1]).astype(np.int32)
    return Bitext(source, starts[:, 0].copy(), target, starts[:, 1].copy())


TEXT = random_text([(5, 7), (1, 1), (0, 4), (3, 0), (20, 17), (33, 40), (16, 16), (210, 190), (1, 30)])
