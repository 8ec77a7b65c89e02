"""Segments become clusters; clusters become totals, influences and an effective number."""

from __future__ import annotations

import tracemalloc
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anaphor.core import MismatchError, OptionError
from anaphor.core.array_types import Doubles
from anaphor.core.engine import native
from anaphor.stats import (
    Value,
    bootstrap,
    bootstrap_each,
    cluster_ids,
    cluster_totals,
    effective_clusters,
    leave_one_out,
    paired_bootstrap,
    paired_permutation,
    paired_permutations,
    resampling,
)
from anaphor.stats.resampling import Drawer, blocks, defined, generator, stack


@pytest.mark.parametrize(
    ("documents", "expected"),
    [
        (None, [0, 1, 2, 3]),
        (["b", "b", "a", "a"], [0, 0, 1, 1]),
        (["b", "a", "b", "c"], [0, 1, 0, 2]),
        (["", "", "", ""], [0, 0, 0, 0]),
    ],
)
def test_a_segment_belongs_to_its_document_or_to_itself(
    documents: list[str] | None, expected: list[int]
) -> None:
    assert cluster_ids(documents, segments=4).tolist() == expected


def test_a_wrong_number_of_document_names_is_refused() -> None:
    with pytest.raises(MismatchError, match="2 document names for 3 segments"):
        cluster_ids(["a", "b"], segments=3)


def test_totals_are_the_sums_of_each_cluster() -> None:
    rows = np.array([[1.0, 2.0], [0.5, 1.0], [0.0, 4.0]])
    # Clusters 0 and 1: rows 0 + 2, row 1.
    assert cluster_totals(rows, np.array([0, 1, 0])).tolist() == [[1.0, 6.0], [0.5, 1.0]]


def test_no_segments_make_no_clusters() -> None:
    assert cluster_totals(np.zeros((0, 2)), cluster_ids(None, segments=0)).shape == (0, 2)


def test_totals_of_other_segments_are_refused() -> None:
    with pytest.raises(MismatchError, match="3 rows of counts for 2 segments"):
        cluster_totals(np.zeros((3, 2)), np.array([0, 1]))


def test_leaving_out_a_cluster_scores_the_others(ratio: Value) -> None:
    totals = np.array([[1.0, 2.0], [3.0, 3.0], [0.0, 5.0]])
    # By hand: (3 + 0) / (3 + 5), (1 + 0) / (2 + 5), (1 + 3) / (2 + 3).
    assert leave_one_out(totals, ratio) == pytest.approx([3 / 8, 1 / 7, 4 / 5])


def test_a_score_that_rests_on_one_cluster_is_refused(ratio: Value) -> None:
    with pytest.raises(OptionError, match="rests on a single cluster"):
        leave_one_out(np.array([[1.0, 2.0], [0.0, 0.0], [0.0, 0.0]]), ratio)


@pytest.mark.parametrize("clusters", [0, 1])
def test_fewer_than_two_clusters_are_refused_with_a_fix(ratio: Value, clusters: int) -> None:
    with pytest.raises(OptionError, match="at least two") as caught:
        leave_one_out(np.ones((clusters, 2)), ratio)
    assert "--documents" in caught.value.fix


@pytest.mark.parametrize(
    ("left_out", "expected"),
    [
        ([0.5, 0.5, 0.5, 0.5], 4),  # no influence anywhere
        ([0.4, 0.6, 0.4, 0.6], 4),  # equal influences: 3 * 4 of them, but there are only 4
        ([0.1, 0.9], 2),
        # Influences -1, 1 and 38 zeros: 3 (1 + 1)^2 / (1 + 1) = 6.
        ([-1.0, 1.0, *[0.0] * 38], 6),
        # Influences 3, -1, -1, -1 and 96 zeros: 3 (9 + 3)^2 / (81 + 3) = 432 / 84.
        ([3.0, -1.0, -1.0, -1.0, *[0.0] * 96], 432 / 84),
    ],
)
def test_few_influential_clusters_make_a_small_effective_number(
    left_out: list[float], expected: float
) -> None:
    assert effective_clusters(np.array(left_out)) == pytest.approx(expected)


