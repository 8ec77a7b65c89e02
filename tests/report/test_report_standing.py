"""Clusters of systems that can be told apart, and the tests under them."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anaphor.core import Settings
from anaphor.metrics.apt import apt_value
from anaphor.report.ranking import apt_totals, pairwise_p, significance_clusters
from anaphor.report.stored import StoredResult


def test_totals_of_the_clusters_add_up_to_the_cases(demo_stored: StoredResult) -> None:
    assert demo_stored.cards is not None
    totals = apt_totals(demo_stored.cards)
    for system in demo_stored.systems:
        score = system.score("apt")
        assert score is not None
        assert tuple(totals[system.name].sum(axis=0)) == score.cases
        assert len(totals[system.name]) == demo_stored.documents
        assert float(apt_value(demo_stored.settings)(totals[system.name].sum(axis=0))) == pytest.approx(
            score.value
        )


def test_every_pair_is_tested_as_the_comparison_with_the_baseline_is(demo_stored: StoredResult) -> None:
    """Three pairs: Holm triples the smallest p. The comparisons of the file have two, corrected over two."""
    assert demo_stored.cards is not None
    found = pairwise_p(apt_totals(demo_stored.cards), demo_stored.settings)
    assert set(found) == {("baldur", "cormoran"), ("baldur", "dahlia"), ("cormoran", "dahlia")}
    stored = {(c.baseline, c.system): c.p_adjusted for c in demo_stored.comparisons if c.metric == "apt"}
    assert all(found[pair] >= stored[pair] for pair in stored)


def test_systems_without_a_score_are_not_tested() -> None:
    totals = {"a": np.zeros((3, 6)), "b": np.ones((3, 6))}
    assert pairwise_p(totals, Settings(pair="en-fr")) == {}


@pytest.mark.parametrize(
    ("p_values", "expected"),
    [
        ({("a", "b"): 0.01, ("a", "c"): 0.01, ("b", "c"): 0.01}, {"a": 1, "b": 2, "c": 3}),
        ({("a", "b"): 0.2, ("a", "c"): 0.01, ("b", "c"): 0.01}, {"a": 1, "b": 1, "c": 2}),
        # b and c are told apart, but a is not from c: no line can be drawn between them.
        ({("a", "b"): 0.2, ("a", "c"): 0.2, ("b", "c"): 0.01}, {"a": 1, "b": 1, "c": 1}),
        ({("b", "a"): 0.01, ("c", "a"): 0.01, ("c", "b"): 0.5}, {"a": 1, "b": 2, "c": 2}),
        ({}, {"a": 1, "b": 1, "c": 1}),
    ],
)
def test_clusters_are_cut_where_all_above_differ_from_all_below(
    p_values: dict[tuple[str, str], float], expected: dict[str, int]
) -> None:
    assert significance_clusters(["a", "b", "c"], p_values) == expected


@given(st.integers(1, 7).flatmap(lambda size: st.tuples(st.just(size), st.sets(st.integers(0, 20)))))
def test_clusters_of_many_systems_are_those_of_the_definition(drawn: tuple[int, set[int]]) -> None:
    size, equal = drawn
    pairs = list(combinations("abcdefg"[:size], 2))
    p_values = {pair: 0.2 if number in equal else 0.01 for number, pair in enumerate(pairs)}
    found = significance_clusters("abcdefg"[:size], p_values)
    assert [*found] == [*"abcdefg"[:size]]
    begins = [place for place in range(1, size) if found["abcdefg"[place]] > found["abcdefg"[place - 1]]]
    for place in range(1, size):
        across = [p for (a, b), p in p_values.items() if "abcdefg".index(a) < place <= "abcdefg".index(b)]
        assert (place in begins) == all(p < 0.05 for p in across)
    assert [*found.values()] == [1 + sum(place <= at for place in begins) for at in range(size)]
