"""Numbers and layout of AutoPRF's tables."""

from __future__ import annotations

import math

import numpy as np
import pytest

from anaphor.legacy.autoprf import MatchCounts, recall_table, score_table


@pytest.mark.parametrize(
    ("tally", "printed"),
    [
        # The original's own output for the news set.
        (
            MatchCounts(410, reference=1319, candidate=1379),
            " 410/1379   0.2973    410/1319   0.3108   0.3039",
        ),
        (MatchCounts(0, reference=1, candidate=1), "   0/   1   0.0000      0/   1   0.0000   NaN"),
        (MatchCounts(), "   0/   0   NaN      0/   0   NaN   NaN"),
        # 1/32 = 0.03125 is exact and rounds up, as Java rounds; C and Python would print 0.0312.
        (MatchCounts(1, reference=32, candidate=32), "   1/  32   0.0313      1/  32   0.0313   0.0313"),
        (
            MatchCounts(10000, reference=20000, candidate=10000),
            "10000/10000   1.0000   10000/20000   0.5000   0.6667",
        ),
    ],
)
def test_a_row_has_the_width_and_the_rounding_of_the_original(tally: MatchCounts, printed: str) -> None:
    table = score_table({"it": tally}, decimal=".")
    assert table.splitlines()[4] == f"      it   {printed}"


def test_ratios_are_32_bit_floats() -> None:
    tally = MatchCounts(1, reference=3, candidate=7)
    assert tally.precision.dtype == tally.recall.dtype == tally.f1.dtype == np.float32
    assert tally.recall == np.float32(1) / np.float32(3)


def test_the_harmonic_mean_of_an_undefined_value_is_undefined() -> None:
    assert math.isnan(MatchCounts(0, reference=0, candidate=3).f1)


def test_the_decimal_mark_can_be_a_comma() -> None:
    table = score_table({"it": MatchCounts(1, reference=1, candidate=2)}, decimal=",")
    assert table.splitlines()[-1] == "TOTAL         1/   2   0,5000      1/   1   1,0000   0,6667"


def test_a_pronoun_that_a_document_lacks_is_dashed() -> None:
    rows = [{"it": MatchCounts(1, 2, 3)}, {}]
    assert recall_table(["a", "b"], rows, ["it"], decimal=".").splitlines()[1:] == [
        "                           it   ",
        "                 a     1/   2      1/   2   0.5000",
        "                 b     -/   -      0/   0   NaN",
        "                       1/   2      1/   2   0.5000",
    ]
