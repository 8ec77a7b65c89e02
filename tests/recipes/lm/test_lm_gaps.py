"""Gaps filled in all three ways of the code against trying every filling of the whole sentence."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anaphor.recipes.features.target_text import trained_model
from anaphor.recipes.lm import gaps
from anaphor.recipes.lm.gaps import FilledGaps, GapFiller, GappedSentence
from anaphor.recipes.lm.language_model import sentence_score
from anaphor.recipes.lm.model import ABSENT, NgramModel

TEXT = ["a b c a b", "b a c", "c c a b", "a a b", "b c a", "c a b a c", "a b", "b b a c"]
OPTIONS = ("a", "b", "zz", None)
words = st.lists(st.sampled_from("abcx"), max_size=4).map(tuple)


@pytest.fixture(scope="module")
def model() -> NgramModel:
    return trained_model(TEXT, order=3)


def by_trying_all(model: NgramModel, gapped: GappedSentence, penalty: float) -> FilledGaps:
    """The definition: every filling, scored from the first word to the end."""
    ways = list(product(*gapped.options))
    scores = []
    for way in ways:
        line = list(gapped.parts[0])
        for word, part in zip(way, gapped.parts[1:], strict=True):
            line += [*([] if word is None else [word]), *part]
        scores.append(sentence_score(model, line) + penalty * way.count(None))
    powers = 10 ** (np.array(scores) - max(scores))
    table = (powers / powers.sum()).reshape([len(options) for options in gapped.options])
    axes = range(table.ndim)
    shares = tuple(table.sum(axis=tuple(other for other in axes if other != axis)) for axis in axes)
    best = np.unravel_index(int(np.argmax(scores)), table.shape)
    return FilledGaps(tuple(map(int, best)), shares)


@given(parts=st.lists(words, min_size=1, max_size=4), lattice=st.booleans())
def test_the_best_filling_and_all_shares_are_exact(
    model: NgramModel, parts: list[tuple[str, ...]], lattice: bool
) -> None:
    gapped = GappedSentence(tuple(parts), (OPTIONS,) * (len(parts) - 1))
    reader = GapFiller(model, -0.7)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gaps, "_FEW", 0 if lattice else 10**6)
        found = reader.fill([gapped])[0]
    if len(parts) == 1:
        assert found == FilledGaps((), ()) or found.best == ()
        return
    expected = by_trying_all(model, gapped, -0.7)
    for one, two in zip(found.shares, expected.shares, strict=True):
        assert one == pytest.approx(two, abs=1e-5)  # the model has single precision
    picked = [share[best] for share, best in zip(expected.shares, found.best, strict=True)]
    if len(picked) == 1:
        assert picked[0] == pytest.approx(expected.shares[0].max(), abs=1e-5)


@given(sentences=st.lists(words, min_size=1, max_size=5), last=st.sampled_from(["a", "c", "zz"]))
def test_steps_of_many_states_are_those_of_each(
    model: NgramModel, sentences: list[tuple[str, ...]], last: str
) -> None:
    """Rows of words from the beginning of a sentence, short ones filled up on the left."""
    assert sentences
    rows = [[ABSENT] * (4 - len(one)) + model.numbers(["<s>", *one]) for one in sentences]
    found, states = model.step_all(model.states_after(np.array(rows)), np.array(model.numbers([last])))
    for number, one in enumerate(sentences):
        state = model.begin()
        for word in one:
            state = model.step(state, word)[1]
        value, after = model.step(state, last)
        assert found[number] == value
        numbers = [ABSENT if reached is None else reached for reached in after]
        broadcast = [int(np.broadcast_to(array, len(sentences))[number]) for array in states]
        assert broadcast == numbers + [ABSENT] * (model.order - 1 - len(numbers))


def test_many_sentences_at_once_are_each_as_alone(model: NgramModel) -> None:
    sentences = [
        GappedSentence((("a",), ("b",)), (OPTIONS,)),
        GappedSentence((("c", "a"),), ()),
        GappedSentence(((), ()), (OPTIONS,)),
        GappedSentence((("b", "c", "a"), ("c", "a", "b")), (OPTIONS[:2],)),
        GappedSentence((("c",), ("a",), ("b", "a")), (OPTIONS, OPTIONS)),
        GappedSentence((("a",), (), ("c", "b", "a")), (OPTIONS, OPTIONS)),
        GappedSentence(((), ("a", "b", "c", "a"), ("b",)), (OPTIONS, OPTIONS[:2])),
    ]
    reader = GapFiller(model)
    together = reader.fill(sentences)
    for one, filled in zip(sentences, together, strict=True):
        alone = reader.fill([one])[0]
        assert alone.best == filled.best
        assert [share.tolist() for share in alone.shares] == [share.tolist() for share in filled.shares]
    assert reader.fill([]) == []
