"""The bootstrap draws the same clusters for all systems, in bounded memory, the same for a seed."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from anaphor.core import OptionError
from anaphor.stats import Floats, Value, bootstrap, paired_bootstrap, sampling


def test_one_row_per_resample_and_one_column_per_system(systems: list[Floats], ratio: Value) -> None:
    assert bootstrap(systems, ratio, samples=7, seed=1).shape == (7, 3)


def test_the_same_seed_gives_the_same_numbers(systems: list[Floats], ratio: Value) -> None:
    first, again, other = (bootstrap(systems, ratio, samples=50, seed=seed) for seed in (5, 5, 6))
    assert (first == again).all()
    assert (first != other).any()


def test_block_size_does_not_change_the_numbers(
    monkeypatch: pytest.MonkeyPatch, systems: list[Floats], ratio: Value
) -> None:
    whole = bootstrap(systems, ratio, samples=50, seed=5)
    monkeypatch.setattr(sampling, "BLOCK_CELLS", 7 * len(systems[0]))
    assert (bootstrap(systems, ratio, samples=50, seed=5) == whole).all()


def test_a_system_alone_is_resampled_as_among_others(systems: list[Floats], ratio: Value) -> None:
    together = bootstrap(systems, ratio, samples=50, seed=5)
    assert (bootstrap(systems[2:], ratio, samples=50, seed=5)[:, 0] == together[:, 2]).all()


def test_every_resample_has_as_many_clusters_as_the_corpus() -> None:
    # A column of ones counts the clusters drawn; the column 0..9 shows that they are not always the same.
    totals = np.stack([np.ones(10), np.arange(10.0)], axis=1)
    counted = bootstrap([totals], lambda t: t[..., 0], samples=200, seed=1)
    summed = bootstrap([totals], lambda t: t[..., 1], samples=200, seed=1)
    assert (counted == 10).all()
    # The mean of a sum of ten draws from 0..9 is 45, its variance 10 * 8.25.
    assert summed.mean() == pytest.approx(45, abs=4 * np.sqrt(82.5 / 200))
    assert summed.std() == pytest.approx(np.sqrt(82.5), rel=0.2)


def test_undefined_scores_of_resamples_are_nan(ratio: Value) -> None:
    # Two clusters, one without pronouns: a quarter of the draws take that one twice.
    drawn = bootstrap([np.array([[1.0, 2.0], [0.0, 0.0]])], ratio, samples=400, seed=1)
    assert np.isnan(drawn).mean() == pytest.approx(0.25, abs=0.09)
    assert (drawn[~np.isnan(drawn)] == 0.5).all()


def test_one_cluster_is_refused(ratio: Value) -> None:
    with pytest.raises(OptionError, match="at least two"):
        bootstrap([np.ones((1, 2))], ratio, samples=10, seed=1)


@pytest.mark.parametrize("samples", [0, -5])
def test_no_resamples_are_refused(systems: list[Floats], ratio: Value, samples: int) -> None:
    with pytest.raises(OptionError, match="resamples"):
        bootstrap(systems, ratio, samples=samples, seed=1)


def test_memory_stays_bounded(ratio: Value) -> None:
    totals = [np.ones((5000, 6)) for _ in range(10)]
    tracemalloc.start()
    bootstrap(totals, ratio, samples=1000, seed=1)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 150e6


def test_p_counts_both_sides_of_the_centred_differences() -> None:
    # Differences 0, 1, 2, 3, 4, centred -2..2. At least 2 away: two of five; p = (2 + 1) / (5 + 1).
    p = paired_bootstrap(np.arange(5.0), np.zeros(5), difference=2.0, clusters=1e9)
    assert p == pytest.approx(0.5, abs=1e-6)


def test_p_is_larger_with_few_clusters() -> None:
    samples = np.linspace(-2, 2, 1001)
    few, many = (
        paired_bootstrap(samples, np.zeros(1001), difference=1.9, clusters=clusters) for clusters in (6, 6000)
    )
    # 26 + 26 of 1001 reach 1.9: p = 53 / 1002, z = 1.936. With 5 degrees of freedom, z sqrt(5 / 6) = 1.767
    # and tan(u) = 1.767 / sqrt(5): outside lies 1 - 2/pi (u + sin u cos u (1 + 2/3 cos^2 u)) = 0.1374.
    assert many == pytest.approx(53 / 1002, abs=1e-4)
    assert few == pytest.approx(0.1374, abs=2e-4)


def test_p_of_equal_systems_is_one(systems: list[Floats], ratio: Value) -> None:
    same = bootstrap([systems[0]], ratio, samples=100, seed=1)[:, 0]
    assert paired_bootstrap(same, same, difference=0.0, clusters=30) == 1.0


def test_p_leaves_out_undefined_resamples() -> None:
    a = np.array([0.0, 1.0, 2.0, 3.0, 4.0, np.nan, 7.0])
    b = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, np.nan])
    assert paired_bootstrap(a, b, difference=2.0, clusters=1e9) == pytest.approx(0.5, abs=1e-6)
