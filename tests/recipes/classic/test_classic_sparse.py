"""Sparse rows against the same in dense arrays."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anaphor.core import UserError
from anaphor.core.engine import has_native
from anaphor.recipes.classic.sparse import (
    FeatureVocabulary,
    GrowingVocabulary,
    SparseRows,
    read_vocabulary,
    stacked,
    write_vocabulary,
)
from anaphor.recipes.features.groups import (
    AttributeBlock,
    FeatureBlock,
    NgramBlock,
    NgramTemplate,
    feature_lists,
)

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
def test_rows_can_be_stacked(one: list[list[tuple[int, int]]], two: list[list[tuple[int, int]]]) -> None:
    both = stacked([rows_of(one), rows_of(two)])
    assert dense(both).tolist() == dense(rows_of([*one, *two])).tolist()


def test_no_rows_can_be_stacked() -> None:
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


# Where anything was compiled this was too, so that a missing module is a failure and not a reason to skip.
compiled = pytest.mark.skipif(not has_native(), reason="nothing was compiled")

#: Two contexts: n-grams, plain features, a number, and facts that only one has.
SAID: list[FeatureBlock] = [
    NgramBlock(
        [("a", "é"), ("b", "œuf")],
        [NgramTemplate("1=", 0, 1), NgramTemplate("2=", 0, 2), NgramTemplate("+1=", 1, 2)],
    ),
    [["x=1", ("share", 0.25), "x=1"], []],
    NgramBlock([("c", "d")], [NgramTemplate("s=", 0, 1)], ("it&", "they&")),
    AttributeBlock(["f=", "g="], [("e", None), (None, "h")]),
]
KNOWN = ["they&s=d", "2=a_b", "share", "x=1", "2=é_œuf", "never", "f=e"]


def content(rows: SparseRows) -> list[list[tuple[int, float]]]:
    pairs = [*zip(rows.columns.tolist(), rows.values.tolist(), strict=True)]
    return [pairs[start:end] for start, end in zip(rows.starts[:-1], rows.starts[1:], strict=True)]


def test_known_names_are_numbered_in_the_order_of_features() -> None:
    rows = FeatureVocabulary(KNOWN).rows(SAID, 2)
    assert content(rows) == [[(1, 1.0), (3, 1.0), (2, 0.25), (3, 1.0), (6, 1.0)], [(4, 1.0), (0, 1.0)]]
    assert [rows.starts.dtype, rows.columns.dtype, rows.values.dtype] == [np.int64, np.int32, np.float32]


def test_new_names_take_the_next_number() -> None:
    growing = GrowingVocabulary()
    assert [[number for number, _ in row] for row in content(growing.rows(SAID, 2))] == [
        [0, 1, 2, 3, 4, 3, 5, 6],
        [7, 8, 9, 10, 11],
    ]
    assert [*growing][3:6] == ["x=1", "share", "it&s=c"]


@pytest.mark.parametrize("names", [(), ("",), ("a", "b=é", "c")])
def test_names_come_back_from_a_file(tmp_path: Path, names: tuple[str, ...]) -> None:
    path = tmp_path / "names"
    write_vocabulary(path, names)
    assert read_vocabulary(path) == (
        {name: number for number, name in enumerate(names)} if any(names) else {}
    )


def test_a_vocabulary_that_is_not_utf8_is_damaged(tmp_path: Path) -> None:
    path = tmp_path / "names"
    path.write_bytes(b"a\n\xff")
    with pytest.raises(UserError, match="not UTF-8"):
        read_vocabulary(path)


_ITEMS = st.text(st.sampled_from("ab_=&é€\U0001f600\ud800\0"), max_size=9)
_VALUES = st.floats(allow_nan=False, width=32)


@st.composite
def _said(draw: st.DrawFn) -> tuple[list[FeatureBlock], int]:
    contexts = draw(st.integers(0, 4))

    def column() -> list[str]:
        return draw(st.lists(_ITEMS, min_size=contexts, max_size=contexts))

    def grams() -> NgramBlock:
        columns = [column() for _ in range(draw(st.integers(1, 4)))]
        places = st.tuples(st.integers(0, len(columns) - 1), st.integers(1, len(columns)))
        spans = draw(st.lists(places.filter(lambda ends: ends[0] < ends[1]), max_size=4))
        named_spans = [NgramTemplate(draw(_ITEMS), start, end) for start, end in spans]
        return NgramBlock(columns, named_spans, column() if draw(st.booleans()) else None)

    def facts() -> AttributeBlock:
        names = draw(st.lists(_ITEMS, max_size=4))
        items = st.one_of(st.none(), _ITEMS)
        return AttributeBlock(
            names, [draw(st.lists(items, min_size=contexts, max_size=contexts)) for _ in names]
        )

    def rows() -> list[Any]:
        features = st.one_of(_ITEMS, st.tuples(_ITEMS, _VALUES))
        return draw(st.lists(st.lists(features, max_size=70), min_size=contexts, max_size=contexts))

    kinds = draw(st.lists(st.sampled_from([grams, facts, rows]), max_size=4))
    return [kind() for kind in kinds], contexts


@compiled
@given(_said(), st.randoms(use_true_random=False))
def test_the_table_gives_the_rows_that_python_gives(
    given_said: tuple[list[FeatureBlock], int], random: Any
) -> None:
    said, contexts = given_said
    met = {
        feature if isinstance(feature, str) else feature[0]
        for part in said
        for row in feature_lists(part, contexts)
        for feature in row
    }
    names = FeatureVocabulary(random.sample([*met, "never", "said"], random.randint(0, len(met) + 2)))
    assert names._table is not None
    table, python = names.rows(said, contexts), names.rows_in_python(said, contexts)
    assert content(table) == content(python)


@compiled
def test_the_table_holds_many_names() -> None:
    names = FeatureVocabulary(f"name {number}" for number in range(100_000))
    asked = [f"name {number}" for number in range(-50_000, 150_000, 7)]
    expected = [number for number in range(-50_000, 150_000, 7) if 0 <= number < 100_000]
    assert names.rows([[asked]], 1).columns.tolist() == expected


@compiled
@pytest.mark.parametrize(
    "said",
    [
        [[["a"]]],
        [[["a"], [3]]],
        [[["a"], [("a", "b")]]],
        [[["a"], [("a",)]]],
        [[["a"], 3]],
        [3],
        [([("a",)], [], None)],
        [([("a", "b")], [("x", 0, 2)], None)],
        [([("a", "b")], [("x", 1, 1)], None)],
        [([("a", "b")], [("x", -1, 1)], None)],
        [([("a", "b")], [("x", 0)], None)],
        [([("a", "b")], [(3, 0, 1)], None)],
        [([("a", "b")], [("x", 0, 1)], ("it",))],
        [([("a", "b")], [("x", 0, 1)])],
        [([("a", 1)], [("x", 0, 1)], None)],
        [(["x"], [])],
        [(["x"], [("a",)])],
        [(["x"], [("a", 1)])],
        [([1], [("a", "b")])],
        [(["x"],)],
    ],
)
def test_the_table_refuses_invalid_features(said: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        FeatureVocabulary(["a"]).rows(said, 2)