# Blocks, seeds and undefined resamples.


@pytest.mark.parametrize(
    ("samples", "clusters", "sizes"),
    [(5, 4, [2, 2, 1]), (4, 4, [2, 2]), (3, 100, [1, 1, 1]), (1, 1, [1])],
)
def test_blocks_cover_all_samples_in_order(
    monkeypatch: pytest.MonkeyPatch, samples: int, clusters: int, sizes: list[int]
) -> None:
    monkeypatch.setattr(resampling, "BLOCK_CELLS", 8)
    cut = blocks(samples, clusters=clusters)
    assert [part.stop - part.start for part in cut] == sizes
    assert [part.start for part in cut] == [sum(sizes[:i]) for i in range(len(sizes))]


@pytest.mark.parametrize("samples", [0, -1])
def test_no_resamples_are_refused(samples: int) -> None:
    with pytest.raises(OptionError, match="resamples"):
        blocks(samples, clusters=3)


def test_a_negative_seed_is_refused() -> None:
    with pytest.raises(OptionError, match="seed must not be negative, got -1"):
        generator(-1)


def test_systems_with_other_clusters_are_refused() -> None:
    with pytest.raises(MismatchError, match="same clusters"):
        stack([np.zeros((3, 2)), np.zeros((4, 2))])


def test_undefined_resamples_are_dropped_up_to_half() -> None:
    assert defined(np.array([1.0, np.nan, 3.0, np.nan])).tolist() == [1.0, 3.0]


def test_mostly_undefined_resamples_are_refused() -> None:
    with pytest.raises(OptionError, match="undefined in 2 of 3 resamples"):
        defined(np.array([np.nan, 1.0, np.nan]))


# The bootstrap draws the same clusters for all systems, in bounded memory, the same for a seed.


def test_one_row_per_resample_and_one_column_per_system(systems: list[Doubles], ratio: Value) -> None:
    assert bootstrap(systems, ratio, samples=7, seed=1).shape == (7, 3)


def test_the_same_seed_gives_the_same_numbers(systems: list[Doubles], ratio: Value) -> None:
    first, again, other = (bootstrap(systems, ratio, samples=50, seed=seed) for seed in (5, 5, 6))
    assert (first == again).all()
    assert (first != other).any()


def test_block_size_does_not_change_the_numbers(
    monkeypatch: pytest.MonkeyPatch, systems: list[Doubles], ratio: Value
) -> None:
    whole = bootstrap(systems, ratio, samples=50, seed=5)
    monkeypatch.setattr(resampling, "BLOCK_CELLS", 7 * len(systems[0]))
    assert (bootstrap(systems, ratio, samples=50, seed=5) == whole).all()


def test_a_system_alone_is_resampled_as_among_others(systems: list[Doubles], ratio: Value) -> None:
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


@pytest.fixture(params=["compiled", "python"])
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "python":
        monkeypatch.setattr(resampling, "native", None)
    elif native is None:
        pytest.skip("the extension is not built")
    return str(request.param)


@pytest.mark.usefixtures("engine")
@pytest.mark.parametrize("clusters", [2, 3, 7, 1000, 65_537])
def test_clusters_are_drawn_as_numpy_draws_them(clusters: int) -> None:
    # Odd numbers of draws leave half of a number of the generator for the next block.
    rng, drawer, kinds = generator(7), Drawer(7, clusters=clusters), np.arange(clusters, dtype=np.int32) % 2
    together = Drawer(7, clusters=clusters, kinds=kinds, columns=2)
    for rows in (1, 3, 2):
        picks = rng.integers(clusters, size=(rows, clusters))
        expected = np.stack([np.bincount(row, minlength=clusters) for row in picks])
        assert (drawer.draw(rows) == expected).all()
        assert (together.draw(rows) == np.stack([expected[:, ::2].sum(1), expected[:, 1::2].sum(1)], 1)).all()


