"""A sample of training data keeps documents whole and the order of the file."""

from __future__ import annotations

import pytest

from anaphor.core import Alignment, OptionError, Slot, TaskSegment
from anaphor.predict.data import sample_documents


def segment(document: str | None, slots: int = 1) -> TaskSegment:
    places = tuple(Slot(0, place, "il") for place in range(slots))
    return TaskSegment(("it",), ("REPLACE_0",) * max(slots, 1), places, Alignment(), document)


TALKS = [segment(f"talk {n // 4}", slots=n % 2) for n in range(40)]  # ten talks of two placeholders each


def test_documents_are_whole_and_in_order() -> None:
    sample = sample_documents(TALKS, slots=6, seed=1)
    names = [str(part.document) for part in sample]
    assert len(sample) == 12  # three talks
    assert names == sorted(names)
    assert all(names.count(name) == 4 for name in names)


def test_a_seed_determines_the_sample() -> None:
    assert sample_documents(TALKS, slots=6, seed=1) == sample_documents(TALKS, slots=6, seed=1)
    assert (
        len({tuple(s.document for s in sample_documents(TALKS, slots=6, seed=seed)) for seed in range(5)}) > 1
    )


def test_a_sample_larger_than_the_data_is_all_of_it() -> None:
    assert sample_documents(TALKS, slots=1000, seed=1) == tuple(TALKS)


def test_segments_without_documents_are_sampled_one_by_one() -> None:
    assert len(sample_documents([segment(None)] * 10, slots=3, seed=1)) == 3


def test_no_placeholders_at_all_is_an_error() -> None:
    with pytest.raises(OptionError, match="number of placeholders cannot be"):
        sample_documents(TALKS, slots=0, seed=1)
