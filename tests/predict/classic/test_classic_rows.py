"""Sparse rows against the same in dense arrays."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anaphor.predict.classic.sparse import SparseRows, stacked

WIDTH = 6
entries = st.lists(st.tuples(st.integers(0, WIDTH - 1), st.integers(-3, 3)), max_size=5)
tables = st.lists(entries, max_size=8)


def rows_of(table: list[list[tuple[int, int]]]) -> SparseRows:
    starts = np.cumsum([0, *map(len, table)])
    columns = np.array([column for row in table for column, _ in row], np.int32)
    return SparseRows(starts, columns, np.array([value for row in table for _, value in row], np.float32))


def dense(rows: SparseRows, width: int = WIDTH) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    found = np.zeros((len(rows), width))
    for row in range(len(rows)):
        for place in range(rows.starts[row], rows.starts[row + 1]):
            found[row, rows.columns[place]] += rows.values[place]
    return found


@given(tables)
def test_products_are_those_of_dense_rows(table: list[list[tuple[int, int]]]) -> None:
    rows = rows_of(table)
    weights = np.arange(WIDTH * 3, dtype=np.float32).reshape(WIDTH, 3)
    assert rows.times(weights).tolist() == (dense(rows) @ weights).tolist()


@given(tables, st.data())
def test_rows_can_be_taken_in_any_order(table: list[list[tuple[int, int]]], data: st.DataObject) -> None:
    rows = rows_of(table)
    most = len(rows) - 1
    order = data.draw(st.lists(st.integers(0, most), max_size=6)) if len(rows) else []
    assert dense(rows.take(np.array(order, np.int64))).tolist() == dense(rows)[order].tolist()


@given(tables, st.lists(st.booleans(), min_size=WIDTH, max_size=WIDTH))
def test_columns_can_be_left_out(table: list[list[tuple[int, int]]], kept: list[bool]) -> None:
    rows = rows_of(table)
    mask = np.array(kept)
    assert dense(rows.only(mask), int(mask.sum())).tolist() == dense(rows)[:, mask].tolist()


@given(tables, tables)
def test_rows_can_be_put_after_each_other(
    one: list[list[tuple[int, int]]], two: list[list[tuple[int, int]]]
) -> None:
    both = stacked([rows_of(one), rows_of(two)])
    assert dense(both).tolist() == dense(rows_of([*one, *two])).tolist()


def test_no_rows_can_be_put_together() -> None:
    none = stacked([])
    assert len(none) == 0
    assert (none.columns.dtype.name, none.values.dtype.name) == ("int32", "float32")


def test_many_rows_are_multiplied_like_few() -> None:
    """More rows than are gathered at once, one of them empty in every block."""
    rows = rows_of([[(number % WIDTH, 1), (0, 2)] if number % 100 else [] for number in range(1000)])
    weights = np.arange(WIDTH * 2, dtype=np.float32).reshape(WIDTH, 2)
    assert rows.times(weights).tolist() == (dense(rows) @ weights).tolist()


def test_scipy_sees_the_same() -> None:
    sparse = pytest.importorskip("scipy.sparse", reason="scikit-learn is not installed")
    rows = rows_of([[(0, 1), (2, 2)], [], [(5, 3)]])
    assert sparse.issparse(rows.matrix(WIDTH))
    assert rows.matrix(WIDTH).toarray().tolist() == dense(rows).tolist()
