"""Equal numbers are brought together in memory and across files."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anaphor.core.array_types import Longs
from anaphor.core.engine import has_native
from anaphor.recipes.lm.columns import ColumnStore, DiskColumn, Run, grouped, merge
from anaphor.recipes.lm.model import ABSENT, Ngrams

SMALL = st.integers(0, 20)
LARGE = st.integers(0, 2**62)  # too large for the places to fit beside them


@given(st.lists(SMALL | LARGE))
def test_groups_are_the_distinct_values_in_order(values: list[int]) -> None:
    array = np.array(values, dtype=np.int64)
    groups = grouped(array)
    assert groups.values.tolist() == sorted(set(values))
    assert groups.values[groups.number].tolist() == values
    assert array[groups.first].tolist() == sorted(set(values))


def run_of(keys: list[int], store: ColumnStore, name: str) -> Run:
    groups = grouped(np.array(keys, dtype=np.int64))
    run = Run(*(store.column(f"{name}.{part}", "i8") for part in ("key", "count", "suffix", "merged")))
    run.key.append(groups.values)
    run.count.append(np.bincount(groups.number, minlength=len(groups.values)))
    run.suffix.append(groups.values * 2)
    return run


@given(
    block=st.sampled_from([1, 2, 3, 1000]),
    parts=st.lists(st.lists(SMALL, min_size=1), min_size=1, max_size=4),
)
def test_merged_runs_are_their_union_whatever_is_in_memory_at_once(
    tmp_path_factory: pytest.TempPathFactory, block: int, parts: list[list[int]]
) -> None:
    store = ColumnStore(tmp_path_factory.mktemp("runs"), block)
    runs = [run_of(part, store, str(number)) for number, part in enumerate(parts)]
    columns = zip(*merge(runs, block=block), strict=True)
    keys, found, suffixes = (np.concatenate(column).tolist() for column in columns)
    counts = Counter(key for part in parts for key in part)
    assert keys == sorted(counts)
    assert found == [counts[key] for key in keys]
    assert suffixes == [2 * key for key in keys]
    for run in runs:
        assert [keys[number] for number in run.merged.read()] == run.key.read().tolist()


def test_a_column_gives_back_what_it_was_given(tmp_path: Path) -> None:
    column = DiskColumn(tmp_path / "numbers", "i4")
    assert len(column) == 0
    assert column.take(np.zeros(0, dtype=np.int64)).tolist() == []
    values: Longs = np.arange(10)
    column.append(values[:6])
    column.append(values[6:])
    assert column.read(4, 8).tolist() == [4, 5, 6, 7]
    assert [block.tolist() for block in column.blocks(4)] == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]
    assert column.take(np.array([9, 0, 9])).tolist() == [9, 0, 9]
    column.remove()
    assert not column.path.exists()


# Where anything was compiled this was too, so that a missing module is a failure and not a reason to skip.
pytestmark = pytest.mark.skipif(not has_native(), reason="nothing was compiled")


def ngrams(size: int) -> Ngrams:
    """Every other number, from 0 on; values nobody looks at."""
    return Ngrams(np.arange(size) * 2, np.zeros(size), np.zeros(0))


@pytest.mark.parametrize("size", [1, 2, 3, 15, 16, 17, 1000])
@pytest.mark.parametrize("asked", [0, 1, 15, 16, 17, 100])
def test_places_are_those_of_one_search_after_another(size: int, asked: int) -> None:
    keys = np.random.default_rng(size).integers(-3, 2 * size + 3, asked)
    level = ngrams(size)
    assert level.numbers(keys).tolist() == level._searched(keys).tolist()


def test_every_key_has_its_number_and_no_other_has_one() -> None:
    """By hand: of every other number, the even ones are there."""
    found = ngrams(4).numbers(np.array([-1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 2**62]))
    absent = ABSENT
    assert found.tolist() == [absent, 0, absent, 1, absent, 2, absent, 3, absent, absent, absent]


def test_a_level_without_ngrams_has_none() -> None:
    assert ngrams(0).numbers(np.array([0, 5])).tolist() == [ABSENT, ABSENT]


def test_read_only_arrays_can_be_searched() -> None:
    """As they come from a file."""
    level = ngrams(9)
    level.key.flags.writeable = False
    assert level.numbers(np.array([4])).tolist() == [2]