@pytest.mark.usefixtures("engine")
@pytest.mark.parametrize("whole", [True, False])
def test_several_scores_are_resampled_as_each_alone(whole: bool, ratio: Value) -> None:
    # Whole numbers of few kinds are drawn by kind, others one by one; expected are sums of single draws.
    rng = generator(3)
    first = [rng.integers(3, size=(60, 2)).astype(np.float64) + 1 for _ in range(2)]
    second = [rng.integers(2, size=(60, 4)).astype(np.float64) * (1.0 if whole else 0.3)]
    found = bootstrap_each([(first, ratio), (second, lambda t: t.sum(-1))], samples=40, seed=5)
    picks = generator(5).integers(60, size=(40, 60))
    assert (found[0] == ratio(np.stack([one[picks].sum(1) for one in first], axis=1))).all()
    assert found[1][:, 0] == pytest.approx(second[0][picks].sum((1, 2)), rel=1e-12)
    assert (found[1] == bootstrap(second, lambda t: t.sum(-1), samples=40, seed=5)).all()


@pytest.mark.skipif(native is None, reason="the extension is not built")
@pytest.mark.parametrize(
    "wrong",
    [
        (1, 1, None, 1),
        (1, 4, None, 3),
        (1, 2, np.array([0, 2], np.int32), 2),
        (1, 2, np.zeros(3, np.int32), 1),
    ],
)
def test_draws_that_would_count_outside_are_refused(
    wrong: tuple[int, int, np.ndarray | None, int],
) -> None:
    with pytest.raises(ValueError, match=r"out of range|one column"):
        native.Draws(1, 2, 3, 5).counts(*wrong)


def test_undefined_scores_of_resamples_are_nan(ratio: Value) -> None:
    # Two clusters, one without pronouns: a quarter of the draws take that one twice.
    drawn = bootstrap([np.array([[1.0, 2.0], [0.0, 0.0]])], ratio, samples=400, seed=1)
    assert np.isnan(drawn).mean() == pytest.approx(0.25, abs=0.09)
    assert (drawn[~np.isnan(drawn)] == 0.5).all()


def test_a_bootstrap_of_one_cluster_is_refused(ratio: Value) -> None:
    with pytest.raises(OptionError, match="at least two"):
        bootstrap([np.ones((1, 2))], ratio, samples=10, seed=1)


@pytest.mark.parametrize("samples", [0, -5])
def test_a_bootstrap_of_no_resamples_is_refused(systems: list[Doubles], ratio: Value, samples: int) -> None:
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
    p = paired_bootstrap(np.arange(5.0), difference=2.0, clusters=1e9)
    assert p == pytest.approx(0.5, abs=1e-6)


def test_p_is_larger_with_few_clusters() -> None:
    samples = np.linspace(-2, 2, 1001)
    few, many = (paired_bootstrap(samples, difference=1.9, clusters=clusters) for clusters in (6, 6000))
    # 26 + 26 of 1001 reach 1.9: p = 53 / 1002, z = 1.936. With 5 degrees of freedom, z sqrt(5 / 6) = 1.767
    # and tan(u) = 1.767 / sqrt(5): outside lies 1 - 2/pi (u + sin u cos u (1 + 2/3 cos^2 u)) = 0.1374.
    assert many == pytest.approx(53 / 1002, abs=1e-4)
    assert few == pytest.approx(0.1374, abs=2e-4)


def test_p_of_equal_systems_is_one(systems: list[Doubles], ratio: Value) -> None:
    same = bootstrap([systems[0]], ratio, samples=100, seed=1)[:, 0]
    assert paired_bootstrap(same - same, difference=0.0, clusters=30) == 1.0


def test_p_leaves_out_undefined_resamples() -> None:
    a = np.array([0.0, 1.0, 2.0, 3.0, 4.0, np.nan, 7.0])
    b = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, np.nan])
    assert paired_bootstrap(a - b, difference=2.0, clusters=1e9) == pytest.approx(0.5, abs=1e-6)


# The permutation test against brute force, and its behaviour for a seed.


Pair = list[tuple[int, int]]


def _points(totals: Doubles) -> Doubles:
    points: Doubles = totals[..., 0]
    return points


def _column(points: list[int]) -> Doubles:
    return np.array(points, dtype=np.float64)[:, None]


