"""Prefix families and candidates: numbers by hand, and parts that give the result of the whole."""

from __future__ import annotations

import numpy as np
import pytest

from anaphor.align import HmmAligner, SentencePair
from anaphor.align.candidates import Contenders, chosen, contenders, word_ranges
from anaphor.align.engine import best_engine, load_engine
from anaphor.align.model import REACH, Bitext, HmmModel, HmmOptions, LexiconRows
from anaphor.align.priors import Prior, initial_jumps
from anaphor.align.train import (
    ENOUGH_WORDS,
    JUMP_SAMPLE,
    PRIOR_LIMIT,
    PrefixFamilies,
    in_pieces,
    jump_stride,
    limited_counts,
    worth_keeping,
)
from anaphor.core import OptionError
from anaphor.core.engine import has_native
from tests.support.engines import SOURCES, TARGETS, TEXT, needs_native, random_text

ENGINE = best_engine()
FORMS = ["decide", "decided", "dog"]
TRANSLATIONS = ["décide", "décidé", "chien", "chienne"]
ROWS = LexiconRows(np.array([0, 2, 4, 6], np.int64), np.array([0, 1, 1, 2, 2, 3], np.int32))
"""decide: décide, décidé; decided: décidé, chien; dog: chien, chienne."""


def test_a_pair_gets_what_its_kin_is_expected_to_count() -> None:
    """By hand. Families: deci, dog; déci, chie. C(deci) = 8, C(dog) = 4, C(déci) = 7, C(chie) = 5.

    C(deci,déci) = 7, C(deci,chie) = 1, C(dog,chie) = 4; kin = 2 (C(S,T) - c) / (C(S) + C(T) + 1).
    """
    kin = PrefixFamilies.of(source_forms=FORMS, target_forms=TRANSLATIONS)
    count = np.array([4.0, 1.0, 2.0, 1.0, 3.0, 1.0])
    expected = [2 * 3 / 16, 2 * 6 / 16, 2 * 5 / 16, 0, 2 * 1 / 10, 2 * 3 / 10]
    np.testing.assert_allclose(kin.pseudo_counts(ENGINE, ROWS, count, weight=1), expected, rtol=1e-6)
    np.testing.assert_allclose(
        kin.pseudo_counts(ENGINE, ROWS, count, weight=2), 2 * np.array(expected), rtol=1e-6
    )


def test_words_without_kin_learn_nothing_from_others() -> None:
    kin = PrefixFamilies.of(source_forms=["it", "its", "dog"], target_forms=["es", "sein", "Hund", "Tier"])
    assert not kin.pseudo_counts(ENGINE, ROWS, np.ones(6), weight=10).any()


def test_a_table_without_entries_has_no_pseudo_counts() -> None:
    kin = PrefixFamilies.of(source_forms=[], target_forms=[])
    nothing = LexiconRows(np.zeros(1, np.int64), np.zeros(0, np.int32))
    assert len(kin.pseudo_counts(ENGINE, nothing, np.zeros(0), weight=1)) == 0


def rare_forms() -> list[SentencePair]:
    """Two forms met once, in one sentence, in opposite order; other forms of theirs are met apart."""
    known: list[SentencePair] = [(["lamps"], ["xuborek"]), (["clocks"], ["zimarek"])] * 5
    return [(["lamped", "clocked"], ["zimarol", "xuborol"]), *known]


@pytest.mark.parametrize(("weight", "found"), [(0.0, False), (10.0, True)])
def test_forms_met_once_are_linked_as_their_kin_is(weight: float, found: bool) -> None:
    first = next(iter(HmmAligner(HmmOptions(kin=weight)).align(rare_forms())))
    assert ({(link.source, link.target) for link in first.links()} == {(0, 1), (1, 0)}) is found


def test_a_negative_weight_is_refused() -> None:
    with pytest.raises(OptionError, match="kin is -1"):
        HmmOptions(kin=-1)


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


