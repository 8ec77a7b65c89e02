"""Segments become clusters; clusters become totals, influences and an effective number."""

from __future__ import annotations

import numpy as np
import pytest

from anaphor.core import MismatchError, OptionError
from anaphor.stats import Value, cluster_ids, cluster_totals, effective_clusters, leave_one_out


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
def test_fewer_than_two_clusters_are_refused_with_a_way_out(ratio: Value, clusters: int) -> None:
    with pytest.raises(OptionError, match="at least two") as caught:
        leave_one_out(np.ones((clusters, 2)), ratio)
    assert caught.value.fix == "give more documents, or leave --documents out to resample segments"


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
