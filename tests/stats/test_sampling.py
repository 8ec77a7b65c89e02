"""Blocks, seeds and undefined resamples."""

from __future__ import annotations

import numpy as np
import pytest

from anaphor.core import MismatchError, OptionError
from anaphor.stats import sampling
from anaphor.stats.sampling import blocks, defined, generator, stack


@pytest.mark.parametrize(
    ("samples", "clusters", "sizes"),
    [(5, 4, [2, 2, 1]), (4, 4, [2, 2]), (3, 100, [1, 1, 1]), (1, 1, [1])],
)
def test_blocks_cover_all_samples_in_order(
    monkeypatch: pytest.MonkeyPatch, samples: int, clusters: int, sizes: list[int]
) -> None:
    monkeypatch.setattr(sampling, "BLOCK_CELLS", 8)
    cut = blocks(samples, clusters=clusters)
    assert [part.stop - part.start for part in cut] == sizes
    assert [part.start for part in cut] == [sum(sizes[:i]) for i in range(len(sizes))]


@pytest.mark.parametrize("samples", [0, -1])
def test_no_resamples_are_refused(samples: int) -> None:
    with pytest.raises(OptionError, match="resamples"):
        blocks(samples, clusters=3)


def test_a_negative_seed_is_refused() -> None:
    with pytest.raises(OptionError, match="seed of -1"):
        generator(-1)


def test_systems_with_other_clusters_are_refused() -> None:
    with pytest.raises(MismatchError, match="same clusters"):
        stack([np.zeros((3, 2)), np.zeros((4, 2))])


def test_undefined_resamples_are_dropped_up_to_half() -> None:
    assert defined(np.array([1.0, np.nan, 3.0, np.nan])).tolist() == [1.0, 3.0]


def test_mostly_undefined_resamples_are_refused() -> None:
    with pytest.raises(OptionError, match="undefined in 2 of 3 resamples"):
        defined(np.array([np.nan, 1.0, np.nan]))