def test_exact_p_by_hand() -> None:
    # Differences 1, 2, 3 of three clusters; observed 6. Of the eight sign patterns only +++ and ---
    # reach 6: p = 2 / 8.
    assert paired_permutation(_column([1, 2, 3]), _column([0, 0, 0]), _points, samples=9, seed=1) == 0.25


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=2, max_size=7))
def test_few_clusters_are_enumerated_as_by_brute_force(pairs: Pair) -> None:
    gaps = np.array([a - b for a, b in pairs])
    patterns = np.array(list(product([1, -1], repeat=len(pairs))))
    expected = (np.abs(patterns @ gaps) >= abs(gaps.sum())).mean()
    a, b = _column([a for a, _ in pairs]), _column([b for _, b in pairs])
    assert paired_permutation(a, b, _points, samples=1, seed=1) == expected


def test_a_ratio_is_permuted_through_its_totals(ratio: Value) -> None:
    a = np.array([[1.0, 2.0], [3.0, 4.0], [0.0, 1.0]])
    b = np.array([[2.0, 3.0], [1.0, 5.0], [1.0, 1.0]])
    observed = abs(a[:, 0].sum() / a[:, 1].sum() - b[:, 0].sum() / b[:, 1].sum())
    reached = 0
    for swapped in product([False, True], repeat=3):
        left = np.where(np.array(swapped)[:, None], b, a).sum(axis=0)
        right = np.where(np.array(swapped)[:, None], a, b).sum(axis=0)
        reached += abs(left[0] / left[1] - right[0] / right[1]) >= observed - 1e-12
    assert paired_permutation(a, b, ratio, samples=1, seed=1) == reached / 8


def test_many_clusters_are_sampled_close_to_the_exact_p() -> None:
    # 13 clusters with difference 1 in ten and -1 in three: observed 7. All 8192 patterns have a binomial
    # sum: |13 - 2 heads| >= 7 for heads <= 3 or >= 10, that is 2 (1 + 13 + 78 + 286) / 8192.
    a, b = _column([1] * 10 + [0] * 3), _column([0] * 10 + [1] * 3)
    exact = 2 * 378 / 8192
    sampled = paired_permutation(a, b, _points, samples=20_000, seed=1)
    assert sampled == pytest.approx(exact, abs=4 * np.sqrt(exact * (1 - exact) / 20_000))


def test_a_sampled_p_is_never_zero() -> None:
    assert paired_permutation(_column([1] * 60), _column([0] * 60), _points, samples=99, seed=1) == 0.01


@pytest.mark.parametrize("clusters", [2, 12, 13, 200])
def test_equal_systems_have_p_one(clusters: int) -> None:
    same = _column(list(range(clusters)))
    assert paired_permutation(same, same, _points, samples=100, seed=1) == 1.0


def test_swapping_the_two_systems_changes_nothing(systems: list[Doubles], ratio: Value) -> None:
    a, b = systems[:2]
    forth = paired_permutation(a, b, ratio, samples=500, seed=7)
    assert paired_permutation(b, a, ratio, samples=500, seed=7) == forth


def test_several_systems_get_the_p_values_they_get_alone(systems: list[Doubles], ratio: Value) -> None:
    together = paired_permutations(systems[0], systems[1:], ratio, samples=500, seed=7)
    alone = [paired_permutation(systems[0], s, ratio, samples=500, seed=7) for s in systems[1:]]
    assert list(together) == alone


def test_block_size_does_not_change_p(
    monkeypatch: pytest.MonkeyPatch, systems: list[Doubles], ratio: Value
) -> None:
    whole = paired_permutation(systems[0], systems[1], ratio, samples=500, seed=7)
    monkeypatch.setattr(resampling, "BLOCK_CELLS", 7 * len(systems[0]))
    assert paired_permutation(systems[0], systems[1], ratio, samples=500, seed=7) == whole


def test_a_permutation_of_one_cluster_is_refused() -> None:
    with pytest.raises(OptionError, match="at least two"):
        paired_permutation(_column([1]), _column([0]), _points, samples=10, seed=1)
