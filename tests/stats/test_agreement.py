"""Coefficients of agreement against the worked examples that their authors printed."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from anaphor.core import InputError
from anaphor.stats.agreement import (
    AgreementCoefficient,
    cohen_kappa,
    fleiss_kappa,
    gwet_ac1,
    krippendorff_alpha,
    observed_agreement,
)

Ratings = list[list[str | None]]
Measure = Callable[[Ratings], AgreementCoefficient]


def by_observer(*observers: str) -> Ratings:
    """Ratings from a text for each observer, a character for each unit, a point for none."""
    return [[None if label == "." else label for label in unit] for unit in zip(*observers, strict=True)]


def by_table(*table: Sequence[int]) -> Ratings:
    """Ratings of two raters from a table of counts."""
    return [
        [str(i), str(j)] for i, row in enumerate(table) for j, count in enumerate(row) for _ in range(count)
    ]


def by_counts(items: str) -> Ratings:
    """Ratings from a row of digits for each item: how many raters gave each label."""
    return [[str(k) for k, count in enumerate(item) for _ in range(int(count))] for item in items.split()]


# Krippendorff 2011, Computing Krippendorff's Alpha-Reliability, examples A, B and C; Gwet 2014 uses C too.
KRIPPENDORFF_A = by_observer("0100000010", "1110010000")
KRIPPENDORFF_B = by_observer("aabbdcccedda", "babbbccceddd")
KRIPPENDORFF_C = by_observer("123321412...", "1233224125.3", ".3332342251.", "12332441251.")
# Fleiss 1971, Table 1: thirty patients, six psychiatrists, five diagnoses.
FLEISS = by_counts(
    "00060 03003 01401 00006 03030 20400 00402 20310 20040 00006 10050 11040 03300 10050 02031 00501 30012 "
    "51000 02040 10203 00006 01050 02013 20040 10041 05010 40002 02040 10500 00006"
)
# Cohen 1960, the example of 200 cases; Fleiss, Levin and Paik 2003, Table 18.1; Gwet 2008, 125 subjects.
COHEN = by_table([88, 10, 2], [14, 40, 6], [18, 10, 12])
FLEISS_TWO = by_table([75, 1, 4], [5, 4, 1], [0, 0, 10])
GWET = by_table([118, 5], [2, 0])


@pytest.mark.parametrize(
    ("measure", "ratings", "printed", "digits"),
    [
        (krippendorff_alpha, KRIPPENDORFF_A, 0.095, 3),
        (krippendorff_alpha, KRIPPENDORFF_B, 0.692, 3),
        (krippendorff_alpha, KRIPPENDORFF_C, 0.743, 3),
        (fleiss_kappa, FLEISS, 0.430, 3),
        (fleiss_kappa, KRIPPENDORFF_C, 0.76117, 5),  # Gwet 2014
        (gwet_ac1, KRIPPENDORFF_C, 0.77544, 5),  # Gwet 2014
        (gwet_ac1, GWET, 0.941, 3),  # Gwet 2008, where kappa is -0.023
        (cohen_kappa, GWET, -0.023, 3),
        (cohen_kappa, COHEN, 0.492, 3),
        (cohen_kappa, FLEISS_TWO, 0.68, 2),
        (observed_agreement, KRIPPENDORFF_C, 0.81818, 5),  # Gwet 2014
        (observed_agreement, COHEN, 0.70, 2),
    ],
)
def test_published_examples(measure: Measure, ratings: Ratings, printed: float, digits: int) -> None:
    assert round(measure(ratings).value, digits) == printed


@pytest.mark.parametrize(
    ("measure", "ratings", "low", "high"),
    [
        (cohen_kappa, FLEISS_TWO, 0.50, 0.85),  # 0.68 -+ 1.96 * 0.087
        (fleiss_kappa, KRIPPENDORFF_C, 0.424, 1.0),  # Gwet 2014: error 0.15302
        (gwet_ac1, KRIPPENDORFF_C, 0.461, 1.0),  # Gwet 2014: error 0.14295
    ],
)
def test_published_intervals(measure: Measure, ratings: Ratings, low: float, high: float) -> None:
    found = measure(ratings).interval
    assert found is not None
    assert found.low == pytest.approx(low, abs=0.006)
    assert found.high == pytest.approx(high, abs=0.006)


def test_cohen_1960_expected_041() -> None:
    assert cohen_kappa(COHEN).expected == pytest.approx(0.41)


def brute_alpha(ratings: Ratings) -> float:
    """Alpha from all ordered pairs of labels of the same unit, and of any two labels."""
    units = [[label for label in unit if label is not None] for unit in ratings]
    units = [unit for unit in units if len(unit) > 1]
    inside = sum(
        (a != b) / (len(unit) - 1)
        for unit in units
        for i, a in enumerate(unit)
        for j, b in enumerate(unit)
        if i != j
    )
    labels = [label for unit in units for label in unit]
    across = sum(a != b for i, a in enumerate(labels) for j, b in enumerate(labels) if i != j)
    return 1 - inside * (len(labels) - 1) / across


labels = st.sampled_from(["a", "b", "c", None])


@given(st.lists(st.lists(labels, min_size=3, max_size=3), min_size=2, max_size=8))
def test_alpha_is_that_of_all_pairs(ratings: Ratings) -> None:
    paired = [[x for x in row if x is not None] for row in ratings]
    kept = {x for row in paired if len(row) > 1 for x in row}
    if len(kept) < 2:
        return
    assert krippendorff_alpha(ratings).value == pytest.approx(brute_alpha(ratings))


MEASURES: list[Measure] = [observed_agreement, fleiss_kappa, krippendorff_alpha, gwet_ac1, cohen_kappa]


@pytest.mark.parametrize("measure", MEASURES)
def test_full_agreement_is_one(measure: Measure) -> None:
    assert measure([["x", "x"], ["y", "y"], ["x", "x"]]).value == pytest.approx(1)


@pytest.mark.parametrize("measure", [fleiss_kappa, krippendorff_alpha, cohen_kappa])
def test_chance_explains_a_single_label_entirely(measure: Measure) -> None:
    found = measure([["x", "x"], ["x", "x"]])
    assert math.isnan(found.value)
    assert found.interval is None


@pytest.mark.parametrize("measure", [fleiss_kappa, krippendorff_alpha, gwet_ac1, cohen_kappa])
def test_random_labels_agree_no_more_than_chance(measure: Measure) -> None:
    rng = np.random.default_rng(3)
    drawn: Ratings = [[str(label) for label in row] for row in rng.integers(0, 3, (4000, 2))]
    found = measure(drawn)
    assert found.interval is not None
    assert found.interval.low < 0 < found.interval.high
    assert abs(found.value) < 0.05


@pytest.mark.slow
@pytest.mark.parametrize("measure", [fleiss_kappa, krippendorff_alpha, gwet_ac1, cohen_kappa])
def test_ninety_five_of_a_hundred_intervals_cover_the_truth(measure: Measure) -> None:
    # Two raters copy a hidden label with probability 0.8, else draw evenly: both kappas and AC1 are 0.64.
    rng = np.random.default_rng(5)
    covered = 0
    for _ in range(200):
        hidden = rng.integers(0, 2, 80)
        rows = [np.where(rng.random(80) < 0.8, hidden, rng.integers(0, 2, 80)) for _ in range(2)]
        found = measure([[str(a), str(b)] for a, b in zip(*rows, strict=True)]).interval
        assert found is not None
        covered += found.low <= 0.64 <= found.high
    assert 0.91 <= covered / 200 <= 0.985


def test_few_pairs_that_disagree_among_many_single_labels() -> None:
    # By hand: labels x 19 : y 1 in shares of 20 items, one item is (x, y): p_e = .975² + .025², p_o = 0.
    kappa = fleiss_kappa([["x", "y"], *([["x", None]] * 19)])
    expected = 0.975**2 + 0.025**2
    assert kappa.value == pytest.approx(-expected / (1 - expected))
    assert kappa.interval is not None
    assert kappa.interval.low == pytest.approx(kappa.value)
    assert kappa.value < kappa.interval.high <= 1


@pytest.mark.parametrize("measure", MEASURES)
@given(ratings=st.lists(st.lists(st.sampled_from(["x", "y", "z", None]), min_size=2, max_size=2), min_size=2))
def test_an_interval_is_around_its_value_and_within_bounds(measure: Measure, ratings: Ratings) -> None:
    assume(any(None not in row for row in ratings))
    result = measure(ratings)
    if result.interval is not None:
        low, high = result.interval.low, result.interval.high
        assert low - 1e-9 <= result.value <= high + 1e-9
        assert high <= 1
        if measure is observed_agreement:
            assert low >= 0
        elif measure is not fleiss_kappa:
            assert low >= -1


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("ratings", [[["x", None], [None, "y"]], [[None, None]], []])
def test_items_with_one_label_show_no_agreement(measure: Measure, ratings: Ratings) -> None:
    with pytest.raises(InputError, match="no item has two labels"):
        measure(ratings)


def test_cohen_is_for_two_raters() -> None:
    with pytest.raises(InputError, match="two raters"):
        cohen_kappa(KRIPPENDORFF_C)
