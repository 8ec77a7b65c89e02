"""Candidates found by ranges of source words are those of one search over the whole text."""

from __future__ import annotations

import numpy as np
import pytest

from anaphor.align.candidates import Contenders, chosen, contenders, word_ranges
from anaphor.align.engine import load_engine
from anaphor.align.model import Bitext, HmmOptions
from anaphor.engine import has_native
from tests.align.test_engines import SOURCES, TARGETS, TEXT, needs_native, random_text

PIECES = [random_text([(9, 8)] * 12, seed=seed) for seed in range(4)]
ENGINES = ["native", "reference"] if has_native() else ["reference"]


def whole(pieces: list[Bitext]) -> Bitext:
    """The pieces one after the other."""
    sides = []
    for words, start in (("source", "source_start"), ("target", "target_start")):
        ends = [np.diff(getattr(piece, start)) for piece in pieces]
        sides.append(np.concatenate([getattr(piece, words) for piece in pieces]))
        sides.append(np.concatenate([[0], np.cumsum(np.concatenate(ends))]).astype(np.int64))
    return Bitext(*sides)


@pytest.mark.parametrize("name", ENGINES)
@pytest.mark.parametrize("cells", [40, 300, 10**6])
@pytest.mark.parametrize(("share", "most"), [(0.05, 1000), (0.6, 3), (1.0, 1)])
def test_parts_together_give_the_candidates_of_the_whole(
    name: str, cells: int, share: float, most: int
) -> None:
    engine, options = load_engine(name), HmmOptions(share=share, most=most)
    types = [engine.types(piece) for piece in PIECES]
    of_source = sum(np.bincount(one.source, minlength=SOURCES) for one in types)
    of_target = sum(np.bincount(one.target, minlength=TARGETS) for one in types)
    assert not isinstance(of_source, int)
    assert not isinstance(of_target, int)
    spans = word_ranges(of_source, of_target, pairs=len(TEXT), cells=cells)
    assert (len(spans) > 1) == (cells < 10**6)
    found = [
        contenders(engine, types, span, options, of_source=of_source, of_target=of_target) for span in spans
    ]
    joined = Contenders(
        *(np.concatenate([getattr(one, field) for one in found]) for field in ("source", "target", "dice"))
    )
    rows, dice = chosen(joined, options, sources=SOURCES, targets=TARGETS)
    expected, expected_dice = engine.candidates(whole(PIECES), options, sources=SOURCES, targets=TARGETS)
    assert np.array_equal(rows.start, expected.start)
    assert np.array_equal(rows.target, expected.target)
    assert np.array_equal(dice, expected_dice)


@needs_native
def test_both_engines_count_the_same_words_together() -> None:
    native, reference = load_engine("native"), load_engine("reference")
    for text in (TEXT, random_text([])):
        one, other = native.types(text), reference.types(text)
        for side in ("source", "source_start", "target", "target_start"):
            assert np.array_equal(getattr(one, side), getattr(other, side)), side
    for threads in (1, 3):
        rows, count = native.together(
            [native.types(TEXT)] * 2, first=5, last=31, targets=TARGETS, threads=threads
        )
        other_rows, other_count = reference.together(
            [native.types(TEXT)] * 2, first=5, last=31, targets=TARGETS, threads=1
        )
        assert np.array_equal(rows.start, other_rows.start)
        assert np.array_equal(rows.target, other_rows.target)
        assert np.array_equal(count, other_count)


@pytest.mark.parametrize(
    ("of_source", "of_target", "cells", "expected"),
    [
        # Ten words in all of eight sentences: whatever word one takes, the ten stand beside it.
        ([1, 5, 2], [8] * 10, 1000, [(0, 3)]),
        ([1, 5, 2], [8] * 10, 15, [(0, 1), (1, 3)]),
        ([1, 5, 2], [8] * 10, 1, [(0, 1), (1, 2), (2, 3)]),
        # Eight words in half of the sentences: a word of one sentence meets 4, one of two sentences 6.
        ([1, 2, 0], [4] * 8, 11, [(0, 3)]),
        ([1, 2, 0], [4] * 8, 9, [(0, 1), (1, 3)]),
        ([1, 2, 0], [4] * 8, 3, [(0, 1), (1, 3)]),
        # Of a sentence that was cut in two, both parts have the word: it cannot be more than beside all.
        ([1, 1], [9, 9], 3, [(0, 1), (1, 2)]),
        ([], [8], 10, []),
    ],
)
def test_ranges_hold_as_many_words_as_fit(
    of_source: list[int], of_target: list[int], cells: int, expected: list[tuple[int, int]]
) -> None:
    found = word_ranges(np.array(of_source, np.int64), np.array(of_target, np.int64), pairs=8, cells=cells)
    assert found == expected