def test_a_source_word_keeps_its_best_pairs_and_those_that_are_good_for_their_target_word() -> None:
    """Source word 0 keeps two of five pairs by its own list, equal ones at its end included.

    Its pair with target 3 stays because it has half the best coefficient of that word. The pairs of source
    word 1 are all equal, so that none is worse than the second best.
    """
    dice = [0.4, 0.3, 0.2, 0.15, 0.1, 1.0, 1.0, 1.0, 0.3, 1.0]
    found = Contenders(
        np.repeat(np.arange(2, dtype=np.int32), 5),
        np.tile(np.arange(5, dtype=np.int32), 2),
        np.array(dice, np.float32),
    )
    rows, kept = chosen(found, HmmOptions(share=0, most=2), sources=2, targets=5)
    assert rows.start.tolist() == [0, 3, 8]
    assert rows.target.tolist() == [0, 1, 3, 0, 1, 2, 3, 4]
    assert kept.tolist() == pytest.approx([0.4, 0.3, 0.15, 1.0, 1.0, 1.0, 0.3, 1.0])


def test_chance_does_not_count_against_the_best_entry_of_either_word() -> None:
    """All words are so frequent that chance alone would remove every entry."""
    rows = LexiconRows(np.array([0, 3, 4, 5], np.int64), np.array([0, 1, 2, 1, 2], np.int32))
    half = np.full(3, 0.5, np.float32)
    jumps = np.full(2 * REACH + 1, 0.5, np.float32)
    model = HmmModel(rows, np.ones(10, np.float32), half, half, half, half, jumps, jumps)
    # 0-0 is best for both words, 0-1 for its target alone, 0-2 for neither, 1-1 for its source, 2-2 for both.
    count = np.array([5.0, 1.0, 0.2, 0.5, 3.0])
    keep = worth_keeping(model, count, HmmOptions(lift=1, prune=0.1), words=1000)
    assert keep.tolist() == [True, True, False, True, True]
    keep = worth_keeping(model, count, HmmOptions(lift=0, prune=0.3), words=1000)
    assert keep.tolist() == [True, True, False, True, True]


def test_the_rarer_word_has_no_more_counts_from_a_prior_than_the_limit() -> None:
    # Word 0 is frequent on either side; 1 is so rare that its counts are no matter.
    source, target = np.array([0, 0, 1]), np.array([0, 1, 0])
    count = np.array([8 * PRIOR_LIMIT, PRIOR_LIMIT / 4, PRIOR_LIMIT / 2], np.float32)
    jumps, totals = initial_jumps(), np.zeros(2, np.float32)
    prior = Prior(source, target, count, totals, totals, jumps, jumps)
    limited = limited_counts(prior, 1.0, words=ENOUGH_WORDS)
    assert limited[0] == pytest.approx(count[0] * PRIOR_LIMIT / (8.25 * PRIOR_LIMIT))
    assert limited[1:] == pytest.approx(count[1:])
    assert limited_counts(prior, 0.5, words=10 * ENOUGH_WORDS)[1:] == pytest.approx(count[1:] / 2)
    assert limited_counts(prior, 1.0, words=ENOUGH_WORDS // 2)[0] == pytest.approx(4 * limited[0])
    assert limited_counts(prior, 1.0, words=0) == pytest.approx(count)


def test_long_pairs_are_cut_into_as_many_pieces_as_their_longer_side_needs() -> None:
    """401 words need three pieces of at most 200, and the other side is cut in the same proportion."""
    lengths = [(2, 3), (401, 200), (200, 200), (0, 201)]
    starts = [np.cumsum([0, *side], dtype=np.int64) for side in zip(*lengths, strict=True)]
    words = [np.zeros(start[-1], np.int32) for start in starts]
    text = in_pieces(Bitext(words[0], starts[0], words[1], starts[1]))
    assert np.diff(text.source_start).tolist() == [2, 133, 134, 134, 200, 0, 0]
    assert np.diff(text.target_start).tolist() == [3, 66, 67, 67, 200, 100, 101]
    short = Bitext(words[0][:2], starts[0][:2], words[1][:3], starts[1][:2])
    assert in_pieces(short) is short


def test_jumps_are_counted_in_a_sample_of_large_texts() -> None:
    strides = [jump_stride(pairs) for pairs in (0, 1, JUMP_SAMPLE, 2 * JUMP_SAMPLE, 5 * JUMP_SAMPLE + 1)]
    assert strides == [1, 1, 1, 2, 5]
