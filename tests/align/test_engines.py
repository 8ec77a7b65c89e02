"""The compiled engine against its NumPy twin, and against itself on other numbers of threads."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from anaphor.align import HmmAligner
from anaphor.align.engine import load_engine
from anaphor.align.model import (
    REACH,
    Bitext,
    HmmModel,
    HmmOptions,
    LexiconRows,
    PassCounts,
)
from anaphor.align.reference import AlignmentEngine
from anaphor.align.symmetrize import DecodingMode
from anaphor.align.vocabulary import token_codes
from anaphor.core import UnknownNameError
from anaphor.core.engine import native
from tests.support.engines import SOURCES, TARGETS, TEXT, needs_native, random_text

COUNTS = ("forward", "reverse", "source_null", "target_null", "forward_jumps", "reverse_jumps")


"""Empty sides, single words, full and broken lanes, and one pair too long for the lattice."""


def random_model(engine: AlignmentEngine, text: Bitext, seed: int = 4) -> HmmModel:
    generator = np.random.default_rng(seed)
    rows, _ = engine.candidates(text, HmmOptions(share=0.3), sources=SOURCES, targets=TARGETS)
    vectors = [generator.uniform(0.01, 1, n) for n in (SOURCES, TARGETS, SOURCES, TARGETS)]
    jumps = [generator.uniform(0.1, 1, 513) for _ in range(2)]
    parts = [(v / v.sum()).astype(np.float32) for v in (*vectors, *jumps)]
    tables = generator.uniform(0, 0.5, 2 * len(rows)).astype(np.float32)
    return HmmModel(rows, tables, *parts)


def expected_counts(
    engine: AlignmentEngine,
    text: Bitext,
    model: HmmModel,
    options: HmmOptions,
    *,
    hmm: bool = True,
    stride: int = 1,
) -> PassCounts:
    return engine.expect(text, engine.indexed(model, options), hmm=hmm, jump_stride=stride)


def translated_text(pairs: int, seed: int = 5) -> Bitext:
    """Every source word has a translation, which stands beside words of chance: rows of unequal dice."""
    generator = np.random.default_rng(seed)
    source = generator.integers(0, SOURCES, (pairs, 6)).astype(np.int32)
    chance = generator.integers(0, TARGETS, (pairs, 6)).astype(np.int32)
    target = np.where(generator.random((pairs, 6)) < 0.5, source, chance).astype(np.int32)
    start = np.arange(0, 6 * pairs + 1, 6, dtype=np.int64)
    return Bitext(source.ravel(), start, target.ravel(), start)


@needs_native
@pytest.mark.parametrize("share", [0.0, 0.05, 0.5, 1.0])
@pytest.mark.parametrize("most", [1, 7, 1000])
@pytest.mark.parametrize("text", [TEXT, translated_text(300)], ids=["random", "translated"])
def test_both_engines_find_the_same_candidates(text: Bitext, share: float, most: int) -> None:
    (rows, dice), (other, other_dice) = (
        load_engine(name).candidates(
            text, HmmOptions(share=share, most=most), sources=SOURCES, targets=TARGETS
        )
        for name in ("native", "reference")
    )
    assert np.array_equal(rows.start, other.start)
    assert np.array_equal(rows.target, other.target)
    np.testing.assert_allclose(dice, other_dice, rtol=1e-6)


@pytest.mark.parametrize("name", ["reference", pytest.param("native", marks=needs_native)])
def test_the_most_candidates_of_a_word_are_a_limit(name: str) -> None:
    """Beyond the limit a pair stays only if it is half as good as the best of its target word, or better."""
    text = translated_text(300)
    every, dice = load_engine(name).candidates(
        text, HmmOptions(share=0.0, most=1000), sources=SOURCES, targets=TARGETS
    )
    kept, _ = load_engine(name).candidates(
        text, HmmOptions(share=0.0, most=7), sources=SOURCES, targets=TARGETS
    )
    best = np.zeros(TARGETS, np.float32)
    np.maximum.at(best, every.target, dice)
    expected = set()
    beyond = 0
    for word in range(SOURCES):
        row = range(every.start[word], every.start[word + 1])
        least = sorted((dice[entry] for entry in row), reverse=True)[:7][-1]
        for entry in row:
            near = 2 * dice[entry] >= best[every.target[entry]]
            beyond += bool(dice[entry] < least and near)
            if dice[entry] >= least or near:
                expected.add((word, int(every.target[entry])))
    assert beyond, "some stay beyond the limit"
    found = zip(kept.sources().tolist(), kept.target.tolist(), strict=True)
    assert set(found) == expected
    assert len(expected) < len(every.target)


@needs_native
@pytest.mark.parametrize("hmm", [True, False])
@pytest.mark.parametrize("agree", [True, False])
def test_both_engines_expect_the_same_counts(hmm: bool, agree: bool) -> None:
    model = random_model(load_engine("reference"), TEXT)
    options = HmmOptions(agree=agree)
    one, other = (
        expected_counts(load_engine(name), TEXT, model, options, hmm=hmm) for name in ("native", "reference")
    )
    for name in COUNTS:
        difference = (getattr(one, name) - getattr(other, name)) / 2.0**32
        assert np.abs(difference).max() < 1e-5, name


@needs_native
@pytest.mark.parametrize("reading", list(DecodingMode))
@pytest.mark.parametrize("hmm_passes", [0, 4])
def test_both_engines_read_the_same_links(reading: DecodingMode, hmm_passes: int) -> None:
    model = random_model(load_engine("reference"), TEXT)
    options = HmmOptions(reading=reading, threshold=0.02, hmm_passes=hmm_passes)
    both = []
    for name in ("native", "reference"):
        engine = load_engine(name)
        both.append(engine.decode(TEXT, engine.indexed(model, options)))
    for name in ("start", "source", "target"):
        assert np.array_equal(getattr(both[0], name), getattr(both[1], name))
    assert len(both[0].source) > 10
    np.testing.assert_allclose(both[0].confidence, both[1].confidence, atol=1e-6)


@needs_native
def test_words_outside_the_table_are_linked_to_each_other_by_both_engines() -> None:
    model = random_model(load_engine("reference"), TEXT)
    nothing = LexiconRows(np.zeros(SOURCES + 1, np.int64), np.empty(0, np.int32))
    empty = replace(model, rows=nothing, tables=np.empty(0, np.float32))
    found = []
    for name in ("native", "reference"):
        engine = load_engine(name)
        indexed = engine.indexed(empty, HmmOptions(threshold=0.001, threads=1))
        found.append(engine.decode(TEXT, indexed))
    assert np.array_equal(found[0].source, found[1].source)
    assert np.array_equal(found[0].target, found[1].target)
    assert len(found[0].source) > 0


@needs_native
@pytest.mark.parametrize("reading", list(DecodingMode))
def test_both_engines_agree_after_a_whole_training(reading: DecodingMode) -> None:
    """Word tables are rounded to 32 bits after every pass: posteriors agree to about 1e-5, not more."""
    generator = np.random.default_rng(8)
    words = [f"w{n}" for n in range(60)]
    pairs = []
    for _ in range(80):
        source = generator.choice(words, generator.integers(1, 20)).tolist()
        target = [word.upper() + "x" for word in source if generator.random() < 0.9]
        generator.shuffle(target[: len(target) // 3])
        pairs.append((source, target))
    one, other = (
        list(HmmAligner(HmmOptions(reading=reading), engine=load_engine(name)).align(pairs))
        for name in ("native", "reference")
    )
    assert sum(map(len, one)) > 500
    for a, b in zip(one, other, strict=True):
        assert (a.sources, a.targets) == (b.sources, b.targets)
        np.testing.assert_allclose(a.confidence or (), b.confidence or (), atol=1e-5)


@needs_native
def test_both_engines_maximize_alike() -> None:
    rows = random_model(load_engine("reference"), TEXT).rows
    generator = np.random.default_rng(9)
    forward, reverse = ((generator.uniform(0, 30, len(rows)) * 2.0**32).astype(np.int64) for _ in range(2))
    nulls = np.zeros(SOURCES, np.int64), np.zeros(TARGETS, np.int64)
    counts = PassCounts(forward, reverse, *nulls, np.zeros(513, np.int64), np.zeros(513, np.int64))
    prior = generator.uniform(0, 2, len(rows)).astype(np.float32)
    one, other = (
        load_engine(name).maximize(rows, counts, prior, alpha=0.1, threads=2)
        for name in ("native", "reference")
    )
    np.testing.assert_allclose(one, other, rtol=1e-5)


class NewCodes(dict[str, int]):
    """Numbers tokens as they come."""

    def __missing__(self, word: str) -> int:
        if word == "?":
            raise ValueError(word)
        self[word] = code = len(self) - 2
        return code


@needs_native
def test_tokens_have_the_same_codes_in_python() -> None:
    sentences = [["a", "b", "a"], [], ("c", "b", "é"), "ab", ["-", "a"]]
    one, other = NewCodes(), NewCodes()
    for _ in ("new", "known"):
        found, expected = native.token_codes(sentences, one), token_codes(sentences, other)
        assert [part.dtype for part in found] == [part.dtype for part in expected]
        assert [part.tolist() for part in found] == [part.tolist() for part in expected]
    assert one == other


@needs_native
@pytest.mark.parametrize(
    ("sentences", "error"),
    [([["a", "?"]], ValueError), ([["a"], [["a"]]], TypeError), ([["a"], 3], TypeError), (3, TypeError)],
)
def test_tokens_without_a_code_raise_what_python_raises(
    sentences: list[list[str]], error: type[Exception]
) -> None:
    for codes_of in (native.token_codes, token_codes):
        with pytest.raises(error):
            codes_of(sentences, NewCodes())


@needs_native
def test_both_engines_sum_families_alike() -> None:
    rows = random_model(load_engine("reference"), TEXT).rows
    generator = np.random.default_rng(11)
    families = generator.integers(0, 7, SOURCES), generator.integers(0, 9, TARGETS)
    count = generator.uniform(0, 30, len(rows))
    one, other = (load_engine(name).family_sums(rows, *families, count) for name in ("native", "reference"))
    np.testing.assert_array_equal(one, other)


@needs_native
def test_both_engines_see_the_same_likeness() -> None:
    rows = LexiconRows(np.array([0, 5], dtype=np.int64), np.arange(5, dtype=np.int32))
    forms = ["nation", "nationen", "nazione", "natio", "été"]
    one, other = (
        load_engine(name).likenesses(rows, ["nation"], forms, threads=2) for name in ("native", "reference")
    )
    assert np.array_equal(one, other)
    # By hand: the same; 6 of 8 bytes shared; 2 shared; 5 of 6; none.
    np.testing.assert_allclose(one, [1, 6 / 8, 0, 5 / 6, 0])


@needs_native
@pytest.mark.parametrize("threads", [2, 3, 7])
def test_counts_do_not_depend_on_threads_to_the_last_bit(threads: int) -> None:
    text = random_text([(n % 30, (7 * n) % 35) for n in range(300)])
    engine = load_engine("native")
    model = random_model(engine, text)
    one = expected_counts(engine, text, model, HmmOptions(threads=1), stride=3)
    other = expected_counts(engine, text, model, HmmOptions(threads=threads), stride=3)
    for name in COUNTS:
        assert np.array_equal(getattr(one, name), getattr(other, name)), name


@pytest.mark.parametrize(
    "name", [pytest.param("native", marks=needs_native), "reference"], ids=["native", "reference"]
)
@pytest.mark.parametrize(
    ("source", "target", "reading", "null", "expected"),
    [
        ([0, 0], [0], DecodingMode.FORWARD, 0.1, [(0, 0)]),
        ([0], [0, 0], DecodingMode.REVERSE, 0.1, [(0, 0)]),
        ([0], [0], DecodingMode.FORWARD, 0.51, []),
        ([0], [0], DecodingMode.FORWARD, 0.5, []),
        ([0], [0], DecodingMode.REVERSE, 0.5, []),
        ([0], [0], DecodingMode.FORWARD, 0.49, [(0, 0)]),
    ],
    ids=[
        "first of equal source words",
        "first of equal target words",
        "null above",
        "null equal",
        "null equal in the other direction",
        "null below",
    ],
)
def test_ties_of_the_position_model_are_broken_alike(
    name: str,
    source: list[int],
    target: list[int],
    reading: DecodingMode,
    null: float,
    expected: list[tuple[int, int]],
) -> None:
    """All probabilities are 1, so that cells of the same two words are equal; a null of 0.5 is equal too."""
    rows = LexiconRows(np.array([0, 1], np.int64), np.array([0], np.int32))
    one, jumps = np.ones(1, np.float32), np.full(2 * REACH + 1, 0.5, np.float32)
    model = HmmModel(rows, np.ones(2, np.float32), one, one, one, one, jumps, jumps)
    sides = [(np.array(words, np.int32), np.array([0, len(words)], np.int64)) for words in (source, target)]
    options = HmmOptions(hmm_passes=0, diagonal=0, null=null, reading=reading, threads=1)
    engine = load_engine(name)
    indexed = engine.indexed(model, options)
    found = engine.decode(Bitext(*sides[0], *sides[1]), indexed)
    assert list(zip(found.source.tolist(), found.target.tolist(), strict=True)) == expected


@needs_native
def test_ctrl_c_stops_a_native_call_half_way() -> None:
    """Processor time is compared with that of a whole call, so that a busy machine makes no difference."""
    program = """
import numpy as np, signal, threading, time
from anaphor.align import HmmOptions, load_engine
from anaphor.align.model import Bitext
# A shell that starts the tests in the background has SIGINT ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
words = np.arange(4_000_000, dtype=np.int32) % 50_000
starts = np.arange(0, 4_000_001, 50, dtype=np.int64)
text = Bitext(words, starts, words[::-1].copy(), starts)
def call():
    load_engine("native").candidates(text, HmmOptions(), sources=50_000, targets=50_000)
begin, wall = time.process_time(), time.monotonic()
call()
whole, wall = time.process_time() - begin, time.monotonic() - wall
shares = []
for _ in range(3):
    begin = time.process_time()
    try:
        threading.Timer(wall / 10, signal.raise_signal, [signal.SIGINT]).start()
        call()
        time.sleep(60)
    except KeyboardInterrupt:
        shares.append((time.process_time() - begin) / whole)
print(*shares)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=300, check=True
    )
    assert min(map(float, done.stdout.split())) < 0.7


def test_an_unknown_engine_is_not_taken_for_another() -> None:
    with pytest.raises(UnknownNameError, match="unknown engine: nativ"):
        load_engine("nativ")
