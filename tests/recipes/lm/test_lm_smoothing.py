"""The estimator equals a plain twin, with any text and however little memory it has."""

from __future__ import annotations

import warnings
from collections import Counter, defaultdict
from collections.abc import Sequence
from functools import cached_property

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anaphor.core import InputError, InputWarning, Where
from anaphor.recipes.lm.columns import ColumnStore
from anaphor.recipes.lm.counts import count_ngrams, encode_text
from anaphor.recipes.lm.smoothing import FALLBACK, Discounts, counts_of_counts, discounts_of, smooth

SENTENCES = st.lists(st.lists(st.sampled_from("abc"), max_size=5).map(" ".join), min_size=1, max_size=8)

Gram = tuple[str, ...]


class PlainKneserNey:
    """Modified Kneser-Ney smoothing with dictionaries, one n-gram at a time: slow and short.

    By length `discounts` has what is taken off counts of 0 to 3, `prune` the highest count left out.
    """

    def __init__(self, text: str, *, discounts: Sequence[Sequence[float]], prune: Sequence[int]) -> None:
        self.order = len(discounts)
        self.discounts = discounts
        self.prune = prune
        self.sentences = [("<s>", *line.split(), "</s>") for line in text.splitlines()]
        self.counts: Counter[Gram] = Counter(
            words[start : start + length]
            for words in self.sentences
            for length in range(1, self.order + 1)
            for start in range(len(words) - length + 1)
        )

    @cached_property
    def words(self) -> set[str]:
        return {word for words in self.sentences for word in words} | {"<unk>"}

    @cached_property
    def adjusted(self) -> dict[Gram, int]:
        """True counts for the longest n-grams and after <s>, else the number of words before."""
        before = Counter(gram[1:] for gram in self.counts)
        return {
            gram: count if len(gram) == self.order or gram[0] == "<s>" else before[gram]
            for gram, count in self.counts.items()
            if gram != ("<s>",)
        }

    @cached_property
    def followers(self) -> dict[Gram, list[Gram]]:
        found = defaultdict(list)
        for gram in self.adjusted:
            found[gram[:-1]].append(gram)
        return found

    def kept(self, gram: Gram) -> bool:
        return self.counts[gram] > self.prune[len(gram) - 1]

    def taken(self, gram: Gram) -> float:
        """What is taken off the count of an n-gram."""
        count = self.adjusted[gram]
        return self.discounts[len(gram) - 1][min(count, 3)] if self.kept(gram) else count

    def backoff(self, context: Gram) -> float:
        grams = self.followers.get(context, [])
        if not grams:
            return 1.0
        return sum(map(self.taken, grams)) / sum(self.adjusted[gram] for gram in grams)

    def probability(self, gram: Gram) -> float:
        if not gram:
            return 1 / (len(self.words) - 1)
        share = 0.0
        if gram in self.adjusted:
            total = sum(self.adjusted[other] for other in self.followers[gram[:-1]])
            share = (self.adjusted[gram] - self.taken(gram)) / total
        return share + self.backoff(gram[:-1]) * self.probability(gram[1:])


@given(sentences=SENTENCES, order=st.integers(2, 4), block=st.integers(1, 9), prune=st.integers(0, 2))
def test_probabilities_and_backoff_weights_are_those_of_the_reference_code(
    tmp_path_factory: pytest.TempPathFactory, sentences: list[str], order: int, block: int, prune: int
) -> None:
    text = "\n".join([*sentences, "a b c a"]) + "\n"
    thresholds = (0, *([prune] * (order - 1)))
    store = ColumnStore(tmp_path_factory.mktemp("columns"), block)
    numbered = encode_text(((Where("text"), line) for line in text.splitlines()), store)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InputWarning)
        levels = smooth(list(count_ngrams(numbered, order, store)), store, prune=thresholds, fallback=True)
    discounts = [level.discounts.of(np.arange(4)).tolist() for level in levels]
    twin = PlainKneserNey(text, discounts=discounts, prune=thresholds)
    grams: list[tuple[str, ...]] = [()]
    assert len(levels) == order
    for level in levels:
        columns = (level.table.prefix.read(), level.table.word.read())
        words = [numbered.words[number].decode() for number in columns[1]]
        grams = [(*grams[prefix], word) for prefix, word in zip(columns[0], words, strict=True)]
        kept = level.kept.read().astype(bool).tolist()
        assert kept == [gram == ("<unk>",) or twin.kept(gram) for gram in grams]
        values = level.probability.read().tolist()
        for gram, value, keep in zip(grams, values, kept, strict=True):
            if keep and gram != ("<s>",):
                assert value == pytest.approx(twin.probability(gram), rel=1e-5)
        for gram, value in zip(grams, level.backoff.read().tolist(), strict=False):
            assert value == pytest.approx(twin.backoff(gram), rel=1e-5)


def test_discounts_are_those_of_the_formula() -> None:
    # By hand: n1..n4 = 100, 30, 15, 10; Y = 100 / 160; D1 = 1 - 2Y 30/100, D2 = 2 - 3Y 15/30,
    # D3 = 3 - 4Y 10/15.
    found = discounts_of(np.array([7, 100, 30, 15, 10]), length=2, fallback=False)
    assert (found.one, found.two, found.more) == pytest.approx((0.625, 1.0625, 4 / 3))


def test_counts_above_four_do_not_enter() -> None:
    assert counts_of_counts(np.array([0, 1, 1, 2, 3, 4, 5, 100])).tolist() == [1, 2, 1, 1, 1]


def test_every_count_has_its_discount() -> None:
    assert Discounts(0.5, 1.0, 1.5).of(np.array([0, 1, 2, 3, 9])).tolist() == [0, 0.5, 1.0, 1.5, 1.5]


@pytest.mark.parametrize(
    ("found", "reason"),
    [
        ([0, 0, 5, 5, 5], "none occurs 1 time by"),
        ([0, 5, 0, 5, 5], "none occurs 2 times"),
        ([0, 5, 5, 0, 5], "none occurs 3 times"),
        ([0, 9, 1, 9, 9], "adjusted count 2 would be"),
    ],
)
def test_a_text_without_discounts_is_an_error_or_takes_those_of_lmplz(found: list[int], reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        discounts_of(np.array(found), length=3, fallback=False)
    with pytest.warns(InputWarning, match=f"{reason}.*3-grams"):
        assert discounts_of(np.array(found), length=3, fallback=True) == Discounts(*FALLBACK)
