"""The compiled engine against its NumPy twin, and against itself on other numbers of threads."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from anaphor.align.engine import has_native, load_engine
from anaphor.align.model import Bitext, Engine, HmmModel, HmmOptions, PassCounts, Reading, Rows, Work
from anaphor.core import UnknownNameError

needs_native = pytest.mark.skipif(not has_native(), reason="the compiled core is not built")
SOURCES, TARGETS = 40, 50


def random_text(lengths: list[tuple[int, int]], seed: int = 3) -> Bitext:
    generator = np.random.default_rng(seed)
    starts = np.cumsum([[0, 0], *lengths], axis=0).astype(np.int64)
    source = generator.integers(0, SOURCES, starts[-1, 0]).astype(np.int32)
    target = generator.integers(0, TARGETS, starts[-1, 1]).astype(np.int32)
    return Bitext(source, starts[:, 0].copy(), target, starts[:, 1].copy())


TEXT = random_text([(5, 7), (1, 1), (0, 4), (3, 0), (20, 17), (33, 40), (16, 16), (210, 190), (1, 30)])
"""Empty sides, single words, full and broken lanes, and one pair too long for the lattice."""


def random_model(engine: Engine, text: Bitext, seed: int = 4) -> HmmModel:
    generator = np.random.default_rng(seed)
    rows, _ = engine.candidates(text, sources=SOURCES, targets=TARGETS, share=0.3, threads=1)
    vectors = [generator.uniform(0.01, 1, n) for n in (SOURCES, TARGETS, SOURCES, TARGETS)]
    jumps = [generator.uniform(0.1, 1, 513) for _ in range(2)]
    parts = [(v / v.sum()).astype(np.float32) for v in (*vectors, *jumps)]
    tables = generator.uniform(0, 0.5, 2 * len(rows)).astype(np.float32)
    return HmmModel(rows, tables, *parts)


def expected_counts(engine: Engine, text: Bitext, model: HmmModel, work: Work) -> PassCounts:
    counts = PassCounts.zeros(model)
    hits = engine.index(model.rows).hits(text, first=work.first, last=work.last, threads=work.threads)
    engine.expect(text, hits, model, HmmOptions(), work, counts)
    return counts


@needs_native
@pytest.mark.parametrize("share", [0.0, 0.05, 0.5, 1.0])
def test_both_engines_find_the_same_candidates(share: float) -> None:
    (rows, dice), (other, other_dice) = (
        load_engine(name).candidates(TEXT, sources=SOURCES, targets=TARGETS, share=share, threads=2)
        for name in ("native", "reference")
    )
    assert np.array_equal(rows.start, other.start)
    assert np.array_equal(rows.target, other.target)
    np.testing.assert_allclose(dice, other_dice, rtol=1e-6)


@needs_native
def test_both_engines_find_the_same_hits_also_with_unknown_words() -> None:
    rows = Rows(np.array([0, 2, 3], dtype=np.int64), np.array([0, 4, 1], dtype=np.int32))
    one, other = (
        load_engine(name).index(rows).hits(TEXT, first=1, last=8, threads=2)
        for name in ("native", "reference")
    )
    for name in ("start", "source", "target", "entry"):
        assert np.array_equal(getattr(one, name), getattr(other, name))


@needs_native
@pytest.mark.parametrize("hmm", [True, False])
@pytest.mark.parametrize("agree", [True, False])
def test_both_engines_expect_the_same_counts(hmm: bool, agree: bool) -> None:
    model = random_model(load_engine("reference"), TEXT)
    work = Work(0, len(TEXT), hmm=hmm, agree=agree, threads=2)
    one, other = (expected_counts(load_engine(name), TEXT, model, work) for name in ("native", "reference"))
    for name in ("entries", "source_null", "target_null", "forward_jumps", "reverse_jumps"):
        difference = (getattr(one, name) - getattr(other, name)) / 2.0**32
        assert np.abs(difference).max() < 1e-3, name  # sums of up to 200 posteriors, each within 1e-5


@needs_native
@pytest.mark.parametrize("reading", list(Reading))
def test_both_engines_read_the_same_links(reading: Reading) -> None:
    model = random_model(load_engine("reference"), TEXT)
    options = HmmOptions(reading=reading, threshold=0.02)
    work = Work(0, 7, threads=2)
    both = []
    for name in ("native", "reference"):
        engine = load_engine(name)
        hits = engine.index(model.rows).hits(TEXT, first=0, last=7, threads=2)
        both.append(engine.decode(TEXT, hits, model, options, work))
    for name in ("start", "source", "target"):
        assert np.array_equal(getattr(both[0], name), getattr(both[1], name))
    assert len(both[0].source) > 10
    np.testing.assert_allclose(both[0].confidence, both[1].confidence, atol=1e-5)


@needs_native
def test_both_engines_maximise_alike() -> None:
    rows = random_model(load_engine("reference"), TEXT).rows
    generator = np.random.default_rng(9)
    counts = (generator.uniform(0, 30, 2 * len(rows)) * 2.0**32).astype(np.int64)
    prior = generator.uniform(0, 2, len(rows)).astype(np.float32)
    one, other = (
        load_engine(name).maximise(rows, targets=TARGETS, counts=counts, prior=prior, alpha=0.1, threads=2)
        for name in ("native", "reference")
    )
    np.testing.assert_allclose(one, other, rtol=1e-5)


@needs_native
def test_both_engines_see_the_same_likeness() -> None:
    rows = Rows(np.array([0, 5], dtype=np.int64), np.arange(5, dtype=np.int32))
    forms = ["nation", "nationen", "nazione", "natio", "été"]
    one, other = (load_engine(name).likenesses(rows, ["nation"], forms) for name in ("native", "reference"))
    assert np.array_equal(one, other)
    # By hand: the same; 6 of 8 bytes shared; 2 shared; 5 of 6; none.
    np.testing.assert_allclose(one, [1, 6 / 8, 0, 5 / 6, 0])


@needs_native
@pytest.mark.parametrize("threads", [2, 3, 7])
def test_counts_do_not_depend_on_threads_to_the_last_bit(threads: int) -> None:
    text = random_text([(n % 30, (7 * n) % 35) for n in range(300)])
    engine = load_engine("native")
    model = random_model(engine, text)
    work = Work(0, len(text), jump_stride=3)
    one = expected_counts(engine, text, model, work)
    other = expected_counts(engine, text, model, replace(work, threads=threads))
    for name in ("entries", "source_null", "target_null", "forward_jumps", "reverse_jumps"):
        assert np.array_equal(getattr(one, name), getattr(other, name)), name


def test_an_unknown_engine_is_not_taken_for_another() -> None:
    with pytest.raises(UnknownNameError, match="unknown engine: nativ"):
        load_engine("nativ")
