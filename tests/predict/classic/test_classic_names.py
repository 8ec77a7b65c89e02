"""Feature names and their numbers; the compiled table is compared with the Python code."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anaphor.core import UserError
from anaphor.engine import has_native
from anaphor.predict.classic.sparse import (
    FeatureVocabulary,
    GrowingVocabulary,
    SparseRows,
    read_vocabulary,
    write_vocabulary,
)
from anaphor.predict.features.groups import (
    AttributeBlock,
    FeatureBlock,
    NgramBlock,
    NgramTemplate,
    feature_lists,
)

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


def test_known_names_are_numbered_in_the_order_of_what_is_said() -> None:
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


def test_a_file_that_is_no_text_is_damaged(tmp_path: Path) -> None:
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
def test_the_table_refuses_what_groups_cannot_say(said: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        FeatureVocabulary(["a"]).rows(said, 2)
