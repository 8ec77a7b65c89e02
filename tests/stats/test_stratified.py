"""Estimates from cells: by hand, over all samples of a small world, and where everything was judged."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations, product

import numpy as np
import pytest

from anaphor.stats.cells import Cell
from anaphor.stats.stratified import cell_variance, stratified


def cell(size: int, values: Sequence[float], *, expected: float = 0.5, first: int = 0) -> Cell:
    return Cell(size, np.array(values, np.float64), np.arange(first, first + len(values)), expected)


def test_cells_count_by_their_size() -> None:
    found = stratified([cell(30, [1, 1, 0, 1]), cell(10, [0, 1], first=4)])
    assert found.value == pytest.approx(0.75 * 0.75 + 0.25 * 0.5)


def test_the_variance_of_a_cell_by_hand() -> None:
    # (3 + 2 * 0.5) / 6 = 2/3 right; spread 2/3 * 1/3 * 20/19; 4 of 20 judged.
    assert cell_variance(cell(20, [1, 1, 0, 1])) == pytest.approx(0.8 * (2 / 9) * (20 / 19) / 4)


def test_a_cell_judged_alike_is_not_taken_for_certain() -> None:
    assert cell_variance(cell(20, [1, 1, 1, 1], expected=0.9)) > 0


def test_a_cell_judged_to_the_last_item_has_no_error() -> None:
    found = stratified([cell(3, [1, 0, 1]), cell(1, [1], first=3)])
    assert (found.value, found.variance) == (0.75, 0)
    assert math.isinf(found.effective_size)


def test_over_all_samples_the_estimate_is_right_on_average() -> None:
    first, second = (1, 1, 0, 1, 0), (0, 0, 1, 0)
    found = [
        stratified([cell(5, one), cell(4, other, first=5)]).value
        for one, other in product(combinations(first, 2), combinations(second, 2))
    ]
    assert np.mean(found) == pytest.approx(4 / 9)


def test_more_judgements_are_more_degrees_of_freedom_up_to_the_pronouns() -> None:
    few, many = (stratified([cell(100, [1, 0] * n)]).freedom for n in (2, 10))
    assert few < many == 19 + 1, "20 pronouns, and what Wilson's form is worth"


def test_pronouns_that_go_wrong_together_make_a_sum_less_certain() -> None:
    values = [1, 1, 0, 0, 1, 0]
    apart = stratified([cell(30, values), cell(30, values, first=6)])
    together = stratified([cell(30, values), cell(30, values)])
    assert together.variance > 1.5 * apart.variance


def test_two_systems_in_one_cell_share_their_pronouns_too() -> None:
    values = np.array([1, 1, 0, 0] * 2, np.float64)
    shared = stratified([Cell(40, values, np.array([0, 1, 2, 3] * 2), 0.5)])
    alone = stratified([Cell(40, values, np.arange(8), 0.5)])
    assert shared.variance > alone.variance
